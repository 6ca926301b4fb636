package model

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// mostGoalRuns is how many runs of a goal the model names.
const mostGoalRuns = 12

// GoalState is a state of a goal.
type GoalState string

// The states.
const (
	GoalActive    GoalState = "active"
	GoalSatisfied GoalState = "satisfied"
	GoalExceeded  GoalState = "bound-exceeded"
	GoalAbandoned GoalState = "abandoned"
	GoalEscalated GoalState = "escalated"
)

// GoalStates are all of them.
var GoalStates = []GoalState{GoalActive, GoalSatisfied, GoalExceeded, GoalAbandoned, GoalEscalated}

// Goal is a standing goal that starts a run only if a client triggers it.
type Goal struct {
	State    GoalState `json:"state"`
	Mode     GoalMode  `json:"mode,omitempty"`
	Escalate bool      `json:"escalate"` // the host claims that agents of goals can get stuck
	Paused   bool      `json:"paused"`
	Open     bool      `json:"open,omitempty"` // it was escalated, and goes on: no text says how
	// MaxRuns and MaxCost are its bounds, the second in thousandths of a dollar; 0 is none.
	MaxRuns    int                  `json:"maxRuns,omitempty"`
	MaxCost    int                  `json:"maxCost,omitempty"`
	Objective  int                  `json:"objective"` // as it was edited last; 0: as made
	Runs       int                  `json:"runs"`      // that were judged
	Cost       int                  `json:"cost"`
	Verdict    bool                 `json:"verdict"` // the last one: satisfied
	Sure       int                  `json:"sure"`    // its confidence, and FormerSure that of the last verdict before it that had one
	FormerSure int                  `json:"formerSure"`
	Named      [mostGoalRuns]string `json:"named"` // the runs that were judged
	Last       GoalDo               `json:"last"`  // what was done last that is no look at it
}

// GoalDo is what is done to a goal.
type GoalDo string

// The operations.
const (
	TickGoal     GoalDo = "tick"
	ReadGoal     GoalDo = "read"
	ListGoals    GoalDo = "list"
	ReadTrail    GoalDo = "read the log"
	ReadGoalRun  GoalDo = "read the last run"
	EditGoal     GoalDo = "edit the objective"
	RestateGoal  GoalDo = "edit completion and continuation to what they are"
	ForceGoal    GoalDo = "edit the state to satisfied"
	CompleteGoal GoalDo = "complete"
	PauseGoal    GoalDo = "pause"
	ResumeGoal   GoalDo = "resume"
	AbandonGoal  GoalDo = "abandon"
	// ForeignGoal is something of GoalForeigns, with the key of another tenant.
	ForeignGoal GoalDo = "as another tenant"
	// PushGoal makes the heartbeat see a change, or fires the commitment.
	PushGoal GoalDo = "push"
)

// GoalAsk is a step.
type GoalAsk struct {
	Do GoalDo `json:"do"`
	// Satisfied, Sure (a confidence in hundredths; -1: none), Cost and Stuck are what the run of a tick comes to.
	Satisfied bool `json:"satisfied,omitempty"`
	Sure      int  `json:"sure,omitempty"`
	Cost      int  `json:"cost,omitempty"`
	Stuck     bool `json:"stuck,omitempty"`
	N         int  `json:"n,omitempty"` // an objective, one of GoalForeigns, or a state of a list from 1; 0: all
}

// GoalSaw is a reply. Events are of its log, as far as they are of a goal.
type GoalSaw struct {
	Beside bool       `json:"beside,omitempty"` // another tick was under way
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
	ID     string     `json:"id"`
	// Objectives are the texts that Goal.Objective stands for, and ForeignObjective.
	Objectives map[int]string `json:"objectives,omitempty"`
	Evaluated  wire.Values    `json:"evaluated,omitempty"`
	Closed     wire.Values    `json:"closed,omitempty"`
	Now        wire.Value     `json:"now"`              // the goal, read behind a list, a log, a push, or a tick that fired nothing
	Silent     bool           `json:"silent,omitempty"` // there is nothing to be read
	Check      string         `json:"check,omitempty"`  // the judge and the mode that were asked for
	Mode       string         `json:"mode,omitempty"`
	Nobody     bool           `json:"nobody,omitempty"` // there is no second tenant, or no way to push the goal
	Never      wire.Value     `json:"never"`            // as another tenant's call, of a goal that never was
}

