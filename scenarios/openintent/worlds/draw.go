package worlds

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What settings are made of.
var (
	rounds  = &scenarios.Dimension{Name: "suspensions of an intent that others wait for", Least: 1, Most: [3]int{2, 2, 4}}
	further = &scenarios.Dimension{Name: "further intents of a world", Least: 0, Most: [3]int{0, 2, 8}}
	crowd   = &scenarios.Dimension{Name: "further members of a portfolio", Least: 0, Most: [3]int{1, 2, 8}}
)

var dimensions = []*scenarios.Dimension{rounds, further, crowd}

// The intents that every setting has. Three siblings, on which one sibling depends that takes its inputs from them, and another one
// on one of them. One whose window passes, on which a sibling comes to depend. Two that take inputs from what they do not depend on.
// One that a deadline ends. A draft that is activated while all that it waits for waits itself.
const (
	parent = iota
	firstUp
	secondUp
	thirdUp
	lapsing
	down
	late
	single
	firstWired
	secondWired
	dated
	draft
	cast
)

// The portfolios. The last one has a deadline, and the intent that it ends is in an older one, too.
const (
	mixed = iota
	ups
	ending
)

const (
	window   = 600        // seconds; the clock is moved beyond it
	deadline = 3600       // likewise
	month    = 30 * 86400 // no clock is moved beyond it
)

// seams says what time can be let pass for.
type seams struct{ windows, deadlines bool }

// drawer draws a setting.
type drawer struct {
	*host.Server
	seams
	model.Setting
	scene   *model.Scene
	scripts [][]model.Turn // what becomes of some intents, each in this order
}

func draw(s *host.Server, at seams) model.Setting {
	d := &drawer{Server: s, seams: at}
	d.places()
	d.folders()
	d.works()
	d.script()
	d.scene = d.Begin()
	for d.next() {
	}
	return d.Setting
}

func (d *drawer) places() {
	three, up := d.some(3, firstUp, secondUp, thirdUp), firstUp+d.Rand.IntN(3)
	for n := range cast + d.Draw(further) {
		p := model.Place{Intent: model.Intent{Parent: parent}}
		switch n {
		case firstUp, secondUp, thirdUp, lapsing, late:
		case down:
			p.DependsOn, p.Inputs = three, d.some(3, firstUp, secondUp, thirdUp)
		case single:
			p.DependsOn = []int{up}
		case firstWired: // each is the second input of one
			p.Inputs = []int{lapsing, up}
		case secondWired:
			p.Inputs = []int{up, lapsing}
		case parent, dated:
			p.Parent = model.None
		case draft:
			p.Parent, p.Draft, p.DependsOn = model.None, true, d.some(2, lapsing, up)
		default:
			p.Parent = []int{model.None, parent, lapsing}[d.Rand.IntN(3)]
			for _, on := range d.some(d.Rand.IntN(4), firstUp, secondUp, thirdUp, lapsing, down, late) {
				if p.Parent != lapsing { // a child of one that others wait for is on its own
					p.DependsOn = append(p.DependsOn, on)
				}
			}
		}
		d.Places = append(d.Places, p)
	}
}

// some returns n of these in a drawn order.
func (d *drawer) some(n int, of ...int) []int {
	d.Rand.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:n]
}

func (d *drawer) folders() {
	for i, members := range [][]int{
		mixed:  {secondUp, dated, lapsing, firstUp},
		ups:    {thirdUp, firstUp, secondUp},
		ending: {firstUp, dated, thirdUp},
	} {
		d.Rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		f := model.Folder{}
		for _, m := range members {
			f.Members = append(f.Members, model.Member{Intent: m, Role: host.Roles[d.Rand.IntN(len(host.Roles))]})
		}
		if i == ending {
			if f.Members[0].Intent == dated { // the odd one is not the first
				f.Members[0], f.Members[1] = f.Members[1], f.Members[0]
			}
			f.Deadline = deadline
		}
		for range d.Draw(crowd) {
			if n := []int{down, late, firstWired, draft}[d.Rand.IntN(4)]; i == mixed && !slices.ContainsFunc(f.Members, is(n)) {
				f.Members = append(f.Members, model.Member{Intent: n, Role: "dependency"})
			}
		}
		d.Folders = append(d.Folders, f)
	}
	for k := range d.Folders[mixed].Members {
		if m := &d.Folders[mixed].Members[k]; m.Intent == lapsing {
			m.Role = "primary"
		}
	}
}

func is(n int) func(model.Member) bool { return func(m model.Member) bool { return m.Intent == n } }

func (d *drawer) works() {
	d.Works = []model.Work{
		{Intent: firstUp}, {Intent: firstUp, Runs: true}, {Intent: lapsing, Runs: true}, {Intent: lapsing, Runs: true, Plan: 1, Named: true},
		{Intent: dated, Runs: true, Named: true}, {Intent: down, Plan: 1},
	}
	d.Rand.Shuffle(len(d.Works), func(i, j int) { d.Works[i], d.Works[j] = d.Works[j], d.Works[i] })
}

