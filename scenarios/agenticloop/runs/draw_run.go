package runs

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// program draws runs, and mixes what comes for them.
func (d *drawing) program() model.Program {
	var p model.Program
	var lines [][]model.Move
	for i := range d.few(several, several.Least) {
		run, moves := d.run(i)
		if i > 0 && d.Rand.IntN(4) == 0 { // what was asked for before may be asked for again
			run.Goal, run.Context = p.Runs[0].Goal, p.Runs[0].Context
		}
		p.Runs, lines = append(p.Runs, run), append(lines, moves)
	}
	d.alike(p.Runs)
	d.wait(&p)
	d.lower(p.Runs, spendsAnew)
	p.Moves = append(append(p.Moves, d.outlast(p.Runs, lines)...), d.side(lines)...)
	d.vaguely(&p)
	return p
}

// side mixes moves of several runs, those of each in their order.
func (d *drawing) side(lines [][]model.Move) (all []model.Move) {
	lines = slices.DeleteFunc(lines, func(moves []model.Move) bool { return len(moves) == 0 })
	for len(lines) > 0 {
		i := d.Rand.IntN(len(lines))
		all, lines[i] = append(all, lines[i][0]), lines[i][1:]
		if len(lines[i]) == 0 {
			lines = slices.Delete(lines, i, i+1)
		}
	}
	return all
}

// alike has the keys of the first runs differ in little.
func (d *drawing) alike(runs []model.Run) {
	first, second := &runs[0], &runs[1]
	card := d.keys.draw(d.Plugin)
	if card == unkeyed && d.lowers() && d.rotation.lowered == 0 && spendsAnew(*first)+spendsAnew(*second) > 0 { // the starts are to differ
		d.keys.left, card = append([]keying{unkeyed}, d.keys.left...), apart
	}
	switch card {
	case apart:
		return
	case unkeyed:
		first.Keyless, second.Keyless, second.Goal, second.Context = true, true, first.Goal, first.Context
		return
	case cased:
		first.Key = "agentic:start:" + d.Name("Word") + "-aB"
		second.Key = model.Swapped(first.Key)
	case tailed:
		end := ":" + d.Name("page")
		first.Key, second.Key = "agentic:start:"+d.Name("Word")+end, "agentic:start:"+d.Name("word")+end
	case headed:
		begin := "agentic:start:" + strings.Repeat("by-the-same-caller/", 3+d.Rand.IntN(26))
		first.Key, second.Key = begin+d.Name("word"), begin+d.Name("page")
	}
	first.Keyless, second.Keyless = false, false
}

// wait has some runs begin before all others and wait from then on: many of them in one program.
func (d *drawing) wait(p *model.Program) {
	if d.crowded || !d.all() || d.byModel || d.slow != "" {
		return
	}
	d.crowded = true
	for range d.Draw(waiting) {
		call := model.Decision{Kind: model.Call, Tool: d.settings.Tools[0], Arguments: map[string]any{}}
		p.Moves = append(p.Moves, model.Move{Run: len(p.Runs), Kind: model.Start})
		p.Runs = append(p.Runs, model.Run{Goal: d.goal(&d.goals), Budget: 9, Decisions: []model.Decision{call, call}})
	}
}

// always comes before the results of the first run: by its step.
var always = map[int][]model.Move{
	1: {{Kind: model.NearRun}},
	2: {{Kind: model.SameAgain}, {Kind: model.LateFailure}, {Kind: model.NearRun, Pick: 10, Failing: true}},
	3: {{Kind: model.Old}, {Kind: model.OldFailure}},
}

// retried holds the lengths, in letters, of the argument that a retry sends again. Each program takes the next.
var retried = []int{1_100, 4_200, 600, 8_000}

const (
	fewSteps  = 3  // of a run of a slow plugin
	mostTries = 12 // how often a step fails where nobody knows how often it is asked for again
)

