package wire

import (
	"net/http"
	"strings"
)

// Reply is a live reply, for a drive. [Reply.Value] mints values for judges.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // not redacted; for the drive only

	certificate string // SHA-256 of that of the server, in hex; only of the discovery document

	exchange   int
	longest    int // limit of [Reply.Text]
	transcript *Transcript
}

// Exchange returns the number of the reply's entry in the transcript.
func (r *Reply) Exchange() int { return r.exchange }

// Value mints the value at a JSON pointer of the body.
func (r *Reply) Value(pointer string) Value {
	return r.mint(Ref{Exchange: r.exchange, Pointer: pointer})
}

// StatusValue mints the HTTP status.
func (r *Reply) StatusValue() Value { return r.mint(Ref{Exchange: r.exchange, Part: "status"}) }

// HeaderValue mints a header, by its canonical name.
func (r *Reply) HeaderValue(name string) Value {
	return r.mint(Ref{Exchange: r.exchange, Part: "header:" + http.CanonicalHeaderKey(name)})
}

func (r *Reply) mint(ref Ref) Value {
	v, err := r.transcript.value(ref)
	if err != nil {
		return Value{ref: ref, speech: r.transcript.Speech}
	}
	return v
}

// Speech is that of the target which replied, nil where it has none.
func (r *Reply) Speech() Speech { return r.transcript.Speech }

// Success reports whether the status is 2xx.
func (r *Reply) Success() bool { return r.Status >= 200 && r.Status < 300 }

// Text returns the string at a JSON pointer of the live body, which is not redacted, for a drive that has to use it. It
// returns "" if the string is too long for a path.
func (r *Reply) Text(pointer string) string {
	doc, err := r.decoded()
	if err != nil {
		return ""
	}
	text := textAt(doc, pointer)
	if len(text) > r.longest {
		return ""
	}
	return strings.Clone(text) // a substring would keep the whole body in memory
}

// decoded returns the decoded live body. If nothing was redacted, that is the recorded one.
func (r *Reply) decoded() (any, error) {
	if text, ok := r.transcript.Document(r.exchange); ok && text == string(r.Body) {
		return r.transcript.body(r.exchange)
	}
	return decode(r.transcript.heard(string(r.Body)))
}

func textAt(doc any, pointer string) string {
	v, _ := lookup(doc, pointer)
	s, _ := v.(string)
	return s
}
