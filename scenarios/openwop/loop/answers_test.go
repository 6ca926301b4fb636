package loop_test

import (
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgeOfASecondAnswer(t *testing.T) {
	honest := asking(4, 2, "m1")
	withAnswer := func(l host.RunLog, answer string) host.RunLog {
		l.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": answer}})
		return l
	}
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.ResolvedAgainObservation)
		want  string
	}{
		{"honest", func(*interrupts.ResolvedAgainObservation) {}, "passed"},
		{"shows the answer in a variable", func(o *interrupts.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "m1")
		}, "passed"},
		{"not found any more", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 404) }, "passed"},
		{"another refusal is a finding", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 422) }, "passed"},
		{"takes it", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 200) }, requirement.OWPINT2},
		{"falls over", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 500) }, requirement.OWPINT2},
		{"refuses it and goes on", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later = honest.Then(hosttest.Decided(5, "terminate")).Log(t)
		}, requirement.OWPINT2},
		{"refuses it and ends again", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later = honest.Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t)
		}, requirement.OWPINT2},
		{"refuses it and fails", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = honest.WithStatus("failed").Log(t) },
			requirement.OWPINT2},
		{"refuses it and keeps it as well", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"other": "m2"}})
		}, requirement.OWPINT2},
		{"refuses it and takes it over", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = withAnswer(o.Lull.Later, "m2") },
			requirement.OWPINT2},
		{"refuses it and forgets the first", func(o *interrupts.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "")
		}, requirement.OWPINT2},
		{"refuses it and rewrites the log", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = asking(4, 2, "m2").Log(t) },
			requirement.OWPINT2},
		{"never ends", func(o *interrupts.ResolvedAgainObservation) { o.Log = honest.Waiting().Log(t) }, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := interrupts.ResolvedAgainObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...),
				Marker: "m2", Again: wiretest.Status(t, 409), Lull: hosttest.Lull(t, honest)}
			c.spoil(&o)
			hosttest.Expect(t, "second-resolve", o, c.want)
		})
	}
}

func TestJudgeOfRivals(t *testing.T) {
	honest := asking(4, 2, "m2")
	statuses := func(codes ...int) wire.Values {
		var out wire.Values
		for _, code := range codes {
			out = append(out, wiretest.Status(t, code))
		}
		return out
	}
	// again is the honest story with one event duplicated.
	again := func(kind string) hosttest.Story {
		s := honest.Then()
		i := slices.IndexFunc(s.Events, func(e hosttest.Event) bool { return e.Kind == kind })
		s.Events = slices.Insert(s.Events, i, s.Events[i])
		return s
	}
	runs := func(s hosttest.Story) func(*interrupts.RivalsObservation) {
		return func(o *interrupts.RivalsObservation) { o.Log, o.Lull = s.Log(t), hosttest.Lull(t, s) }
	}
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.RivalsObservation)
		want  string
	}{
		{"honest", func(*interrupts.RivalsObservation) {}, "passed"},
		{"shows no answer", runs(honest.Drop("interrupt.resolved").Drop("node.resumed").Drop("variable.changed")), "passed"},
		{"a loser that falls over is a finding", func(o *interrupts.RivalsObservation) { o.Replies = statuses(500, 200, 409, 404) }, "passed"},
		{"two winners", func(o *interrupts.RivalsObservation) { o.Replies = statuses(409, 200, 200, 409) }, requirement.OWPINT3},
		{"all win", func(o *interrupts.RivalsObservation) { o.Replies = statuses(200, 200, 200, 200) }, requirement.OWPINT3},
		{"nobody wins", func(o *interrupts.RivalsObservation) { o.Replies = statuses(409, 409, 409, 409) }, requirement.OWPINT3},
		{"refuses what is answered", func(o *interrupts.RivalsObservation) { o.Replies = statuses(422, 422, 422, 422) }, "blocked"},
		{"goes on with a loser's answer", runs(asking(4, 2, "m3")), requirement.OWPINT3},
		{"goes on with nobody's answer", runs(asking(4, 2, "yes")), requirement.OWPINT3},
		{"keeps a loser's answer in a variable", runs(honest.Then(hosttest.Event{Kind: "variable.changed",
			Payload: map[string]any{"name": "other", "next": "m4"}})), requirement.OWPINT3},
		{"takes a turn twice", runs(asking(5, 2, "m2")), requirement.OWPINT3},
		{"leaves a turn out, which is another's to say", runs(asking(3, 2, "m2")), "passed"},
		{"resolves twice", runs(again("interrupt.resolved")), requirement.OWPINT3},
		{"resumes twice", runs(again("node.resumed")), requirement.OWPINT3},
		{"ends twice", runs(honest.Then(hosttest.Event{Kind: "run.completed", Payload: nil})), requirement.OWPINT3},
		{"goes on after its end", func(o *interrupts.RivalsObservation) {
			o.Lull.Later = honest.Then(hosttest.Decided(3, "next-worker")).Log(t)
		}, requirement.OWPINT3},
		{"does not go on", func(o *interrupts.RivalsObservation) { o.Log = honest.Waiting().Log(t) }, requirement.OWPINT3},
		{"never asks", func(o *interrupts.RivalsObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := interrupts.RivalsObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...),
				Markers: []string{"m1", "m2", "m3", "m4"},
				Replies: statuses(409, 200, 409, 404), Lull: hosttest.Lull(t, honest)}
			c.spoil(&o)
			hosttest.Expect(t, "concurrent-resolvers", o, c.want)
		})
	}
}

