package host

import (
	"sync"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/validate"
)

// Contract returns the schemas of the protocol. They are compiled at the first call.
var Contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(openintentv1.Bundled()) })
