package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

const suspendedReason = "intent_suspended" // blocked_reason of a task

// task compares a task: its status, blocked_reason and suspended_intent_id, in this order.
func (g Group) task(w int, found Found) (out []history.Miss) {
	if len(found.Where) < 3 || !g.Offers.Plan || w >= len(found.Names.Works) {
		return nil
	}
	status, reason, by := found.Where[0], found.Where[1], found.Where[2]
	switch e := g.Works[w]; e.Is {
	case Mirrors:
		switch id := found.Names.Intents[e.Intent]; {
		case status.String() != Blocked:
			out = append(out, missOf(openintent.OIP0026R3, status, "%q", Blocked))
		case reason.String() != suspendedReason:
			out = append(out, missOf(openintent.OIP0026R3B, reason, "%q", suspendedReason))
		case by.String() != id:
			out = append(out, missOf(openintent.OIP0026R3C, by, "%q", id))
		}
	case Runs:
		if status.String() != Runs {
			out = append(out, missOf(openintent.OIP0026R3D, status, "%q", Runs))
		}
		if reason.String() == suspendedReason {
			out = append(out, missOf(openintent.OIP0026R3D, reason, "any reason but %s", suspendedReason))
		}
	}
	return out
}

// tasks compares the statuses of a list: pairs of an id and a status.
func (g Group) tasks(s deedStep) (out []history.Miss) {
	for at := 0; at+2 <= len(s.Out.Where) && g.Offers.Plan; at += 2 {
		w, status := slices.Index(s.Out.Names.Works, s.Out.Where[at].String()), s.Out.Where[at+1]
		if w >= 0 && g.Works[w].Is != "" && status.Present() && status.String() != g.Works[w].Is {
			of := scenarios.RequirementID(openintent.OIP0026R3)
			if g.Works[w].Is == Runs {
				of = openintent.OIP0026R3D
			}
			out = append(out, missOf(of, status, "%q", g.Works[w].Is))
		}
	}
	return out
}

// plan compares the list of tasks that wait, and the state of the plan.
func (g Group) plan(s deedStep) (out []history.Miss) {
	if !g.Offers.Plan || len(s.Out.Where) < 2 {
		return nil
	}
	list, state := s.Out.Where[0], s.Out.Where[1]
	if strings.Contains(strings.ToLower(state.String()), "suspend") {
		out = append(out, missOf(openintent.OIP0026R1B, state, "no word with suspended in it"))
	}
	if !list.Present() {
		return out
	}
	seen := map[string]int{}
	for _, e := range list.Items() {
		seen[e.Key("task_id").String()]++
	}
	for w, id := range s.Out.Names.Works {
		e := g.Works[w]
		least, most := 0, 0
		if g.All[e.Intent].Status == Suspended {
			most = 1
		}
		if e.Is == Mirrors {
			least = 1
		}
		if n := seen[id]; n < least || n > most {
			out = append(out, miss(list, "%d to %d entries of task %d", least, most, w))
		}
	}
	return out
}

// events of a log, by their type and the suspension that they name.
func events(list wire.Values, kind, sid string) (all wire.Values) {
	for _, e := range list {
		if e.Key("event_type").String() == kind && (sid == "" || e.At("/payload/suspension_id").String() == sid) {
			all = append(all, e)
		}
	}
	return all
}

// nameless reports whether an event of a type, which need not name its suspension, does not.
func nameless(list wire.Values, kind string) bool {
	return kind != "intent.resumed" && slices.ContainsFunc(events(list, kind, ""), func(e wire.Value) bool {
		return !e.At("/payload/suspension_id").Present()
	})
}

// log compares how often the log of an intent tells what.
func (g Group) log(s deedStep) (out []history.Miss) {
	one, sids := g.All[s.In.Intent], s.Out.Names.Sids[s.In.Intent]
	often := func(of scenarios.RequirementID, kind, sid string, least, most int) {
		if nameless(s.Out.List, kind) {
			return
		}
		if n := len(events(s.Out.List, kind, sid)); n < least || n > most {
			out = append(out, missOf(of, s.Out.Body, "%d to %d %s of suspension %d, not %d", least, most, kind, slices.Index(sids, sid)+1, n))
		}
	}
	for k, sid := range sids {
		answered, most := 0, 0
		if one.Resumed.Has(k + 1) {
			answered = 1
		}
		if most = answered; one.Others.Has(k + 1) {
			most = 1
		}
		suspended := 1
		if one.Twice.Has(k + 1) { // the next one was told with this id
			suspended = 2
		}
		often(openintent.OIPREAD7, "intent.suspended", sid, 0, suspended)
		often(openintent.OIP0025A14, "intent.resumed", sid, answered, most)
	}
	if len(sids) == one.Round && one.Round > 0 && g.Offers.Windows {
		out = append(out, one.course(s, sids[one.Round-1])...)
	}
	return out
}

