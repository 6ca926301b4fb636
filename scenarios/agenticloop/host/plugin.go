// Package host is a plugin as every suite of the agentic loop sees it: its profile, its jobs and turns, the state the
// gateway keeps between them, the seams that steer its decisions, and what judges of several suites check.
package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// Plugin is the plugin under certification, as a drive handles it.
type Plugin struct {
	*scenarios.Conn
	Profile agenticloopv2.TargetProfile

	config Object // of the profile
	past   Object // state of jobs without one of their own; nil for a new plugin
	turns  *Turns // of the observation
}

// Open reads the profile of the target and notes its turns in turns. It takes the declared profile, because the
// discovery document hides the secrets that the plugin needs. In every second round of a drive the plugin's state already holds a run
// that has advanced a few steps.
func Open(ctx context.Context, c *scenarios.Conn, turns *Turns) *Plugin {
	var live Declared
	if err := json.Unmarshal(c.Declared(), &live); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	p := &Plugin{Conn: c, config: Object{}, turns: turns}
	if err := json.Unmarshal(live.Profile, &p.Profile); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	if err := Decode(p.Profile.Config, &p.config); err != nil {
		scenarios.End(fmt.Errorf("reading the config of the profile: %w", err))
	}
	if c.Round%2 == 1 {
		p.past = p.runBefore(ctx)
	}
	return p
}

// stepsBefore is the step that runBefore advances its run to.
const stepsBefore = 3

// runBefore starts a run, advances it, and returns the plugin's state. Its turns are not judged.
func (p *Plugin) runBefore(ctx context.Context) Object {
	var decisions []Decision
	for range stepsBefore {
		decisions = append(decisions, Call(p.Tools()[0], Object{"url": "http://example.test/" + p.NewID()}))
	}
	plan, _ := p.TrySteer(ctx, append(decisions, Done("it was read"))...)
	defer plan.Close()
	s, ok := p.Begin(ctx, plan.Lay(Job{Name: "the start of another run, before", Event: p.Start(p.NewGoal(), plan.Context), Quiet: true}))
	state := s.State
	due := s.Pending
	for n := 1; ok && n < stepsBefore; n++ {
		var t Turn
		t, state = p.Turn(ctx, plan.Lay(Job{
			Name: fmt.Sprintf("the result of step %d of another run, before", due.Step), State: state,
			Event: p.Result(due, plan.Body(n, p.AnyResult())), Quiet: true,
		}))
		due, ok = PendingOf(t)
	}
	return state
}

// OwnName returns the name of the plugin.
func (p *Plugin) OwnName() string {
	if p.Profile.Name != "" {
		return p.Profile.Name
	}
	if name := p.Discovery.Document.At("/manifest/name").String(); name != "" {
		return name
	}
	return "agentic-loop"
}

// Can reports whether the profile declares a capability.
func (p *Plugin) Can(c agenticloopv2.Capability) bool {
	return slices.Contains(p.Profile.Capabilities, c)
}

// Live reports whether the same request may lead to another decision: unless the profile says that it does not.
func (p *Plugin) Live() bool { return p.Profile.Deterministic == nil || !*p.Profile.Deterministic }

// Deadline returns how long a turn may take: the limit of the profile, or our patience.
func (p *Plugin) Deadline() time.Duration {
	if p.limitsTurns() {
		return time.Duration(*p.Profile.Limits.TurnSeconds * float64(time.Second))
	}
	return p.Patience
}

func (p *Plugin) limitsTurns() bool {
	return p.Profile.Limits != nil && p.Profile.Limits.TurnSeconds != nil
}

// MaxRetries returns how often a failed step may be asked for again; -1 if the profile does not say.
func (p *Plugin) MaxRetries() int {
	if l := p.Profile.Limits; l != nil && l.MaxRetries != nil {
		return int(*l.MaxRetries)
	}
	return -1
}

// Tools returns the allowed tools of the profile, or those in the example of the RFC.
func (p *Plugin) Tools() []string {
	var out []string
	list, _ := p.config["allowed_plugins"].([]any)
	for _, t := range list {
		if name, ok := t.(string); ok {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{"fetch", "fabric", "jina-reader"}
	}
	return out
}
