package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/trace"
)

const costsFile = "../trace/costs.json"

// What a plan says that drives cost is about what they cost today. How often something is looked for depends on the machine.
func TestCostsAreOfToday(t *testing.T) {
	if testing.Short() {
		t.Skip("certifies two hosts")
	}
	t.Parallel()
	update := os.Getenv("ASSAY_UPDATE") != ""
	depths := []scenarios.Depth{scenarios.Quick}
	if update {
		depths = append(depths, scenarios.Standard, scenarios.Deep)
	}
	today := trace.AllCosts{}
	for _, of := range []struct{ id, name string }{{"openwop/v1", "openwop"}, {"openintent/v1", "openintent"}} {
		today[of.id] = map[string]map[string]wire.Spent{}
		for _, depth := range depths {
			today[of.id][depth.String()] = costsOf(t, of.name, depth)
		}
	}
	if update {
		raw, err := json.MarshalIndent(today, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(costsFile, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for id, at := range today {
		kept, err := trace.Costs(id, scenarios.Quick)
		if err != nil {
			t.Fatal(err)
		}
		var want, got wire.Spent
		for drive, cost := range at[scenarios.Quick.String()] {
			if _, is := kept[drive]; !is {
				t.Errorf("%s has no recorded cost: write it anew with make traces", drive)
			}
			got = got.Plus(cost)
		}
		for drive, cost := range kept {
			if _, is := at[scenarios.Quick.String()][drive]; !is {
				t.Errorf("%s has a recorded cost and is no drive of today: write it anew with make traces", drive)
			}
			want = want.Plus(cost)
		}
		if !near(want.Requests, got.Requests) || !near(want.Runs, got.Runs) || !near(want.Turns, got.Turns) {
			t.Errorf("%s: %+v is recorded, and today it is %+v: write it anew with make traces", id, want, got)
		}
	}
}

func near(a, b int) bool { return 2*a >= b && 2*b >= a }

// costsOf certifies the simulated host and returns what each drive asked for.
func costsOf(t *testing.T, name string, depth scenarios.Depth) map[string]wire.Spent {
	dir := t.TempDir()
	args := []string{"certify", "simhost", "--protocol", name, "--seed", "7", "--depth", depth.String(), "--no-challenge", "--out", dir}
	if code := execute(context.Background(), args, io.Discard, io.Discard); code != scenarios.ExitProved {
		t.Fatalf("%v: exit code %d", args, code)
	}
	out, err := trace.CostsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
