package pipeline_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/pipeline"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfPipelines(t *testing.T) {
	direct := hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))
	honest := func() pipeline.ContextObservation {
		return pipeline.ContextObservation{Start: hosttest.StartR.Turn(t),
			Pending: host.Pending{Run: "R", Step: 1, Tool: "fetch"}, Direct: hosttest.Handed(t, "direct", direct),
			Own:    hosttest.Handed(t, "own", direct),
			Failed: hosttest.Handed(t, "failed", hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch"))),
			Content: []pipeline.Found{{Key: "content", Marker: "u", Turn: hosttest.Handed(t, "content", direct)},
				{Key: "text", Marker: "marker-1", Turn: hosttest.Handed(t, "text", direct),
					Files: wiretest.Value(t, host.Object{"memory.md": host.Object{"text": "so marker-1"}})}}}
	}
	hosttest.Expect(t, "pipeline/own-event-resumes", honest(), "passed")
	o := honest()
	o.Own = hosttest.Handed(t, "own", hosttest.Ok(nil))
	hosttest.Expect(t, "pipeline/own-event-resumes", o, agenticloop.RFC103B2)
	o = honest()
	o.Own = hosttest.Handed(t, "own",
		hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")}, hosttest.Request("R", 3, "fabric")))
	hosttest.Expect(t, "pipeline/own-event-resumes", o, agenticloop.RFC103B2)
	o = honest()
	o.Direct = hosttest.Handed(t, "direct", hosttest.Ok(nil))
	hosttest.Expect(t, "pipeline/own-event-resumes", o, hosttest.Violates(agenticloop.RFC103V9))
	o = honest()
	o.Failed = hosttest.Handed(t, "failed", direct)
	if out := hosttest.Expect(t, "pipeline/own-event-fails", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("a failure taken for ok: findings %v", out.Findings)
	}
	if out := hosttest.Expect(t, "pipeline/content-arrives", honest(), "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o = honest()
	o.Content[1].Files = wiretest.Value(t, host.Object{})
	if out := hosttest.Expect(t, "pipeline/content-arrives", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("content that is lost: findings %v", out.Findings)
	}
}

func TestJudgesOfTheQueue(t *testing.T) {
	honest := func() pipeline.QueueObservation {
		return pipeline.QueueObservation{EndObservation: hosttest.Ended(t), Jobs: 5, Drained: true}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*pipeline.QueueObservation)
		want           string
	}{
		{"queue-drains", "it does not drain", func(o *pipeline.QueueObservation) {
			o.Drained = false
		}, agenticloop.RFC103O1},
		{"queue-drains", "no end", func(o *pipeline.QueueObservation) {
			o.Steps = o.Steps[:1]
		}, agenticloop.RFC103O1},
		{"queue-drains", "an exit code", func(o *pipeline.QueueObservation) {
			o.Steps[0] = hosttest.Told{Name: "x", Before: hosttest.RunR,
				Answer: hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")), Exit: 2}.Turn(t)
		}, agenticloop.RFC103O3},
		{"queue-drains", "no route", func(o *pipeline.QueueObservation) { o.Unrouted = []string{"scp"} }, "blocked"},
		{"worked-example", "another step", func(o *pipeline.QueueObservation) {
			o.Steps[0] = hosttest.Handed(t,
				"x", hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")}, hosttest.Request("R", 3, "fabric")))
		}, agenticloop.RFC103X1},
		{"worked-example", "another step than is kept", func(o *pipeline.QueueObservation) {
			o.Steps[0] = hosttest.Handed(t,
				"x", hosttest.Ok(host.Object{"R": hosttest.Running(2, "fabric")}, hosttest.Request("R", 3, "fabric")))
		}, agenticloop.RFC103X1},
		{"worked-example", "the tool is not kept", func(o *pipeline.QueueObservation) {
			o.Steps[0] = hosttest.Handed(t,
				"x", hosttest.Ok(host.Object{"R": hosttest.Running(2, "")}, hosttest.Request("R", 2, "fabric")))
		}, hosttest.Violates(agenticloop.RFC103I3)},
		{"worked-example", "it gives up", func(o *pipeline.QueueObservation) {
			o.Steps[1] = hosttest.Turn(t, "x", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 2)}, hosttest.Escalation("R", "x")))
		}, agenticloop.RFC103X2},
		{"worked-example", "left to itself it gives up", func(o *pipeline.QueueObservation) {
			o.Way = ""
			o.Steps[1] = hosttest.Turn(t, "x", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 2)}, hosttest.Escalation("R", "x")))
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "pipeline/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "pipeline/"+c.scenario, o, c.want)
		})
	}
}
