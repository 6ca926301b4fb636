package specgen

import (
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios/challenge"
)

// What a row may name is what a challenge can do.
func TestBreakersAreKindsOfChanges(t *testing.T) {
	for _, k := range challenge.Kinds {
		if !slices.Contains(breakers, string(k)) {
			t.Errorf("a ledger cannot name %s", k)
		}
	}
	for _, b := range breakers {
		if !challenge.Known(b) {
			t.Errorf("a ledger can name %s, which no challenge does", b)
		}
	}
}
