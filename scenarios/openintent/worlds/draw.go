package worlds

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What programs are made of.
var (
	rounds  = &scenarios.Dimension{Name: "suspensions of an intent that others wait for", Least: 1, Most: [3]int{2, 2, 4}}
	further = &scenarios.Dimension{Name: "further intents of a world", Least: 0, Most: [3]int{0, 2, 8}}
	crowd   = &scenarios.Dimension{Name: "further members of a portfolio", Least: 0, Most: [3]int{1, 2, 8}}
)

var dimensions = []*scenarios.Dimension{rounds, further, crowd}

// The intents that every program has. Three siblings, on which one sibling depends that takes its inputs from them, and another one
// on one of them. One whose window passes, on which a sibling comes to depend. Two that take inputs from what they do not depend on.
// One that a deadline ends. A draft that is activated while all that it waits for waits itself. A parent of two, of which the
// first waits or is completed when the only other one is suspended.
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
	house
	elder
	only
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

// seams says what time can be let pass for, and whether there is a state machine that refuses.
type seams struct{ windows, deadlines, lifecycle bool }

// drawer draws a program.
type drawer struct {
	*host.Server
	seams
	model.Program
	scene   *model.Scene
	scripts [][]model.Step // what becomes of some intents, each in this order
}

func draw(s *host.Server, at seams) model.Program {
	d := &drawer{Server: s, seams: at}
	d.places()
	d.folders()
	d.works()
	d.script()
	d.scene = d.Begin()
	for d.next() {
	}
	return d.Program
}

