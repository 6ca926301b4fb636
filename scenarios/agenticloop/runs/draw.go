package runs

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// What runs draw.
var (
	several  = &scenarios.Dimension{Name: "runs in one state", Least: 2, Most: [3]int{2, 4, 6}}
	steps    = &scenarios.Dimension{Name: "steps of a run", Least: 1, Most: [3]int{5, 20, 50}, Edges: []int{1, 3, 9, 10, 11, 20}}
	room     = &scenarios.Dimension{Name: "steps that a budget leaves", Least: 0, Most: [3]int{9, 90, 900}, Edges: []int{0, 1, 9}}
	short    = &scenarios.Dimension{Name: "steps that a budget lacks", Least: 1, Most: [3]int{4, 19, 49}, Edges: []int{1}}
	failures = &scenarios.Dimension{Name: "failures of a step", Least: 1, Most: [3]int{2, 3, 8}, Edges: []int{1}}
	beside   = &scenarios.Dimension{Name: "deliveries beside a result", Least: 0, Most: [3]int{1, 2, 3}}
	afterEnd = &scenarios.Dimension{Name: "deliveries after the end of a run", Least: 1, Most: [3]int{2, 4, 8}}
	letters  = &scenarios.Dimension{Name: "letters of a text", Least: 1, Most: [3]int{40, 300, 2_000}, Edges: []int{255, 256, 257}}
	nesting  = &scenarios.Dimension{Name: "depth of a value", Least: 1, Most: [3]int{4, 20, 60}}
	form     = &scenarios.Dimension{Name: "form of a value", Least: 0, Most: [3]int{len(forms) - 1, len(forms) - 1, len(forms) - 1}}
	pick     = &scenarios.Dimension{Name: "near miss of a value", Least: 0, Most: [3]int{59, 59, 59}}
)

var dimensions = []*scenarios.Dimension{several, steps, room, short, failures, beside, afterEnd, letters, nesting, form, pick}

// forms are values of every JSON type that a careless agent takes for none, or changes on the way. The last one alone is no value
// of an argument whose absence would be the same.
var forms = []func(name string, letters, depth int) any{
	func(string, int, int) any { return false },
	func(string, int, int) any { return 0 },
	func(string, int, int) any { return "" },
	func(string, int, int) any { return []any{} },
	func(string, int, int) any { return map[string]any{} },
	func(string, int, int) any { return true },
	func(string, int, int) any { return -1 },
	func(string, int, int) any { return 0.5 },
	func(string, int, int) any { return 1 << 40 },
	func(string, int, int) any { return "0" },
	func(string, int, int) any { return "false" },
	func(string, int, int) any { return "null" },
	func(name string, n, _ int) any { return name + " " + strings.Repeat("x", n) },
	func(name string, _, _ int) any { return "Zoë's \"" + name + "\" – 名前 🙂 \\n <b>&amp;</b>" },
	func(name string, _, _ int) any { return "line one\nline two\t" + name },
	func(name string, _, _ int) any { return "${" + name + "} {{" + name + "}} %s" },
	func(name string, _, _ int) any { return []any{name, name, nil, false, 0, ""} },
	func(name string, _, _ int) any {
		return map[string]any{"": name, "a.b": 1, "ключ": []any{map[string]any{}}}
	},
	func(name string, _, depth int) any {
		var v any = name
		for range depth {
			v = map[string]any{"in": []any{v}}
		}
		return v
	},
	func(string, int, int) any { return nil },
}

// A drawing draws programs.
type drawing struct {
	*host.Plugin
	settings model.Settings
	ends     deck[end]
	late     deck[model.Kind] // what comes beside a result that is due
	after    deck[model.Kind] // what comes after the end
	dealt    int              // how many runs were drawn
}

// deck hands out all of its cards in any order before one comes again.
type deck[C any] struct{ all, left []C }

