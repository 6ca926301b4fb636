package contract

import (
	"bytes"
	"encoding/json"
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
	"github.com/openassay/assay/simhost/refusal"
)

const (
	// MaxBody is the most bytes that a body may have.
	MaxBody = 1 << 20

	bodyPatience = 20 * time.Second
	maxProblems  = 20 // named in one refusal; a body can be wrong in thousands of places
)

// Checks are what a host looks at in each request before a handler sees it.
type Checks struct {
	Fail    func(http.ResponseWriter, *http.Request, error)
	Largest func() int64                                 // bytes of a body; nil: MaxBody
	Minds   func(op *Operation, p validate.Problem) bool // nil: every problem of a body
}

// Front lets through to next what fits an operation: its parameters, then its body, which is a [Body] from there on. Anything
// else is a [refusal.Error] for Fail.
func (c Checks) Front(op *Operation, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := checkParameters(op, r)
		if err == nil && op.TakesBody {
			var body *Body
			if body, err = c.read(w, r, op); err == nil {
				r.Body = body
			}
		}
		if err != nil {
			c.Fail(w, r, err)
			return
		}
		next.ServeHTTP(w, plain(op, r))
	})
}

// checkParameters judges the parameters that were sent; that a required one is missing is seen by the generated code.
func checkParameters(op *Operation, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refusal.New(refusal.Validation, "the query cannot be read: escape each name and value, and part them with &", "field", "query")
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
				return refusal.New(refusal.NotFound, fmt.Sprintf("there is no %s %s", p.Name, refusal.Quoted(values[0])))
			default:
				return refusal.New(refusal.Validation, fmt.Sprintf("%s parameter %s: %s", p.In, p.Name, problems[0].Message), "field", p.Name)
			}
		default:
			return refusal.New(refusal.Validation, fmt.Sprintf("%s parameter %s was sent %d times: send it once", p.In, p.Name, len(values)),
				"field", p.Name)
		}
	}
	return nil
}

// Body is a body that fits its operation. Its bytes are kept for whoever has to tell two requests apart.
type Body struct {
	bytes.Reader
	Raw []byte
}

// NewBody returns a body of these bytes.
func NewBody(raw []byte) *Body {
	b := &Body{Raw: raw}
	b.Reset(raw)
	return b
}

// Close makes it a body of a request. There is nothing to close.
func (b *Body) Close() error { return nil }

func (c Checks) read(w http.ResponseWriter, r *http.Request, op *Operation) (*Body, error) {
	largest := int64(MaxBody)
	if c.Largest != nil {
		largest = c.Largest()
	}
	if r.ContentLength > largest {
		return nil, tooLarge(largest)
	}
	control := http.NewResponseController(w)
	// Only a body that does not come is cut off. The deadline must go again, or it would end the connection
	// while the handler still works. A writer without deadlines has none to set.
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience))
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	_ = control.SetReadDeadline(time.Time{})
	if limit := (*http.MaxBytesError)(nil); errors.As(err, &limit) {
		return nil, tooLarge(largest)
	}
	if err != nil {
		return nil, refusal.New(refusal.Malformed, fmt.Sprintf("the body did not arrive whole within %s: send as many bytes as were announced",
			bodyPatience))
	}
	if len(raw) == 0 {
		if op.BodyRequired {
			return nil, refusal.New(refusal.Malformed, op.ID+" needs a JSON body")
		}
		return NewBody(raw), nil
	}
	if err := checkContentType(r.Header); err != nil {
		return nil, err
	}
	problems := op.Body.Validate(raw)
	if c.Minds != nil {
		problems = slices.DeleteFunc(problems, func(p validate.Problem) bool { return !c.Minds(op, p) })
	}
	if len(problems) > 0 {
		return nil, badBody(raw, problems)
	}
	return NewBody(raw), nil
}

func tooLarge(largest int64) error {
	return refusal.New(refusal.TooLarge, fmt.Sprintf("the body is larger than %d bytes: send less", largest), "maxRequestBodyBytes", largest)
}

// checkContentType lets JSON through, and bodies that do not say what they are.
func checkContentType(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refusal.New(refusal.Malformed, "Content-Encoding "+refusal.Quoted(encoding)+" is not supported: send the body as it is",
			"field", "Content-Encoding")
	}
	sent := h.Get("Content-Type")
	if sent == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(sent)
	if err != nil || (kind != "application/json" && !strings.HasSuffix(kind, "+json")) {
		return refusal.New(refusal.Malformed, "Content-Type "+refusal.Quoted(sent)+" is not JSON: send `Content-Type: application/json`",
			"field", "Content-Type")
	}
	return nil
}

// badBody words what is wrong with a body: the first problem as the message, all of them as details. One that is no JSON object
// cannot be read at all.
func badBody(raw []byte, problems []validate.Problem) error {
	code := refusal.Validation
	if trimmed := bytes.TrimSpace(raw); !json.Valid(raw) || trimmed[0] != '{' {
		code = refusal.Malformed
	}
	first := problems[0]
	field := strings.ReplaceAll(strings.TrimPrefix(first.Instance, "/"), "/", ".")
	listed := make([]map[string]string, 0, min(len(problems), maxProblems))
	for _, p := range problems[:cap(listed)] {
		listed = append(listed, map[string]string{"pointer": p.Instance, "keyword": p.Keyword, "message": p.Message})
	}
	return refusal.New(code, "invalid body: "+first.String(), "field", field, "problems", listed)
}
