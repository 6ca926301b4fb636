package histories_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/explore/lockstep/locksteptest"
	"github.com/openassay/assay/scenarios/openwop/histories"
)

func TestSmallWorlds(t *testing.T) {
	t.Parallel()
	locksteptest.Complete(t, histories.Small())
}
