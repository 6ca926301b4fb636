package fault

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// bodyFaults are about what is sent: bodies, modes and methods.
var bodyFaults = []Fault{
	{
		ID:     "request.no-json-falls",
		Title:  "the host falls over a body that is no JSON",
		Looks:  "a body that is cut short is HTTP 500",
		Breaks: []string{openwop.OWPERR11},
		Reply:  refusing(misfit("", "json"), falls),
	},
	{
		ID:     "request.null-falls",
		Title:  "the host falls over a body that is no object",
		Looks:  "the body null is HTTP 500",
		Breaks: []string{openwop.OWPERR12},
		Reply:  refusing(misfit("", "/type"), falls),
	},
	{
		ID:     "request.odd-workflow-falls",
		Title:  "the host falls over a workflowId that is no text",
		Looks:  "null as the workflowId is HTTP 500",
		Breaks: []string{openwop.OWPERR13},
		Reply:  refusing(misfit("/workflowId", ""), falls),
	},
	{
		ID:     "request.list-of-inputs-falls",
		Title:  "the host falls over inputs that are no object",
		Looks:  "a list as the inputs is HTTP 500",
		Breaks: []string{openwop.OWPERR14},
		Reply:  refusing(misfit("/inputs", ""), falls),
	},
	{
		ID:     "request.unknown-member-falls",
		Title:  "the host falls over a member that the body does not have",
		Looks:  "a request with one member too many is HTTP 500",
		Breaks: []string{openwop.OWPERR15},
		Reply:  refusing(misfits("/additionalProperties"), falls),
	},
	{
		ID:     "request.large-body-taken",
		Title:  "the bodies of requests may be four times as large as the host says",
		Looks:  "a body above limits.maxRequestBodyBytes is HTTP 201",
		Breaks: []string{openwop.OWPERR17},
		Replace: func(s *rules.Set) {
			s.Requests.Largest = func(advertised int64) int64 { return 4 * advertised }
		},
	},
	{
		ID:     "request.any-mode-streams",
		Title:  "a stream mode that the host does not know carries nothing",
		Looks:  "a stream in a mode of nobody's is HTTP 200",
		Breaks: []string{openwop.OWPERR16},
		Replace: func(s *rules.Set) {
			s.Requests.Streams = func(string, bool) bool { return true }
		},
	},
	{
		ID:     "request.values-combine",
		Title:  "the stream mode values can stand beside others",
		Looks:  "a stream in the modes values,debug is HTTP 200",
		Breaks: []string{openwop.OWPERR16},
		Twin:   "a mode that there is, in a company that it must not have",
		Replace: func(s *rules.Set) {
			s.Requests.Combines = func(string, bool) bool { return true }
		},
	},
	{
		ID:     "request.method-is-bad",
		Title:  "a method that an endpoint does not have is refused as a bad request",
		Looks:  "PUT on the log of a run is HTTP 400",
		Breaks: []string{openwop.OWPERR10},
		Reply: refusing(coded("method_not_allowed"), func(r *mutate.Reply) {
			r.Status = http.StatusBadRequest
			asCode(validationError)(r)
		}),
	},
}