func (d *drawer) places() {
	three, up := d.some(3, firstUp, secondUp, thirdUp), firstUp+d.Rand.IntN(3)
	for n := range cast + d.Draw(further) {
		p := model.Place{Parent: parent}
		switch n {
		case firstUp, secondUp, thirdUp, lapsing, late:
		case elder, only:
			p.Parent = house
		case down:
			p.DependsOn, p.Inputs = three, d.some(3, firstUp, secondUp, thirdUp)
		case single:
			p.DependsOn = []int{up}
		case firstWired: // each is the second input of one
			p.Inputs = []int{lapsing, up}
		case secondWired:
			p.Inputs = []int{up, lapsing}
		case parent, dated, house:
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
		ending: {firstUp, dated, thirdUp, only},
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
	for _, n := range d.some(3, firstUp, secondUp, thirdUp) {
		d.scripts = append(d.scripts, d.upstream(n))
	}
	goesOn := []string{model.Completes, model.Defaults}[d.Rand.IntN(2)]
	lapses := []model.Step{step(model.Answer, lapsing, 0)}
	ended := append(lapses[:1:1], step(model.Abandon, lapsing, 0))
	if d.windows {
		lapses = []model.Step{{Do: model.Lapse, Intent: lapsing, Fallback: goesOn}}
		ended = []model.Step{{Do: model.Lapse, Intent: lapsing, Fallback: model.Fails}}
	}
	d.scripts = append(d.scripts, slices.Concat(
		[]model.Step{d.suspend(lapsing, window, goesOn), d.touch(lapsing)}, lapses, []model.Step{step(model.Depend, late, lapsing)},
		d.apart(lapsing, 0, model.Fails, step(model.Stale, lapsing, 0)), []model.Step{step(model.Answer, lapsing, 0)},
		d.apart(lapsing, window, model.Fails), []model.Step{d.touch(lapsing)}, ended,
	))
	dates := []model.Step{step(model.Answer, dated, 0), step(model.Abandon, dated, 0)}
	second, alone := d.apart(dated, month, model.Completes), d.apart(only, 0, model.Fails, d.force(only, model.Completed)...)
	if d.deadlines { // which ends also what has no record yet, or only that of before
		dates, second, alone = []model.Step{step(model.Deadline, dated, ending)}, second[:1], alone[:len(alone)-1]
	} else {
		alone = append(alone, step(model.Answer, only, 0))
	}
	d.scripts = append(d.scripts,
		[]model.Step{d.suspend(elder, month, model.Fails), step(model.Answer, elder, 0), step(model.Complete, elder, 0)},
		slices.Concat(
			[]model.Step{d.suspend(dated, month, model.Completes), d.moves(model.Join, dated, ups), step(model.Answer, dated, 0)},
			second, []model.Step{d.moves(model.Leave, dated, ups)}, dates, d.force(dated, model.Suspended),
		),
		append(d.apart(parent, 0, model.Fails), step(model.Answer, parent, 0)),
		[]model.Step{step(model.Activate, draft, 0)}, []model.Step{step(model.Claim, down, thirdUp)},
		append(d.force(down, model.Suspended), d.force(down, model.Active)...), d.force(draft, model.Suspended),
		alone)
}

// step is a turn without more.
func step(do model.Action, n, on int) model.Step { return model.Step{Do: do, Intent: n, On: on} }

// upstream draws what becomes of one of the three siblings.
func (d *drawer) upstream(n int) (all []model.Step) {
	times := d.Draw(rounds)
	if n != thirdUp {
		times = max(2, times)
	}
	for r := range times {
		if r > 0 || times == 1 && d.Rand.IntN(2) == 0 {
			all = append(all, step(model.Write, n, 0))
		}
		all = append(all, d.suspend(n, []int{0, month}[(r+n)%2], model.Fails), step(model.Claim, down, n))
		if n == firstUp {
			all = append(all, d.touch(n))
		}
		if n == secondUp && r < 2 {
			all = append(all, d.moves([]model.Action{model.Leave, model.Join}[r], n, mixed))
		}
		all = append(all, step(model.Answer, n, 0))
	}
	all = append(all, step(model.Write, n, 0), step(model.Complete, n, 0))
	if n == secondUp {
		all = append(all, d.force(n, model.Suspended)...)
	}
	return all
}

func (d *drawer) suspend(n, window int, fallback string) model.Step {
	t := model.Step{Do: model.Suspend, Intent: n, Window: window, Fallback: fallback, StatusFirst: d.Rand.IntN(2) == 0, Attempts: 1}
	if t.Merged = d.Rand.IntN(3) == 0; window == month {
		t.Attempts = 1 + d.Rand.IntN(3)
	}
	return t
}

// apart suspends in two turns, with others between them: first the status, then the record.
func (d *drawer) apart(n, window int, fallback string, between ...model.Step) []model.Step {
	status, record := d.suspend(n, window, fallback), d.suspend(n, window, fallback)
	status.Alone, record.Do, record.Merged = true, model.Recorded, true
	return append(append([]model.Step{status}, between...), record)
}

func (d *drawer) moves(do model.Action, n, folder int) model.Step {
	return model.Step{Do: do, Intent: n, On: folder, Role: host.Roles[d.Rand.IntN(len(host.Roles))]}
}

func (d *drawer) touch(n int) model.Step {
	return step(model.Touch, n, slices.IndexFunc(d.Works, func(w model.Work) bool { return w.Intent == n && w.Runs }))
}

// force asks for a status that the state machine does not have from where the intent is then.
func (d *drawer) force(n int, to string) []model.Step {
	if !d.lifecycle {
		return nil
	}
	return []model.Step{{Do: model.Force, Intent: n, To: to}}
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
	d.Steps = append(d.Steps, t)
	d.scene.Take(t)
	return true
}

// can reports whether a turn can be taken now, of a script of which so many are left.
func (d *drawer) can(t model.Step, left int) bool {
	switch t.Do {
	case model.Activate:
		open := d.scene.Open(t.Intent) // all that waits, and nothing else
		return open != 0 && open&^d.scene.Having(model.Suspended) == 0 && !d.forces(t.Intent)
	case model.Claim:
		return left > 1 || d.scene.Resolved(t.Intent) && d.scene.Is(t.Intent, model.Active)
	case model.Deadline: // it ends those that nothing is to become of
		if d.forces(only) {
			return false
		}
		for _, m := range d.scene.Members[t.On] {
			if d.scene.Is(m, model.Suspended) != slices.Contains([]int{dated, only}, m) {
				return false
			}
		}
	case model.Answer, model.Lapse: // the last end of it waits for the draft
		return t.Intent != lapsing || left > 2 || !d.scene.Is(draft, model.Draft)
	case model.Complete: // the last of them waits for who is blocked by what is active
		return d.scene.Open(down)&^(1<<t.Intent) != 0 || !d.forces(down)
	case model.Suspend:
		return t.Intent != only || !d.scene.Is(elder, model.Active)
	case model.Force:
		return d.unfit(t)
	}
	return true
}

// forces reports whether something is still to be forced on an intent.
func (d *drawer) forces(n int) bool {
	return slices.ContainsFunc(d.scripts, func(script []model.Step) bool {
		return len(script) > 0 && script[0].Do == model.Force && script[0].Intent == n
	})
}

// unfit reports whether the state machine has no such step now: to be suspended without being active, to go on while something is open
// of which nothing waits any more, to be completed while it waits.
func (d *drawer) unfit(t model.Step) bool {
	switch n := t.Intent; {
	case t.To == model.Suspended && n == down:
		return d.scene.Held(n)
	case t.To == model.Suspended:
		return !d.scene.Is(n, model.Active)
	case t.To == model.Active:
		return d.scene.Held(n) && !d.scene.Waits(n)
	}
	return d.scene.Is(t.Intent, model.Suspended)
}
