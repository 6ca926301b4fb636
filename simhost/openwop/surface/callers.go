package surface

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/serving"
)

// lowScope is the principal whose key is Options.LowScopeKey.
const lowScope = "low-scope"

// caller is who has a key: a principal, whose tenant's things are within reach. The principal that has the key of a tenant
// has the tenant's name.
type caller struct {
	tenant, principal string
	lacksRespond      bool // the key does not have the scope approvals:respond
}

// knownKey is one that the host knows.
type knownKey struct {
	value      string
	what, flag string // of the option that sets it
	caller     caller
}

func (k knownKey) String() string { return fmt.Sprintf("%s %q", k.what, k.caller.principal) }

// option is the key's name for who sets it.
func (k knownKey) option() string {
	return fmt.Sprintf("%s (%s) %q", k.what, k.flag, k.caller.principal)
}

// keys are all that the host knows, in a fixed order.
func (o Options) keys() []knownKey {
	known := []knownKey{{o.Key, "tenant", "--key", caller{tenant: DefaultTenant, principal: DefaultTenant}}}
	for _, name := range slices.Sorted(maps.Keys(o.Tenants)) {
		known = append(known, knownKey{o.Tenants[name], "tenant", "--tenant", caller{tenant: name, principal: name}})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Voters)) {
		known = append(known, knownKey{o.Voters[name], "voter", "--voter", caller{tenant: DefaultTenant, principal: name}})
	}
	if o.LowScopeKey != "" {
		known = append(known, knownKey{o.LowScopeKey, "key", "--low-scope-key", caller{tenant: DefaultTenant, principal: lowScope,
			lacksRespond: true}})
	}
	return known
}

func (o Options) credentials() (known serving.Keys[caller]) {
	for _, k := range o.keys() {
		known.Add(k.value, k.caller)
	}
	return known
}

// checkCallers refuses callers who could not be told apart. A key is not repeated: errors end up in logs.
func (o Options) checkCallers() error {
	values, names := map[string]knownKey{}, map[string]knownKey{}
	var wrong []error
	for i, k := range o.keys() {
		name := k.caller.principal
		sameKey, taken := values[k.value]
		sameName, named := names[name]
		says := ""
		switch {
		case i == 0: // it is checked by itself
		case name == "" || strings.TrimSpace(name) != name:
			says = "give a name without white space around it"
		case name == DefaultTenant:
			says = "it has the host's own key: give that with --key"
		case named:
			says = sameName.String() + " has the same name: give each its own"
		case k.value == "" || checkKey(k.value) != nil:
			says = "a client cannot send its key: give one without white space"
		case taken:
			says = sameKey.String() + " has the same key: give each its own"
		}
		if says != "" {
			wrong = append(wrong, fmt.Errorf("%s: %s", k.option(), says))
		}
		values[k.value], names[name] = k, k
	}
	return errors.Join(wrong...)
}

// callerKey carries in the context of a request whose key it came with; besideToken does where a token is the credential,
// and the key just stands beside it.
type (
	callerKey   struct{}
	besideToken struct{}
)

// callerOf is who asks; nobody where a token is the credential, and then whatever hangs on a tenant is out of reach.
func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// tenantOf is whose things are within reach of who asks.
func tenantOf(ctx context.Context) string { return callerOf(ctx).tenant }
