// Package contract checks requests against the API document that a host's server is generated from.
package contract

import (
	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
)

// What the document demands of requests: see [apidoc].
type (
	Operations = apidoc.Operations
	Operation  = apidoc.Operation
	Parameter  = apidoc.Parameter
)

// Read compiles what the bundled document says about requests. Parameters of the names in later are not compiled: their
// handlers judge them.
func Read(bundled []byte, schemas *validate.Set, later map[string]bool) (Operations, error) {
	ops, err := apidoc.Read(bundled, schemas, later)
	if err != nil {
		return nil, err
	}
	return ops, ops.Compile()
}

// EscapePointer is a key as it stands in a JSON pointer.
func EscapePointer(token string) string { return apidoc.EscapePointer(token) }