type (
	goalStep = history.Step[GoalAsk, GoalSaw]
	goalRule = history.Rule[Goal, GoalAsk, GoalSaw]
	goalWay  = history.Way[Goal, GoalAsk, GoalSaw]
)

func (g Goal) same(s goalStep) Goal {
	switch s.In.Do {
	case ReadGoal, ListGoals, ReadTrail, ReadGoalRun:
		return g
	}
	return g.after(s)
}

// after notes what was done last.
func (g Goal) after(s goalStep) Goal {
	g.Last = s.In.Do
	return g
}

func (g Goal) active() bool { return g.State == GoalActive }

func (g Goal) fires() bool { return g.active() && !g.Paused }

func anyGoal(Goal, goalStep) []history.Miss { return nil }

// GoalsModel says what a goal may show.
var GoalsModel = &history.Model[Goal, GoalAsk, GoalSaw]{
	Rules: append(append([]*goalRule{goalForeign, {
		Name: "what becomes of an escalated goal that goes on again is open", Readings: []string{"OWP-R27"},
		When: func(g Goal, _ GoalAsk) bool { return g.Open },
		Ways: []goalWay{{Shows: anyGoal, To: Goal.same}},
	}}, slices.Concat(goalLooks, goalPushes)...), []*goalRule{
		{
			Name: "goals are listed by their states", Of: scenarios.IDs{openwop.OWP0097C2},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == ListGoals },
			Ways: []goalWay{{Must: true, Shows: Goal.listed, To: Goal.same}},
		},
		{
			Name: "the runs of a goal are runs", Of: scenarios.IDs{openwop.OWP0097E10},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == ReadGoalRun },
			Ways: []goalWay{{Must: true, Shows: func(_ Goal, s goalStep) []history.Miss {
				if s.Out.Silent {
					return nil
				}
				return success(s.Out.Status, "the run that the goal lists")
			}, To: Goal.same}},
		},
		{
			Name: "a tick of an active goal fires a run that is judged", Of: scenarios.IDs{openwop.OWP0097E4, openwop.OWP0097G2},
			When: func(g Goal, in GoalAsk) bool { return in.Do == TickGoal && g.fires() && !in.Stuck },
			Ways: []goalWay{
				{Name: "it goes on or is over", Must: true, Shows: Goal.fired, To: Goal.judged},
				// A seam may have the judge decide by itself, and a last run that satisfies may end the goal at its bound.
				{Name: "it is judged otherwise", Shows: Goal.doubted, To: Goal.unsatisfied},
				{Name: "it ends at its bound", Shows: Goal.both, To: Goal.exceeded},
				{Name: "another tick is under way", Shows: conflicts, To: Goal.same},
			},
		},
		{
			Name: "a run that gets stuck makes its goal escalated", Of: scenarios.IDs{openwop.OWP0097E8},
			When: func(g Goal, in GoalAsk) bool { return in.Do == TickGoal && g.fires() },
			Ways: []goalWay{{Must: true, Shows: Goal.answered, To: func(g Goal, s goalStep) Goal {
				g.State = GoalEscalated
				return g.after(s)
			}}},
		},
		{
			Name: "a goal that has ended or is paused fires no run", Of: scenarios.IDs{openwop.OWP0097C5, openwop.OWP0097G1},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == TickGoal || in.Do == PushGoal },
			Ways: []goalWay{{Must: true, Shows: anyGoal, To: Goal.same}},
		},
		{
			Name: "a client cannot set the state", Of: scenarios.IDs{openwop.OWP0097E2},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == ForceGoal },
			Ways: []goalWay{{Must: true, Shows: func(g Goal, s goalStep) []history.Miss {
				if !g.active() {
					return nil // an edit after the end changes nothing, however it is answered
				}
				return refusal(s.Out.Status)
			}, To: Goal.same}},
		},
		{
			Name: "no call completes a goal", Of: scenarios.IDs{openwop.OWP0097C7},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == CompleteGoal },
			Ways: []goalWay{{Must: true, Shows: anyGoal, To: Goal.same}},
		},
		{
			Name: "an active goal is edited", Of: scenarios.IDs{openwop.OWP0097C4},
			When: func(g Goal, in GoalAsk) bool { return (in.Do == EditGoal || in.Do == RestateGoal) && g.active() },
			Ways: []goalWay{{Must: true, Shows: func(g Goal, s goalStep) []history.Miss {
				if got := s.Out.Now.Key("state").String(); got != "" && got != string(g.State) { // that is why it is refused
					return []history.Miss{missOf(g.blame(got), s.Out.Now, "the state %s", g.State)}
				}
				return success(s.Out.Status, "the goal is edited")
			}, To: Goal.edited}},
		},
		{ // An escalated goal has not ended, and is not active.
			Name: "an escalated goal is edited or not", Of: scenarios.IDs{openwop.OWP0097C4},
			When: func(g Goal, in GoalAsk) bool { return in.Do == EditGoal && g.State == GoalEscalated },
			Ways: []goalWay{{Name: "edited", Shows: anyGoal, To: Goal.edited}, {Name: "not", Shows: anyGoal, To: Goal.same}},
		},
		{
			Name: "a goal that has ended is not edited", Of: scenarios.IDs{openwop.OWP0097C4}, Readings: []string{"OWP-R27"},
			When: func(_ Goal, in GoalAsk) bool { return in.Do == EditGoal || in.Do == RestateGoal },
			Ways: []goalWay{{Must: true, Shows: anyGoal, To: Goal.same}},
		},
		{
			Name: "an active goal is paused and resumed", Of: scenarios.IDs{openwop.OWP0097C5},
			When: func(g Goal, in GoalAsk) bool { return (in.Do == PauseGoal || in.Do == ResumeGoal) && g.active() },
			Ways: []goalWay{
				{Name: "done", Must: true, Shows: func(_ Goal, s goalStep) []history.Miss { return success(s.Out.Status, "it is done") },
					To: func(g Goal, s goalStep) Goal {
						g.Paused = s.In.Do == PauseGoal
						return g.after(s)
					}},
				{Name: "refused", Shows: func(g Goal, s goalStep) []history.Miss {
					if g.Paused != (s.In.Do == PauseGoal) { // what there is nothing to do for may be refused
						return []history.Miss{missOf("", s.Out.Status, "success")}
					}
					return refusal(s.Out.Status)
				}, To: Goal.same},
			},
		},
		{
			Name: "an escalated goal is resumed or not", Of: scenarios.IDs{openwop.OWP0097E8}, Readings: []string{"OWP-R27"},
			When: func(g Goal, in GoalAsk) bool { return in.Do == ResumeGoal && g.State == GoalEscalated },
			Ways: []goalWay{
				{Name: "resumed", Shows: func(_ Goal, s goalStep) []history.Miss { return success(s.Out.Status, "it goes on") },
					To: func(g Goal, _ goalStep) Goal {
						g.Open = true
						return g
					}},
				{Name: "not", Shows: func(_ Goal, s goalStep) []history.Miss { return refusal(s.Out.Status) }, To: Goal.same},
			},
		},
		{
			Name: "a goal is given up", Of: scenarios.IDs{openwop.OWP0097C6},
			When: func(g Goal, in GoalAsk) bool { return in.Do == AbandonGoal && (g.active() || g.State == GoalEscalated) },
			Ways: []goalWay{
				{Name: "done", Must: true, Shows: func(_ Goal, s goalStep) []history.Miss { return success(s.Out.Status, "it is abandoned") },
					To: func(g Goal, s goalStep) Goal {
						g.State = GoalAbandoned
						return g.after(s)
					}},
				{Name: "an escalated one is not", Shows: func(g Goal, s goalStep) []history.Miss {
					if g.active() {
						return []history.Miss{missOf("", s.Out.Status, "success")}
					}
					return refusal(s.Out.Status)
				}, To: Goal.same},
			},
		},
		{
			Name: "a goal that has ended is not brought back", Of: scenarios.IDs{openwop.OWP0097C6, openwop.OWP0097E4},
			Readings: []string{"OWP-R27"},
			When:     func(Goal, GoalAsk) bool { return true },
			Ways:     []goalWay{{Must: true, Shows: anyGoal, To: Goal.same}},
		},
	}...),
	Tell: tellGoal,
}

