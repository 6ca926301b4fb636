package scenarios_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

var things = &scenarios.Dimension{Name: "things of a count", Least: 1, Most: [3]int{4, 40, 4000}, Edges: []int{1, 2, 39, 5000}}

// measured certifies with a drive that draws things, and returns what it drew with the report and its transcripts.
func measured(
	t *testing.T, seed uint64, depth scenarios.Depth, most int, why string,
) (drawn []int, r *scenarios.Report, s scenarios.Scenario) {
	t.Helper()
	drive := &scenarios.Drive[counted]{ID: "drawing", Once: "what it draws is counted", Dimensions: []*scenarios.Dimension{things},
		Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
			for range 20 {
				if most > 0 {
					drawn = append(drawn, c.DrawUpTo(things, most, why))
				} else {
					drawn = append(drawn, c.Draw(things))
				}
			}
			*o = counted{c.Do(ctx, wire.Call{Method: "GET", Path: "/count?of=x"}).Value("/n")}
		}}
	s = one("it", counts, scenarios.Ask(drive, is(3, "TOY-1")), "TOY-1")
	return drawn, certify(t, scenarios.Options{Seed: seed, Depth: depth}, s), s
}

// derived returns the reach of what is derived from the transcripts of a report, as one of this depth.
func derived(t *testing.T, r *scenarios.Report, s scenarios.Scenario, depth scenarios.Depth) ([]scenarios.Reach, error) {
	t.Helper()
	g := given(r)
	g.Depth = depth
	again, err := scenarios.Derive(transcripts(t, r), g, suite(s))
	if err != nil {
		return nil, err
	}
	return reachOf(again), nil
}

