package model

import "slices"

// World is what is known of the runs of a program after some of its moves.
type World struct {
	Program  Program
	Settings Settings
	Runs     []Known
}

// Settings are what a profile says of the plugin.
type Settings struct {
	Steered bool     `json:"steered"` // its decisions are those of the program
	Retry   bool     `json:"retry"`   // it claims to ask again for a step that failed
	Retries int      `json:"retries"` // how often it does at most; -1 if that is not said
	Tools   []string `json:"tools"`   // allowed_plugins
	Aliases []string `json:"aliases"` // tools that go by two names: a result may bring either
	Name    string   `json:"name"`    // of the plugin, which is never a tool
	Reframe bool     `json:"reframe"` // it claims to give up a plan for another, and can be told to
	Own     bool     `json:"own"`     // it claims to take a result from a tool's own event
}

// Known is what is known of a run.
type Known struct {
	ID       string
	Standing          // Known is false before its start
	Tools    []string // that it asked for, by step
	Taken    int      // results
	Failures int      // of the pending step
	Failed   int      // failures in all, as far as they may count
	Reframed int      // plans that it was to give up
	Budget   int      // max_steps of the config in its last turn
	// Low and High are the least and the greatest budget that its turns were handed or its start asked for. Which of them binds is open
	// (AL-R10, AL-R11), unless the state shows the budget of the start.
	Low, High int
	Free      bool // it has left its plan: what it decides is not known any more
}

// Begin returns the world before the first move of a program.
func Begin(p Program, s Settings) World {
	return World{Program: p, Settings: s, Runs: make([]Known, len(p.Runs))}
}

// Turn is a move in the world that it is made in: what it delivers, and what may come of that.
type Turn struct {
	Move     Move
	Delivery Delivery
	Before   Known
	Rule     *Rule          // nil for a start
	Payload  map[string]any // members of the payload that are not as the delivery has them; of a start, those of the context
	Next     int64          // the step that a request has
	Decision *Decision      // of the planner; nil if none is asked for, or nobody knows
	MustEnd  bool           // the run is escalated: its budget or its retries are used up
	MayEnd   bool           // it may be
	Budget   int            // max_steps of the config
	Barred   bool           // the planner is to want a tool that the config does not allow
	AtOnce   bool           // the run ends with its start, which asks for no tool
	Plans    int            // how many plans the planner is to give up
	Over     bool           // it has given up as many plans as it may, and is escalated
}

// Turn returns a move as it is made. ok is false where there is nothing of that kind to deliver.
func (w World) Turn(m Move) (t Turn, ok bool) {
	run := w.Runs[m.Run]
	t = Turn{Move: m, Before: run, Payload: map[string]any{}, Budget: run.Budget}
	if !run.Known {
		t.Budget = w.Program.Runs[m.Run].Budget
	}
	if m.Budget > 0 {
		t.Budget = m.Budget
	}
	if m.Kind == Start {
		if i := slices.IndexFunc(w.Runs, func(k Known) bool { return k.Step > 0 }); m.Left && i >= 0 {
			t.Payload = map[string]any{"run_id": w.Runs[i].ID, "step": w.Runs[i].Step, "tool": w.Runs[i].Tool}
		}
		t.Next, t.Decision = 1, w.decision(m.Run, 0)
		t.giveUp()
		t.Barred = t.Decision != nil && t.Decision.Kind == Call && !slices.Contains(w.Allowed(t), t.Decision.Tool)
		t.AtOnce = t.Decision != nil && (t.Decision.Kind != Call || t.Barred)
		t.MayEnd = t.Budget == 1 || w.Program.Runs[m.Run].Lower == 1 || t.Plans > 0 || t.AtOnce // a plugin may compare before it asks (AL-R10)
		return t, !run.Known
	}
	if !run.Known || !w.deliver(&t) {
		return t, false
	}
	w.plan(&t)
	standing := run.Standing
	standing.Known = t.Delivery.Run == run.ID
	t.Rule = RuleOf(t.Delivery, standing)
	switch t.Rule {
	case Matching, Fruitless, Bewildered:
		t.Next = run.Step + 1
		t.MayEnd, t.MustEnd = t.Next >= int64(min(run.Low, t.Budget)), t.Next > int64(w.high(t))
		t.giveUp()
		t.Over = t.Plans > 0 && run.Reframed+t.Plans > w.Program.Runs[m.Run].Reframes
	case Failed:
		n := w.Settings.Retries
		t.Next = run.Step
		t.MustEnd = n >= 0 && run.Failures+1 > n
		// Whether the retries are those of a step or of the run is open (AL-R108).
		t.MayEnd = t.MustEnd || n < 0 || !w.Settings.Retry || run.Failed+1 > n
		t.MayEnd = t.MayEnd || run.Step >= int64(min(run.Low, t.Budget)) // whether a budget binds a step that was asked for, too (AL-R10)
	}
	return t, true
}

