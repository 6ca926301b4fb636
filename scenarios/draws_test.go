package scenarios_test

import (
	"context"
	"encoding/json"
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
	if err := d.Redraw(7, run); err != nil {
		t.Error(err)
	}
	if err := d.Redraw(8, run); err == nil {
		t.Error("another seed draws the same")
	}
	if err := d.Redraw(7, "another"); err == nil || !strings.Contains(err.Error(), `of "name"`) {
		t.Errorf("with another run id: %v", err)
	}
	for i := range d.Drawn {
		changed := d
		changed.Drawn = append([]scenarios.Draw{}, d.Drawn...)
		changed.Drawn[i].Is = json.RawMessage(`"else"`)
		if err := changed.Redraw(7, run); err == nil {
			t.Errorf("%q may be anything", d.Drawn[i].Of)
		}
	}
}

// A note that no drive could have written is told, and draws nothing that takes memory or panics.
func TestRedrawOfNoDraw(t *testing.T) {
	for _, of := range []string{"", "between", "between 3 1", "between 1 2 3", "between -9223372036854775808 9223372036854775807",
		"between  1 2", "order -1", "order 99999999999", "shuffle x", "share 1", "rand", "name 3"} {
		d := scenarios.DriveRecord{ID: "d", Drawn: []scenarios.Draw{{Of: of, Is: json.RawMessage("1")}}}
		if err := d.Redraw(7, "run"); err == nil || !strings.Contains(err.Error(), "which is no draw") {
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
