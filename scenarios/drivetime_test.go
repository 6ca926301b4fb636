package scenarios

import (
	"runtime"
	"testing"
	"time"
)

// A drive has its own time, longer where turns take long, also where the operator gives a time; that holds for each drive, too.
func TestTimeOfADrive(t *testing.T) {
	const usual, own, slow = 90 * time.Second, 5 * time.Minute, 2 * time.Minute
	for name, c := range map[string]struct {
		own, given, stretch, want time.Duration
	}{
		"the usual":                      {0, 0, 0, usual},
		"its own":                        {own, 0, 0, own},
		"its own, of a slow target":      {own, 0, slow, own + slow},
		"the usual, of a slow target":    {0, 0, slow, usual + slow},
		"less, and a slow target":        {own, time.Minute, slow, own + slow},
		"another one, and a slow target": {0, 20 * time.Minute, slow, 20*time.Minute + slow},
		"the operator gives more":        {own, 20 * time.Minute, 0, 20 * time.Minute},
		"the operator gives less":        {own, time.Minute, 0, own},
		"the operator gives another one": {0, 20 * time.Minute, 0, 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			all := &Certification{Options: Options{DriveTimeout: usual}, hurried: c.given > 0, stretch: c.stretch}
			if c.given > 0 {
				all.Options.DriveTimeout = c.given
			}
			if got := all.timeoutOf(DriveMeta{Timeout: c.own}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// As many turns of a program run at once as there are processors, and more where they wait for something else.
func TestTurnsBesideOneAnother(t *testing.T) {
	n := runtime.NumCPU()
	for name, c := range map[string]struct {
		took, busy time.Duration
		want       int
	}{
		"none was seen":           {0, 0, 0},
		"it computes":             {time.Second, time.Second, n},
		"it computes in parallel": {time.Second, 3 * time.Second, n},
		"it waits for a model":    {5 * time.Second, time.Second, 5 * n},
	} {
		t.Run(name, func(t *testing.T) {
			var p Pace
			p.SawProgram(c.took, c.busy)
			if got := p.Beside(); got != c.want {
				t.Errorf("%d turns, want %d", got, c.want)
			}
		})
	}
}
