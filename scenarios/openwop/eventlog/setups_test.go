package eventlog_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A set-up names a sentence only where no host that keeps it could have answered so.
func TestSetupsThatAccuse(t *testing.T) {
	honest := entriesOf("a")
	logs := func(edit func(i int, e hosttest.Entries) hosttest.Entries) any {
		e := honest
		for i := range honest {
			e = edit(i, e)
		}
		o := logsObservation(t, e)
		o.Second, o.HandsOn = o.First, true
		return o
	}
	streamed := func(spoil func(*eventlog.StreamsObservation)) any {
		o := streamsObservation(t, honest)
		spoil(&o)
		return o
	}
	answered := func(status int, kind string) any {
		return streamed(func(o *eventlog.StreamsObservation) {
			o.Full.Status, o.Full.Kind = wiretest.Status(t, status), wiretest.Value(t, kind)
		})
	}
	t.Run("only a run that crosses its bound names causes", func(t *testing.T) {
		o := logs(func(i int, e hosttest.Entries) hosttest.Entries { return e.With(i, "causationId", nil) }).(eventlog.LogsObservation)
		o.Bounded = entriesOf("c").Log(t, "c")
		hosttest.Expect(t, "causes-come-first", o, "passed")
		o.Bounded = entriesOf("c").With(2, "causationId", "c-3").Log(t, "c")
		hosttest.Expect(t, "causes-come-first", o, requirement.OWPEVT6)
	})
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"no event of the catalogue", "payloads-fit", logs(func(i int, e hosttest.Entries) hosttest.Entries {
			return e.With(i, "type", "acme.did-something")
		}), requirement.OWPEVT9},
		{"no event names a cause", "causes-come-first", logs(func(i int, e hosttest.Entries) hosttest.Entries {
			return e.With(i, "causationId", nil)
		}), ""},
		{"a stream that is none", "stream-closes", answered(200, "application/json"), requirement.OWPEVT20},
		{"a stream that breaks", "stream-closes", answered(500, "application/json"), ""},
		{"no stream", "stream-closes", answered(404, "application/json"), ""},
		{"a stream that stays open, of which nothing is shown", "stream-resumes",
			streamed(func(o *eventlog.StreamsObservation) { o.Full.Closed.Reached = false }), ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}
