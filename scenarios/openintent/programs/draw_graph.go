package programs

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What graphs are made of.
var (
	intents      = &scenarios.Dimension{Name: "intents of a graph", Least: 8, Most: [3]int{8, 12, 16}}
	dependencies = &scenarios.Dimension{Name: "dependencies of a further intent", Least: 0, Most: [3]int{3, 5, 10}}
	suspensions  = &scenarios.Dimension{Name: "suspensions of an intent", Least: 0, Most: [3]int{2, 3, 4}, Edges: []int{0, 2}}
	folders      = &scenarios.Dimension{Name: "portfolios", Least: 3, Most: [3]int{3, 4, 9}}
	members      = &scenarios.Dimension{Name: "members of a further portfolio", Least: 3, Most: [3]int{3, 6, 20}}
)

var graphDimensions = append([]*scenarios.Dimension{intents, dependencies, suspensions, folders, members}, valued...)

// graphs is how many programs are drawn at each depth.
var graphs = [scenarios.Deep + 1]int{1, 2, 1}

// The intents that every graph has. Three siblings, and three that depend on all of them; one of these is asked to complete too
// early. The last one is abandoned, and has nothing to do with the others but a portfolio.
const (
	parent = iota
	firstUp
	secondUp
	thirdUp
	firstDown
	secondDown
	gated
	odd
	further
)

// moving is the portfolio that intents join and leave while they wait. It keeps members all the time.
const moving = 2

// drawGraph draws a program about intents that depend on each other.
func drawGraph(s *host.Server, responses []string) (p model.Program) {
	n := within(s, intents, 14)
	p.Places = make([]model.Place, n)
	for i := range p.Places {
		in := &p.Places[i]
		in.Parent = model.None
		switch {
		case i == firstUp, i == secondUp, i == thirdUp, i == firstDown:
			in.Parent = parent
		case i >= further:
			place(s, p, i)
		}
		if i == firstDown || i == secondDown || i == gated {
			in.DependsOn = []int{firstUp, secondUp, thirdUp}
		}
	}
	portfolios := [][]int{
		{firstUp, secondUp, thirdUp, firstUp, firstDown}, {odd, secondUp, thirdUp, secondDown}, {secondUp, firstDown, gated},
	}
	for range s.Draw(folders) - 3 {
		var all []int
		for range s.Draw(members) {
			all = append(all, s.Rand.IntN(n))
		}
		portfolios = append(portfolios, all)
	}
	for _, all := range portfolios {
		s.Rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var f model.Folder
		for k, m := range all { // the second one is the primary one
			f.Members = append(f.Members, model.Member{Intent: m, Role: host.Roles[k%2]})
		}
		p.Folders = append(p.Folders, f)
	}
	drawSteps(s, &p, responses)
	turn(&p)
	return p
}

// place gives a further intent a parent and dependencies. Nothing has to do with the odd one, and the three siblings have no children:
// they can be completed in any order.
func place(s *host.Server, p model.Program, i int) {
	in := &p.Places[i]
	fits := func() bool { return model.Program{Places: p.Places[:i+1]}.Acyclic() }
	if other := s.Rand.IntN(i); other != odd && (other < firstUp || other > thirdUp) && s.Rand.IntN(2) == 0 {
		if in.Parent = other; !fits() {
			in.Parent = model.None
		}
	}
	order := s.Rand.Perm(i)
	for _, d := range order[:min(s.Draw(dependencies), i)] {
		if d == odd || d == gated {
			continue
		}
		if in.DependsOn = append(in.DependsOn, d); !fits() {
			in.DependsOn = in.DependsOn[:len(in.DependsOn)-1]
		}
	}
}