// goalLooks are rules of reads, by how the goal is: what is done is drawn by the rules that were not met yet.
var goalLooks = looks()

func looks() (all []*goalRule) {
	for _, is := range []struct {
		name string
		so   func(Goal) bool
	}{
		{"new", func(g Goal) bool { return g.fires() && g.Runs == 0 }},
		{"going on", func(g Goal) bool { return g.fires() && g.left() > 1 }},
		{"before its last run", func(g Goal) bool { return g.fires() }},
		{"paused", Goal.active},
		{"satisfied", func(g Goal) bool { return g.State == GoalSatisfied }},
		{"over its bounds", func(g Goal) bool { return g.State == GoalExceeded }},
		{"over or escalated", func(Goal) bool { return true }},
	} {
		all = append(all, &goalRule{
			Name: "a goal is shown as it is: " + is.name, Of: scenarios.IDs{openwop.OWP0097C3, openwop.OWP0097B1},
			When: func(g Goal, in GoalAsk) bool { return in.Do == ReadGoal && is.so(g) },
			Ways: []goalWay{{Must: true, Shows: Goal.read, To: Goal.same}},
		}, &goalRule{
			Name: "each verdict and the end are told once: " + is.name, Of: scenarios.IDs{openwop.OWP0097D1, openwop.OWP0097D3},
			When: func(g Goal, in GoalAsk) bool { return in.Do == ReadTrail && is.so(g) },
			Ways: []goalWay{{Must: true, Shows: Goal.trail, To: Goal.same}},
		})
	}
	return all
}

