package scenarios

import (
	"testing"
	"time"
)

// Where replies are long on their way more drives run at once, and no more where the target answers soon.
func TestALongLineMakesRoomForMoreDrives(t *testing.T) {
	few := workers(time.Millisecond)
	for soonest, want := range map[time.Duration]int{0: few, 20 * time.Millisecond: few, 40 * time.Millisecond: 2 * few,
		80 * time.Millisecond: 4 * few, time.Minute: 4 * few} {
		if got := workers(soonest); got != want {
			t.Errorf("%d drives with a soonest reply of %s, want %d", got, soonest, want)
		}
	}
}