// script draws what becomes of each intent.
func (d *drawer) script() {
	of := func(do model.Action, n, on int) model.Turn { return model.Turn{Do: do, Intent: n, On: on} }
	suspend := func(n, window int, fallback string) model.Turn {
		return model.Turn{Do: model.Suspend, Intent: n, Window: window, Fallback: fallback, StatusFirst: d.Rand.IntN(2) == 0}
	}
	moves := func(do model.Action, n, folder int) model.Turn {
		return model.Turn{Do: do, Intent: n, On: folder, Role: host.Roles[d.Rand.IntN(len(host.Roles))]}
	}
	touch := func(n int) model.Turn {
		return of(model.Touch, n, slices.IndexFunc(d.Works, func(w model.Work) bool { return w.Intent == n && w.Runs }))
	}
	for _, n := range d.some(3, firstUp, secondUp, thirdUp) {
		var all []model.Turn
		times := d.Draw(rounds)
		if n != thirdUp {
			times = max(2, times)
		}
		for r := range times {
			if r > 0 || times == 1 && d.Rand.IntN(2) == 0 {
				all = append(all, of(model.Write, n, 0))
			}
			all = append(all, suspend(n, []int{0, month}[(r+n)%2], model.Fails), of(model.Claim, down, n))
			if n == firstUp {
				all = append(all, touch(n))
			}
			if n == secondUp && r < 2 {
				all = append(all, moves([]model.Action{model.Leave, model.Join}[r], n, mixed))
			}
			all = append(all, of(model.Answer, n, 0))
		}
		d.scripts = append(d.scripts, append(all, of(model.Write, n, 0), of(model.Complete, n, 0)))
	}
	goesOn := []string{model.Completes, model.Defaults}[d.Rand.IntN(2)]
	lapses, ended := []model.Turn{of(model.Answer, lapsing, 0)}, []model.Turn{of(model.Answer, lapsing, 0), of(model.Abandon, lapsing, 0)}
	if d.windows {
		lapses = []model.Turn{{Do: model.Lapse, Intent: lapsing, Fallback: goesOn}}
		ended = []model.Turn{{Do: model.Lapse, Intent: lapsing, Fallback: model.Fails}}
	}
	d.scripts = append(d.scripts, slices.Concat(
		[]model.Turn{suspend(lapsing, window, goesOn), touch(lapsing)}, lapses,
		[]model.Turn{of(model.Depend, late, lapsing), suspend(lapsing, 0, model.Fails), of(model.Answer, lapsing, 0)},
		[]model.Turn{suspend(lapsing, window, model.Fails), touch(lapsing)}, ended,
	))
	dates := []model.Turn{of(model.Answer, dated, 0), of(model.Abandon, dated, 0)}
	if d.deadlines {
		dates = []model.Turn{of(model.Deadline, dated, ending)}
	}
	d.scripts = append(d.scripts, append([]model.Turn{
		suspend(dated, month, model.Completes), moves(model.Join, dated, ups), of(model.Answer, dated, 0),
		suspend(dated, month, model.Completes), moves(model.Leave, dated, ups),
	}, dates...), []model.Turn{suspend(parent, 0, model.Fails), of(model.Answer, parent, 0)}, []model.Turn{of(model.Activate, draft, 0)},
		[]model.Turn{of(model.Claim, down, thirdUp)})
}

// next draws whose turn it is. It reports whether there is one.
func (d *drawer) next() bool {
	var can []int
	for i, script := range d.scripts {
		if len(script) > 0 && d.can(script[0], len(script)) {
			can = append(can, i)
		}
	}
	if len(can) == 0 {
		return false
	}
	i := can[d.Rand.IntN(len(can))]
	t := d.scripts[i][0]
	d.scripts[i] = d.scripts[i][1:]
	d.Turns = append(d.Turns, t)
	d.scene.Take(t)
	return true
}

// can reports whether a turn can be taken now, of a script of which so many are left.
func (d *drawer) can(t model.Turn, left int) bool {
	switch t.Do {
	case model.Activate:
		return d.scene.Waits(t.Intent)
	case model.Claim:
		return left > 1 || d.scene.Resolved(t.Intent) && d.scene.Is(t.Intent, model.Active)
	case model.Deadline: // of those that it ends there is only one
		for _, m := range d.scene.Members[t.On] {
			if m.Intent != t.Intent && d.scene.Is(m.Intent, model.Suspended) {
				return false
			}
		}
	case model.Answer, model.Lapse: // the last end of it waits for the draft
		return t.Intent != lapsing || left > 2 || !d.scene.Is(draft, model.Draft)
	}
	return true
}
