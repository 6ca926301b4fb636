package histories

import (
	"testing"

	"github.com/openassay/assay/scenarios/openwop/model"
)

// Whatever another tenant may try on a goal is a call.
func TestForeignCalls(t *testing.T) {
	t.Parallel()
	for n, what := range model.GoalForeigns {
		if _, known := foreignCalls[what]; known == (n == model.ForeignListGoals) {
			t.Errorf("%q: a call of its own: %t", what, known)
		}
	}
}
