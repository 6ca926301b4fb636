package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// readRules are about what reads show. The same read is a rule for each situation that is worth being met.
var readRules = slices.Concat(
	intentRules("an intent is shown as it is", Look, Group.intent,
		openintent.OIP00014, openintent.OIP0025A15, openintent.OIP0026R1, openintent.OIP0026R2, openintent.OIP00022, openintent.OIP0025A13),
	intentRules("a log tells each suspension and each answer once", LookLog, Group.log, openintent.OIP0025A14, openintent.OIPREAD7),
	[]*deedRule{
		read(LookGraph, "a graph counts the children that wait", func(g Group, in Deed) bool {
			least, _ := g.family().Counted(in.Intent, Suspended)
			return least > 0
		}, Group.graph, openintent.OIPREAD16, openintent.OIP0026R4),
		read(LookGraph, "a graph shows intents as they are", always, Group.graph, openintent.OIPREAD16, openintent.OIP0026R4),
		read(LookReady, "a child that depends on what waits is not ready", childWaits, Group.ready, openintent.OIPREAD17),
		read(LookReady, "what depends on nothing that waits may be ready", always, Group.ready, openintent.OIPREAD17),
		read(LookHeld, "a child that depends on what waits is listed as blocked", childWaits, Group.blocked, openintent.OIPREAD17),
		read(LookHeld, "no other need be listed as blocked", always, Group.blocked, openintent.OIPREAD17),
		read(LookFolder, "a portfolio counts several that wait", func(g Group, in Deed) bool {
			return g.suspended(in.On) > 1
		}, Group.folder, openintent.OIP0026R4B, openintent.OIP0026R4C),
		read(LookFolder, "a portfolio counts one that waits", func(g Group, in Deed) bool {
			return g.suspended(in.On) == 1
		}, Group.folder, openintent.OIP0026R4B, openintent.OIP0026R4C),
		read(LookFolder, "a portfolio sums up its members", always, Group.folder,
			openintent.OIP0026R4B, openintent.OIP0026R4C, openintent.OIP0026R4F),
		read(LookMembers, "the members of a portfolio are shown as they are", always, func(g Group, s deedStep) []history.Miss {
			return g.statuses(s.Out.Names, entries(s.Out.Body, "intents"))
		}, openintent.OIPREAD16),
		read(LookWithin, "the portfolios of an intent sum up their members", always, Group.within, openintent.OIP0026R4B, openintent.OIP0026R4C),
		read(LookTask, "a running task waits with its intent", func(g Group, in Deed) bool { return g.Works[in.On].Is == Mirrors },
			Group.work, openintent.OIP0026R3),
		read(LookTask, "a task runs while its intent does not wait", always, Group.work, openintent.OIP0026R3D),
		read(LookTasks, "the tasks of an intent are listed as they are", always, Group.tasks, openintent.OIP0026R3),
		read(LookPlan, "a plan lists the tasks that wait", always, Group.plan, openintent.OIP0026R4G),
		read(LookTold, "a portfolio tells what happens to its members once", always, Group.told, openintent.OIP0026X1, openintent.OIP0026X2),
	},
)

// intentRules are those of a read about one intent: a rule for each state of its record.
func intentRules(
	name string, do Action, shows func(Group, deedStep) []history.Miss, of ...scenarios.RequirementID,
) (all []*deedRule) {
	for _, is := range []struct {
		words string
		when  func(Single) bool
	}{
		{"after a reminder", func(s Single) bool { return s.Record == Waiting && s.Passed > 0 }},
		{"behind the end of its window", func(s Single) bool { return s.Record == Expired }},
		{"behind a deadline", func(s Single) bool { return s.Record == Ended }},
		{"with an answer", func(s Single) bool { return s.Record == Answered }},
		{"with a record", func(s Single) bool { return s.Record == Waiting }},
		{"blocked", func(s Single) bool { return s.Held }},
		{"as it was made", func(Single) bool { return true }},
	} {
		all = append(all, read(do, name+", "+is.words, func(g Group, in Deed) bool { return is.when(g.All[in.Intent]) }, shows, of...))
	}
	return all
}

func always(Group, Deed) bool { return true }

func childWaits(g Group, in Deed) bool {
	for n := range g.family().Children(in.Intent).All() {
		if g.family().Waits(n) {
			return true
		}
	}
	return false
}

