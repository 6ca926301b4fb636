package surface

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
)

// bundle is what comes with the contract and is the same for every host. Nobody changes it.
type bundle struct {
	document   []byte
	schemas    *validate.Set
	operations operations
	fixtures   workflows
}

// readBundle reads the contract, once a process: to compile its schemas takes longer than all else that a host needs to start.
var readBundle = sync.OnceValues(func() (*bundle, error) {
	b := &bundle{document: openwopv1.Bundled()}
	var err error
	if b.schemas, err = validate.Embedded(b.document); err != nil {
		return nil, err
	}
	if b.operations, err = readContract(b.document, b.schemas); err != nil {
		return nil, err
	}
	files, err := fs.Sub(openwopv1.Fixtures, "fixtures")
	if err != nil {
		return nil, fmt.Errorf("load workflows: %w", err)
	}
	schema, err := workflowSchema(b.schemas)
	if err != nil {
		return nil, err
	}
	b.fixtures = newWorkflows()
	return b, b.fixtures.read(files, "fixtures", schema)
})
