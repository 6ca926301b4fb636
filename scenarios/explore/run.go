package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// What histories are made of.
var (
	objects = &scenarios.Dimension{Name: "objects with a history", Least: 1, Most: [3]int{2, 6, 24}}
	steps   = &scenarios.Dimension{Name: "steps of a history", Least: 6, Most: [3]int{16, 40, 80}}
)

// Dimensions are those of a drive that explores.
var Dimensions = []*scenarios.Dimension{objects, steps}

// oneIn are the chances of what happens to a step, one in so many.
const (
	oneInLost = 24 // its reply is thrown away
	oneInSame = 4  // all clients take the same step at once
	oneInKill = 8  // the target is killed meanwhile, where that may be
	// An object under way is killed less often, because less is known of it after that.
	oneInUnderWay = 4
)

// enough is the time after which no further object is made, and twice that is the end of the last history: a target may be slow.
const enough = 20 * time.Second

// moreKilled is by how much the number of objects is multiplied where the target is killed: a requirement has survived only if a step
// after a kill shows it. [mortal.Host.Spell] limits the time.
const moreKilled = 10

// triesEach is how many objects are drawn, at most, for each one that the target makes.
const triesEach = 4

// mostRefused is how many requests for objects may be refused before a drive stops asking.
const mostRefused = 3

// Run makes histories of objects, one after the other, until one is not explained. That one is made small.
func (k *Kind[S, In, Out]) Run(ctx context.Context, c *scenarios.Conn, o *Observation[S, In, Out]) {
	o.Known = c.Known
	k = k.except(c.Known)
	met := Coverage{}
	var lacks error // why an object could not be made
	refused := 0
	began, down, enough, made := c.Now(), time.Duration(0), enough, c.Draw(objects)
	if c.Mortal != nil {
		down, enough, made = c.Mortal.Down(), c.Mortal.Spell, moreKilled*made
	}
	over := func(times time.Duration) bool {
		took := c.Now().Sub(began)
		if c.Mortal == nil {
			return took > times*enough
		}
		return took-c.Mortal.Down()+down > times*enough || took > times*c.Mortal.Most
	}
	for tries := triesEach * made; made > 0 && tries > 0 && !over(1); tries-- {
		r := rand.New(rand.NewPCG(c.Rand.Uint64(), 0)) //nolint:gosec // a history, not a secret
		length := c.Draw(steps)
		h := History[S, In, Out]{Begin: k.Begin(r, c.Discovery)}
		asked := c.Transcript().Len()
		t, err := k.start(ctx, c, h.Begin)
		if scenarios.SaysNothing(err) {
			if lacks = err; c.Transcript().Len() > asked {
				refused++
			}
			if refused > mostRefused || errors.Is(err, wire.ErrSpent) {
				break
			}
			continue
		}
		scenarios.End(err)
		made--
		ok := k.history(ctx, t, r, &h, length, func() bool { return over(2) }, met)
		o.Histories = append(o.Histories, h)
		if !ok {
			if small, found := k.shrink(ctx, c, h); found {
				o.Histories = append(o.Histories, small)
			}
			return
		}
	}
	if len(o.Histories) == 0 {
		scenarios.End(lacks)
	}
}

// history makes a history of an object. It returns false if the model does not explain it.
func (k *Kind[S, In, Out]) history(
	ctx context.Context, t taking[S, In, Out], r *rand.Rand, h *History[S, In, Out], length int, over func() bool, met Coverage,
) bool {
	c, clients := t.c, 1
	if k.Clients > 1 && r.IntN(2) == 0 {
		clients = 2 + r.IntN(k.Clients-1)
	}
	states, left := []S{h.Begin}, mostBehind
	for len(h.Steps) < length && left > 0 && !over() {
		round := make([]history.Step[In, Out], clients)
		same := clients > 1 && r.IntN(oneInSame) == 0
		for i := range round {
			round[i] = history.Step[In, Out]{Client: i, In: k.next(r, states, met), Lost: k.Single && r.IntN(oneInLost) == 0 && len(h.Steps) > 0}
			if same {
				round[i].In = round[0].In
			}
		}
		kill := c.Mortal != nil && len(h.Steps) > 0 && r.IntN(oneInKill) == 0 &&
			(k.rest(states) || k.Kill != nil && r.IntN(oneInUnderWay) == 0)
		if kill && k.Kill != nil {
			round = []history.Step[In, Out]{{In: *k.Kill}}
		}
		t.take(ctx, round, kill)
		h.Steps = append(h.Steps, round...)
		from, fresh := []S{h.Begin}, h.Steps
		if clients == 1 && !k.Single { // nothing is lost, so the states hold all that there is to know of what was before
			from, fresh = states, round
		}
		v := k.Model.Explain(from, fresh, 0)
		if v.GaveUp { // nobody knows what is to come
			return true
		}
		if !v.Ok() {
			return false
		}
		k.meet(met, states, round)
		if states = v.States; k.Over != nil && !slices.ContainsFunc(states, func(s S) bool { return !k.Over(s) }) {
			left--
		}
	}
	return true
}

