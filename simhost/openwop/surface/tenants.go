package surface

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving/contract"
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
func runOwner(ctx context.Context) *event.Owner {
	return &event.Owner{Tenant: tenantOf(ctx)}
}

// ownFiles is whose files the public endpoints serve: the one that the key belongs to (RFC 0059).
func ownFiles(ctx context.Context) workspace.Owner { return workspace.Owner{Tenant: tenantOf(ctx)} }

// visits is the code with which an operation on what a tenant has is refused.
func (h *Host) visits(ctx context.Context, operation, owner string) (code string) {
	return h.rules.Tenants.Visits(rules.Visit{Operation: operation, Tenant: tenantOf(ctx), Owner: owner})
}

// among are the other tenants whose things an operation is let in to.
func (h *Host) among(ctx context.Context, operation string) []string {
	return slices.DeleteFunc(slices.Clone(h.tenants), func(tenant string) bool {
		return tenant == tenantOf(ctx) || h.visits(ctx, operation, tenant) != ""
	})
}

// keeper is the tenant that has what an operation is about, as has tells; where nobody is found to have it, who asks.
// It is not looked among the things of tenants that are not there for who asks.
func (h *Host) keeper(ctx context.Context, operation string, has func(tenant string) bool) (tenant string, err error) {
	own := tenantOf(ctx)
	for _, other := range h.tenants {
		code := h.visits(ctx, operation, other)
		switch {
		case other == own, code == rules.NotFound, has(own), !has(other):
		case code != "":
			return "", refusal.New(code, "this belongs to another tenant")
		default:
			return other, nil
		}
	}
	return own, nil
}

// lineage is where a run comes from, for an operation of a tenant on it. To whom it does not belong it is not there.
func (h *Host) lineage(ctx context.Context, operation, tenant, runID string) (state.Lineage, error) {
	return h.engine.Lineage(ctx, runID, func(l state.Lineage) (code string) {
		return h.rules.Tenants.Visits(rules.Visit{
			Operation: operation, Tenant: tenant, Owner: l.Owner, Dispatched: l.ParentRunID != "", Forked: l.SourceRunID != "",
		})
	})
}

// ownRun lets requests about a run through to whom the run belongs. Some operations look at that themselves.
func (h *Host) ownRun(op *contract.Operation, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		runID := r.PathValue(paramRun)
		_, err := h.lineage(r.Context(), op.ID, tenantOf(r.Context()), runID)
		refused := asRefusal(err)
		switch {
		case err == nil || judgesMissing(op):
			next.ServeHTTP(w, r)
		case refused != nil && h.nobodys(r.Context(), runID):
			absent := rules.Visit{Operation: op.ID, Tenant: tenantOf(r.Context())}
			refused.Code = cmp.Or(h.rules.Tenants.Visits(absent), refused.Code)
			h.fail(w, r, refused)
		default:
			h.fail(w, r, err)
		}
	})
}

// Operations that look at a run that their path does not name.
const (
	opAncestry   = "getRunAncestry"
	opBulkCancel = "bulkCancelRuns"
	opDiff       = "diffRun"
	opFork       = "forkRun"
	opByToken    = "resolveInterruptByToken"
)

// Operations on what every tenant has of its own.
const (
	opListFiles   = "listWorkspaceFiles"
	opGetFile     = "getWorkspaceFile"
	opPutFile     = "putWorkspaceFile"
	opDeleteFile  = "deleteWorkspaceFile"
	opListGoals   = "listGoals"
	opGetGoal     = "getGoal"
	opEditGoal    = "editGoal"
	opPauseGoal   = "pauseGoal"
	opAbandonGoal = "abandonGoal"
	opResumeGoal  = "resumeGoal"
	opTickGoal    = "tickGoal"
	opGoalEvents  = "listGoalEvents"
)

// nobodys tells whether a run is not there, not even for somebody else.
func (h *Host) nobodys(ctx context.Context, runID string) bool {
	_, err := h.engine.Snapshot(ctx, runID)
	return err != nil
}

// judgesMissing tells the operations that say themselves that the client has no such run: what they ask first is a rule.
func judgesMissing(op *contract.Operation) bool { return op.ID == opFork || op.ID == opAncestry }

// paramRun is the path parameter of every operation on a run.
const paramRun = "runId"

// ofOneRun tells the operations on a run.
func ofOneRun(op *contract.Operation) bool {
	return slices.ContainsFunc(op.Parameters, func(p contract.Parameter) bool { return p.In == "path" && p.Name == paramRun })
}
