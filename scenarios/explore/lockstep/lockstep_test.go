package lockstep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// The toy host keeps counters. A client adds 1 or 2 to a counter, or reads it. What is added may be forgotten.
type (
	in struct {
		Add int `json:"add"`
	}
	out struct {
		N wire.Value `json:"n"`
	}
	step = history.Step[in, out]
)

const most = 6 // above it a counter stays where it is

func added(n int64, s step) int64 { return min(n+int64(s.In.Add), most) }

func same(n int64, _ step) int64 { return n }

// shows compares a number that a reply shows. That of an addition is not looked at unless it tells.
func shows(tells bool, to func(int64, step) int64) func(int64, step) []history.Miss {
	return func(n int64, s step) []history.Miss {
		if got, _ := s.Out.N.Int(); (tells || s.In.Add == 0) && got != to(n, s) {
			return []history.Miss{{At: s.Out.N, Want: fmt.Sprint(to(n, s))}}
		}
		return nil
	}
}

var protocol = &scenarios.Protocol{
	ID: "toy/v1", DiscoveryPath: "/hello", Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "TOY-1", Level: scenarios.Must}}),
}

func counters(tells bool) *explore.Kind[int64, in, out] {
	return &explore.Kind[int64, in, out]{
		Model: &history.Model[int64, in, out]{
			Rules: []*history.Rule[int64, in, out]{
				{
					Name: "an addition counts", Of: scenarios.IDs{"TOY-1"}, When: func(_ int64, i in) bool { return i.Add > 0 },
					Ways: []history.Way[int64, in, out]{
						{Name: "taken", Must: true, Shows: shows(tells, added), To: added}, {Name: "forgotten", Shows: shows(tells, same), To: same},
					},
				},
				{
					Name: "a number is shown as it is", Of: scenarios.IDs{"TOY-1"}, When: func(int64, in) bool { return true },
					Ways: []history.Way[int64, in, out]{{Must: true, Shows: shows(true, same), To: same}},
				},
			},
			Tell: func(s step) string { return fmt.Sprintf("add %d", s.In.Add) },
		},
		Begin: func(*rand.Rand, scenarios.Discovery) int64 { return 0 },
		Make: func(_ context.Context, c *scenarios.Conn, _ int64) explore.Object[in, out] {
			return counter{c, "/counters/" + c.Name("counter")}
		},
		Shown: func(o out) wire.Value { return o.N },
	}
}

type counter struct {
	*scenarios.Conn
	path string
}

func (c counter) Do(ctx context.Context, _ int, i in) out {
	return out{c.Conn.Do(ctx, wire.Call{Method: http.MethodPost, Path: c.path, Body: i}).Value("/n")}
}

func world(tells bool, steps ...in) *lockstep.World[int64, in, out] {
	return &lockstep.World[int64, in, out]{
		Name: "a counter", Kind: counters(tells), Steps: steps, Plain: func(n int64) int64 { return n },
		Scenario: scenarios.Scenario{
			ID: "toy/histories/counters", Proves: scenarios.IDs{"TOY-1"}, Claim: scenarios.Claim{
				ID: "counts", Pointer: "/counts", Look: func(d scenarios.Discovery) (wire.Value, bool) { return d.Document.Key("counts"), true },
			},
		},
	}
}

// toy is a host that adds so.
func toy(t *testing.T, add func(now, more int) int) wire.Target {
	t.Helper()
	var mu sync.Mutex
	kept := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hello" {
			fmt.Fprint(w, `{"counts":true}`)
			return
		}
		var i in
		if err := json.NewDecoder(r.Body).Decode(&i); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		kept[r.URL.Path] = add(kept[r.URL.Path], i.Add)
		fmt.Fprintf(w, `{"n":%d}`, kept[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return wire.Target{URL: server.URL}
}

func plainly(now, more int) int { return min(now+more, most) }

// walked goes on with a walk, so many steps at once, until no step is left or something is found.
func walked(t *testing.T, w lockstep.Walk, target wire.Target, steps int) (scenarios.Verdict, lockstep.Progress) {
	t.Helper()
	for {
		before := w.Done().Taken
		c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 1, Depth: scenarios.Deep}, w.Suite(protocol, steps))
		if err != nil {
			t.Fatal(err)
		}
		verdict := c.Finish(context.Background()).Outcomes[0].Verdict
		if done := w.Done(); done.Wrong || done.Taken == before {
			return verdict, done
		}
	}
}

