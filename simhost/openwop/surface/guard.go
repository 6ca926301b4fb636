package surface

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/internal/contract"
)

const (
	maxBodyBytes = 1 << 20 // advertised as limits.maxRequestBodyBytes
	maxProblems  = 20      // named in one refusal; a body can be wrong in thousands of places
)

// guard puts the checks of an operation's contract in front of its handler: the scope of the key, parameters, then the body, then the
// idempotency key, then whose run it is. What reaches the handler is valid, and the caller's.
func (h *Host) guard(op *operation, next http.Handler) http.Handler {
	if op.ofOneRun() {
		next = h.ownRun(op, next)
	}
	if op.idempotent() {
		next = h.once(next)
	}
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := op.checkParameters(r); err != nil {
			h.fail(w, r, err)
			return
		}
		if op.TakesBody {
			body, err := h.readBody(w, r, op)
			if err != nil {
				h.fail(w, r, err)
				return
			}
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
	if op.answersInterrupts() {
		return h.responds(guarded)
	}
	return guarded
}

// checkParameters judges the parameters that were sent; that a required one is missing is seen by the generated code.
func (op *operation) checkParameters(r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid("query", "the query cannot be read: escape each name and value, and part them with &")
	}
	for _, p := range op.Parameters {
		var values []string
		switch p.In {
		case "path":
			values = []string{r.PathValue(p.Name)}
		case "query":
			values = query[p.Name]
		case "header":
			values = r.Header.Values(p.Name)
		}
		switch len(values) {
		case 0:
		case 1:
			problems := p.Check(values[0])
			switch {
			case len(problems) == 0:
			case p.In == "path": // it cannot be the name of anything
				return refuse(codeNotFound, fmt.Sprintf("there is no %s %s", p.Name, quoted(values[0])))
			default:
				return invalid(p.Name, fmt.Sprintf("%s parameter %s: %s", p.In, p.Name, problems[0].Message))
			}
		default:
			return invalid(p.Name, fmt.Sprintf("%s parameter %s was sent %d times: send it once", p.In, p.Name, len(values)))
		}
	}
	return nil
}

// requestBody is a validated body. The bytes are kept, since the idempotency key is bound to them.
type requestBody struct {
	bytes.Reader
	raw []byte
}

func (b *requestBody) Close() error { return nil }

func bodyTooLarge() error {
	return refuse(codeTooLarge, fmt.Sprintf("the body is larger than %d bytes: send less", maxBodyBytes), "maxRequestBodyBytes", maxBodyBytes)
}

func (h *Host) readBody(w http.ResponseWriter, r *http.Request, op *operation) (*requestBody, error) {
	largest := h.rules.Requests.Largest(maxBodyBytes)
	if r.ContentLength > largest {
		return nil, bodyTooLarge()
	}
	control := http.NewResponseController(w)
	// Only a body that does not come is cut off. The deadline must go again, or it would end the connection
	// while the handler still works. A writer without deadlines has none to set.
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience))
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	_ = control.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, bodyTooLarge()
	}
	if err != nil {
		return nil, refuse(codeValidation, fmt.Sprintf("the body did not arrive whole within %s: send as many bytes as were announced",
			bodyPatience))
	}
	body := &requestBody{raw: raw}
	body.Reset(raw)
	if len(raw) == 0 {
		if op.BodyRequired {
			return nil, refuse(codeValidation, op.ID+" needs a JSON body")
		}
		return body, nil
	}
	if err := checkContentType(r.Header); err != nil {
		return nil, err
	}
	problems := slices.DeleteFunc(op.Body.Validate(raw), func(p validate.Problem) bool { return !h.rules.Requests.Minds(op.ID, p.Instance) })
	if len(problems) > 0 {
		return nil, badBody(problems)
	}
	return body, nil
}

// checkContentType lets JSON through, and bodies that do not say what they are. Others are refused with 400,
// the only status for it that the contract declares.
func checkContentType(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(codeValidation, "Content-Encoding "+quoted(encoding)+" is not supported: send the body as it is", "field",
			"Content-Encoding")
	}
	sent := h.Get("Content-Type")
	if sent == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(sent)
	if err != nil || (kind != "application/json" && !strings.HasSuffix(kind, "+json")) {
		return refuse(codeValidation, "Content-Type "+quoted(sent)+" is not JSON: send `Content-Type: application/json`", "field", "Content-Type")
	}
	return nil
}

// badBody words what is wrong with a body: the first problem as the message, all of them as details.
func badBody(problems []validate.Problem) *refusal {
	first := problems[0]
	field := strings.ReplaceAll(strings.TrimPrefix(first.Instance, "/"), "/", ".")
	listed := make([]map[string]string, 0, min(len(problems), maxProblems))
	for _, p := range problems[:cap(listed)] {
		listed = append(listed, map[string]string{"pointer": p.Instance, "keyword": p.Keyword, "message": p.Message})
	}
	return refuse(codeValidation, "invalid body: "+first.String(), "field", field, "problems", listed)
}

// quoted prepares what a client sent for a message: escaped, and not longer than a line.
func quoted(sent string) string {
	const longest = 80
	if len(sent) > longest {
		sent = sent[:longest] + "..."
	}
	return fmt.Sprintf("%q", sent)
}

// operation is what the API document demands of the requests of one operation.
type operation struct{ *contract.Operation }

// idempotent tells whether it declares an Idempotency-Key.
func (op *operation) idempotent() bool { return slices.Contains(op.Declared, headerIdempotencyKey) }

// operations maps "POST /v1/runs" to its operation.
type operations map[string]*operation

// judgedLater names the parameters whose values their handler judges: an unknown stream mode has an error code
// of its own, a buffer time above the maximum is clamped to it, not refused, and the path of a file that cannot be is a
// bad request, where other things in a path are not found.
var judgedLater = map[string]bool{"streamMode": true, "bufferMs": true, "path": true}

// readContract compiles what the bundled document says about requests.
func readContract(bundled []byte, schemas *validate.Set) (operations, error) {
	read, err := contract.Read(bundled, schemas, judgedLater)
	if err != nil {
		return nil, err
	}
	ops := operations{}
	for pattern, op := range read {
		ops[pattern] = &operation{op}
	}
	return ops, nil
}
