package openwop

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/workspace"
)

// DefaultTenant is the tenant that Options.Key belongs to.
const DefaultTenant = "local"

// tenants are the names of those whose runs, files and goals are apart, in order.
func (o Options) tenants() []string {
	names := append(slices.Collect(maps.Keys(o.Tenants)), DefaultTenant)
	slices.Sort(names)
	return names
}

// runOwner is the owner of what runs for a caller.
func runOwner(ctx context.Context) *openwopv1.RunOwner {
	return &openwopv1.RunOwner{Tenant: tenantOf(ctx)}
}

// ownFiles is whose files the public endpoints serve: the one that the key belongs to (RFC 0059).
func ownFiles(ctx context.Context) workspace.Owner { return workspace.Owner{Tenant: tenantOf(ctx)} }

// ownRun lets requests about a run through to whom the run belongs. To everybody else it is not there.
func (h *Host) ownRun(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := h.engine.Lineage(r.Context(), r.PathValue(paramRun), tenantOf(r.Context())); err != nil {
			h.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// paramRun is the path parameter of every operation on a run.
const paramRun = "runId"

// ofOneRun tells the operations on a run.
func (op *operation) ofOneRun() bool {
	return slices.ContainsFunc(op.parameters, func(p parameter) bool { return p.in == "path" && p.name == paramRun })
}
