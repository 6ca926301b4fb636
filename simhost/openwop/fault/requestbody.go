package fault

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// bodyFaults are about what is sent: bodies, modes and methods.
var bodyFaults = []Fault{
	{
		ID:     "request.no-json-falls",
		Title:  "the host falls over a body that is no JSON",
		Looks:  "a body that is cut short is HTTP 500",
		Breaks: []string{openwop.OWPERR11, openwop.OWPERR26},
		Reply:  refusing(misfit("", "json"), falls),
	},
	{
		ID:     "request.null-falls",
		Title:  "the host falls over a body that is no object",
		Looks:  "the body null is HTTP 500",
		Breaks: []string{openwop.OWPERR12, openwop.OWPERR26},
		Reply:  refusing(misfit("", "/type"), falls),
	},
	{
		ID:     "request.odd-workflow-falls",
		Title:  "the host falls over a workflowId that is no text",
		Looks:  "null as the workflowId is HTTP 500",
		Breaks: []string{openwop.OWPERR13, openwop.OWPERR26},
		Reply:  refusing(misfit("/workflowId", ""), falls),
	},
	{
		ID:     "request.list-of-inputs-falls",
		Title:  "the host falls over inputs that are no object",
		Looks:  "a list as the inputs is HTTP 500",
		Breaks: []string{openwop.OWPERR14, openwop.OWPERR26},
		Reply:  refusing(misfit("/inputs", ""), falls),
	},
	{
		ID:     "request.unknown-member-falls",
		Title:  "the host falls over a member that the body does not have",
		Looks:  "a request with one member too many is HTTP 500",
		Breaks: []string{openwop.OWPERR15, openwop.OWPERR26},
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
		Request: inModes(func(modes []string) []string {
			for i, mode := range modes {
				if !slices.Contains(streamModes, mode) {
					modes[i] = "messages" // which carries nothing of a run that calls no model
				}
			}
			return modes
		}),
	},
	{
		ID:     "request.values-combine",
		Title:  "the stream mode values can stand beside others",
		Looks:  "a stream in the modes values,debug is HTTP 200",
		Breaks: []string{openwop.OWPERR16},
		Twin:   "a mode that there is, in a company that it must not have",
		Request: inModes(func(modes []string) []string {
			unknown := func(mode string) bool { return !slices.Contains(streamModes, mode) }
			if slices.Contains(modes, "values") && !slices.ContainsFunc(modes, unknown) {
				return []string{"values"}
			}
			return modes
		}),
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

var streamModes = []string{"values", "updates", "messages", "debug"}

// inModes has a stream opened in other modes than it is asked for in.
func inModes(other func(modes []string) []string) mutate.RequestFunc {
	return mutate.Asked(readingEvents, func(r *mutate.Request) {
		query := r.URL.Query()
		if !query.Has("streamMode") {
			return
		}
		modes := strings.Split(query.Get("streamMode"), ",")
		for i := range modes {
			modes[i] = strings.TrimSpace(modes[i])
		}
		query.Set("streamMode", strings.Join(other(modes), ","))
		r.URL.RawQuery = query.Encode()
	})
}

// wordFaults are about how refusals are worded. Each is in one place of a host, as they come of the part that refuses: what
// stands in front of it, a reader of bodies, a handler.
var wordFaults = []Fault{
	{
		ID:     "request.strangers-told-in-text",
		Title:  "who has no key is refused with a text",
		Looks:  "HTTP 401 comes as text/plain",
		Breaks: []string{openwop.OWPERR4},
		Reply:  refusing(atTheDoor, plainly),
	},
	{
		ID:     "request.strangers-own-code",
		Title:  "who has no key is refused as unauthorized",
		Looks:  "the code of HTTP 401 is one of the host's own",
		Breaks: []string{openwop.OWPERR5},
		Reply:  refusing(atTheDoor, asCode("unauthorized")),
	},
	{
		ID:     "request.unknown-workflow-wordless",
		Title:  "a run of a workflow that is not there is refused without words",
		Looks:  "message is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  mutate.On("POST /v1/runs", refusing(coded(rules.NotFound), wordlessly)),
	},
	{
		ID:     "request.unknown-run-own-code",
		Title:  "a run that is not there is refused as run_not_found",
		Looks:  "the code of HTTP 404 is one of the host's own",
		Breaks: []string{openwop.OWPERR5},
		Reply: refusing(func(r refused) bool {
			return r.Error == rules.NotFound && strings.HasPrefix(r.Request.URL.Path, "/v1/runs/")
		},
			asCode("run_not_found")),
	},
	{
		ID:     "request.no-json-told-in-text",
		Title:  "a body that is no JSON is refused with a text",
		Looks:  "HTTP 400 comes as text/plain",
		Breaks: []string{openwop.OWPERR4},
		Reply:  refusing(misfit("", "json"), plainly),
	},
	{
		ID:     "request.body-own-code",
		Title:  "a body that is not as it should be is refused as bad_request",
		Looks:  "the code of HTTP 400 is one of the host's own",
		Breaks: []string{openwop.OWPERR5},
		Reply:  refusing(misfits(""), asCode("bad_request")),
	},
	{
		ID:     "request.mode-wordless",
		Title:  "a stream mode that cannot be is refused without words",
		Looks:  "message is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  refusing(coded(unsupportedMode), wordlessly),
	},
	{
		ID:     "request.mode-own-code",
		Title:  "a stream mode that cannot be is refused as any other parameter",
		Looks:  "the code of HTTP 400 is validation_error",
		Breaks: []string{openwop.OWPERR5},
		Reply:  refusing(coded(unsupportedMode), asCode(validationError)),
	},
	{
		ID:     "request.modes-unlisted",
		Title:  "who asks for a stream mode that cannot be is not told which can",
		Looks:  "the refusal has no details.supported",
		Breaks: []string{openwop.OWPERR16},
		Twin:   "the mode is refused, and only half of what the refusal has to say is said",
		Reply:  refusing(coded(unsupportedMode), reworded(func(e *openwopv1.ErrorEnvelope) { e.Details = nil })),
	},
	{
		ID:     "request.large-body-told-in-text",
		Title:  "a body that is too large is refused with a text",
		Looks:  "HTTP 413 comes as text/plain",
		Breaks: []string{openwop.OWPERR4},
		Reply:  refusing(coded("payload_too_large"), plainly),
	},
	{
		ID:     "request.mismatch-wordless",
		Title:  "another body under an idempotency key is refused without words",
		Looks:  "message is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  refusing(coded(keyMismatch), wordlessly),
	},
	{
		ID:     "request.mismatch-own-code",
		Title:  "another body under an idempotency key is refused as any other conflict",
		Looks:  "the code of HTTP 409 is one of the host's own",
		Breaks: []string{openwop.OWPERR5},
		Reply:  refusing(coded(keyMismatch), asCode("conflict")),
	},
}

const (
	unsupportedMode = "unsupported_stream_mode"
	keyMismatch     = "idempotency_key_mismatch"
)

// atTheDoor reports whether who has no key is refused.
func atTheDoor(r refused) bool {
	return r.Error == rules.Unauthenticated && strings.HasPrefix(r.Request.URL.Path, "/v1/runs")
}

// optionFaults are about the run options of a request.
var optionFaults = []Fault{
	{
		ID:     "bounds.misfit-option-breaks-the-host",
		Title:  "an option of a run that cannot be makes the host fail",
		Looks:  "POST /v1/runs is answered 500",
		Breaks: []string{openwop.OWPBND21, openwop.OWPERR26},
		Reply: mutate.On("POST /v1/runs", refusing(func(r refused) bool {
			member, _ := r.misfit()
			return strings.HasPrefix(member, "/configurable/")
		}, failing(http.StatusInternalServerError, validationError))),
	},
	{
		ID:     "bounds.options-not-shown",
		Title:  "the snapshot of a run does not show its options",
		Looks:  "configurable is missing",
		Breaks: []string{openwop.OWPBND22},
		Reply:  snapshots(func(run *openwopv1.RunSnapshot) { run.Configurable = nil }),
	},
	{
		ID:     "bounds.options-used-up",
		Title:  "the snapshot of an ended run shows as recursionLimit what was left of it",
		Looks:  "configurable.recursionLimit is lower at the end than at the beginning",
		Breaks: []string{openwop.OWPBND23},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if limit, set := run.Configurable["recursionLimit"].(float64); set && over(run) {
				run.Configurable["recursionLimit"] = limit - 1
			}
		}),
	},
}