func TestReachFindsTheShortestPaths(t *testing.T) {
	t.Parallel()
	w := world(true, in{1}, in{2}, in{})
	all := w.Reach(4, w.Begin)
	if len(all) != most+1 {
		t.Fatalf("%d states are reached, not those from 0 to %d: %v", len(all), most, all)
	}
	for i, p := range all {
		sum := int64(0)
		path := lockstep.Path(all, i)
		for _, by := range path {
			sum += int64(w.Steps[by].Add)
		}
		if want := int(p.State+1) / 2; sum != p.State || len(path) != want || p.Depth != want {
			t.Errorf("%v leads to %d, and %d steps are enough", path, p.State, want)
		}
	}
	if all := world(true, in{1}, in{}).Reach(4, 0); len(all) != 5 {
		t.Errorf("four steps reach %v", all)
	}
}

// A walk takes each step in each state, and only then ends. What a reply does not tell, a later one does.
func TestAWalkIsComplete(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		for _, tells := range []bool{true, false} {
			verdict, p := walked(t, world(tells, in{1}, in{2}, in{}).Walk(4, seed), toy(t, plainly), 7)
			if p.Wrong || p.Left != 0 || p.States < most+1 || p.Edges < 3*(most+1) || tells && p.States > most+1 {
				t.Fatalf("seed %d: %s: %+v", seed, verdict, p)
			}
			taken, shown := 0, 0
			for way, n := range p.Ways {
				switch way.Way {
				case "taken":
					taken += n
				case "":
					shown += n
				default:
					t.Errorf("seed %d: %s was seen", seed, way)
				}
			}
			if taken == 0 || shown == 0 {
				t.Errorf("seed %d: an addition was seen %d times, a number %d times", seed, taken, shown)
			}
		}
	}
}

// A walk ends that has steps left in a state which does not come again: the host forgets what it took before.
func TestAWalkEndsThatCannotReturn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		beyond := 0
		tires := func(now, more int) int {
			if now == 3 && more > 0 {
				if beyond++; beyond > 1 {
					return now
				}
			}
			return plainly(now, more)
		}
		w := world(true, in{1}, in{}).Walk(6, seed)
		target := toy(t, tires)
		for before := -1; w.Done().Taken > before; {
			if before = w.Done().Taken; before > 200 {
				t.Fatalf("seed %d: it goes on and on: %+v", seed, w.Done())
			}
			c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 1, Depth: scenarios.Deep}, w.Suite(protocol, 5))
			if err != nil {
				t.Fatal(err)
			}
			c.Finish(context.Background())
		}
		if p := w.Done(); p.Wrong || p.States != 5 {
			t.Errorf("seed %d: %+v", seed, p)
		}
	}
}

// What goes wrong in one state alone, by one step alone, is found whatever comes first.
func TestAWalkFindsWhatGoesWrongOnce(t *testing.T) {
	t.Parallel()
	wrong := func(now, more int) int {
		if now == 3 && more == 1 {
			return most
		}
		return plainly(now, more)
	}
	for seed := range uint64(10) {
		if verdict, p := walked(t, world(true, in{1}, in{2}, in{}).Walk(4, seed), toy(t, wrong), 1000); verdict != scenarios.Failed || !p.Wrong {
			t.Errorf("seed %d: %s: %+v", seed, verdict, p)
		}
	}
}

// A step for which a state has no rule is told, with those that lead to the state.
func TestCountTellsWhatHasNoRule(t *testing.T) {
	t.Parallel()
	w := world(true, in{1}, in{})
	w.Kind.Model.Rules[1].When = func(n int64, _ in) bool { return n < 2 }
	c := w.Count(2)
	if len(c.Ruleless) != 1 || c.Ruleless[0] != "add 1; add 1; add 0" {
		t.Errorf("%q has no rule", c.Ruleless)
	}
	if c.States != 3 || c.Steps != 6 || len(c.Ways) != 3 {
		t.Errorf("counted: %+v", c)
	}
	gaps, _ := lockstep.Gaps([]lockstep.Small{world(true, in{1})}, 2)
	if want := "no small world meets the rule: counters: a number is shown as it is"; len(gaps) != 1 || gaps[0] != want {
		t.Errorf("the gaps are %q, want %q", gaps, want)
	}
}
