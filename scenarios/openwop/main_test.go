package openwop_test

import (
	"os"
	"testing"

	"github.com/openassay/assay/internal/testenv"
)

// Most tests wait for the patience to be over with hosts that do not do what they should.
func TestMain(m *testing.M) {
	testenv.Parallel(4)
	os.Exit(m.Run())
}