// course compares what was sent and told of the last suspension.
func (one Single) course(s deedStep, sid string) (out []history.Miss) {
	w := Windows[one.Window]
	reminders := events(s.Out.List, "intent.suspension_renotified", sid)
	want := min(one.Passed, max(w.Attempts-1, 0))
	of := scenarios.RequirementID(openintent.OIP0026H1)
	switch {
	case slices.ContainsFunc(reminders, func(e wire.Value) bool { return attemptOf(e) == 1 }):
		of = openintent.OIP0026N1
	case len(reminders) < want:
		of = openintent.OIP0026N3
	case one.Record == Answered:
		of = openintent.OIPREAD4
	case w.Plain || w.Attempts == 0:
		of = openintent.OIP0026B1
	}
	if len(reminders) != want {
		return []history.Miss{missOf(of, s.Out.Body, "%d reminders of suspension %d, not %d", want, one.Round, len(reminders))}
	}
	steps := 0
	if w.Step > 0 && one.Passed >= w.Step-1 {
		steps = 1
	}
	if n := len(events(s.Out.List, "intent.suspension_escalated", sid)); n != steps {
		return []history.Miss{missOf(openintent.OIP0026N4, s.Out.Body, "%d intent.suspension_escalated, not %d", steps, n)}
	}
	for k := range want {
		at := slices.IndexFunc(reminders, func(e wire.Value) bool { return attemptOf(e) == int64(k+2) })
		if at < 0 {
			out = append(out, missOf(openintent.OIP0026E3, s.Out.Body, "a reminder that says attempt %d", k+2))
			continue
		}
		out = append(out, w.reminder(reminders[at].Key("payload"), k+2)...)
	}
	ends := events(s.Out.List, "intent.suspension_expired", sid)
	switch n := len(ends); {
	case nameless(s.Out.List, "intent.suspension_expired"):
	case one.Record == Ended:
		if n != 1 || ends[0].At("/payload/reason").String() != "portfolio_deadline" {
			out = append(out, missOf(openintent.OIP0026R5D, s.Out.Body, "one intent.suspension_expired of the deadline"))
		}
	case one.Record == Expired && n != 1:
		out = append(out, missOf(openintent.OIP0026E5, s.Out.Body, "one intent.suspension_expired, not %d", n))
	case one.Record == Answered && n != 0:
		out = append(out, missOf(openintent.OIPREAD4, s.Out.Body, "no intent.suspension_expired"))
	}
	return out
}

func attemptOf(event wire.Value) int64 {
	n, _ := event.At("/payload/attempt").Int()
	return n
}

// reminder compares what a reminder says.
func (w Window) reminder(says wire.Value, attempt int) (out []history.Miss) {
	if most, _ := says.Key("max_attempts").Int(); most != int64(w.Attempts) {
		out = append(out, missOf(openintent.OIP0026E3, says.Key("max_attempts"), "%d", w.Attempts))
	}
	if next := says.Key("next_attempt_at"); attempt < w.Attempts && none(next) {
		out = append(out, missOf(openintent.OIP0026E3, next, "the time of the next attempt"))
	}
	if attempt != w.Step {
		return out
	}
	for member, want := range map[string]string{"channel_hint": StepChannel, "notify_to": StepRecipient} {
		if at := says.Key(member); at.String() != want {
			out = append(out, missOf(openintent.OIP0026N5, at, "%q, as the ladder says", want))
		}
	}
	return out
}

// told compares the log of a portfolio, where it tells of members (OIP-R105).
func (g Group) told(s deedStep) (out []history.Miss) {
	for _, of := range []struct {
		kind string
		id   scenarios.RequirementID
		in   func(Told) [2]int8
	}{
		{"portfolio.member_suspended", openintent.OIP0026X1, func(t Told) [2]int8 { return t.Suspended }},
		{"portfolio.member_resumed", openintent.OIP0026X2, func(t Told) [2]int8 { return t.Resumed }},
	} {
		all := events(s.Out.List, of.kind, "")
		if len(all) == 0 || !g.Offers.Portfolio {
			continue
		}
		for n, id := range s.Out.Names.Intents {
			about := 0
			for _, e := range all {
				if strings.Contains(e.JSON(), id) {
					about++
				}
			}
			if may := of.in(g.Folders[s.In.On].Told[n]); about < int(may[0]) || about > int(may[1]) {
				out = append(out, missOf(of.id, s.Out.Body, "%d to %d %s of intent %d, not %d", may[0], may[1], of.kind, n, about))
			}
		}
	}
	return out
}

// The ways of deeds.

func same(g Group, _ deedStep) Group { return g }

func astray(g Group, _ deedStep) Group {
	g.Astray = true
	return g
}

func anything(Group, deedStep) []history.Miss { return nil }

