package openwop

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/workspace"
)

// DefaultTenant is the tenant that Options.Key belongs to.
const DefaultTenant = "local"

// credential is the digest of a key, and whose it is.
type credential struct {
	digest [sha256.Size]byte
	tenant string
}

// keys are the key of every tenant, by name.
func (o Options) keys() map[string]string {
	keys := map[string]string{DefaultTenant: o.Key}
	maps.Copy(keys, o.Tenants)
	return keys
}

// tenants are the names of those who have a key here, in order.
func (o Options) tenants() []string { return slices.Sorted(maps.Keys(o.keys())) }

func (o Options) credentials() []credential {
	var known []credential
	for tenant, key := range o.keys() {
		known = append(known, credential{sha256.Sum256([]byte(key)), tenant})
	}
	return known
}

// checkTenants refuses tenants who could not be told apart. A key is not repeated: errors end up in logs.
func (o Options) checkTenants() error {
	owners := map[string]string{o.Key: DefaultTenant}
	var wrong []error
	for _, tenant := range slices.Sorted(maps.Keys(o.Tenants)) {
		key := o.Tenants[tenant]
		owner, taken := owners[key]
		switch {
		case tenant == "" || strings.TrimSpace(tenant) != tenant:
			wrong = append(wrong, fmt.Errorf("tenant (--tenant) %q: give a name without white space around it", tenant))
		case tenant == DefaultTenant:
			wrong = append(wrong, fmt.Errorf("tenant (--tenant) %q: it has the host's own key: give that with --key", tenant))
		case key == "" || checkKey(key) != nil:
			wrong = append(wrong, fmt.Errorf("tenant (--tenant) %q: a client cannot send its key: give one without white space", tenant))
		case taken:
			wrong = append(wrong, fmt.Errorf("tenant (--tenant) %q: tenant %q has the same key: give each its own", tenant, owner))
		}
		owners[key] = tenant
	}
	return errors.Join(wrong...)
}

// owns finds the tenant of a key. Digests are compared, not keys, and all of them: the time tells nothing about a key.
func (h *Host) owns(key string) (tenant string, known bool) {
	got := sha256.Sum256([]byte(key))
	for _, c := range h.credentials {
		if subtle.ConstantTimeCompare(got[:], c.digest[:]) == 1 {
			tenant, known = c.tenant, true
		}
	}
	return tenant, known
}

// tenantKey carries in the context of a request whose key it came with.
type tenantKey struct{}

// tenantOf is who asks; "" where a token is the credential, and then whatever hangs on a tenant is out of reach.
func tenantOf(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
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
