package openwop_test

import (
	"os"
	"testing"

	"github.com/openassay/assay/internal/testenv"
)

// Most tests wait out the patience granted to hosts that misbehave.
func TestMain(m *testing.M) {
	testenv.Parallel(4)
	os.Exit(m.Run())
}
