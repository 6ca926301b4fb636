package operations

import (
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/access"
)

// Contract is what is asked of a server.
var Contract = sync.OnceValues(func() (*access.Contract, error) { return access.Read(openintentv1.Bundled()) })

// Places are the places in paths that name what a drive makes, or what is there.
var Places = []string{"intentId", "dependencyId", "agentId", "leaseId", "portfolioId", "taskId", "planId", "coordinatorId"}

// named reports whether the path of a way names something.
func named(w access.Way) bool { return slices.ContainsFunc(Places, w.In) }

// Table is what every caller asks of every operation, and what not and why.
func Table() ([]access.Cell, error) {
	contract, err := Contract()
	if err != nil {
		return nil, err
	}
	return contract.Table(excluded), nil
}

// excluded says why a caller does not ask an operation, "" if it does.
func excluded(w access.Way, who access.Caller) string {
	switch {
	case !w.Secured:
		return "the operation asks for no credential"
	case who == access.Expired:
		return "no operation ends a key"
	case who == access.Another:
		return "a key is that of a caller, and of no intent"
	case who == access.Tenant:
		return "the protocol has no tenants: one caller may do what another may, but for a policy that is asked for by itself"
	case who == access.Malformed:
		return "a key is any text that stands in its header, and so has no form"
	case slices.Contains(w.Tags, "seams") && !named(w):
		return "a seam is for tests, and no text says who may use it"
	}
	return ""
}

// isRespond reports whether a way is the answer to a suspension, of which the text names the status.
func isRespond(w access.Way) bool { return strings.HasPrefix(w.Operation, "respondToSuspension") }