// What is drawn lies within the range of the depth and the limit, and the report says how far it went.
func TestADimensionIsDrawnWithinItsRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		depth := scenarios.Depth(rapid.IntRange(0, 2).Draw(rt, "depth"))
		most := rapid.SampledFrom([]int{0, 1, 3, 30, 9999}).Draw(rt, "most")
		drawn, r, _ := measured(t, rapid.Uint64().Draw(rt, "seed"), depth, most, "maxThings is small")
		bound := things.Most[depth]
		want := scenarios.Range{Name: things.Name, Least: drawn[0], Most: drawn[0], Times: len(drawn)}
		if most > 0 && most < bound {
			bound, want.Narrowed = most, "maxThings is small"
		}
		for _, n := range drawn {
			want.Least, want.Most = min(want.Least, n), max(want.Most, n)
			if n < things.Least || n > bound {
				rt.Fatalf("%d was drawn, of %d to %d", n, things.Least, bound)
			}
		}
		for _, s := range r.Requirements {
			if diff := cmp.Diff(scenarios.Reach{Asked: 1, Drawn: []scenarios.Range{want}}, s.Reach); s.ID == "TOY-1" && diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

// Deep goes beyond what quick asks, in every order of magnitude, and edges come often.
func TestDeepGoesFurther(t *testing.T) {
	most, edges := [3]int{}, 0
	long, short := 0, 0
	for seed := range uint64(30) {
		for depth := range most {
			drawn, _, _ := measured(t, seed, scenarios.Depth(depth), 0, "")
			for _, n := range drawn {
				most[depth] = max(most[depth], n)
				if depth == int(scenarios.Deep) {
					switch {
					case n == 1 || n == 2 || n == 39:
						edges++
					case n > 400:
						long++
					case n < 40:
						short++
					}
				}
			}
		}
	}
	if most[0] != 4 || most[1] < 30 || most[2] < 3000 {
		t.Errorf("the largest draws are %v", most)
	}
	if edges < 250 || edges > 450 || long < 50 || short < 50 {
		t.Errorf("of 600 draws %d are edges, %d above 400 and %d below 40", edges, long, short)
	}
}

// A transcript can claim no range that its draws do not have: not another dimension, nor a wider one.
func TestNobodyEnlargesWhatWasDrawn(t *testing.T) {
	_, r, asked := measured(t, 5, scenarios.Quick, 0, "")
	if _, err := derived(t, r, asked, scenarios.Standard); err == nil || !strings.Contains(err.Error(), "at depth standard") {
		t.Errorf("said to be of another depth: %v", err)
	}
	if again, err := derived(t, r, asked, scenarios.Quick); err != nil || !cmp.Equal(again, reachOf(r)) {
		t.Errorf("the reach is derived as %v: %v", again, err)
	}
	for _, d := range r.Drives {
		for i := range d.Drawn {
			d.Drawn[i].For = "elephants"
		}
	}
	if _, err := derived(t, r, asked, scenarios.Quick); err == nil || !strings.Contains(err.Error(), "elephants") {
		t.Errorf("said to be of another dimension: %v", err)
	}
}

// A drive that draws what it does not declare is our own mistake.
func TestAnUndeclaredDimensionIsBroken(t *testing.T) {
	drive := &scenarios.Drive[counted]{ID: "d", Run: func(_ context.Context, c *scenarios.Conn, _ *counted) { c.Draw(things) }}
	r := certify(t, scenarios.Options{}, one("it", counts, scenarios.Ask(drive, is(3, "TOY-1")), "TOY-1"))
	const says = "does not declare that it draws the things of a count"
	if o := r.Outcomes[0]; o.Verdict != scenarios.Broken || !strings.Contains(o.Reason, says) {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

func reachOf(r *scenarios.Report) (out []scenarios.Reach) {
	for _, s := range r.Requirements {
		out = append(out, s.Reach)
	}
	return out
}

func TestDepthsHaveNames(t *testing.T) {
	for _, d := range []scenarios.Depth{scenarios.Quick, scenarios.Standard, scenarios.Deep} {
		if again, err := scenarios.ParseDepth(d.String()); err != nil || again != d {
			t.Errorf("%s is read as %s: %v", d, again, err)
		}
	}
	if _, err := scenarios.ParseDepth("profound"); err == nil || !strings.Contains(err.Error(), "quick, standard, deep") {
		t.Errorf("an unknown depth: %v", err)
	}
	if got, _ := json.Marshal(things.String()); !strings.Contains(string(got), "1 to 4 at quick, 40 at standard, 4000 at deep") {
		t.Errorf("%s", got)
	}
}

var paired = []*scenarios.Dimension{
	{Name: "height", Least: 0, Most: [3]int{9, 90, 900}, Edges: []int{5}},
	{Name: "width", Least: 1, Most: [3]int{3, 3, 3}},
	{Name: "age", Least: 2, Most: [3]int{8, 8, 8}, Edges: []int{3, 4}},
	{Name: "weight", Least: 0, Most: [3]int{1, 1, 1}},
}

// programs certifies with a drive that draws so many programs of four dimensions, of which height and age interact, and returns what
// it drew of each. plain draws without saying where a program begins.
func programs(t *testing.T, seed uint64, depth scenarios.Depth, n int, plain bool) (
	drawn [][]int, r *scenarios.Report, s scenarios.Scenario,
) {
	t.Helper()
	drive := &scenarios.Drive[counted]{ID: "drawing", Dimensions: paired, Interactions: [][2]*scenarios.Dimension{{paired[2], paired[0]}},
		Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
			for range n {
				if !plain {
					c.Program()
				}
				var row []int
				for _, d := range paired {
					row = append(row, c.Draw(d))
				}
				drawn = append(drawn, row)
			}
			*o = counted{c.Do(ctx, wire.Call{Method: "GET", Path: "/count?of=x"}).Value("/n")}
		}}
	s = one("it", counts, scenarios.Ask(drive, is(3, "TOY-1")), "TOY-1")
	return drawn, certify(t, scenarios.Options{Seed: seed, Depth: depth}, s), s
}

// met counts the pairs of ends and edges of two dimensions that came together.
func met(drawn [][]int, i, j int, these, those []int) (n int) {
	for _, x := range these {
		for _, y := range those {
			if slices.ContainsFunc(drawn, func(row []int) bool { return row[i] == x && row[j] == y }) {
				n++
			}
		}
	}
	return n
}

// At depth deep each two values come together, at depth standard those of dimensions that interact, and it is no matter of luck.
func TestValuesAreDrawnInPairs(t *testing.T) {
	luck := 0
	for seed := range uint64(20) {
		drawn, r, s := programs(t, seed, scenarios.Deep, 30, false)
		for _, pair := range []struct {
			i, j         int
			these, those []int
		}{
			{0, 1, []int{0, 5, 900}, []int{1, 3}}, {0, 2, []int{0, 5, 900}, []int{2, 3, 4, 8}}, {0, 3, []int{0, 5, 900}, []int{0, 1}},
			{1, 2, []int{1, 3}, []int{2, 3, 4, 8}}, {2, 3, []int{2, 3, 4, 8}, []int{0, 1}},
		} {
			if n := met(drawn, pair.i, pair.j, pair.these, pair.those); n != len(pair.these)*len(pair.those) {
				t.Errorf("seed %d: %d of the pairs of %s and %s came together: %v", seed, n, paired[pair.i].Name, paired[pair.j].Name, drawn)
			}
		}
		if _, err := scenarios.Redraw(r.Drives, r.Seed, r.RunID.ID); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if again, err := derived(t, r, s, scenarios.Deep); err != nil || !cmp.Equal(again, reachOf(r)) {
			t.Errorf("seed %d: the reach is derived as %v: %v", seed, again, err)
		}
		drawn, r, s = programs(t, seed, scenarios.Standard, 24, false)
		if n := met(drawn, 0, 2, []int{0, 5, 90}, []int{2, 3, 4, 8}); n != 12 {
			t.Errorf("seed %d: %d of 12 pairs that interact came together at standard: %v", seed, n, drawn)
		}
		luck += met(drawn, 0, 1, []int{0, 5, 90}, []int{1, 3})
		if _, err := scenarios.Redraw(r.Drives, r.Seed, r.RunID.ID); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if _, err := derived(t, r, s, scenarios.Deep); err == nil || !strings.Contains(err.Error(), "at depth deep the drive has null") {
			t.Errorf("seed %d: said to be of another depth: %v", seed, err)
		}
		with, _, _ := programs(t, seed, scenarios.Quick, 5, false)
		without, _, _ := programs(t, seed, scenarios.Quick, 5, true)
		if !cmp.Equal(with, without) {
			t.Errorf("seed %d: at quick it draws %v, and %v without pairs", seed, with, without)
		}
	}
	if luck == 6*20 {
		t.Error("at standard all pairs came together, also those of no interaction: the table has no effect")
	}
}