func TestJudgeOfTwoSuspendedLoops(t *testing.T) {
	first, second := asking(4, 2, "m1"), asking(4, 2, "m2").Named("r2")
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.TwoSuspendedObservation)
		want  string
	}{
		{"honest", func(*interrupts.TwoSuspendedObservation) {}, "passed"},
		{"the answer moves the other run", func(o *interrupts.TwoSuspendedObservation) { o.Lull.Later = asking(4, 2, "m2").Log(t) },
			requirement.OWPINT4},
		{"the answer moves the other run instead", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Log, o.Lull.Later = second.Waiting().Log(t), asking(4, 2, "m2").Log(t)
		}, requirement.OWPINT4},
		{"the other run no longer waits", func(o *interrupts.TwoSuspendedObservation) {
			o.Lull.Later = first.Waiting().WithStatus("running").Log(t)
		}, requirement.OWPINT4},
		{"the first goes on with the second's answer",
			func(o *interrupts.TwoSuspendedObservation) { o.First.Log = asking(4, 2, "m2").Log(t) }, requirement.OWPINT4},
		{"the second keeps the first's answer", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Log = second.Then(hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "answer", "next": "m1"}}).Log(t)
		}, requirement.OWPINT4},
		{"the first has the second's answer in a variable", func(o *interrupts.TwoSuspendedObservation) {
			o.First.Log.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": "m2"}})
		}, requirement.OWPINT4},
		{"the first never ends", func(o *interrupts.TwoSuspendedObservation) { o.First.Log = first.Waiting().Log(t) }, requirement.OWPINT4},
		{"the second was answered by somebody else",
			func(o *interrupts.TwoSuspendedObservation) { o.Second.Held.Answered = wiretest.Status(t, 409) }, requirement.OWPINT4},
		{"the second's answer is refused", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Held.Answered = wiretest.Status(t,
				422)
		}, "blocked"},
		{"the second is not suspended", func(o *interrupts.TwoSuspendedObservation) { o.Second.Held.Suspended.Reached = false }, "blocked"},
		{"the first's answer is refused", func(o *interrupts.TwoSuspendedObservation) {
			o.First.Held.Answered = wiretest.Status(t,
				404)
		}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := kinds(4, 2, "ask-user")
			o := interrupts.TwoSuspendedObservation{First: hosttest.SuspendedLoop(t, first, 2, plan...), Second: hosttest.SuspendedLoop(t,
				second, 2, plan...), Lull: hosttest.Lull(t, first.Waiting())}
			o.Second.Held.Marker = "m2"
			c.spoil(&o)
			hosttest.Expect(t, "two-at-once", o, c.want)
		})
	}
}
