package runs

import (
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// A deck may begin with a part of a table that other decks share.
func TestADeckLeavesWhatItWasGiven(t *testing.T) {
	table := []int{0, 1, 2, 3, 4, 5}
	p := &host.Plugin{Conn: &scenarios.Conn{Rand: scenarios.NewDraws(1, "run", "drive")}}
	d := deck[int]{all: table, left: table[2:4]}
	for range 2 + 2*len(table) {
		d.draw(p)
	}
	if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(table, want) {
		t.Errorf("the table became %v", table)
	}
}
