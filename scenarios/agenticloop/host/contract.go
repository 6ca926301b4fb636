package host

import (
	"sync"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
)

// contract is read when something is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(agenticloopv2.Bundled()) })

func ContractSchema(component string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}