// rest reports whether an object rests in all states in which it may be.
func (k *Kind[S, In, Out]) rest(states []S) bool {
	return k.Rests == nil || !slices.ContainsFunc(states, func(s S) bool { return !k.Rests(s) })
}

// mostBehind is how many rounds a history has behind the end of its object.
const mostBehind = 10

// tries is how many steps are drawn to choose the one from that was taken least.
const tries = 3

// next draws a step, one whose rule was not met often.
func (k *Kind[S, In, Out]) next(r *rand.Rand, states []S, met Coverage) (best In) {
	fewest := -1
	for range tries {
		s := states[r.IntN(len(states))]
		in := k.Draw(r, s)
		n := 0
		if rule := k.Model.RuleOf(s, in); rule != nil {
			n = met[rule.Name]
		}
		if fewest < 0 || n < fewest {
			fewest, best = n, in
		}
	}
	return best
}

// taking is an object to which steps are taken.
type taking[S comparable, In, Out any] struct {
	c      *scenarios.Conn
	on     Object[In, Out]
	began  time.Time
	single bool
	kills  bool // a kill is a step: see [Kind.Kill]
}

// mostMade is how often an object is made again where the target dies meanwhile.
const mostMade = 20

// start makes an object, or returns why that failed.
func (k *Kind[S, In, Out]) start(ctx context.Context, c *scenarios.Conn, begin S) (t taking[S, In, Out], err error) {
	t.c, t.single, t.kills = c, k.Single, k.Kill != nil
	for left := mostMade; t.on == nil; left-- {
		t.up(ctx)
		err = scenarios.Try(func() { t.on = k.Make(ctx, c, begin) })
		if err != nil && (c.Mortal == nil || left == 0 || !errors.Is(err, wire.ErrNoAnswer)) {
			return t, err
		}
	}
	t.began = c.Now()
	return t, nil
}

// up waits until the target is up, which may have been killed for another drive.
func (t taking[S, In, Out]) up(ctx context.Context) {
	if t.c.Mortal != nil {
		scenarios.End(t.c.Mortal.Up(ctx))
	}
}

// take has each client take its step, all at once, and notes what came of them. kill has the target killed meanwhile, or before steps
// that are more than one request.
func (t taking[S, In, Out]) take(ctx context.Context, round []history.Step[In, Out], kill bool) {
	t.up(ctx)
	if kill && !t.single && !t.kills {
		scenarios.End(t.c.Mortal.Kill(ctx))
	}
	calls := make([]func(context.Context), len(round))
	for i := range round {
		step := &round[i]
		step.Killed = kill
		calls[i] = func(ctx context.Context) { t.step(ctx, step) }
	}
	if kill && t.single {
		calls = append(calls, func(ctx context.Context) { scenarios.End(t.c.Mortal.Kill(ctx)) })
	}
	t.c.AtOnce(ctx, calls...)
}

// step takes a step. One that has no answer, since the target was killed, is lost.
func (t taking[S, In, Out]) step(ctx context.Context, step *history.Step[In, Out]) {
	step.Began = t.c.Now().Sub(t.began)
	var out Out
	err := scenarios.Try(func() { out = t.on.Do(ctx, step.Client, step.In) })
	if step.Ended = t.c.Now().Sub(t.began); t.c.Mortal != nil && errors.Is(err, wire.ErrNoAnswer) {
		step.Lost = true
		return
	}
	scenarios.End(err)
	if !step.Lost {
		step.Out = out
	}
}
