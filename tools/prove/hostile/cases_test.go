package hostile

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// hostileCase is one host that means harm. It has raw or wrap.
type hostileCase struct {
	id   string
	sent string // what it sends, for the page
	exit []int  // the exit codes that are right

	// raw answers a request on the bare connection; false ends the connection.
	raw func(*exchange) bool
	// everywhere has raw answer discovery as well, which is otherwise answered as an honest host does.
	everywhere bool
	// onAccept has raw called before anything is read from a connection, once discovery was answered.
	onAccept bool

	// wrap stands in front of an honest host.
	wrap func(http.Handler) http.Handler
	// touched says whether the hostility had a part in what a check has seen. nil is whatever stood in a reply that is not
	// honest discovery.
	touched func(wire.Entry, results.Check) bool
	// telling is a part of a sentence that the report must have.
	telling string
}

// Exit codes that are right, by how far the host lets anybody come.
var (
	unreachable = []int{scenarios.ExitUnreachable}
	unproved    = []int{scenarios.ExitUnproved}
	violated    = []int{scenarios.ExitViolated}
	notProved   = []int{scenarios.ExitViolated, scenarios.ExitUnproved}
)

// allCases are in the order of the page.
func allCases() []hostileCase {
	return slices.Concat(connectionCases, headCases, redirectCases, bodyCases, jsonCases, streamCases, textCases, clockCases)
}

// isTouched tells whether a check that held must not have.
func (c hostileCase) isTouched(e wire.Entry, check results.Check) bool {
	if c.touched != nil {
		return c.touched(e, check)
	}
	return c.everywhere || e.Label != "discovery"
}

// inBodies is for hosts that are hostile in bodies, and answer with the status and the headers of an honest one.
func inBodies(e wire.Entry, check results.Check) bool {
	return e.Label != "discovery" && check.Part == ""
}

// where is for hosts whose hostility is a text: it touches what shows that text.
func where(text string) func(wire.Entry, results.Check) bool {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return func(e wire.Entry, check results.Check) bool {
		if e.Label == "discovery" { // a string is a string there
			return false
		}
		if strings.Contains(check.Expected, "as in the source") { // and what has not changed has not, whatever it is
			return false
		}
		return strings.Contains(check.Actual, strings.Trim(string(quoted), `"`)) || strings.Contains(check.Actual, text)
	}
}

// nowhere is for hosts whose hostility is nothing that anybody promises.
func nowhere(wire.Entry, results.Check) bool { return false }
