package programs

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// answered is a suspension with the answer that was taken.
type answered struct {
	sus   host.Suspension
	value json.RawMessage
	reply host.Reply
	after host.Reply // the intent
}

// answers are those of a program, in order, by the number of their intent.
func (r Ran) answers() map[int][]answered {
	all, asked := map[int][]answered{}, map[int]host.Suspension{}
	for _, m := range r.moments() {
		n := m.step.Intent
		switch m.step.Do {
		case model.Suspend:
			asked[n] = *m.taken.Suspension
		case model.Answer:
			all[n] = append(all[n], answered{asked[n], m.step.Answer, m.taken.Reply, m.taken.After.Intents[n]})
		case model.Complete, model.Abandon, model.Try, model.Join, model.Leave:
		}
	}
	return all
}

// check checks what becomes of an answer (RFC-0025 5 and 8).
func (a answered) check(j *scenarios.Judge) {
	a.reply.Taken(j)
	value := decoded(a.value)
	for _, m := range []struct {
		member string
		want   check.Matcher
	}{
		{"suspension_id", check.Equal(a.sus.ID)}, {"resolution", check.Equal("responded")}, {"value", check.Equal(value)},
		{"responded_at", host.Moment()},
	} {
		j.Check(openintent.OIP0025A11, a.reply.Body.Key(m.member)).To(m.want, "%s of the reply to an answer", m.member)
	}
	j.Check(openintent.OIP0025A15, a.after.Body.Key("status")).To(check.Equal(host.Active), "status of %s", a.after.Asked)
	record, before := a.after.Body.At("/state/_suspension"), a.sus.Shown()
	j.Check(openintent.OIP0025A13, record.Key("response")).To(check.Equal(value), "response in the record of %s", a.after.Asked)
	j.Check(openintent.OIP0025A13, record.Key("resolution")).To(check.Equal("responded"), "resolution in the record of %s", a.after.Asked)
	j.Check(openintent.OIP0025A13, record.Key("responded_at")).To(host.Moment(), "responded_at in the record of %s", a.after.Asked)
	var sent map[string]json.RawMessage
	scenarios.End(json.Unmarshal(a.sus.Sent.RawMessage, &sent))
	for _, member := range slices.Sorted(maps.Keys(sent)) {
		j.Check(openintent.OIP0025A13, record.Key(member)).
			To(check.SameAs(before.Key(member)), "%s in the record of %s, as before the answer", member, a.after.Asked)
	}
}

func (r Ran) judgeAnswers(j *scenarios.Judge) {
	all := r.answers()
	for _, n := range slices.Sorted(maps.Keys(all)) {
		for _, a := range all[n] {
			a.check(j)
		}
	}
}

// judgeLogs asks that each suspension is told once, however many an intent has had.
func (r Ran) judgeLogs(j *scenarios.Judge) {
	all := r.answers()
	for _, n := range slices.Sorted(maps.Keys(all)) {
		checkLog(j, r.Logs[n], all[n])
	}
}

// checkLog checks what the log of an intent tells of its answers.
func checkLog(j *scenarios.Judge, log host.Log, all []answered) {
	log.Readable(j)
	for _, a := range all {
		a.reply.Taken(j)
		resumed := log.OfType(host.EventResumed).Where(ofSuspension(a.sus.ID))
		j.Check(openintent.OIP0025A14, resumed).To(check.Len(1), "intent.resumed of a suspension")
	}
	j.Check(openintent.OIP0025A14, log.OfType(host.EventResumed)).To(check.Len(len(all)), "intent.resumed of all suspensions")
}

// judgeMembers asks that the log of a portfolio tells of its members each time, where it tells of them (OIP-R105).
func (r Ran) judgeMembers(j *scenarios.Judge) {
	r.hasPortfolios(j)
	if !r.through() { // a last suspension may have no answer
		return
	}
	all, begin := r.answers(), r.Program.Begin()
	for _, of := range []struct {
		kind openintentv1.EventType
		id   scenarios.RequirementID
	}{{host.EventMemberSuspended, openintent.OIP0026X1}, {host.EventMemberResumed, openintent.OIP0026X2}} {
		for i, folder := range r.Folders {
			told := folder.OfType(of.kind)
			if len(told.Values) == 0 && i == 0 {
				j.NotOffered("the log of a portfolio has no " + string(of.kind) + ": another scenario looks for it elsewhere")
			}
			if r.Program.Moving(i) {
				continue // who is told of somebody who has left, or was not there yet, is open
			}
			for _, m := range slices.Compact(slices.Sorted(slices.Values(begin.Members[i]))) {
				about := told.Where(mentioning(r.IDs[m]))
				j.Check(of.id, about).To(check.Len(len(all[m])), "%s on the log of portfolio %d about intent %d", of.kind, i, m)
			}
		}
	}
}