// Within are the sentences that misses cite beside those of their rules.
var Within = scenarios.IDs{
	openintent.OIP0002201, openintent.OIP00023, openintent.OIP00024, openintent.OIP0025A11, openintent.OIP0025A12, openintent.OIP0025A8,
	openintent.OIP0025F1, openintent.OIP0025F2, openintent.OIP0025F3, openintent.OIP0025F4, openintent.OIP0026B1, openintent.OIP0026B2,
	openintent.OIP0026E3, openintent.OIP0026E5, openintent.OIP0026H1, openintent.OIP0026H8, openintent.OIP0026J1, openintent.OIP0026L1,
	openintent.OIP0026N1, openintent.OIP0026N3, openintent.OIP0026N4, openintent.OIP0026N5, openintent.OIP0026N9, openintent.OIP0026R1B,
	openintent.OIP0026R1C, openintent.OIP0026R2C, openintent.OIP0026R2D, openintent.OIP0026R3B, openintent.OIP0026R3C,
	openintent.OIP0026R4D, openintent.OIP0026R4E, openintent.OIP0026R5, openintent.OIP0026R5B, openintent.OIP0026R5D,
	openintent.OIP0026X3, openintent.OIPREAD4, openintent.OIPREAD6,
}

// read returns the rule of a read in a situation. One that the server does not have shows nothing.
func read(
	do Action, name string, when func(Group, Deed) bool, shows func(Group, deedStep) []history.Miss, of ...scenarios.RequirementID,
) *deedRule {
	return &deedRule{
		Name: name, Of: of, When: func(g Group, in Deed) bool { return in.Do == do && when(g, in) },
		Ways: []deedWay{{Must: true, To: func(g Group, s deedStep) Group {
			g.Seen = g.Seen || do == Look && !s.Lost
			return g
		}, Shows: func(g Group, s deedStep) []history.Miss {
			switch {
			case s.Out.Code == 0: // it was not asked
				return nil
			case !s.Out.ok() && do == Look:
				return []history.Miss{miss(s.Out.Status, "HTTP 200")}
			case !s.Out.ok():
				return nil
			}
			return shows(g, s)
		}}},
	}
}

func missOf(of scenarios.RequirementID, at wire.Value, format string, args ...any) history.Miss {
	return history.Miss{Of: of, At: at, Want: fmt.Sprintf(format, args...)}
}

// none reports whether a value is null, empty or absent, which mean the same (OIP-R15).
func none(v wire.Value) bool { return v.Actual() == nil || v.Actual() == "" }

// intent compares what an intent shows of itself.
func (g Group) intent(s deedStep) (out []history.Miss) {
	n, body := s.In.Intent, s.Out.Body
	one := g.All[n]
	if status := body.Key("status"); !slices.Contains(g.May(n), status.String()) {
		of := one.Why
		if one.Record == Expired && Windows[one.Window].Plain && status.String() == Suspended {
			of = openintent.OIP0026B1
		}
		out = append(out, missOf(of, status, "status %s", strings.Join(g.May(n), " or ")))
	}
	if note := body.At("/state/note"); one.Note > 0 {
		if is, _ := note.Int(); is != int64(one.Note) {
			out = append(out, missOf(openintent.OIP00012, note, "the note %d", one.Note))
		}
	} else if note.Present() {
		out = append(out, missOf(openintent.OIP00012, note, "no note"))
	}
	if title := body.Key("title"); s.Out.Names.Titles[n] != "" && title.String() != s.Out.Names.Titles[n] {
		out = append(out, miss(title, "the title that it was made with"))
	}
	return append(out, one.record(s)...)
}

// record compares the record of a suspension.
func (one Single) record(s deedStep) (out []history.Miss) {
	r := s.Out.Body.At("/state/_suspension")
	if one.Record == "" {
		return nil
	}
	out = unwritten(s.Out.Odd, one.Record)
	response, resolution := r.Key("response"), r.Key("resolution")
	switch one.Record {
	case Waiting:
		if !none(resolution) {
			out = append(out, missOf(openintent.OIPREAD4, resolution, "no resolution"))
		}
	case Answered:
		out = append(out, showsAnswer(r, Values[one.Answer])...)
	case Expired:
		if resolution.String() != Expired {
			out = append(out, missOf(openintent.OIP0025F3, resolution, "%q", Expired))
		}
	case Ended:
		if !none(response) {
			out = append(out, missOf(openintent.OIP0026R5B, response, "no answer"))
		}
	}
	return out
}

// entries are those of a list that is the document or a member of it.
func entries(v wire.Value, member string) wire.Values {
	if _, is := v.Actual().([]any); is {
		return v.Items()
	}
	return v.Key(member).Items()
}

// statuses compares what others show of intents.
func (g Group) statuses(names Names, list wire.Values) (out []history.Miss) {
	for _, e := range list {
		n, status := slices.Index(names.Intents, e.Key("id").String()), e.Key("status")
		if n >= 0 && status.Present() && !slices.Contains(g.May(n), status.String()) {
			out = append(out, missOf(openintent.OIPREAD16, status, "status %s of intent %d", strings.Join(g.May(n), " or "), n))
		}
	}
	return out
}