// drawSteps draws what becomes of the intents, in any order that can be: each is suspended and answered some times, and completed.
func drawSteps(s *host.Server, p *model.Program, responses []string) {
	left := make([]int, len(p.Places)) // suspensions
	for i := range left {
		left[i] = s.Draw(suspensions)
	}
	for _, i := range []int{parent, firstUp, secondUp, thirdUp} {
		left[i] = max(1, left[i])
	}
	last := firstUp + s.Rand.IntN(3) // of the three siblings; it is suspended once more when the others are completed
	left[last] = max(2, left[last])
	w := p.Begin()
	do := func(step model.Step) {
		p.Steps = append(p.Steps, step)
		w.Take(step)
	}
	asks := s.Rand.IntN(len(responses))
	answers := map[int]model.Step{}
	suspend := func(i int) {
		left[i]--
		asks++
		record, answer := question(s, responses[asks%len(responses)])
		answers[i] = model.Step{Do: model.Answer, Intent: i, Answer: answer}
		do(model.Step{Do: model.Suspend, Intent: i, Record: record, StatusFirst: s.Rand.IntN(2) == 0})
		if i == firstUp || s.Rand.IntN(3) == 0 { // while it waits it joins the portfolio that is for that, or leaves it
			action := model.Join
			if w.Has(moving, i) {
				action = model.Leave
			}
			do(model.Step{Do: action, Intent: i, On: moving})
		} else if i == secondUp && w.Has(moving, i) {
			do(model.Step{Do: model.Leave, Intent: i, On: moving})
		}
		tries(w, do)
	}
	for _, i := range s.Rand.Perm(3) { // all of them wait at once
		suspend(firstUp + i)
	}
	for {
		var can []int
		for i := range p.Places {
			few := open(w, parent) // children of the parent, which is asked to complete over the last of them
			switch {
			case answers[i].Do != "":
				can = append(can, i)
			case !w.Is(i, model.Active), i == last && left[i] == 1 && !completed(w, i):
			case i == parent && left[i] > 0 && few > 0 && few < 3, left[i] == 0 && few == 2 && w.Is(parent, model.Suspended):
			case left[i] > 0, open(w, i) == 0:
				can = append(can, i)
			}
		}
		if len(can) == 0 {
			return
		}
		i := can[s.Rand.IntN(len(can))]
		switch step := answers[i]; {
		case step.Do != "":
			delete(answers, i)
			do(step)
		case left[i] > 0:
			suspend(i)
			continue
		case i == odd:
			do(model.Step{Do: model.Abandon, Intent: i})
		default:
			do(model.Step{Do: model.Complete, Intent: i})
		}
		tries(w, do)
	}
}

// completed reports whether those of the three siblings that are not i are completed.
func completed(w *model.Scene, i int) bool {
	for n := firstUp; n <= thirdUp; n++ {
		if n != i && !w.Is(n, model.Completed) {
			return false
		}
	}
	return true
}

// tries asks for what must be refused where only one of several holds it up. It comes late: a server that takes it shows all else before.
func tries(w *model.Scene, do func(model.Step)) {
	one := slices.ContainsFunc(w.Places[gated].DependsOn, func(d int) bool { return completed(w, d) })
	if w.Waits(gated) && one {
		do(model.Step{Do: model.Try, Intent: gated})
	}
	if w.Is(parent, model.Active) && open(w, parent) == 1 {
		do(model.Step{Do: model.Try, Intent: parent})
	}
}

// open is how many children of an intent are not completed.
func open(w *model.Scene, of int) int { return (w.Children(of) &^ w.Having(model.Completed)).Len() }

// turn has the dependency that is completed last stand at the end of one list, within the next and at the beginning of the third, and
// at the end of further ones.
func turn(p *model.Program) {
	last := 0
	for _, step := range p.Steps {
		if step.Do == model.Complete && step.Intent >= firstUp && step.Intent <= thirdUp {
			last = step.Intent
		}
	}
	for at, i := range []int{gated, secondDown, firstDown} {
		others := slices.DeleteFunc([]int{firstUp, secondUp, thirdUp}, func(d int) bool { return d == last })
		p.Places[i].DependsOn = slices.Insert(others, at, last)
	}
	for i := range p.Places { // further ones have it at the end: what is looked at of a list may stop before
		if on := p.Places[i].DependsOn; i >= further && slices.Contains(on, last) {
			p.Places[i].DependsOn = append(slices.DeleteFunc(on, func(d int) bool { return d == last }), last)
		}
	}
}
