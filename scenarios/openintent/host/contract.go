package host

import (
	"sync"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/validate"
)

// contract is read when something is first compared with it, not at start.
var Contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(openintentv1.Bundled()) })