// suspended returns how many members of a portfolio are suspended.
func (g *Group) suspended(f int) int64 {
	return int64((g.Folders[f].Members & g.family().Having(Suspended)).Len())
}

// graph compares the nodes, and the counts of an aggregate: at least the children, at most all around.
func (g Group) graph(s deedStep) []history.Miss {
	n, out := s.In.Intent, g.statuses(s.Out.Names, entries(s.Out.Body, "nodes"))
	for _, doc := range append(wire.Values{s.Out.Body}, s.Out.Where...) {
		aggregate := doc.At("/aggregate_status")
		counts, is := aggregate.Key("by_status").Actual().(map[string]any)
		if !is {
			continue
		}
		for _, of := range []struct {
			status string
			id     scenarios.RequirementID
		}{{Suspended, openintent.OIP0026R4}, {Completed, openintent.OIP00023}} {
			at := aggregate.At("/by_status/" + of.status)
			is, _ := at.Int()
			if least, most := g.family().Counted(n, of.status); is < int64(least) || is > int64(most) {
				out = append(out, missOf(of.id, at, "%d to %d", least, most))
			}
		}
		sum := int64(0)
		for status := range counts {
			each, _ := aggregate.At("/by_status/" + status).Int()
			sum += each
		}
		if total := aggregate.Key("total"); total.Present() {
			if is, _ := total.Int(); is != sum {
				out = append(out, missOf(openintent.OIP0026R4, total, "%d", sum))
			}
		}
	}
	return out
}

func (g Group) ready(s deedStep) (out []history.Miss) {
	list := s.Out.Body.Key("ready")
	for _, n := range listed(list, s.Out.Names.Intents) {
		if g.family().Waits(n) {
			out = append(out, miss(list, "without intent %d, which depends on what waits", n))
		}
	}
	return out
}

func (g Group) blocked(s deedStep) (out []history.Miss) {
	list := s.Out.Body.Key("blocked")
	if _, is := list.Actual().([]any); !is {
		return nil
	}
	have := listed(list, s.Out.Names.Intents)
	for n := range g.family().Children(s.In.Intent).All() {
		if g.All[n].Held && g.family().Waits(n) && !slices.Contains(have, n) {
			out = append(out, miss(list, "with intent %d, which depends on what waits", n))
		}
	}
	return out
}

// listed returns which intents a list has, as objects or by id.
func listed(list wire.Value, ids []string) (all []int) {
	for _, e := range list.Items() {
		if n := slices.Index(ids, e.Key("id").String()+as[string](e.Actual())); n >= 0 {
			all = append(all, n)
		}
	}
	return all
}

func (g Group) folder(s deedStep) []history.Miss { return g.summed(s.In.On, s.Out.Where) }

func (g Group) work(s deedStep) []history.Miss { return g.task(s.In.On, s.Out) }

// summed compares the flag, the count, the word and the status of a portfolio, in this order; one that is absent is shown nowhere.
func (g Group) summed(f int, where []wire.Value) (out []history.Miss) {
	if len(where) < 4 || !g.Offers.Portfolio {
		return nil
	}
	suspended := g.suspended(f)
	if at := where[0]; at.Present() && at.Actual() != (suspended > 0) {
		out = append(out, missOf(openintent.OIP0026R4B, at, "%t", suspended > 0))
	}
	if is, _ := where[1].Int(); where[1].Present() && is != suspended {
		of := scenarios.RequirementID(openintent.OIP0026R4C)
		if g.Folders[f].Twice != 0 {
			of = openintent.OIPREAD6
		}
		out = append(out, missOf(of, where[1], "%d", suspended))
	}
	var members []string
	for n := range g.Folders[f].Members.All() {
		members = append(members, g.All[n].Status)
	}
	word, of := Summed(members)
	if at := where[2]; at.Present() && word != "" && at.String() != word {
		out = append(out, missOf(of, at, "%q", word))
	}
	if strings.Contains(strings.ToLower(where[3].String()), "suspend") {
		out = append(out, missOf(openintent.OIP0026R1C, where[3], "no word with suspended in it"))
	}
	return out
}

// within compares each portfolio of the list: four values of each, behind its id.
func (g Group) within(s deedStep) (out []history.Miss) {
	for at := 0; at+5 <= len(s.Out.Where); at += 5 {
		if f := slices.Index(s.Out.Names.Folders, s.Out.Where[at].String()); f >= 0 {
			out = append(out, g.summed(f, s.Out.Where[at+1:at+5])...)
		}
	}
	return out
}
