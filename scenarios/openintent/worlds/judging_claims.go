package worlds

import (
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// turns reports whether a turn moves a clock.
func turns(t model.Step) bool { return t.Do == model.Lapse || t.Do == model.Deadline }

var claimScenarios = []scenarios.Scenario{
	{
		ID:    "openintent/worlds/world-claims",
		Title: "a claim is refused whichever input comes from what waits, the refusal names that, and in the end it is granted",
		Proves: scenarios.IDs{
			openintent.OIP0026V1, openintent.OIP0026V2, openintent.OIP0026V3, openintent.OIP0026V5, openintent.OIP00241, openintent.OIPREAD18,
		},
		Claim: claims.With(claims.Claimed, claims.Graph, claims.Core),
		Ask:   scenarios.Ask(drawn, WorldObservation.judgeClaims),
	},
}

// waiting returns the intents from which inputs of n come that are suspended.
func (m moment) waiting(n int) (ids []string, since time.Time) {
	for _, on := range m.Program.Places[n].Inputs {
		if i := m.taken.After.Intents[on].Body; m.shown(on) == host.Suspended {
			ids = append(ids, m.IDs[on])
			if at, ok := host.TimeOf(i.At("/state/_suspension/suspended_at")); ok && (since.IsZero() || at.Before(since)) {
				since = at
			}
		}
	}
	return ids, since
}

func (o WorldObservation) judgeClaims(j *scenarios.Judge) {
	refused, granted := false, false
	for _, m := range o.moments() {
		main, n := m.taken.Reply, m.turn.Intent
		if m.turn.Do != model.Claim || main.Asked == "" {
			continue
		}
		if host.MissingRoute(main) {
			j.NotThere(main.Status, "claims that look at inputs: a lease on an intent whose _io_inputs name a phase that it depends on, or "+
				"POST /tasks/{id}/claim of its task")
		}
		ids, since := m.waiting(n)
		what := fmt.Sprintf("%s after turn to %s intent %d", main.Asked, m.turn.Do, n)
		switch {
		case len(ids) > 0:
			refused = true
			if !j.Check(openintent.OIP0026V1, main.Status).To(check.Status(4), "%s", what) || main.Excused() {
				break
			}
			if j.Check(openintent.OIP0026V2, main.Body).To(host.Mentioning(host.SuspendedCodes...), "%s", what) {
				j.Check(openintent.OIP0026V3, main.Body).To(host.Mentioning(ids...), "%s", what)
				j.Check(openintent.OIPREAD18, host.ResumesAt(main.Body)).To(host.NotBefore(since), "expected_resume_at in %s", what)
			}
		case m.scene.Resolved(n):
			granted = true
			j.Check(openintent.OIP00241, main.Status).To(check.Status(2), "%s", what)
			j.Check(openintent.OIP0026V5, main.Status).To(check.Status(2), "%s", what)
		}
		if !main.Ok() {
			j.Check(openintent.OIP0026V5, m.taken.After.status(n)).
				To(check.SameAs(m.before.status(n)), "%s", m.what("status", m.taken.After.Intents[n]))
		}
		if c := m.taken.Claim; c.Asked != "" && !c.Ok() && !host.MissingRoute(c) {
			was, now := m.before.Tasks[m.taken.Task], m.taken.After.Tasks[m.taken.Task]
			j.Check(openintent.OIP0026V5, host.StatusOf(now.Body).Value).To(check.SameAs(host.StatusOf(was.Body).Value), "%s", m.what("status", now))
		}
	}
	o.through(j)
	if !refused || !granted {
		j.Block("setup failed: no claim was asked for while its upstream waited, or none when it was completed",
			"take a lease on an intent or a claim of a task; other scenarios test that")
	}
}

var eventScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/worlds/world-told",
		Title:  "the log of an intent tells each of its suspensions and each end of these once, however many it had and however they ended",
		Proves: scenarios.IDs{openintent.OIP0025A14}, Claim: claims.With(claims.Core, claims.Graph),
		Ask: scenarios.Ask(drawn, WorldObservation.judgeLogs),
	},
	{
		ID:     "openintent/worlds/world-members-told",
		Title:  "each portfolio tells the suspensions and answers of those who are members of it then, and of nobody else",
		Proves: scenarios.IDs{openintent.OIP0026X1, openintent.OIP0026X2}, Claim: inFolders,
		Ask: scenarios.Ask(drawn, WorldObservation.judgeTold),
	},
}

