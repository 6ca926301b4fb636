package runs

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// rotation counts how often rare things have come up. Beyond quick they are not left to chance, so every drawing has them.
type rotation struct {
	lowered   int  // runs that could have a budget of their own; every second one has
	vague     int  // deliveries that must be ignored and whose status is neither ok nor error
	outlasted bool // a run has used up its budget while one that started later goes on
}

// mostVague is the most deliveries with such a status.
const mostVague = 30

// lower has the start of every second run ask for a budget below the config's. The function at returns the step behind which such a run
// gives up its plan, and that step becomes its last: a new plan must not raise the budget. Runs for which it returns 0 are left alone.
func (d *drawing) lower(runs []model.Run, at func(model.Run) int) {
	if !d.lowers() {
		return
	}
	for i := range runs {
		run := &runs[i]
		last := at(*run)
		if last < 1 {
			continue
		}
		if d.rotation.lowered++; d.rotation.lowered%2 == 0 {
			continue
		}
		// Another run may share the context, and have the same start but for the budget.
		run.Keyless, run.Context = false, maps.Clone(run.Context)
		run.Lower, run.Context["max_steps"] = last, last
		run.Budget = max(run.Budget, len(run.Decisions)+2)
	}
}

func (d *drawing) lowers() bool {
	return !d.byModel && d.Depth > scenarios.Quick && d.Can(agenticloopv2.CapabilityContextBudget)
}

// spendsAnew returns the budget of a run whose plan is given up when it is used up; 0 of others.
func spendsAnew(run model.Run) int {
	if spends(run) && run.Decisions[run.Budget].Anew {
		return run.Budget
	}
	return 0
}

// anewAt returns the steps of a run after which its plan is given up for the first time for one more tool; 0 or less if there are none.
func anewAt(run model.Run) int {
	return slices.IndexFunc(run.Decisions, func(d model.Decision) bool { return d.Kind == model.Call && d.Anew })
}

// spends reports whether the planner of a run wants one more tool when its budget is used up.
func spends(run model.Run) bool {
	return run.Budget < len(run.Decisions) && run.Decisions[run.Budget].Kind == model.Call
}

// outlast starts a run with a larger budget after all others of a program, right after one that exhausts its own, once in a drawing. It
// moves the starts from lines to the result.
func (d *drawing) outlast(runs []model.Run, lines [][]model.Move) (starts []model.Move) {
	if d.rotation.outlasted || d.Depth == scenarios.Quick || d.byModel {
		return nil
	}
	ending := slices.IndexFunc(lines, func(moves []model.Move) bool { return exhausts(runs[moves[0].Run], moves) })
	other := -1
	for i, moves := range lines {
		if i != ending && len(moves) > 1 && runs[i].Lower == 0 {
			other = i
		}
	}
	if ending < 0 || other < 0 {
		return nil
	}
	d.rotation.outlasted = true
	runs[other].Budget += len(runs[ending].Decisions)
	last := []int{ending, other}
	for i := range lines {
		if !slices.Contains(last, i) {
			last = slices.Insert(last, 0, i)
		}
	}
	for _, i := range last {
		starts, lines[i] = append(starts, lines[i][0]), lines[i][1:]
	}
	return starts
}

// exhausts reports whether the budget of the config ends a run, by a result that is delivered as such: whatever an agent takes from
// another run shows then.
func exhausts(run model.Run, moves []model.Move) bool {
	if !spends(run) || run.Lower > 0 {
		return false
	}
	results := 0
	for _, m := range moves {
		if m.Kind != model.Result {
			continue
		}
		if results++; results == run.Budget {
			return !m.Own
		}
	}
	return false
}

// vaguely adds deliveries that must be ignored and whose status is neither ok nor error. Two come after one of the first results: for
// nearly the right run, and for a step that is over. One comes at the end, when most runs are over.
func (d *drawing) vaguely(p *model.Program) {
	if d.Depth == scenarios.Quick || d.slow != "" || d.rotation.vague >= mostVague {
		return
	}
	after, results, run := 1+d.rotation.vague%4, 0, 0
	var moves []model.Move
	add := func(kind model.Kind) {
		d.rotation.vague++
		body := host.Object{"excerpt": "nobody waits for this"}
		moves = append(moves, model.Move{Run: run, Kind: kind, Pick: 2 * d.rotation.vague, Body: body, Vague: d.rotation.vague})
	}
	for _, m := range p.Moves {
		if moves = append(moves, m); m.Kind != model.Result {
			continue
		}
		if results++; results == after {
			run = m.Run
			add(model.NearRun)
			add(model.Repeat)
		}
	}
	add(model.Repeat)
	p.Moves = moves
}
