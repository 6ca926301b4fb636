package scenarios

import (
	"testing"
	"time"
)

// A wait that has taken long looks often enough that what came while progress was measured is seen before patience is over.
func TestPausesBetweenLooks(t *testing.T) {
	for name, c := range map[string]struct{ waited, patience, most time.Duration }{
		"at first":                     {time.Millisecond, 10 * time.Second, 100 * time.Millisecond},
		"after a while":                {5 * time.Second, 10 * time.Second, 500 * time.Millisecond},
		"after a long while":           {8 * time.Minute, 24 * time.Second, 3 * time.Second},
		"where patience is short":      {time.Minute, 80 * time.Millisecond, 10 * time.Millisecond},
		"where patience is very short": {time.Minute, time.Millisecond, firstPause},
	} {
		t.Run(name, func(t *testing.T) {
			pause := firstPause
			for range 40 {
				pause = longer(pause, c.waited, c.patience)
			}
			if pause != c.most {
				t.Errorf("pauses grow to %s, want %s", pause, c.most)
			}
		})
	}
}
