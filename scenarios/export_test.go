package scenarios

import "time"

// Rounds are a matter of what a drive asks here, however busy the machine is.
func init() {
	for depth := range defaultRounds {
		defaultRounds[depth].Time = time.Hour
	}
}
