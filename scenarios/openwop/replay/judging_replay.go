package replay

import (
	"reflect"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Shared by the judges of forks.

// below returns the events that a fork inherits from its source.
func below(l host.RunLog, from int64) wire.Found {
	return l.All().Where(func(e wire.Value) bool { return host.Sequence(e) < from })
}

// atOrAfter selects the events that a fork runs itself.
func atOrAfter(from int64) func(wire.Value) bool {
	return func(e wire.Value) bool { return host.Sequence(e) >= from }
}

// draws returns the events that report the value drawn by a node of assay-random.
func draws(l host.RunLog) wire.Found {
	return l.OfType(dialect.NodeCompleted).Where(func(e wire.Value) bool {
		return e.At("/payload/outputs/value").Present()
	})
}

func values(draws wire.Found) wire.Found { return draws.Each("/payload/outputs/value") }

// givenDraws blocks the judge unless the nodes of the source and of the control drew
// distinct values.
func (o DrawnObservation) givenDraws(j *scenarios.Judge) {
	o.Control.Over(j)
	o.Source.Over(j)
	seen := map[string]bool{}
	for _, l := range []host.RunLog{o.Control, o.Source} {
		all := values(draws(l)).Values
		for _, v := range all {
			if v.String() == "" || seen[v.String()] {
				j.Block("the nodes of "+fixture.Random+" drew an empty or repeated value: "+v.JSON(), drawAnew)
			}
			seen[v.String()] = true
		}
		if len(all) != 3 {
			j.Block("the log of "+fixture.Random+" does not show three values", drawAnew)
		}
	}
}

const drawAnew = "have each node of the type vendor.openassay.random complete with the output value, a string drawn anew " +
	"each time (docs/seams.md)"

// passedOver reports whether the host refused a replay as it may, and tells what is then left out.
func PassedOver(f host.Forked, j *scenarios.Judge, source host.RunLog) bool {
	if f.Unsupported() || f.Refused(source) {
		j.Find("", "a replay from %d is refused with HTTP %s (OWP-R108)", f.FromSeq, f.Log.Created.JSON())
		return true
	}
	return false
}

// made expects a fork of this source: a new run that ended.
func CheckMade(f host.Forked, j *scenarios.Judge, id scenarios.RequirementID, source host.RunLog) {
	f.Log.MadeFork(j, id, "a fork")
	j.Require(j.Check(id, f.Log.ID).NotTo(check.Equal(source.RunID), "runId of the fork"))
	j.Require(j.Check(id, f.Log.Ended).To(check.Reached()))
	f.Log.Readable(j)
}

// CheckPrefix expects the source's events below fromSeq. It ignores the values of payload members named in ids.
func CheckPrefix(f host.Forked, j *scenarios.Judge, id scenarios.RequirementID, source host.RunLog, ids ...string) {
	want, got := below(source, f.FromSeq), below(f.Log, f.FromSeq)
	for _, field := range []string{"/sequence", "/type", "/nodeId"} {
		j.Check(id, got.Each(field)).To(check.SameAs(want.Each(field)), "%s of the events below %d", field[1:], f.FromSeq)
	}
	own := map[string]bool{source.RunID: true, f.Log.RunID: true}
	j.Check(id, got.Each("/payload")).To(samePayloads(want.Each("/payload"), own, ids), "payload of the events below %d", f.FromSeq)
	if !reflect.DeepEqual(placesOfCauses(got, source), placesOfCauses(want, source)) {
		j.Find("", "below its start, the fork from %d names other causes than its source", f.FromSeq)
	}
}

// samePayloads expects the payloads of the source. It ignores which of the two runs
// they name, and the values of the members named in ids.
func samePayloads(source wire.Found, own map[string]bool, ids []string) check.Matcher {
	skip := map[string]bool{}
	for _, name := range ids {
		skip[name] = true
	}
	want := withoutNames(check.Plain(source.Actual()), own, skip)
	return check.That("as in the source, "+wire.Compact(source.Actual()), func(v any) bool {
		return reflect.DeepEqual(withoutNames(check.Plain(v), own, skip), want)
	})
}

// withoutNames returns a document without the values of the members in skip and without the names of the runs in own.
func withoutNames(v any, own, skip map[string]bool) any {
	switch v := v.(type) {
	case string:
		if own[v] {
			return ""
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutNames(v[i], own, skip)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if out[name] = ""; !skip[name] {
				out[name] = withoutNames(member, own, skip)
			}
		}
		return out
	}
	return v
}

// placesOfCauses returns the sequence of the cause of each event, or -1 if it has none. The
// cause may be named by its id in the event's own log or in the source's.
func placesOfCauses(events wire.Found, source host.RunLog) []int64 {
	at := map[string]int64{}
	for _, e := range source.Events {
		at[e.Key("eventId").String()] = host.Sequence(e)
	}
	for _, e := range events.Values {
		at[e.Key("eventId").String()] = host.Sequence(e)
	}
	out := make([]int64, len(events.Values))
	for i, e := range events.Values {
		out[i] = -1
		if n, known := at[e.Key("causationId").String()]; known {
			out[i] = n
		}
	}
	return out
}

// none expects at least one text, and none of these.
func none(of wire.Found) check.Matcher {
	known := map[string]bool{}
	for _, v := range of.Values {
		known[v.String()] = true
	}
	return check.That("texts, and none of "+wire.Compact(of.Actual()), func(v any) bool {
		list, _ := v.([]any)
		for _, item := range list {
			if text, ok := item.(string); !ok || text == "" || known[text] {
				return false
			}
		}
		return len(list) > 0
	})
}