// run draws a run and what comes for it, up to its end and beyond.
func (d *drawing) run(i int) (model.Run, []model.Move) {
	l := d.line(i)
	if l.to == atOnce {
		return d.overAtOnce(l), l.moves
	}
	l.bePlain()
	n := len(l.run.Decisions)
	failing, changed := d.Rand.IntN(2*n)+1, d.Rand.IntN(3*n)+1 // the step that fails, and the one whose result finds another budget
	if l.first {
		if failing = 2; d.Depth > scenarios.Quick { // agents that keep the state small may drop long arguments before a retry
			long := strings.Repeat("and so on ", retried[d.played%len(retried)]/10)
			d.played++
			l.run.Decisions[1].Arguments = map[string]any{"url": "http://example.test/", "text": long}
		}
	}
	for step := 1; step <= n; step++ {
		if l.first {
			for _, m := range always[step] {
				l.add(m)
			}
			if step == 1 && d.Can(agenticloopv2.CapabilityRedelivery) {
				l.add(model.Move{Kind: model.StartAgain, Pick: 1})
			}
		}
		d.besides(l, step)
		switch {
		case l.plain && step <= 2:
			l.add(model.Move{Kind: model.Failure})
		case step == failing:
			d.fail(l)
		}
		if step == n && !l.to.byResult() {
			break
		}
		d.result(l, step, step == changed)
	}
	d.end(l)
	if l.to != open {
		if !l.to.byResult() { // what it waited for comes late
			l.add(model.Move{Kind: model.Repeat})
		}
		for range d.few(afterEnd, afterEnd.Least) {
			l.add(model.Move{Kind: d.after.draw(d.Plugin), Pick: d.Draw(pick)})
		}
	}
	return l.run, l.moves
}

// bePlain makes the first two steps of a run fail once each, and leaves nothing but the budget to end it. A failed try uses up no budget.
func (l *line) bePlain() {
	if l.to != spent || l.first || l.run.Filed || l.tried || !l.settings.Retry || l.Depth == scenarios.Quick {
		return
	}
	l.tried, l.plain, l.run.Budget = true, true, max(5, l.run.Budget)
	for len(l.run.Decisions) <= l.run.Budget+1 {
		l.decide()
	}
	for i, d := range l.run.Decisions {
		l.run.Decisions[i] = host.Call(d.Tool, map[string]any{control: l.Name("word")})
	}
}

// overAtOnce draws a run that ends in its first turn: its planner is done, gives up, or asks for a tool that it may not have.
func (d *drawing) overAtOnce(l *line) model.Run {
	l.run.Decisions = []model.Decision{d.over(d.begun.draw(d.Plugin))}
	return l.run
}

// over is a decision of this kind that ends a run.
func (d *drawing) over(kind string) model.Decision {
	decision := model.Decision{Kind: kind}
	switch kind {
	case model.Done:
		decision.Outcome = "there was nothing to do: " + d.Name("word")
	case model.Call:
		decision.Tool, decision.Arguments = "unlisted-tool", d.arguments()
	}
	return decision
}

// line is a run that is being drawn, with what comes for it.
type line struct {
	*drawing
	number int
	first  bool // of all runs: it has what every drawing has to have
	plain  bool // nothing but its budget ends it
	to     end
	run    model.Run
	moves  []model.Move
}

// line begins a run of some steps.
func (d *drawing) line(i int) *line {
	l := &line{drawing: d, number: i, first: d.dealt == 0}
	if !d.byModel { // what a model that errs leads to may be another end
		l.to = d.ends.draw(d.Plugin)
		d.dealt++
	}
	n := d.few(steps, fewSteps)
	for l.first && n < 3 {
		n = d.few(steps, fewSteps)
	}
	switch {
	case l.first:
	case l.to == anew: // with other steps between
		n = 1 + 2*d.plans()
	case l.to != reached && l.to != spent: // it is to see such an end at a step that is not the first, not after many
		n = min(n, 1+d.Rand.IntN(fewSteps+1))
	case d.Depth > scenarios.Quick && d.slow == "" && !d.byModel && !d.long[l.to]:
		n, d.long[l.to] = d.Draw(many), true
	}
	if !d.settings.Steered && !l.to.byResult() { // it may be done before
		n = 1
	}
	goal := &d.goals
	if l.to == reached {
		goal = &d.told
	}
	l.run = model.Run{Goal: d.goal(goal), Context: d.settingsElsewhere(), Budget: n + d.Draw(room)}
	if l.to == reached && d.Depth > scenarios.Quick && d.worded.draw(d.Plugin) {
		l.run.Goal += strings.Repeat(" and", max(0, d.Draw(words)-len(l.run.Goal))/4) + " so on"
	}
	l.key()
	l.run.Trigger = d.triggered && d.Rand.IntN(4) == 0
	if l.to != reached && l.to != spent || l.first {
		l.run.Budget += 2 // whoever takes what it must not take has room to go on
	}
	if l.to == spent {
		n++
		l.run.Budget = max(1, n-d.DrawUpTo(short, n, "a budget below the steps of its run"))
	}
	for range n {
		l.decide()
	}
	if d.settings.Reframe && !d.byModel {
		d.giveUpPlans(l)
	}
	if n := slices.Index(d.filed, l.to); n >= 0 && !d.byModel && d.Can(agenticloopv2.CapabilityWorkspace) {
		d.filed, l.run.Filed = slices.Delete(d.filed, n, n+1), true
		l.run.Trigger = d.triggered && !l.first
	}
	l.moves = []model.Move{{Run: i, Kind: model.Start, Left: d.all() && !l.run.Trigger && d.Rand.IntN(3) == 0}}
	return l
}

