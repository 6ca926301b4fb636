package scenarios_test

import (
	"context"
	"encoding/json"
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
	drive := &scenarios.Drive[counted]{ID: "drawing", Dimensions: []*scenarios.Dimension{things},
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
