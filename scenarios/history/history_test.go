package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// A cell keeps the number that was written last. A write may be refused.
type (
	in   struct{ write int } // 0: read
	out  struct{ shows int }
	step = history.Step[in, out]
)

func (i in) reads() bool { return i.write == 0 }

const refused = -1

var cell = &history.Model[int, in, out]{
	Rules: []*history.Rule[int, in, out]{
		{
			Name: "what is written is kept", Of: scenarios.IDs{"TOY-1"},
			When: func(_ int, i in) bool { return !i.reads() },
			Ways: []history.Way[int, in, out]{
				{Name: "taken", Must: true, Shows: shows(written), To: written},
				{Name: "refused", Shows: shows(func(int, step) int { return refused }), To: same},
			},
		},
		{
			Name: "what is kept is shown", Of: scenarios.IDs{"TOY-2"},
			When: func(int, in) bool { return true },
			Ways: []history.Way[int, in, out]{{Must: true, Shows: shows(func(kept int, _ step) int { return kept }), To: same}},
		},
	},
	Tell: func(s step) string {
		if s.In.reads() {
			return fmt.Sprintf("read: %d", s.Out.shows)
		}
		return fmt.Sprintf("write %d: %d", s.In.write, s.Out.shows)
	},
}

func same(kept int, _ step) int { return kept }

func written(_ int, s step) int { return s.In.write }

func shows(want func(int, step) int) func(int, step) []history.Miss {
	return func(kept int, s step) []history.Miss {
		if n := want(kept, s); n != s.Out.shows {
			return []history.Miss{{At: wire.Value{}, Want: fmt.Sprint(n)}}
		}
		return nil
	}
}

// at is a step of a client that lasts from began to ended.
func at(client, began, ended int, s step) step {
	s.Client, s.Began, s.Ended = client, time.Duration(began), time.Duration(ended)
	return s
}

// turns are steps of one client, one after the other.
func turns(steps ...step) []step {
	for i := range steps {
		steps[i] = at(0, 2*i+1, 2*i+2, steps[i])
	}
	return steps
}

func write(n int) step        { return step{In: in{n}, Out: out{n}} }
func read(n int) step         { return step{Out: out{n}} }
func refusedWrite(n int) step { return step{In: in{n}, Out: out{refused}} }
func lost(n int) step         { return step{In: in{n}, Lost: true} }

func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		steps []step
		wrong int // -1: it is explained
		order []int
	}{
		"nothing":                               {nil, -1, []int{}},
		"one after the other":                   {turns(write(7), read(7)), -1, []int{0, 1}},
		"what was not written":                  {turns(write(7), read(8)), 1, []int{0}},
		"the first step already":                {turns(read(8), read(8)), 0, []int{}},
		"a refused write changes nothing":       {turns(write(7), refusedWrite(8), read(7)), -1, []int{0, 1, 2}},
		"a refused write that is kept":          {turns(refusedWrite(8), read(8)), 1, []int{0}},
		"a read during a write shows it":        {[]step{at(0, 1, 9, write(7)), at(1, 2, 3, read(7))}, -1, []int{0, 1}},
		"a read during a write need not":        {[]step{at(0, 1, 9, write(7)), at(1, 2, 3, read(0))}, -1, []int{1, 0}},
		"a read as a write ends need not":       {[]step{at(0, 1, 2, write(7)), at(1, 2, 3, read(0))}, -1, []int{1, 0}},
		"a read after a write shows it":         {[]step{at(0, 1, 3, write(7)), at(1, 2, 9, write(8)), at(2, 4, 5, read(0))}, 2, nil},
		"two reads in the wrong order":          {[]step{at(0, 1, 9, write(7)), at(1, 2, 3, read(7)), at(1, 4, 5, read(0))}, 2, []int{0, 1}},
		"a lost write may be taken":             {turns(lost(7), read(7)), -1, []int{0, 1}},
		"a lost write may be lost":              {turns(lost(7), read(0)), -1, nil},
		"a lost write may come later":           {turns(lost(7), read(0), read(7)), -1, []int{1, 0, 2}},
		"a lost write comes once":               {turns(lost(7), read(7), write(8), read(7)), 3, nil},
		"a lost write is no other":              {turns(lost(7), read(8)), 1, nil},
		"nothing is lost before what came next": {turns(write(1), lost(7)), -1, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			v := cell.Explain([]int{0}, c.steps, 0)
			if v.GaveUp || v.Wrong != c.wrong || v.Ok() != (c.wrong < 0) {
				t.Errorf("gave up %t, step %d is wrong, want %d", v.GaveUp, v.Wrong, c.wrong)
			}
			if c.order != nil && !slices.Equal(v.Order, c.order) {
				t.Errorf("the order is %v, want %v", v.Order, c.order)
			}
			if len(v.Closest) == 0 == (c.wrong >= 0) {
				t.Errorf("%d ways come closest", len(v.Closest))
			}
		})
	}
}

