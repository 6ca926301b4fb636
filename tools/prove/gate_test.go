package prove

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// The fewest get in however late the process is, one more when there is time for it or when one leaves, and nobody whose
// context is over.
func TestGate(t *testing.T) {
	g := newGate()
	defer g.close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.enter(over); !errors.Is(err, context.Canceled) {
		t.Fatalf("with a context that is over: %v", err)
	}
	ctx := testenv.Soon(t, 5*time.Second)
	var leave func()
	for range fewest {
		var err error
		if leave, err = g.enter(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := g.running.Load(); n != fewest {
		t.Errorf("%d run, want %d", n, fewest)
	}
	leave()
	for range 2 { // one takes the free turn; for the other the limit grows, unless the machine is late all the time
		if _, err := g.enter(ctx); err != nil {
			t.Logf("%d run, and the machine has no time for more: %v", g.running.Load(), err)
			break
		}
	}
	if n := g.running.Load(); n < fewest {
		t.Errorf("%d run, want %d at least", n, fewest)
	}
}