// key draws the dedupe key of its start.
func (l *line) key() {
	switch l.Rand.IntN(4) {
	case 0: // what tells it from others stands at its end
		l.run.Key = "agentic:start:" + strings.Repeat("by-the-same-caller/", 8) + l.Name("word")
	case 1:
		l.run.Keyless = !l.first
	}
}

// command draws the command of a tool. The second step of the first run, which fails, never has the usual one.
func (l *line) command() string {
	if !l.commanded || l.Rand.IntN(2) == 0 && !(l.first && len(l.run.Decisions) == 1) {
		return ""
	}
	return []string{"read", "summarise_text", "Extract-2"}[l.Rand.IntN(3)]
}

// decide has the planner call a tool, with the same arguments as before now and then.
func (l *line) decide() {
	if n := len(l.run.Decisions); n > 0 && l.Rand.IntN(4) == 0 {
		l.run.Decisions = append(l.run.Decisions, l.run.Decisions[n-1])
		return
	}
	tool := l.settings.Tools[l.Rand.IntN(len(l.settings.Tools))]
	l.run.Decisions = append(l.run.Decisions, model.Decision{
		Kind: model.Call, Tool: tool, Command: l.command(), Arguments: l.arguments(),
	})
}

// giveUpPlans has the planner give up a plan after some results, no more often than it may.
func (d *drawing) giveUpPlans(l *line) {
	n := len(l.run.Decisions)
	if l.run.Reframes = n / 2; l.to != anew {
		l.run.Reframes = d.DrawUpTo(reframes, max(reframes.Least, n-1), "the steps of its run")
	}
	if l.to == spent { // to give up the plan is no way around the budget
		l.run.Reframes = max(1, l.run.Reframes)
		if over := l.run.Budget; over < n {
			l.run.Decisions[over].Anew = true
		}
		return
	}
	least := 0
	if l.to == reached && n > 1 && !d.turned && d.Depth > scenarios.Quick { // what came before it counts at the end
		d.turned, least, l.run.Reframes = true, 1, max(1, l.run.Reframes)
	}
	often := l.run.Reframes
	if l.to != anew {
		often = max(least, d.Rand.IntN(min(often, n-1)+1))
	}
	first := 1
	if l.to != anew && d.all() && d.Rand.IntN(3) == 0 { // before its first tool
		first = 0
	}
	for _, i := range d.Rand.Perm(n - 1)[:often] {
		l.run.Decisions[first+i].Anew = true
	}
	if l.to == anew && often > 0 && d.early.draw(d.Plugin) {
		i := slices.IndexFunc(l.run.Decisions, func(d model.Decision) bool { return d.Anew })
		l.run.Decisions[i].Anew, l.run.Decisions[0].Anew = false, true
	}
	if l.to == anew && often > 2 && d.Depth > scenarios.Quick && d.paired.draw(d.Plugin) {
		var at []int
		for i, decision := range l.run.Decisions[1:] {
			if decision.Anew {
				at = append(at, i+1)
			}
		}
		l.run.Decisions[at[0]].Twice, l.run.Decisions[at[1]].Anew = true, false
	}
}

// plans draws how many plans a run gives up that gives up too many. The first has more than most defaults allow, and the next may give
// up none. The third gives up one at its start, and then two in one turn.
func (d *drawing) plans() int {
	n := d.Draw(reframes)
	switch d.replanned++; {
	case d.replanned == 2 && d.Depth > scenarios.Quick:
		return 0
	case d.slow != "":
		return min(n, 1)
	case d.replanned == 3 && d.Depth > scenarios.Quick:
		return 3
	}
	for d.replanned == 1 && n < 3 {
		n = d.Draw(reframes)
	}
	return n
}
