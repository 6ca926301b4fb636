package host

import (
	"sync"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
)

// contract is loaded on first use.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(agenticloopv2.Bundled()) })

// ContractSchema returns a component of the protocol's contract.
func ContractSchema(component string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}
