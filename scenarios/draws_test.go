package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// drew certifies with a drive that draws one of each kind, and returns its record.
func drew(t *testing.T) (d scenarios.DriveRecord, run string) {
	t.Helper()
	draws := &scenarios.Drive[counted]{ID: "draws", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		c.Rand.Between(-3, 7)
		c.Rand.IntN(5)
		c.Rand.Perm(4)
		c.Rand.Shuffle(3, func(int, int) {})
		c.Rand.Float64()
		c.Rand.Uint64()
		c.Rand.ID()
		*o = counted{c.Do(ctx, wire.Call{Method: "GET", Path: "/count?of=" + c.Name("thing")}).Value("/n")}
	}}
	r := certify(t, scenarios.Options{Seed: 7}, one("it", counts, scenarios.Ask(draws, is(3, "TOY-1")), "TOY-1"))
	for _, d := range r.Drives {
		if d.ID == "draws" {
			return d, r.RunID.ID
		}
	}
	t.Fatal("the drive did not run")
	return d, ""
}

// What a drive notes is drawn again with its seed and run id, and with no others.
func TestRedraw(t *testing.T) {
	d, run := drew(t)
	if len(d.Drawn) != 8 {
		t.Errorf("%d draws were noted", len(d.Drawn))
	}
	if err := redraw(7, run, d); err != nil {
		t.Error(err)
	}
	if err := redraw(8, run, d); err == nil {
		t.Error("another seed draws the same")
	}
	if err := redraw(7, "another", d); err == nil || !strings.Contains(err.Error(), `of "name"`) {
		t.Errorf("with another run id: %v", err)
	}
	for i := range d.Drawn {
		changed := d
		changed.Drawn = append([]scenarios.Draw{}, d.Drawn...)
		changed.Drawn[i].Is = json.RawMessage(`"else"`)
		if err := redraw(7, run, changed); err == nil {
			t.Errorf("%q may be anything", d.Drawn[i].Of)
		}
	}
}

func redraw(seed uint64, run string, drives ...scenarios.DriveRecord) error {
	_, err := scenarios.Redraw(drives, seed, run)
	return err
}

// Whoever makes a bundle does not choose how long it takes to draw again: orders of all drives together are bounded.
func TestRedrawIsBounded(t *testing.T) {
	const length = 1 << 16
	noted := func(drive string, orders int) scenarios.DriveRecord {
		d := scenarios.DriveRecord{ID: drive}
		draws := scenarios.NewDraws(7, "run", drive)
		for range orders {
			is, err := json.Marshal(draws.Perm(length))
			if err != nil {
				t.Fatal(err)
			}
			d.Drawn = append(d.Drawn, scenarios.Draw{Of: "order 65536", Is: is})
		}
		return d
	}
	many := []scenarios.DriveRecord{noted("one", 8), noted("other", 8)}
	if err := redraw(7, "run", many...); err != nil {
		t.Error(err)
	}
	many = append(many, noted("third", 1))
	if drive, err := scenarios.Redraw(many, 7, "run"); drive != "third" || !errors.Is(err, scenarios.ErrManyDraws) {
		t.Errorf("%s: %v", drive, err)
	}
}

// A note that no drive could have written is told, and draws nothing that takes memory or panics.
func TestRedrawOfNoDraw(t *testing.T) {
	for _, of := range []string{"", "between", "between 3 1", "between 1 2 3", "between -9223372036854775808 9223372036854775807",
		"between  1 2", "order -1", "order 99999999999", "shuffle x", "share 1", "rand", "name 3"} {
		d := scenarios.DriveRecord{ID: "d", Drawn: []scenarios.Draw{{Of: of, Is: json.RawMessage("1")}}}
		if err := redraw(7, "run", d); err == nil || !strings.Contains(err.Error(), "which is no draw") {
			t.Errorf("%q: %v", of, err)
		}
	}
}

// Names choose, and decide nothing: what else a drive draws is the same with another run id.
func TestNamesDecideNothing(t *testing.T) {
	var drawn [2][]int
	for i, run := range []string{"monday", "tuesday"} {
		d := scenarios.NewDraws(7, run, "drive")
		c := scenarios.Conn{Rand: d}
		for range 5 {
			drawn[i] = append(drawn[i], d.IntN(1e9))
			c.Name("x")
		}
	}
	if !slices.Equal(drawn[0], drawn[1]) {
		t.Error(drawn)
	}
}
