package operations

import (
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// Contract is what is asked of a host.
var Contract = sync.OnceValues(func() (*access.Contract, error) { return access.Read(dialect.V1.Contract()) })

// The places in paths that name what a drive makes, or what is there. Whose it is depends on the credential for those of owned.
const (
	run      = "runId"
	node     = "nodeId" // of a run
	goal     = "goalId"
	file     = "path"
	token    = "token"
	workflow = "workflowId"
)

// Places are all of them.
var Places = []string{run, node, goal, file, token, workflow}

var owned = []string{run, goal, file}

// ownedBy returns the place in the path of a way that names what belongs to somebody, "" if there is none.
func ownedBy(w access.Way) string {
	for _, place := range owned {
		if w.In(place) {
			return place
		}
	}
	return ""
}

// Table is what every caller asks of every operation, and what not and why.
func Table() ([]access.Cell, error) {
	contract, err := Contract()
	if err != nil {
		return nil, err
	}
	return contract.Table(func(w access.Way, who access.Caller) string { return excluded(contract, w, who) }), nil
}

// excluded says why a caller does not ask an operation, "" if it does.
func excluded(contract *access.Contract, w access.Way, who access.Caller) string {
	switch {
	case w.In(token) && who.Keyless():
		return "the token in its path is the credential: without one it is another path"
	case w.In(token) && who == access.Tenant:
		return "a token is the credential of whoever has it"
	case w.In(token):
		return ""
	case !w.Secured:
		return "the operation asks for no credential"
	case who == access.Expired:
		return "no operation ends a key"
	case who == access.Another:
		return "a key is that of a tenant, and of no run or goal"
	case slices.Contains(w.Tags, "seams") && (ownedBy(w) == "" || who != access.Tenant):
		return "a seam is for tests, and no text says who may use it; only what it does to another tenant is asked"
	case who == access.Tenant:
		return excludedOfTenants(contract, w)
	}
	return ""
}

// excludedOfTenants says why another tenant does not ask an operation, "" if it does.
func excludedOfTenants(contract *access.Contract, w access.Way) string {
	switch {
	case w.In(workflow):
		return "a workflow can be run by whoever may run it, and is no tenant's"
	case w.In(file) && w.Method == "PUT":
		return "it writes a file of the tenant that asks, which files-apart asks for"
	case ownedBy(w) == "" && w.Method != "GET" && !contract.Takes(w, run+"s"):
		return "it makes something of the tenant that asks"
	}
	return ""
}

// operations are those of the dialects by method and path, with every id as {}.
var operations = sync.OnceValue(func() map[string]dialect.Operation {
	all := map[string]dialect.Operation{}
	for op, template := range dialect.V1.Operations {
		all[shape(strings.Replace(template, "{prefix}", dialect.V1.Seams[0], 1))] = op
	}
	return all
})

// shape returns a method and path without the names of its ids.
func shape(template string) string {
	var out strings.Builder
	for template != "" {
		before, rest, found := strings.Cut(template, "{")
		if out.WriteString(before); !found {
			break
		}
		out.WriteString("{}")
		_, template, _ = strings.Cut(rest, "}")
	}
	return out.String()
}
