package rules

import "github.com/openassay/assay/gen/openwopv1"

// Shape is what discovery says of the execution model (RFC 0037 C, RFC 0061 A).
type Shape struct {
	// Advertised is the block as it is served, given what the host does.
	Advertised func(openwopv1.ExecutionModel) openwopv1.ExecutionModel
}

func honestShape() Shape {
	return Shape{Advertised: func(m openwopv1.ExecutionModel) openwopv1.ExecutionModel { return m }}
}
