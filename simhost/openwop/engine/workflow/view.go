package workflow

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

// Viewer is who looks.
type Viewer struct {
	Owner workspace.Owner
	Line  memory.Line
}

// Viewer is who looks in a run of this program. line is the memory that was handed down to the run; without one it has its
// agent's.
func (p *Program) Viewer(owner *openwopv1.RunOwner, line memory.Line) (v Viewer) {
	scope := memory.Scope{Ref: defaultMemory}
	if p.Agent.MemoryRef != "" {
		scope.Ref = p.Agent.MemoryRef
	}
	if owner != nil {
		v.Owner = workspace.Owner{Tenant: owner.Tenant, Workspace: owner.Workspace}
		scope.Tenant = owner.Tenant
	}
	if v.Line = line; line == nil {
		v.Line = memory.Of(scope)
	}
	return v
}

// defaultMemory is the memory of a supervisor whose agent names none.
const defaultMemory = "default"
