package gateway

import (
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// delivery is what becomes of one event at one place: a job, or nothing where no place is.
type delivery struct {
	job   *Job
	event agenticloopv2.Event
}

// target is a step of a pipeline.
type target struct {
	pipeline *Pipeline
	step     int
}

func (t target) last() bool { return t.step == len(t.pipeline.Steps)-1 }

// next are the steps that an event of a job goes to: the one after the job's own, whatever the event's type, and the first
// of each pipeline that is on its type.
func (c *Config) next(j Job, eventType string) []target {
	var out []target
	if p := c.pipeline(j.Pipeline); p != nil && j.Step+1 < len(p.Steps) {
		out = append(out, target{p, j.Step + 1})
	}
	for i := range c.Pipelines {
		if c.Pipelines[i].On == eventType {
			out = append(out, target{&c.Pipelines[i], 0})
		}
	}
	return out
}

func (c *Config) pipeline(name string) *Pipeline {
	i := slices.IndexFunc(c.Pipelines, func(p Pipeline) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Pipelines[i]
}

// route finds where the events of an attempt go. The error says why one cannot go there.
func (g *Gateway) route(j Job, events []agenticloopv2.Event, at time.Time) ([]delivery, error) {
	var out []delivery
	for i, e := range events {
		e.Source, e.Timestamp = j.Plugin, at
		e.EventID = derived("event", j.ID, strconv.Itoa(j.Attempt), strconv.Itoa(i))
		targets := g.o.Config.next(j, e.Type)
		for _, t := range targets {
			versions, err := g.versions(j, e, t, at)
			if err != nil {
				return nil, err
			}
			for _, v := range versions {
				child, err := g.child(j, v, t)
				if err != nil {
					return nil, err
				}
				out = append(out, delivery{job: &child})
			}
		}
		if len(targets) == 0 {
			out = append(out, delivery{event: e})
		}
	}
	return out, nil
}

// versions are the forms in which an event reaches a step. Where a tool's job has done what an agent asked for, the last
// step is the agent, and may be given a result instead of the tool's own event.
func (g *Gateway) versions(j Job, e agenticloopv2.Event, t target, at time.Time) ([]agenticloopv2.Event, error) {
	own := []agenticloopv2.Event{e}
	if g.o.Results == ByContext || t.step == 0 || !t.last() || !IsRequest(t.pipeline.On) || e.Type == TypeToolResult {
		return own, nil
	}
	of := correlation(j)
	if of == nil {
		return own, nil
	}
	result, err := toolResult(of, e.Payload, "", at)
	if err != nil {
		return nil, err
	}
	result.Source, result.Timestamp, result.EventID = e.Source, e.Timestamp, derived("result", e.EventID)
	if g.o.Results == Direct {
		return []agenticloopv2.Event{result}, nil
	}
	return append(own, result), nil
}

// child is the job that handles an event at a step.
func (g *Gateway) child(parent Job, e agenticloopv2.Event, t target) (Job, error) {
	context, err := g.o.carried(parent.Context, e.Payload, t.step == 0)
	if err != nil {
		return Job{}, err
	}
	j := g.newJob(e, t.pipeline.Steps[t.step].Uses, t.pipeline.Name, t.step)
	j.Context, j.Parent, j.SubmittedBy = context, parent.ID, ByRoute
	return j, nil
}

func (g *Gateway) newJob(e agenticloopv2.Event, plugin, pipeline string, step int) Job {
	j := Job{
		ID:     derived("job", e.EventID, plugin, pipeline, strconv.Itoa(step)),
		Plugin: plugin, Event: e, Pipeline: pipeline, Step: step,
		SubmittedBy: ByCaller, Attempt: 1, MaxAttempts: g.o.MaxAttempts,
	}
	if g.o.Dedupe {
		j.DedupeKey = e.DedupeKey
	}
	return j
}

// escalate is the job that tells an agent that its tool failed for good; nil where nobody is told.
func (g *Gateway) escalate(j Job, failure string, at time.Time) (*Job, error) {
	p := g.o.Config.pipeline(j.Pipeline)
	if g.o.OnFailure != Synthesise || p == nil || j.Step+1 >= len(p.Steps) || !IsRequest(p.On) {
		return nil, nil
	}
	of := correlation(j)
	if of == nil {
		return nil, nil
	}
	result, err := toolResult(of, nil, failure, at)
	if err != nil {
		return nil, err
	}
	result.Source, result.Timestamp = j.Plugin, at
	result.EventID = derived("failure", j.ID, strconv.Itoa(j.Attempt))
	child, err := g.child(j, result, target{p, len(p.Steps) - 1})
	return &child, err
}

// dedupeFor is how long a job that succeeded keeps others of its key away.
const dedupeFor = 24 * time.Hour

// enqueued sorts jobs into those that are queued and those that are not needed any more.
func (s *State) enqueued(jobs []Job, now time.Time, into *Record) {
	for _, j := range jobs {
		if done := s.succeeded(j, now); done != "" {
			into.Dropped = append(into.Dropped, Dropped{From: j.Parent, Type: j.Event.Type, Plugin: j.Plugin, Key: j.DedupeKey, Done: done})
			continue
		}
		into.Enqueued = append(into.Enqueued, j)
	}
}

// succeeded is the job of the same key and plugin that has succeeded lately, "" where there is none.
func (s *State) succeeded(j Job, now time.Time) string {
	if j.DedupeKey == "" {
		return ""
	}
	for _, o := range slices.Backward(s.Jobs) {
		if o.Status == Succeeded && o.DedupeKey == j.DedupeKey && o.Plugin == j.Plugin && now.Sub(o.CompletedAt) < dedupeFor {
			return o.ID
		}
	}
	return ""
}