// high returns the greatest budget that a run may go by in this turn. A config that has not changed does not raise the budget of the start.
func (w World) high(t Turn) int {
	if run := w.Program.Runs[t.Move.Run]; run.Lower > 0 && t.Budget == run.Budget {
		return t.Before.High
	}
	return max(t.Before.High, t.Budget)
}

// giveUp notes how many plans the planner is to give up.
func (t *Turn) giveUp() {
	if t.Decision != nil {
		t.Plans = t.Decision.Plans()
	}
}

// plan notes what the planner is to decide by the pending result.
func (w World) plan(t *Turn) {
	if t.Move.Kind != Result {
		return
	}
	allowed := w.Allowed(*t)
	if slices.ContainsFunc(w.Settings.Tools, func(tool string) bool { return !slices.Contains(allowed, tool) }) {
		t.Delivery.Odd = OddResult // it may know of no tool that is left
	}
	if t.Before.Free {
		return
	}
	if t.Decision = w.decision(t.Move.Run, t.Before.Taken+1); t.Decision == nil {
		return
	}
	switch t.Decision.Kind {
	case Call:
		if t.Barred = !slices.Contains(allowed, t.Decision.Tool); t.Barred {
			t.Delivery.Odd = OddResult
		}
	case Done:
	default:
		t.Delivery.Odd = Nonsense
	}
}

// Allowed returns the tools that the config of a turn allows, without the plugin itself.
func (w World) Allowed(t Turn) []string {
	if t.Move.Allowed == nil {
		return w.Settings.Tools
	}
	return slices.DeleteFunc(slices.Clone(t.Move.Allowed), func(tool string) bool { return tool == w.Settings.Name })
}

// decision returns what the planner of a run is to decide, nil if nobody knows.
func (w World) decision(run, n int) *Decision {
	if plan := w.Program.Runs[run].Decisions; w.Settings.Steered && n < len(plan) {
		return &plan[n]
	}
	return nil
}

// Seen is what a turn did, as far as the next ones hang on it.
type Seen struct {
	Did  Outcome
	Run  string // of a start
	Tool string // that it asked for
	Left bool   // it did not decide what the planner was to decide
	// Budget is max_steps of the run that it started; 0 if its state has none.
	Budget int
}

// After returns the world after a turn that kept the rules.
func (w World) After(t Turn, seen Seen) World {
	runs := make([]Known, len(w.Runs))
	copy(runs, w.Runs)
	run := &runs[t.Move.Run]
	if t.Rule == nil {
		run.ID, run.Known, run.Status, run.Low, run.High = seen.Run, seen.Run != "", "running", t.Budget, t.Budget
		if lower := w.Program.Runs[t.Move.Run].Lower; lower > 0 {
			if run.Low = lower; seen.Budget == lower {
				run.High = lower
			}
		}
		t.Before.High = run.High
	}
	run.Budget, run.Low, run.High = t.Budget, min(run.Low, t.Budget), w.high(t)
	run.Free = run.Free || seen.Left || t.Move.Kind == Erring && seen.Did == Asked
	switch seen.Did {
	case Asked:
		run.Reframed += t.Plans
		if t.Rule != nil {
			run.Taken++
		}
		run.Step, run.Tool, run.Failures = t.Next, seen.Tool, 0
		run.Tools = append(run.Tools[:len(run.Tools):len(run.Tools)], seen.Tool)
	case Retried:
		run.Failed++
		if t.Rule == Failed {
			run.Failures++
		}
	case Completed:
		if t.Rule != nil {
			run.Taken++
		}
		run.Status, run.Step, run.Tool = "done", 0, ""
	case Escalated:
		if t.Rule != nil && t.Rule.Allows(Asked) {
			run.Taken++
		}
		run.Status, run.Step, run.Tool = "escalated", 0, ""
	}
	w.Runs = runs
	return w
}