func (d *deck[C]) draw(p *host.Plugin) C {
	if len(d.left) == 0 {
		for _, i := range p.Rand.Perm(len(d.all)) {
			d.left = append(d.left, d.all[i])
		}
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// end is a way in which a run is to end.
type end int

const (
	reached   end = iota // its planner is done
	spent                // its budget is used up
	tooLate              // a result of a later step comes
	mistaken             // a result of another tool comes
	exhausted            // a step fails until no retry is left
	barred               // its planner wants a tool that is not allowed
	lost                 // its planner gives up, or talks nonsense
	open                 // it goes on
)

// all reports whether a run was drawn for each end that every drawing has to have: others may end by mistake.
func (d *drawing) all() bool { return d.dealt > 6 }

// byResult reports whether it is the result of the last step that leads to the end.
func (e end) byResult() bool { return e == reached || e == spent || e == barred || e == lost }

func newDrawing(p *host.Plugin, s model.Settings, givesUp bool) *drawing {
	d := &drawing{Plugin: p, settings: s}
	d.ends.all = []end{spent, tooLate, mistaken, exhausted, barred}
	d.ends.draw(p)
	d.ends.left = append([]end{reached, d.ends.all[0]}, d.ends.left...)
	d.ends.all = append(d.ends.all, reached, reached, open)
	if givesUp {
		d.ends.all = append(d.ends.all, lost)
	}
	d.late.all = []model.Kind{model.SameAgain, model.Repeat, model.LateFailure, model.Old, model.OldFailure, model.NearRun}
	if p.Can(agenticloopv2.CapabilityRedelivery) {
		d.late.all = append(d.late.all, model.StartAgain)
	}
	d.after.all = []model.Kind{model.SameAgain, model.Repeat, model.LateFailure, model.Old, model.OldFailure}
	return d
}

func (d *drawing) value() any {
	return forms[d.Draw(form)](d.Name("word"), d.Draw(letters), d.Draw(nesting))
}

// program draws runs, and mixes what comes for them.
func (d *drawing) program() model.Program {
	var p model.Program
	var lines [][]model.Move
	for i := range d.Draw(several) {
		run, moves := d.run(i)
		p.Runs, lines = append(p.Runs, run), append(lines, moves)
	}
	for len(lines) > 0 {
		i := d.Rand.IntN(len(lines))
		p.Moves, lines[i] = append(p.Moves, lines[i][0]), lines[i][1:]
		if len(lines[i]) == 0 {
			lines = slices.Delete(lines, i, i+1)
		}
	}
	return p
}

// run draws a run and what comes for it, up to its end and beyond.
func (d *drawing) run(i int) (model.Run, []model.Move) {
	n, to, first := d.Draw(steps), d.ends.draw(d.Plugin), d.dealt == 0
	for first && n < 3 {
		n = d.Draw(steps)
	}
	if !d.settings.Steered && !to.byResult() { // it may be done before
		n = 1
	}
	d.dealt++
	run := model.Run{Goal: d.goal(), Context: d.settingsElsewhere(), Budget: n + d.Draw(room)}
	if to == spent {
		n++
		run.Budget = max(1, n-d.DrawUpTo(short, n, "a budget below the steps of its run"))
	}
	for range n {
		tool := d.settings.Tools[d.Rand.IntN(len(d.settings.Tools))]
		run.Decisions = append(run.Decisions, model.Decision{Kind: model.Call, Tool: tool, Arguments: d.arguments()})
	}
	moves := []model.Move{{Run: i, Kind: model.Start}}
	add := func(m model.Move) {
		m.Run, m.Body = i, d.body()
		moves = append(moves, m)
	}
	failing, changed := d.Rand.IntN(2*n)+1, d.Rand.IntN(3*n)+1 // the step that fails, and the one whose result finds another budget
	if first {
		failing = 2
	}
	for step := 1; step <= n; step++ {
		if first && step <= 3 {
			add(model.Move{Kind: []model.Kind{model.NearRun, model.SameAgain, model.Old}[step-1]})
		}
		d.besides(add, step)
		if step == failing {
			d.fail(add)
		}
		if step == n && !to.byResult() {
			break
		}
		m := model.Move{Kind: model.Result}
		if step == changed && to != spent {
			m.Budget = n + 1 + d.Draw(room)
		}
		if step == n && to == barred {
			m.Allowed = d.barredBy(&run)
		}
		add(m)
	}
	switch to {
	case reached:
		run.Decisions = append(run.Decisions, model.Decision{Kind: model.Done, Outcome: "all of it was done: " + d.Name("word")})
	case spent: // its planner wants more steps than the budget has
		run.Decisions = append(run.Decisions, run.Decisions[0])
	case lost:
		kind := []string{model.Refuse, model.Garbage}[d.Rand.IntN(2)]
		run.Decisions = append(run.Decisions, model.Decision{Kind: kind})
	case tooLate:
		add(model.Move{Kind: model.Above, Pick: d.Draw(pick)})
	case mistaken:
		add(model.Move{Kind: model.NearTool, Pick: d.Draw(pick)})
	case exhausted:
		tries := mostTries
		if d.settings.Retries >= 0 {
			tries = d.settings.Retries + 1
		}
		for range tries {
			add(model.Move{Kind: model.Failure})
		}
	}
	if to != open {
		for range d.Draw(afterEnd) {
			add(model.Move{Kind: d.after.draw(d.Plugin), Pick: d.Draw(pick)})
		}
	}
	return run, moves
}

// mostTries is how often a step fails where nobody knows how often it is asked for again.
const mostTries = 12

// fail has a step fail as often as it is asked for again.
func (d *drawing) fail(add func(model.Move)) {
	most, why := d.settings.Retries, "the plugin asks no more often again"
	if most < 0 {
		most, why = 1, "the profile does not say how often a step is asked for again"
	}
	if !d.settings.Retry || most == 0 {
		return
	}
	for range d.DrawUpTo(failures, most, why) {
		add(model.Move{Kind: model.Failure})
	}
}

// besides adds what comes beside the result of a step.
func (d *drawing) besides(add func(model.Move), step int) {
	for range d.Draw(beside) {
		m := model.Move{Kind: model.NearRun, Pick: d.Draw(pick)}
		if step > 1 {
			m.Kind = d.late.draw(d.Plugin)
			if d.all() && d.Rand.IntN(8) == 0 {
				m.Kind = []model.Kind{model.Crossed, model.Strange}[d.Rand.IntN(2)]
			}
		}
		add(m)
	}
}

// barredBy has the planner of a run want a tool that no list has, or one that the list of this turn has no more.
func (d *drawing) barredBy(run *model.Run) (allowed []string) {
	tools := d.settings.Tools
	last := run.Decisions[len(run.Decisions)-1].Tool
	wanted := "unlisted-tool"
	others := slices.DeleteFunc(slices.Clone(tools), func(tool string) bool { return tool == last })
	if len(others) > 0 && d.Rand.IntN(4) > 0 {
		wanted = others[d.Rand.IntN(len(others))]
		allowed = slices.DeleteFunc(slices.Clone(tools), func(tool string) bool { return tool == wanted })
	}
	run.Decisions = append(run.Decisions, model.Decision{Kind: model.Call, Tool: wanted, Arguments: map[string]any{"note": "an argument"}})
	return allowed
}

// goal draws a goal: a text with words in it.
func (d *drawing) goal() string {
	if text, is := d.value().(string); is && strings.TrimSpace(text) != "" {
		return text
	}
	return d.NewGoal()
}

// control is the argument whose value is always a plain text: where it stands, the others have to stand.
const control = "note"

func (d *drawing) arguments() map[string]any {
	return map[string]any{control: d.Name("word"), "value": d.value(), "option": d.value()}
}

// settingsElsewhere are settings that stand where none belong.
func (d *drawing) settingsElsewhere() map[string]any {
	return map[string]any{
		"allowed_plugins": []any{"unlisted-tool"}, "max_retries": 99, "config": map[string]any{"max_steps": 999}, "tone": d.value(),
	}
}

// body draws what a tool returned.
func (d *drawing) body() any {
	switch d.Rand.IntN(8) {
	case 0:
		return d.value()
	case 1:
		return map[string]any{}
	case 2:
		return map[string]any{
			"max_steps": 999, "allowed_plugins": []any{"unlisted-tool"}, "pending_step": 7, "state_updates": map[string]any{"runs": map[string]any{}},
		}
	}
	return map[string]any{"excerpt": "a few words about " + d.Name("word"), "value": d.value()}
}
