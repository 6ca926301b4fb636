package runs

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// What wild programs draw beside what others do.
var (
	histories = &scenarios.Dimension{Name: "programs", Least: 1, Most: [3]int{2, 4, 8}}
	crowd     = &scenarios.Dimension{Name: "runs beside one another", Least: 1, Most: [3]int{2, 3, 4}}
	length    = &scenarios.Dimension{Name: "decisions of a run", Least: 1, Most: [3]int{5, 12, 20}}
)

// oneIn are the chances of what happens to a move or a run of a wild program, one in so many.
const (
	oneInConfig = 8 // its config says something else
	oneInFiled  = 3 // it has a workspace
	oneInPlan   = 5 // its planner gives up the plan
	oneInTwice  = 4 // and then the next one, too
	oneInFickle = 3 // its planner gives up every second plan, and may do so a few times
	oneInBroken = 3 // the tool fails until nobody asks it any more
	oneInAtOnce = 8 // its first decision is one that asks for nothing
)

// often is how often a kind of move is drawn, against others. What ends a run is seldom, so that much can come before. For half of
// the runs comes nothing of the kind.
var often = map[model.Kind]int{
	model.Result: 24, model.Failure: 6, model.FailedAgain: 3, model.SameAgain: 4, model.Repeat: 4, model.LateFailure: 3, model.Old: 4,
	model.OldFailure: 3, model.OldTool: 3, model.NearRun: 4, model.Crossed: 2, model.NearTool: 2, model.Above: 2, model.Strange: 2,
	model.StartAgain: 3,
}

// wilder prepares the drawing of wild programs: what every drawing has to have is not waited for.
func (d *drawing) wilder(ctx context.Context) {
	d.dealt, d.crowded, d.triggered = d.needed+1, true, d.triggers(ctx)
	for _, kind := range kinds {
		if kind != model.StartAgain || d.Can(agenticloopv2.CapabilityRedelivery) {
			d.kinds = append(d.kinds, slices.Repeat([]model.Kind{kind}, often[kind])...)
		}
	}
}

// kinds are those of [often], in an order that does not change.
var kinds = []model.Kind{
	model.Result, model.Failure, model.FailedAgain, model.SameAgain, model.Repeat, model.LateFailure, model.Old, model.OldFailure,
	model.OldTool, model.NearRun, model.Crossed, model.StartAgain, model.NearTool, model.Above, model.Strange,
}

// ending are the kinds that end a run, or may.
var ending = []model.Kind{model.NearTool, model.Above, model.Strange, model.Crossed, model.Failure}

// wild draws a program in which any kind of move comes anywhere.
func (d *drawing) wild() model.Program {
	var p model.Program
	var lines [][]model.Move
	for i := range d.few(crowd, 2) {
		l := d.wildLine(i)
		if i > 0 && d.Rand.IntN(4) == 0 { // two runs may have the same goal and context
			l.run.Goal, l.run.Context = p.Runs[0].Goal, p.Runs[0].Context
		}
		p.Runs, lines = append(p.Runs, l.run), append(lines, l.moves)
	}
	if len(p.Runs) > 1 {
		d.alike(p.Runs)
	}
	d.lower(p.Runs, anewAt)
	p.Moves = d.side(lines)
	d.vaguely(&p)
	return p
}

// wildLine draws a run and its deliveries. Most of them come before the run ends.
func (d *drawing) wildLine(i int) *line {
	l := &line{drawing: d, number: i, to: open}
	n, calm := d.few(length, fewSteps), d.Rand.IntN(2) == 0
	l.run = model.Run{Goal: d.goal(&d.goals), Context: d.settingsElsewhere(), Budget: 1 + d.Rand.IntN(n+4)}
	if calm {
		l.run.Budget = n + 2 + d.Draw(room)
	}
	l.key()
	l.run.Trigger = d.triggered && d.Rand.IntN(4) == 0
	l.run.Filed = !d.byModel && d.Can(agenticloopv2.CapabilityWorkspace) && d.Rand.IntN(oneInFiled) == 0
	for range n {
		l.decide()
	}
	d.wildEnd(l)
	if d.settings.Reframe && !d.byModel {
		oneIn := oneInPlan
		if l.run.Reframes = d.Draw(reframes); d.Rand.IntN(oneInFickle) == 0 {
			l.run.Reframes, oneIn = d.Rand.IntN(5), 2
		}
		for i := range l.run.Decisions {
			if d.Rand.IntN(oneIn) == 0 && l.run.Decisions[i].Kind == model.Call {
				l.run.Decisions[i].Anew, l.run.Decisions[i].Twice = true, d.Rand.IntN(oneInTwice) == 0
			}
		}
	}
	l.moves = []model.Move{{Run: i, Kind: model.Start, Left: !l.run.Trigger && d.Rand.IntN(3) == 0}}
	if d.Rand.IntN(oneInConfig) == 0 {
		l.moves[0].Allowed = d.otherTools()
	}
	for results, after := 0, d.Draw(afterEnd); after > 0; {
		m := model.Move{Kind: d.kinds[d.Rand.IntN(len(d.kinds))], Pick: d.Draw(pick)}
		switch {
		case results > n:
			after--
		case calm && slices.Contains(ending, m.Kind):
			continue
		}
		d.wildConfig(&m, n, calm)
		if m.Kind == model.Result {
			if results++; d.byModel && d.Rand.IntN(4) == 0 {
				m = d.erring(l)
			}
		}
		l.add(m)
		if m.Kind == model.Failure && d.Rand.IntN(oneInBroken) == 0 {
			for range d.tries() {
				l.add(model.Move{Kind: model.Failure})
			}
		}
	}
	return l
}

// wildConfig draws what the config of a turn says, where it is not what it said before.
func (d *drawing) wildConfig(m *model.Move, n int, calm bool) {
	if m.Kind != model.Result && m.Kind != model.Failure {
		return
	}
	if m.Kind == model.Result && d.Rand.IntN(oneInConfig) == 0 {
		if m.Budget = 1 + d.Rand.IntN(n+4); calm {
			m.Budget += n + 2
		}
	}
	if d.Rand.IntN(oneInConfig) == 0 {
		m.Allowed = d.otherTools()
	}
}

// wildEnd draws what the planner of a run decides at last, and sometimes at first.
func (d *drawing) wildEnd(l *line) {
	ends := append([]string{model.Done, model.Done, model.Call, model.Call, ""}, d.begun.all...)
	switch kind := ends[d.Rand.IntN(len(ends))]; kind {
	case "": // it goes on, and nobody knows with what
	case model.Call:
		d.barredBy(&l.run)
	default:
		l.run.Decisions = append(l.run.Decisions, d.over(kind))
	}
	if d.settings.Steered && d.Rand.IntN(oneInAtOnce) == 0 {
		l.run.Decisions = []model.Decision{d.over(d.begun.draw(d.Plugin))}
	}
}

// otherTools is an allowlist that lacks a tool, or has more than the others.
func (d *drawing) otherTools() []string {
	if d.Rand.IntN(2) == 0 {
		return append([]string{"another-tool"}, d.settings.Tools...)
	}
	return d.without(d.settings.Tools[d.Rand.IntN(len(d.settings.Tools))])
}