// only returns the one way of a deed.
func only(shows func(Group, deedStep) []history.Miss, to ...func(Group, deedStep) Group) []deedWay {
	return []deedWay{{Must: true, Shows: shows, To: append(to, same)[0]}}
}

// either returns the ways of a deed that a server may take or refuse.
func either(to func(Group, deedStep) Group) []deedWay {
	return []deedWay{{Name: "taken", Shows: deedTaken, To: to}, {Name: "refused", Shows: deedRefused(), To: same}}
}

func deedTaken(_ Group, s deedStep) []history.Miss {
	if s.Out.ok() || s.Out.Code == 0 {
		return nil
	}
	return []history.Miss{miss(s.Out.Status, "HTTP 200")}
}

// deedRefused returns whether a reply is a refusal with one of these statuses; none is any client error.
func deedRefused(codes ...int64) func(Group, deedStep) []history.Miss {
	return func(_ Group, s deedStep) []history.Miss {
		switch code := s.Out.Code; {
		case code == 0, slices.Contains(codes, code), len(codes) == 0 && (code/100 == 4 || code == http.StatusNotImplemented):
			return nil
		}
		words := "4xx"
		if len(codes) > 0 {
			words = strings.Trim(fmt.Sprint(codes), "[]")
		}
		return []history.Miss{miss(s.Out.Status, "a refusal with HTTP %s", words)}
	}
}

// refusedFor: a refusal for another reason than what the answer says violates nothing (want of a right, too many tries, load).
func refusedFor(g Group, s deedStep) []history.Miss {
	return deedRefused(http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusLocked,
		http.StatusTooManyRequests)(g, s)
}

// refusedUntold: the refusal does not tell the id that it asks for. A value that does not fit may be what is refused.
func refusedUntold(g Group, s deedStep) []history.Miss {
	n := s.In.Intent
	codes := []int64{409}
	if fits, said := Fits(g.All[n].Asks, s.In.Value); !fits || !said {
		codes = nil
	}
	return deedRefused(codes...)(g, s)
}

// refusedChoice lists the choices that there are.
func refusedChoice(g Group, s deedStep) []history.Miss {
	if _, is := Values[s.In.Value].(string); !is { // that is a mistake of another kind (OIP-R130)
		return deedRefused()(g, s)
	}
	if out := deedRefused(422)(g, s); len(out) > 0 || len(s.Out.Where) == 0 {
		return out
	}
	return listsChoices(s.Out.Where[0], Choices)
}

// refusedConfirm: a value of another type is a mistake of another kind (OIP-R130).
func refusedConfirm(g Group, s deedStep) []history.Miss {
	if _, is := Values[s.In.Value].(string); !is {
		return deedRefused()(g, s)
	}
	return deedRefused(422)(g, s)
}

// tookAnswer compares the whole reply to an answer.
func tookAnswer(g Group, s deedStep) (out []history.Miss) {
	n := s.In.Intent
	if !s.Out.ok() {
		of := scenarios.RequirementID(openintent.OIPREAD2)
		if g.All[n].Passed > 0 {
			of = openintent.OIP0026N9
		}
		return []history.Miss{missOf(of, s.Out.Status, "HTTP 200: the answer is taken")}
	}
	sids := s.Out.Names.Sids[n]
	if len(sids) == 0 {
		return nil
	}
	value := Values[s.In.Value]
	out = repliesTo(s.Out.Body, s.Out.Names.Intents[n], sids[len(sids)-1], value)
	if Kinds[g.All[n].Asks] == "choice" {
		out = append(out, described(s.Out.Body, fmt.Sprintf(LabelOf, value), fmt.Sprintf(MeaningOf, value))...)
	}
	return out
}

func tellDeed(s deedStep) string {
	in := s.In
	line := fmt.Sprintf("%s intent %d", in.Do, in.Intent)
	switch in.Do {
	case Answer:
		line += fmt.Sprintf(" with %v", Values[in.Value])
		if in.Names != "" {
			line += ", naming " + in.Names
		}
	case Records:
		line += fmt.Sprintf(", a %s, window %d", Kinds[in.Value], in.Window)
	case Note:
		line += fmt.Sprintf(": %d", in.Value)
	case Depend, Frees:
		line += fmt.Sprintf(", on intent %d", in.On)
	case Join, Leave, Deadline, LookFolder, LookMembers, LookTold:
		line += fmt.Sprintf(", portfolio %d", in.On)
	case LookTask:
		line += fmt.Sprintf(", task %d", in.On)
	}
	if in.Match != "" {
		line += " at " + in.Match
	}
	if s.Lost {
		return line
	}
	line += fmt.Sprintf(": HTTP %d", s.Out.Code)
	if in.Do == Look {
		line += ", " + s.Out.Body.Key("status").String()
	}
	return line
}