// story is a suspension and how it ended.
type story struct {
	sid   string
	ended model.Action // "" if it was not
}

// stories are the suspensions of each intent, in order.
func (o WorldObservation) stories() map[int][]story {
	all := map[int][]story{}
	for _, m := range o.moments() {
		switch n := m.turn.Intent; m.turn.Do {
		case model.Suspend, model.Recorded:
			if m.taken.Suspension != nil {
				all[n] = append(all[n], story{sid: m.taken.Suspension.ID})
			}
		case model.Answer, model.Lapse, model.Deadline:
			if last := len(all[n]) - 1; m.taken.Done && last >= 0 && all[n][last].ended == "" { // one without a record has no story
				all[n][last].ended = m.turn.Do
			}
		}
	}
	return all
}

func (o WorldObservation) judgeLogs(j *scenarios.Judge) {
	stories := o.stories()
	for n, log := range o.Logs {
		if len(stories[n]) == 0 {
			continue
		}
		log.Readable(j)
		answers := 0
		for _, s := range stories[n] {
			resumed := log.OfType(host.EventResumed).Where(func(e wire.Value) bool { return e.At("/payload/suspension_id").String() == s.sid })
			if s.ended == model.Answer {
				answers++
				j.Check(openintent.OIP0025A14, resumed).To(check.Len(1), "intent.resumed of a suspension of intent %d", n)
			}
		}
		if !slices.ContainsFunc(stories[n], func(s story) bool { return s.ended == model.Lapse }) { // a server may tell its end so, too
			j.Check(openintent.OIP0025A14, log.OfType(host.EventResumed)).To(check.Len(answers), "intent.resumed of all suspensions of intent %d", n)
		}
	}
	o.through(j)
}

// between is how often something must and may be told.
type between struct{ least, most int }

// judgeTold asks the logs of portfolios, where they tell of members at all (OIP-R105).
func (o WorldObservation) judgeTold(j *scenarios.Judge) {
	o.hasFolders(j)
	o.through(j)
	suspended, resumed := map[[2]int]*between{}, map[[2]int]*between{}
	count := func(of map[[2]int]*between, folder, n, least, most int) {
		key := [2]int{folder, n}
		if of[key] == nil {
			of[key] = &between{}
		}
		of[key].least += least
		of[key].most += most
	}
	for _, m := range o.moments() {
		n := m.turn.Intent
		if m.turn.Do == model.Join && m.taken.Done && m.scene.Is(n, model.Suspended) {
			count(suspended, m.turn.On, n, 0, 1)
		}
		for f := range o.Folders {
			if !m.was.Has(f, n) {
				continue
			}
			switch m.turn.Do {
			case model.Suspend: // one without a record may be told when that is written
				least := 1
				if m.turn.Alone {
					least = 0
				}
				count(suspended, f, n, least, 1)
			case model.Recorded:
				count(suspended, f, n, 1, 0)
			case model.Answer:
				count(resumed, f, n, 1, 1)
			case model.Lapse, model.Leave: // a server may tell that it waits no more
				if m.was.Is(n, model.Suspended) {
					count(resumed, f, n, 0, 1)
				}
			case model.Deadline: // likewise, of all that it ends
				for _, ended := range []int{dated, only} {
					if m.was.Has(f, ended) {
						count(resumed, f, ended, 0, 1)
					}
				}
			}
		}
	}
	for f, log := range o.Told {
		for n, id := range o.IDs {
			about := func(e wire.Value) bool { return host.Contains(e, id) }
			for _, k := range []struct {
				of   map[[2]int]*between
				told wire.Found
				id   scenarios.RequirementID
			}{
				{suspended, log.OfType(host.EventMemberSuspended), openintent.OIP0026X1},
				{resumed, log.OfType(host.EventMemberResumed), openintent.OIP0026X2},
			} {
				if len(k.told.Values) == 0 && f == 0 {
					j.NotOffered("the log of a portfolio does not tell of its members: another scenario looks for that elsewhere")
				}
				want := between{}
				if b := k.of[[2]int{f, n}]; b != nil {
					want = *b
				}
				j.Check(k.id, k.told.Where(about)).To(check.That(fmt.Sprintf("%d to %d of them", want.least, want.most), func(v any) bool {
					all, _ := v.([]any)
					return want.least <= len(all) && len(all) <= want.most
				}), "events on the log of portfolio %d about intent %d", f, n)
			}
		}
	}
}
