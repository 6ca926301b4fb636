package scenarios

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// A duration may miss by 5 %, and in any case by what a timer and another clock may differ.
func TestSpare(t *testing.T) {
	const least = 50 * time.Millisecond
	for d, want := range map[time.Duration]time.Duration{
		0: least, time.Second: least, 10 * time.Second: 500 * time.Millisecond, time.Hour: 3 * time.Minute,
	} {
		if got := Spare(d, least); got != want {
			t.Errorf("%s may miss by %s, want %s", d, got, want)
		}
	}
}

// A read waits for as long as another was seen to be behind, and not at all for a target whose reads agree.
func TestCatchUp(t *testing.T) {
	for _, behind := range []time.Duration{0, 80 * time.Millisecond, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := &Conn{Pace: &Pace{}}
			c.Pace.SawBehind(behind)
			c.Pace.SawBehind(behind / 2)
			start := time.Now() // a fake clock
			c.CatchUp(t.Context())
			if waited := time.Since(start); waited < behind || waited > 2*behind {
				t.Errorf("waited %s for reads that are %s behind", waited, behind)
			}
		})
	}
}

// Patience and deadlines follow the time that a turn takes, and no further than the greatest patience.
func TestPatienceAndDeadlinesFollowThePace(t *testing.T) {
	for name, c := range map[string]struct {
		turn, most     time.Duration
		patience, slow time.Duration
	}{
		"turns that take no time": {0, time.Minute, 10 * time.Second, 0},
		"a model":                 {2 * time.Second, 10 * time.Minute, 16 * time.Second, 4 * time.Minute},
		"one that thinks long":    {30 * time.Second, time.Minute, time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := wire.NewNetwork(wire.Target{URL: "http://target.example"}, wire.Options{Limits: wire.DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			client := n.Client(discoveryDrive)
			defer client.Close()
			all := &Certification{Options: Options{MaxPatience: c.most}.withDefaults(), discovery: &drive{}, network: n,
				Protocol: &Protocol{Paces: func(_ context.Context, conn *Conn) {
					if c.turn > 0 {
						conn.Pace.SawTurn(c.turn)
					}
					End(Block("nothing more to see", ""))
				}}}
			all.findPace(t.Context(), client)
			if got := all.Options.Patience; got != c.patience {
				t.Errorf("patience %s, want %s", got, c.patience)
			}
			if got := all.slow(); got != c.slow {
				t.Errorf("deadlines grow by %s, want %s", got, c.slow)
			}
		})
	}
}
