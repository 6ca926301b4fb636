package replay

import (
	"reflect"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of forks have in common.

// below are the events that a fork takes over from its source.
func below(l host.RunLog, from int64) wire.Found {
	return l.All().Where(func(e wire.Value) bool { return host.Sequence(e) < from })
}

// notBelow are the events that a fork runs itself.
func notBelow(from int64) func(wire.Value) bool {
	return func(e wire.Value) bool { return host.Sequence(e) >= from }
}

// draws are the events in which a node of assay-random tells the value that it drew.
func draws(l host.RunLog) wire.Found {
	return l.OfType(dialect.NodeCompleted).Where(func(e wire.Value) bool {
		return e.At("/payload/outputs/value").Present()
	})
}

func values(draws wire.Found) wire.Found { return draws.Each("/payload/outputs/value") }

// drawn stops a judge where the nodes of the source drew nothing that could be
// told from what another run drew.
func (o DrawnObservation) drawn(j *scenarios.Judge) {
	o.Control.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
	o.Source.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
	seen := map[string]bool{}
	for _, l := range []host.RunLog{o.Control, o.Source} {
		all := values(draws(l)).Values
		for _, v := range all {
			if v.String() == "" || seen[v.String()] {
				j.Block("the nodes of "+fixture.Random+" do not draw values of their own: "+v.JSON(), drawAnew)
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

// made expects a fork of this source: a run of its own that ended.
func made(f host.Forked, j *scenarios.Judge, id scenarios.RequirementID, source host.RunLog) {
	f.Log.Made(j, id, "a fork")
	j.Require(j.Check(id, f.Log.ID).NotTo(check.Equal(source.RunID), "runId of the fork"))
	j.Require(j.Check(id, f.Log.Ended).To(check.Reached()))
	f.Log.Readable(j)
}

// CheckPrefix expects below fromSeq what the source has there, whatever stands in the members of payloads that are in ids.
func CheckPrefix(f host.Forked, j *scenarios.Judge, id scenarios.RequirementID, source host.RunLog, ids ...string) {
	want, got := below(source, f.FromSeq), below(f.Log, f.FromSeq)
	for _, field := range []string{"/sequence", "/type", "/nodeId"} {
		j.Check(id, got.Each(field)).To(check.SameAs(want.Each(field)), "%s of the events below %d", field[1:], f.FromSeq)
	}
	own := map[string]bool{source.RunID: true, f.Log.RunID: true}
	j.Check(id, got.Each("/payload")).To(samePayloads(want.Each("/payload"), own, ids), "payload of the events below %d", f.FromSeq)
	if !reflect.DeepEqual(placesOfCauses(got, source), placesOfCauses(want, source)) {
		j.Find(id, "the fork from %d names other causes below that place than its source", f.FromSeq)
	}
}

// samePayloads expects the payloads of the source, whichever of the two runs
// they name, and whatever stands in the fields that hold ids of other things.
func samePayloads(source wire.Found, own map[string]bool, ids []string) check.Matcher {
	skip := map[string]bool{}
	for _, name := range ids {
		skip[name] = true
	}
	want := nameless(check.Plain(source.Actual()), own, skip)
	return check.That("as in the source, "+wire.Compact(source.Actual()), func(v any) bool {
		return reflect.DeepEqual(nameless(check.Plain(v), own, skip), want)
	})
}

// nameless is a document in which no member of skip has a value, and no run of own a name.
func nameless(v any, own, skip map[string]bool) any {
	switch v := v.(type) {
	case string:
		if own[v] {
			return ""
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = nameless(v[i], own, skip)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if out[name] = ""; !skip[name] {
				out[name] = nameless(member, own, skip)
			}
		}
		return out
	}
	return v
}

// placesOfCauses are the sequences of the events that the events name as their causes,
// be it under the ids of their own log or of the source's; -1 where there is none.
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

// none expects that none of these texts is there, and at least one other.
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
