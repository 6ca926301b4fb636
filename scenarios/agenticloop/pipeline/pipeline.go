// Package pipeline asks whether the loop goes round behind the pipelines of a gateway.
package pipeline

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "pipeline", Title: "the loop goes round behind a gateway's pipelines, one job at a time",
		Scenarios: []scenarios.Scenario{
			ownEventResumes, ownEventFails, contentArrives, queueDrains, workedExample,
			host.EveryTurn("pipeline", inContext), host.EveryTurn("pipeline", queued),
		},
	}
}

// RFC-103 Narrative: real tools send events of their own (AL-R3).
var ownEventResumes = scenarios.Scenario{
	ID:     "agenticloop/pipeline/own-event-resumes",
	Title:  "a tool's own event resumes the run that the context names, as a result would",
	Proves: scenarios.IDs{agenticloop.RFC103B2},
	Claim:  claims.ContextResumes,
	Ask: scenarios.Ask(inContext, func(o ContextObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Direct, o.Own)
		host.GivenMoved(j, o.Direct, o.Pending)
		if o.Live {
			j.Check(agenticloop.RFC103B2, o.Own.Events()).To(o.Own.MovesOn(o.Pending), "%s: events", o.Own.Name)
			return
		}
		j.Check(agenticloop.RFC103B2, o.Own.Events().Each("/type")).To(check.SameAs(o.Direct.Events().Each("/type")),
			"%s: events", o.Own.Name)
		for _, at := range []string{"/payload/run_id", "/payload/step", "/payload/tool"} {
			j.Check(agenticloop.RFC103B2, o.Own.Events().Each(at)).To(check.SameAs(o.Direct.Events().Each(at)),
				"%s: %s", o.Own.Name, strings.TrimPrefix(at, "/payload/"))
		}
		for _, field := range []string{"status", "pending_step", "pending_tool"} {
			j.Check(agenticloop.RFC103B2, o.Own.Run(o.Pending.Run).Key(field)).To(
				check.SameAs(o.Direct.Run(o.Pending.Run).Key(field)), "%s: %s of the run", o.Own.Name, field)
		}
	}),
}

// RFC-103 Narrative (AL-R5).
var ownEventFails = scenarios.Scenario{
	ID:     "agenticloop/pipeline/own-event-fails",
	Title:  "a tool's own event that says status error is taken for a failure",
	Proves: scenarios.IDs{agenticloop.RFC103B3},
	Claim:  claims.ContextResumes,
	Ask: scenarios.Ask(inContext, func(o ContextObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Own, o.Failed)
		j.Check(agenticloop.RFC103B3, o.Failed.Events()).To(host.NotBeyond(o.Pending.Step),
			"%s: events", o.Failed.Name)
		if !o.Own.Moved() {
			j.Block("a tool's own event that succeeds moves nothing either, so nothing is seen of one that fails",
				"resume the run that the context names, or drop context-delivery from "+host.ProfileName)
		}
	}),
}

// Tools answer inline or with a path (AL-R23).
var contentArrives = scenarios.Scenario{
	ID:     "agenticloop/pipeline/content-arrives",
	Title:  "what a tool's own event holds reaches the next request, the end or the workspace",
	Proves: scenarios.IDs{agenticloop.RFC103B4},
	Claim:  claims.ContextResumes,
	Ask: scenarios.Ask(inContext, func(o ContextObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenReached(j, len(o.Content) > 0)
		for _, f := range o.Content {
			host.Given(j, f.Turn)
			j.Check(agenticloop.RFC103B4, f.Turn.Events()).To(
				check.Seeing("the marker in an event or a file", func(s wire.Seen) (bool, string) {
					switch {
					case host.Find(s.Actual(), f.Marker) != "":
						return true, "an event"
					case host.Find(f.Files.Actual(), f.Marker) != "":
						return true, "a file"
					}
					return false, "nowhere"
				}), "%s", f.Turn.Name)
		}
	}),
}

// RFC-103 Success Criteria. A request without a pipeline blocks the scenario (AL-R4).
var queueDrains = scenarios.Scenario{
	ID:     "agenticloop/pipeline/queue-drains",
	Title:  "behind a gateway that runs one job at a time a run goes from its start to its end, and the queue drains",
	Proves: scenarios.IDs{agenticloop.RFC103O1, agenticloop.RFC103O3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(queued, func(o QueueObservation, j *scenarios.Judge) {
		host.GivenReached(j, o.Start.Name != "")
		host.GivenInTime(j, o.Start)
		host.GivenInTime(j, o.Steps...)
		for _, t := range append([]host.Turn{o.Start}, o.Steps...) {
			t.CheckExit(j, agenticloop.RFC103O3)
		}
		host.Given(j, append([]host.Turn{o.Start}, o.Steps...)...)
		if len(o.Unrouted) > 0 {
			j.Block(
				fmt.Sprintf("it asked for %.80q, which has no pipeline, so no result would come back", o.Unrouted),
				"list the plugins of its requests under allowed_plugins of the config in "+host.ProfileName)
		}
		host.GivenRequest(j, o.Start)
		last := o.Last()
		host.GivenOneEvent(j, o.Start)
		for n, t := range o.Steps {
			host.GivenOneEvent(j, t)
			host.GivenMoved(j, t, o.Due(n))
		}
		j.Check(agenticloop.RFC103O1, last.Ends()).To(check.Len(1), "%s: ends of the run", last.Name)
		j.Check(agenticloop.RFC103O1, last.Events()).To(
			check.Seeing("an empty queue", func(wire.Seen) (bool, string) {
				return o.Drained, fmt.Sprintf("%d jobs, drained: %t", o.Jobs, o.Drained)
			}), "the queue")
	}),
}

// RFC-103 Worked Example 9 and 12.
var workedExample = scenarios.Scenario{
	ID: "agenticloop/pipeline/worked-example",
	Title: "the first result leads to a request with step 2, and the one that reaches the goal to agent.completed " +
		"with status ok",
	Proves: scenarios.IDs{agenticloop.RFC103X1, agenticloop.RFC103X2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(queued, func(o QueueObservation, j *scenarios.Judge) {
		if len(o.Unrouted) > 0 {
			j.Block("a request had no pipeline",
				"list the plugins of its requests under allowed_plugins of the config in "+host.ProfileName)
		}
		o.GivenDriven(j)
		if len(o.Steps) < 2 && o.Way == "" {
			j.Block("left to itself the plugin is done after one step",
				"declare a decision seam in "+host.ProfileName+" that can say call_tool")
		}
		host.GivenSome(j, o.Steps)
		host.GivenMoved(j, o.Steps[0], o.Due(0))
		j.Check(agenticloop.RFC103X1, o.Steps[0].Requests().Each("/payload/step")).To(check.Equal([]int64{2}),
			"%s: step of the request", o.Steps[0].Name)
		host.GivenKeptRequests(j, o.Steps)
		last := o.Last()
		last.CheckStatus(j, "ok", agenticloop.RFC103X2)
		j.Check(agenticloop.RFC103X2, last.OfType(host.Completed)).To(check.Len(1), "%s: agent.completed", last.Name)
	}),
}
