package lockstep

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
)

// Walk is a walk through a small world, beside a target: each step is taken in each state in which its object comes to be
// within the depth. A state is that of the model, by what the target replied.
type Walk interface {
	// Suite returns the next steps as a suite, about so many. Walks go on from one suite to the next.
	Suite(of *scenarios.Protocol, steps int) scenarios.Suite
	// Done tells how far it has come.
	Done() Progress
}

// Progress is how far a walk has come.
type Progress struct {
	Objects, Taken int
	// States are those that were met within the depth, Edges the steps that were taken in them, and Left those that are not yet.
	States, Edges, Left int
	Wrong               bool        // the model does not explain the last reply
	Ways                map[Way]int // how often a reply showed that it was this way, and no other
	Rules               map[string]int
}

// Walk implements [Small].
func (w *World[S, In, Out]) Walk(depth int, seed uint64) Walk {
	return &walk[S, In, Out]{
		World: w, depth: depth, rand: rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // a walk, not a secret
		looks: numbers(w.Looks), unasked: &node[S]{},
		ids: map[S]int{}, nodes: map[string]*node[S]{}, ways: map[Way]int{}, rules: map[string]int{},
	}
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

type walk[S comparable, In, Out any] struct {
	*World[S, In, Out]
	depth          int
	rand           *rand.Rand
	looks          []int
	ids            map[S]int
	nodes          map[string]*node[S]
	begin          *node[S]
	unasked        *node[S]   // to which steps lead that are not taken
	unmet          []leading  // rules that come before all else
	open           []*node[S] // with steps that were not taken
	objects, taken int
	wrong          bool
	ways           map[Way]int
	rules          map[string]int
}

// node is what is known of the states in which an object may be.
type node[S comparable] struct {
	state  S // one of them
	depth  int
	from   *node[S] // on a shortest way from the beginning, by its step
	by     int
	to     []*node[S] // by step; nil where it was not taken
	tries  int        // how often it was not met on the way to it
	left   int        // steps that were not taken
	over   bool       // no text says what comes after it
	queued bool
}

// suiteTime is the time that the steps of a suite may take: many are asked one after the other, and a machine may be busy.
const suiteTime = 10 * time.Minute

// mostTries is how often a walk sets out for a state that does not come again.
const mostTries = 3

// Suite implements [Walk].
func (w *walk[S, In, Out]) Suite(of *scenarios.Protocol, steps int) scenarios.Suite {
	s := w.Scenario
	drive := &scenarios.Drive[explore.Observation[S, In, Out]]{
		ID: "lockstep/" + w.Name, Title: "walks through a small world of " + w.Name, Once: "a walk goes on", Timeout: suiteTime,
		Run: func(ctx context.Context, c *scenarios.Conn, o *explore.Observation[S, In, Out]) {
			w.run(ctx, c, o, steps)
		},
	}
	s.Ask = scenarios.Ask(drive, w.Kind.Judge)
	return scenarios.Suite{ID: explore.SuiteID, Title: "a walk through a small world", Scenarios: []scenarios.Scenario{s}, Protocol: of}
}

// run walks. It notes the last history, which is the only one that the model may not explain.
func (w *walk[S, In, Out]) run(ctx context.Context, c *scenarios.Conn, o *explore.Observation[S, In, Out], steps int) {
	begin := w.Begin
	if w.On != nil {
		begin = w.On(begin, c.Discovery)
	}
	if w.begin == nil {
		w.begin, w.unmet = w.node([]being[S]{{state: begin}}, nil, 0), w.toRules(w.depth, begin)
	}
	o.Histories, o.Known = make([]explore.History[S, In, Out], 1), c.Known
	for until := w.taken + steps; w.taken < until && !w.wrong; {
		goal, path := w.next()
		if goal == nil {
			return
		}
		w.objects++
		o.Histories[0] = explore.History[S, In, Out]{Begin: begin}
		w.follow(ctx, w.Kind.Make(ctx, c, begin), goal, path, o, until)
	}
}

// next returns a node in which not all steps were taken, nil if there is none, and the steps up to it.
func (w *walk[S, In, Out]) next() (*node[S], []int) {
	for len(w.unmet) > 0 {
		to := w.unmet[0]
		if w.unmet = w.unmet[1:]; w.rules[to.rule] == 0 {
			return &node[S]{}, to.steps
		}
	}
	var best *node[S]
	fewest := 0
	for tries := 0; len(w.open) > 0 && tries < choices; {
		i := w.rand.IntN(len(w.open))
		n := w.open[i]
		if !w.lacks(n) {
			w.open = slices.Delete(w.open, i, i+1)
			n.queued = false
			continue
		}
		tries++
		if _, often := w.rarest(n); best == nil || often < fewest {
			best, fewest = n, often
		}
	}
	if best == nil {
		return nil, nil
	}
	return best, best.path()
}

// choices is of how many nodes the one is chosen that has the rarest step.
const choices = 4

// lacks reports whether steps are to be taken in a node.
func (w *walk[S, In, Out]) lacks(n *node[S]) bool {
	return n.left > 0 && n.depth < w.depth && n.tries < mostTries
}

func (n *node[S]) path() (steps []int) {
	for ; n.from != nil; n = n.from {
		steps = append(steps, n.by)
	}
	slices.Reverse(steps)
	return steps
}

// follow takes the steps to a node, and then those that were not taken yet, as long as there are some nearby, or up to a reply that
// the model does not explain.
func (w *walk[S, In, Out]) follow(
	ctx context.Context, on explore.Object[In, Out], goal *node[S], path []int, o *explore.Observation[S, In, Out], until int,
) {
	h := &o.Histories[0]
	now, at := []being[S]{{h.Begin, map[Way]bool{}}}, w.begin
	for w.taken < until || len(path) > 0 {
		if len(path) == 0 {
			if goal, path = w.nearby(at); goal == nil {
				return
			}
		}
		i := path[0]
		path = path[1:]
		w.taken++
		n := len(h.Steps)
		step := history.Step[In, Out]{Began: time.Duration(2 * n), Ended: time.Duration(2*n + 1), In: w.Steps[i]}
		step.Out = on.Do(ctx, 0, step.In)
		h.Steps = append(h.Steps, step)
		planned := at.to[i]
		if planned == nil {
			at.left--
			at.tries = 0
		}
		if now = w.after(now, step); len(now) == 0 {
			at.to[i] = &node[S]{depth: w.depth + 1}
			w.wrong = !w.Kind.Model.Except(o.Known).Explain([]S{h.Begin}, h.Steps, 0).GaveUp
			return
		}
		to := w.node(now, at, i)
		at.to[i] = to
		if to.over {
			return
		}
		// The target went another way this time, or it did so before, and since then the way to the goal leads elsewhere.
		if at = to; planned != nil && planned != to || len(path) == 0 && at != goal {
			goal.tries++
			path = nil
		}
		if planned == nil && i >= w.Looks && len(path) == 0 {
			goal, path = &node[S]{}, w.looks
		}
	}
}

// being is a state in which the object may be, and the ways that lead there and are not counted yet.
type being[S comparable] struct {
	state S
	went  map[Way]bool
}

// after returns what may be after a step. It counts the rules that the step met, and the ways that the object went for sure: those
// that lead to each state that is left. A reply may tell what an earlier one did not.
func (w *walk[S, In, Out]) after(now []being[S], step history.Step[In, Out]) (next []being[S]) {
	rules := map[string]bool{}
	for _, b := range now {
		for _, t := range w.Kind.Model.Took([]S{b.state}, step) {
			rules[t.Rule.Name] = true
			went := maps.Clone(b.went)
			went[w.way(t.Rule, t.Way)] = true
			if i := slices.IndexFunc(next, func(b being[S]) bool { return b.state == t.To }); i >= 0 {
				maps.DeleteFunc(next[i].went, func(way Way, _ bool) bool { return !went[way] })
			} else {
				next = append(next, being[S]{t.To, went})
			}
		}
	}
	for rule := range rules {
		w.rules[rule]++
	}
	for way := range sure(next) {
		w.ways[way]++
		for _, b := range next {
			delete(b.went, way)
		}
	}
	return next
}

// sure returns the ways that lead to each of these.
func sure[S comparable](all []being[S]) (ways map[Way]bool) {
	for i, b := range all {
		if i == 0 {
			ways = maps.Clone(b.went)
		}
		maps.DeleteFunc(ways, func(way Way, _ bool) bool { return !b.went[way] })
	}
	return ways
}

// node returns the node of some states, to which a step of another leads.
func (w *walk[S, In, Out]) node(states []being[S], from *node[S], by int) *node[S] {
	var ids []int
	over := false
	for _, b := range states {
		plain := w.Plain(b.state)
		id, has := w.ids[plain]
		if !has {
			id = len(w.ids)
			w.ids[plain] = id
		}
		ids = append(ids, id)
		over = over || w.over(b.state)
	}
	slices.Sort(ids)
	key := fmt.Sprint(slices.Compact(ids))
	n := w.nodes[key]
	if n == nil {
		n = &node[S]{state: states[0].state, depth: w.depth + 1, to: make([]*node[S], len(w.Steps)), left: len(w.Steps), over: over}
		for i, in := range w.Steps {
			if over || !w.asks(n.state, in) {
				n.to[i] = w.unasked
				n.left--
			}
		}
		w.nodes[key] = n
	}
	if from == nil {
		n.depth = 0
		w.queue(n)
	} else {
		w.nearer(n, from, by)
	}
	return n
}

// nearer notes that a step leads to a node, and what that brings nearer.
func (w *walk[S, In, Out]) nearer(n, from *node[S], by int) {
	if from.depth+1 >= n.depth {
		return
	}
	n.depth, n.from, n.by = from.depth+1, from, by
	w.queue(n)
	for i, to := range n.to {
		if to != nil && to != w.unasked {
			w.nearer(to, n, i)
		}
	}
}

func (w *walk[S, In, Out]) queue(n *node[S]) {
	if !n.queued && n.left > 0 && n.depth < w.depth {
		n.queued = true
		w.open = append(w.open, n)
	}
}

// near is how many nodes are looked at for steps that were not taken, before another object is made.
const near = 40

// nearby returns a node with a step that was not taken, and the steps up to it from here, nil if there is none nearby. Here it is the
// step whose rule was met least.
func (w *walk[S, In, Out]) nearby(at *node[S]) (*node[S], []int) {
	if at.left > 0 && at.depth < w.depth {
		step, _ := w.rarest(at)
		return &node[S]{}, []int{step}
	}
	type way struct {
		to   *node[S]
		path []int
	}
	seen, queue := map[*node[S]]bool{at: true}, []way{{at, nil}}
	for k := 0; k < len(queue) && k < near; k++ {
		for i, to := range queue[k].to.to {
			if to == nil || to == w.unasked || seen[to] {
				continue
			}
			seen[to] = true
			path := append(slices.Clone(queue[k].path), i)
			if w.lacks(to) && len(path) <= to.depth { // else a new object gets there sooner
				return to, path
			}
			queue = append(queue, way{to, path})
		}
	}
	return nil, nil
}

// rarest returns the step that shows what was seen least often, of those that were not taken in a node, and how often that was.
func (w *walk[S, In, Out]) rarest(at *node[S]) (best, fewest int) {
	fewest = -1
	for _, i := range w.rand.Perm(len(w.Steps)) {
		if at.to[i] != nil {
			continue
		}
		if n := w.seen(w.Kind.Model.RuleOf(at.state, w.Steps[i])); fewest < 0 || n < fewest {
			best, fewest = i, n
		}
	}
	return best, fewest
}

// seen returns how often that was seen which a rule demands to be possible, if it demands something, or else how often it was met.
func (w *walk[S, In, Out]) seen(r *history.Rule[S, In, Out]) int {
	if r == nil {
		return 0
	}
	n := w.rules[r.Name]
	for i := range r.Ways {
		if way := &r.Ways[i]; way.Must {
			n = min(n, w.ways[w.way(r, way)])
		}
	}
	return n
}

// Done implements [Walk].
func (w *walk[S, In, Out]) Done() Progress {
	p := Progress{Objects: w.objects, Taken: w.taken, Wrong: w.wrong, Ways: w.ways, Rules: w.rules}
	for _, n := range w.nodes {
		if n.depth <= w.depth {
			p.States++
		}
		if n.depth < w.depth && n.left > 0 {
			p.Left += n.left
		}
		if n.depth < w.depth {
			for _, to := range n.to {
				if to != nil && to != w.unasked {
					p.Edges++
				}
			}
		}
	}
	return p
}
