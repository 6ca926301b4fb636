package control

import (
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

var diffOfItself = scenarios.Scenario{
	ID:     "openwop/run-control/diff-of-itself",
	Title:  "a run does not differ from itself",
	Proves: scenarios.IDs{openwop.OWPCTL30, openwop.OWPCTL31},
	Claim:  claims.RunDiff,
	Ask: scenarios.Ask(comparedRuns, func(o DiffObservation, j *scenarios.Judge) {
		o.Self.given(j)
		o.Self.CheckNamed(j)
		CheckSelf(j, o.Self.Reply)
	}),
}

// CheckSelf checks that a run does not differ from itself.
func CheckSelf(j *scenarios.Judge, reply host.Answered) {
	j.Check(openwop.OWPCTL31, reply.Body.Key("eventDiffs")).To(check.Len(0), "differences of a run from itself")
	j.Check(openwop.OWPCTL31, reply.Body.Key("divergedAtSeq")).To(check.Equal(nil), "divergedAtSeq of a run and itself")
	j.Check(openwop.OWPCTL31, reply.Body.Key("stateDiff")).To(noMembers(), "stateDiff of a run and itself")
}

// The comparison of a run with itself is the control: a diff that reports every
// place would show differences there too.
var diffTellsAll = scenarios.Scenario{
	ID: "openwop/run-control/diff-tells-all",
	Title: "a diff tells of every place at which two logs differ, what stands there, and which is the first; that ids and " +
		"times differ does not count",
	Proves: scenarios.IDs{openwop.OWPCTL30, openwop.OWPCTL32, openwop.OWPCTL33, openwop.OWPCTL34, openwop.OWPCTL35},
	Claim:  claims.RunDiff,
	Ask: scenarios.Ask(comparedRuns, func(o DiffObservation, j *scenarios.Judge) {
		o.Self.given(j)
		pairs := []Diffed{o.Alike}
		if o.Other.Reply.Asked != "" {
			pairs = append(pairs, o.Other)
		}
		if o.Back.Reply.Asked != "" {
			pairs = append(pairs, o.Back)
		}
		differ, told := false, 0
		for _, d := range pairs {
			d.given(j)
			d.CheckNamed(j)
			differ = differ || len(d.differing()) > 0
			d.CheckTold(j)
			told += len(d.places().Values)
		}
		switch {
		case !differ:
			j.Block("setup failed: no two runs differ in what they did", fixture.Load)
		case told == 0: // truncated before the first
			j.Block("no diff tells of any place, so none can be compared with the logs", "truncate a diff behind its first place at the earliest")
		}
		if o.Replay != nil {
			o.Replay.given(j)
			if len(o.Replay.differing()) == 0 {
				j.Check(openwop.OWPCTL35, o.Replay.Reply.Body.Key("divergedAtSeq")).To(check.Equal(nil), "divergedAtSeq of a run and a replay of it")
			}
		}
	}),
}

var diffOfStates = scenarios.Scenario{
	ID:     "openwop/run-control/diff-of-states",
	Title:  "the states of a run that completed and of one that failed differ",
	Proves: scenarios.IDs{openwop.OWPCTL36},
	Claim:  claims.RunDiff,
	Ask: scenarios.Ask(comparedRuns, func(o DiffObservation, j *scenarios.Judge) {
		if o.Other.Reply.Asked == "" {
			j.Block("no workflow is on offer that fails, or its run did not end", fixture.Load)
		}
		o.Other.given(j)
		switch {
		case o.Other.A.Status().Actual() == o.Other.B.Status().Actual():
			j.Block("setup failed: both runs are "+o.Other.A.Status().JSON(), "have runs of "+fixture.Fail+" fail")
		case j.Check(openwop.OWPCTL36, o.Other.Reply.Status).To(check.Status(200), "%s", o.Other.Reply.Asked):
			CheckStates(j, o.Other.Reply)
		}
	}),
}

// CheckStates checks that the states of two runs differ that ended otherwise.
func CheckStates(j *scenarios.Judge, reply host.Answered) {
	j.Check(openwop.OWPCTL36, reply.Body.Key("stateDiff")).To(someMembers(), "stateDiff of a run that completed and one that failed")
}

var diffOfUnknown = scenarios.Scenario{
	ID:     "openwop/run-control/diff-of-unknown",
	Title:  "a diff of a run that never was, or against one, is refused",
	Proves: scenarios.IDs{openwop.OWPCTL37, openwop.OWPERR4},
	Claim:  claims.RunDiff,
	Ask: scenarios.Ask(comparedRuns, func(o DiffObservation, j *scenarios.Judge) {
		o.Self.given(j)
		if !host.Succeeded(o.Self.Reply.Status) { // the control
			j.Block("setup failed: "+o.Self.Reply.Asked+" is not compared: HTTP "+o.Self.Reply.Status.JSON(), "compare a run with itself")
		}
		for _, a := range o.Never {
			a.Refused(j, openwop.OWPCTL37, http.StatusNotFound, http.StatusForbidden)
		}
	}),
}

// given blocks the judge unless there are two logs to compare.
func (d Diffed) given(j *scenarios.Judge) {
	d.A.Whole(j)
	d.B.Whole(j)
}

// CheckNamed checks that the diff names these two runs.
func (d Diffed) CheckNamed(j *scenarios.Judge) {
	j.Require(j.Check(openwop.OWPCTL30, d.Reply.Status).To(check.Status(200), "%s", d.Reply.Asked))
	j.Require(j.Check(openwop.OWPCTL30, d.Reply.Body.Key("a")).To(check.Equal(d.A.RunID), "a, of %s", d.Reply.Asked))
	j.Require(j.Check(openwop.OWPCTL30, d.Reply.Body.Key("b")).To(check.Equal(d.B.RunID), "b, of %s", d.Reply.Asked))
}

// places returns all differences that the diff reports.
func (d Diffed) places() wire.Found {
	list := d.Reply.Body.Key("eventDiffs")
	return wire.Found{Values: list.Items(), In: list.Ref()}
}

// differing returns the kind of difference by sequence, computed from the logs.
func (d Diffed) differing() map[int64]string {
	a, b, out := bySequence(d.A), bySequence(d.B), map[int64]string{}
	for seq, event := range a {
		if other, both := b[seq]; !both {
			out[seq] = string(dialect.RunEventDiffOpRemoved)
		} else if eventsDiffer(event, other) {
			out[seq] = string(dialect.RunEventDiffOpChanged)
		}
	}
	for seq := range b {
		if _, both := a[seq]; !both {
			out[seq] = string(dialect.RunEventDiffOpAdded)
		}
	}
	return out
}

func bySequence(l host.RunLog) map[int64]wire.Value {
	out := make(map[int64]wire.Value, len(l.Events))
	for _, e := range l.Events {
		out[host.Sequence(e)] = e
	}
	return out
}

// eventsDiffer reports whether two events say different things. Of the payloads it
// compares only members that cannot be an id or a time.
func eventsDiffer(a, b wire.Value) bool {
	for _, pointer := range []string{"/type", "/nodeId", "/payload/nodeId", "/payload/workflowId", "/payload/inputs",
		"/payload/outputs", "/payload/error/code"} {
		if !sameAt(pointer, a, b) {
			return true
		}
	}
	return false
}

// sameAt reports whether two documents hold the same value at a pointer.
func sameAt(pointer string, a, b wire.Value) bool {
	same, _ := check.SameAs(a.At(pointer)).Match(check.Plain(b.At(pointer).Actual()))
	return same
}

// CheckTold compares the reported differences with the logs.
func (d Diffed) CheckTold(j *scenarios.Judge) {
	told := d.places()
	// The checks below visit every reported place, so bound their number first.
	if most := len(d.A.Events) + len(d.B.Events); !j.Check(openwop.OWPCTL32, told.Each("/seq")).To(host.NoMoreThan(most),
		"places that are told of two logs of %d events in all", most) {
		return
	}
	want := d.differing()
	if truncated := d.Reply.Body.Key("truncated").Actual() == true; truncated { // a truncated diff may stop early
		last, some := told.Last().Key("seq").Int()
		maps.DeleteFunc(want, func(seq int64, _ string) bool { return !some || seq > last })
	}
	maps.DeleteFunc(want, func(seq int64, _ string) bool { return !d.compares(seq) })
	got := map[int64]wire.Value{}
	for _, p := range told.Values {
		seq, _ := p.Key("seq").Int()
		got[seq] = p
	}
	for _, seq := range slices.Sorted(maps.Keys(want)) {
		p, ok := got[seq]
		if !ok {
			p = d.Reply.Body.Key("eventDiffs").Key("of " + d.Reply.Asked)
		}
		if !j.Check(openwop.OWPCTL32, p.Key("op")).To(check.Equal(want[seq]), "op at %d, of %s", seq, d.Reply.Asked) {
			return
		}
	}
	j.Check(openwop.OWPCTL32, d.Reply.Body.Key("eventDiffs")).To(check.That("a list",
		func(v any) bool { _, ok := v.([]any); return ok }), "eventDiffs, of %s", d.Reply.Asked)
	d.checkEvents(j, told)
	first := told.Each("/seq")
	if len(first.Values) == 0 {
		j.Check(openwop.OWPCTL34, d.Reply.Body.Key("divergedAtSeq")).To(check.Equal(nil), "divergedAtSeq, of %s, where nothing is told",
			d.Reply.Asked)
	} else {
		j.Check(openwop.OWPCTL34, d.Reply.Body.Key("divergedAtSeq")).To(check.SameAs(first.Values[0]), "divergedAtSeq, of %s", d.Reply.Asked)
	}
	a, b := bySequence(d.A), bySequence(d.B)
	alike := told.Where(func(p wire.Value) bool {
		seq, _ := p.Key("seq").Int()
		one, inA := a[seq]
		other, inB := b[seq]
		return inA && inB && d.compares(seq) && !eventsDiffer(one, other) && sameAt("/payload", one, other)
	})
	j.Check(openwop.OWPCTL35, alike.Each("/seq")).To(check.Len(0),
		"places that are told of, where the events are the same but for ids and times, of %s", d.Reply.Asked)
}

// checkEvents compares the events in the diff with those on the logs.
func (d Diffed) checkEvents(j *scenarios.Judge, told wire.Found) {
	a, b := bySequence(d.A), bySequence(d.B)
	for _, p := range told.Values {
		seq, _ := p.Key("seq").Int()
		if !d.compares(seq) {
			continue
		}
		for _, side := range []struct {
			name string
			log  map[int64]wire.Value
		}{{"aEvent", a}, {"bEvent", b}} {
			shown := p.Key(side.name)
			if !shown.Present() {
				j.Check(openwop.OWPCTL33, shown).To(check.Absent(), "%s at %d", side.name, seq)
				continue
			}
			for _, member := range []string{"type", "payload"} {
				j.Check(openwop.OWPCTL33, shown.Key(member)).To(check.SameAs(side.log[seq].Key(member)), "%s of %s at %d", member, side.name, seq)
			}
		}
	}
	if len(told.Values) == 0 {
		j.Check(openwop.OWPCTL33, told).To(check.Len(0), "places that are told of")
	}
}

// compares reports whether a place is compared.
func (d Diffed) compares(seq int64) bool { return d.Within == 0 || seq <= d.Within }

// noMembers expects an empty object.
func noMembers() check.Matcher {
	return check.That("an object without members", func(v any) bool {
		object, ok := v.(map[string]any)
		return ok && len(object) == 0
	})
}

func someMembers() check.Matcher {
	return check.That("an object with members", func(v any) bool {
		object, _ := v.(map[string]any)
		return len(object) > 0
	})
}