// What takes too many steps of the model to decide says nothing.
func TestExplainGivesUp(t *testing.T) {
	var steps []step
	for i := range 8 {
		steps = append(steps, at(i, 1, 100, write(i+1)))
	}
	steps = append(steps, at(9, 200, 201, read(99)))
	if v := cell.Explain([]int{0}, steps, 50); !v.GaveUp || v.Ok() || v.Wrong >= 0 {
		t.Errorf("with 50 steps of the model: %+v", v)
	}
	if v := cell.Explain([]int{0}, steps, 0); v.GaveUp || v.Wrong != 8 {
		t.Errorf("with enough: %+v", v)
	}
}

// After a step that violates only known sentences, Explain gives up, also among concurrent steps.
func TestExplainExcuses(t *testing.T) {
	odd := step{In: in{7}, Out: out{5}} // a write whose reply is wrong
	for name, c := range map[string]struct {
		steps  []step
		gaveUp bool
	}{
		"before the read":             {turns(odd, read(8)), true},
		"during the read":             {[]step{at(0, 1, 9, odd), at(1, 2, 3, read(7))}, true},
		"behind a read that is wrong": {[]step{at(0, 1, 2, read(8)), at(1, 3, 9, odd), at(2, 4, 5, read(7))}, false},
		"nothing is excused":          {[]step{at(0, 1, 9, write(7)), at(1, 2, 3, read(8))}, false},
	} {
		if v := cell.Except(scenarios.IDs{"TOY-1"}).Explain([]int{0}, c.steps, 0); v.GaveUp != c.gaveUp || v.Ok() || v.Wrong >= 0 == c.gaveUp {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// The longest part that is explained is what trying all orders finds, and is explained in that order.
func TestExplainIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "steps")
		var steps []step
		free := map[int]int{} // when a client is done with the step before
		for i := range n {
			client := rapid.IntRange(0, 2).Draw(t, "client")
			began := free[client] + rapid.IntRange(1, 4).Draw(t, "pause")
			ended := began + rapid.IntRange(0, 6).Draw(t, "takes")
			free[client] = ended
			s := rapid.SampledFrom([]step{write(i + 1), read(0), read(1), read(2), refusedWrite(9), lost(i + 1)}).Draw(t, "step")
			steps = append(steps, at(client, began, ended, s))
		}
		v := cell.Explain([]int{0}, steps, 0)
		if want := anyOrder(steps); v.Ok() != want {
			t.Fatalf("explained: %t, and trying all orders: %t: %+v", v.Ok(), want, steps)
		}
		if !follows(steps, v.Order) {
			t.Fatalf("%v is no order of %+v", v.Order, steps)
		}
	})
}

// anyOrder tries all orders.
func anyOrder(steps []step) bool {
	var try func(done []int) bool
	try = func(done []int) bool {
		if len(done) == len(steps) {
			return true
		}
		for i := range steps {
			if slices.Contains(done, i) {
				continue
			}
			if next := append(slices.Clone(done), i); follows(steps, next) && try(next) {
				return true
			}
		}
		return false
	}
	return try(nil)
}

// follows reports whether the cell may have taken these steps in this order, each after all that had ended before it began.
func follows(steps []step, order []int) bool {
	states := []int{0}
	for k, i := range order {
		for j, other := range steps {
			if !other.Lost && other.Ended < steps[i].Began && !slices.Contains(order[:k], j) {
				return false
			}
		}
		if states = cell.After(states, steps[i]); len(states) == 0 {
			return false
		}
	}
	return true
}

func TestPicture(t *testing.T) {
	for name, c := range map[string]struct {
		steps []step
		want  string
	}{
		"one client": {turns(write(7), read(8)), `  write 7: 7
x read: 8
  allowed: what is kept is shown: 7
`},
		"two clients": {[]step{at(0, 1, 2, write(7)), at(1, 3, 4, read(8)), at(0, 3, 9, read(9))}, `  client 1: write 7: 7
x client 2: read: 8
? client 1: read: 9
  allowed: what is kept is shown: 7
`},
		"a reply that was lost": {turns(lost(7), read(7)), `  write 7: 0, and the reply was lost
  read: 7
`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, cell.Picture(c.steps, cell.Explain([]int{0}, c.steps, 0))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
