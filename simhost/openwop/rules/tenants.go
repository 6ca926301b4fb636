package rules

// Tenants is what those who share a host see and move of each other's.
type Tenants struct {
	// Visits is the code with which an operation is refused; empty: it is let in, if what it is about is there.
	Visits func(v Visit) string

	// Keys is by whose name an idempotency key is kept.
	Keys func(tenant, principal string) string

	// Owns is whose a run becomes, given the tenant of the key and the one that the body names, if it does. Where it is
	// nobody's, the request is refused.
	Owns func(tenant string, named *string) string
}

// Visit is an operation on something, by a tenant. The name of the operation is that of the contract. What has no owner
// is not there.
type Visit struct {
	Operation, Tenant, Owner string
	Dispatched, Forked       bool // of a run: another dispatched it, it is a fork
}

// NotFound is the code for what is not there.
const NotFound = "not_found"

func honestTenants() Tenants {
	return Tenants{
		Visits: func(v Visit) string {
			if v.Owner == "" || v.Owner != v.Tenant {
				return NotFound
			}
			return ""
		},
		Keys: func(_, principal string) string { return principal },
		Owns: func(tenant string, named *string) string {
			if named != nil && *named != tenant {
				return ""
			}
			return tenant
		},
	}
}