// left is how many runs the bounds leave, many if only the cost is bounded.
func (g Goal) left() int {
	if g.MaxRuns == 0 {
		return mostGoalRuns
	}
	return g.MaxRuns - g.Runs
}

func (g Goal) edited(s goalStep) Goal {
	if s.In.Do == EditGoal {
		g.Objective = s.In.N
	}
	return g.after(s)
}

// answered: the tick was taken.
func (g Goal) answered(s goalStep) []history.Miss {
	return success(s.Out.Status, "a run is fired")
}

// fired: a run was fired that no tick named before.
func (g Goal) fired(s goalStep) []history.Miss {
	id := s.Out.Body.Key("runId")
	if g.answered(s) != nil || id.String() == "" {
		return []history.Miss{missOf(g.blame(s.Out.Now.Key("state").String()), s.Out.Status, "a run, since the goal is active with %d", g.Runs)}
	}
	for _, named := range g.Named {
		if named == id.String() {
			return []history.Miss{missOf(openwop.OWP0097E4, id, "a run of its own")}
		}
	}
	return nil
}

func (g Goal) doubted(s goalStep) []history.Miss {
	if !s.In.Satisfied {
		return []history.Miss{missOf("", s.Out.Status, "the verdict that was asked for"), missOf("", s.Out.Status, "and no other")}
	}
	return g.fired(s)
}

// both: the run that satisfies is also the last that the bounds allow.
func (g Goal) both(s goalStep) []history.Miss {
	if !s.In.Satisfied || !g.with(s).over() {
		return []history.Miss{missOf("", s.Out.Status, "an end at a bound"), missOf("", s.Out.Status, "and no other")}
	}
	return g.fired(s)
}

// with returns the goal with one run more, before its end is looked at.
func (g Goal) with(s goalStep) Goal {
	if g.Runs < mostGoalRuns {
		g.Named[g.Runs] = s.Out.Body.Key("runId").String()
	}
	g.Runs++
	g.Cost += s.In.Cost
	if g.Sure > 0 {
		g.FormerSure = g.Sure
	}
	g.Verdict, g.Sure = s.In.Satisfied, s.In.Sure
	return g.after(s)
}

// over reports whether a bound is crossed.
func (g Goal) over() bool {
	return g.MaxRuns > 0 && g.Runs >= g.MaxRuns || g.MaxCost > 0 && g.Cost > g.MaxCost
}

func (g Goal) judged(s goalStep) Goal {
	if g = g.with(s); g.Verdict {
		g.State = GoalSatisfied
		return g
	}
	return g.bounded()
}

func (g Goal) unsatisfied(s goalStep) Goal {
	g = g.with(s)
	g.Verdict = false
	return g.bounded()
}

func (g Goal) exceeded(s goalStep) Goal {
	if next := g.with(s).bounded(); next.State == GoalExceeded {
		return next
	}
	return g.judged(s) // no bound is crossed
}

func (g Goal) bounded() Goal {
	if g.over() {
		g.State = GoalExceeded
	}
	return g
}
