package wire

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Overheard is an exchange between a client and a host, as a proxy between them saw it.
type Overheard struct {
	At     time.Time
	Took   time.Duration
	Method string
	URL    *url.URL
	Asked  http.Header
	Sent   []byte // the body of the request
	Status int    // 0 without a reply
	Told   http.Header
	Got    []byte  // the body of the reply, as it was sent; nil for a stream
	Stream bool    // it is a stream of events, in chunks of whole lines
	Chunks []Chunk // of a stream
	Error  string  // why there is no reply, or why it has no end
}

// Entry returns the exchange as an entry of a transcript, without credentials. It registers those that it finds, so that later entries
// do not show them either. A body that is too large or cannot be read is left out, and the entry says why.
func (r *Redactor) Entry(o Overheard, limits Limits) Entry {
	e := Entry{Kind: "http", At: o.At.UTC(), Micros: o.Took.Microseconds(), Error: o.Error}
	body := func(h http.Header, raw []byte, most int64) string {
		plain, err := readable(h, raw, most)
		if err == nil {
			err = r.learnFrom(h, plain)
		}
		if err != nil {
			plain = nil
			e.Error = cmp.Or(e.Error, err.Error())
		}
		return printable(string(plain))
	}
	r.learn(o)
	sent := body(o.Asked, o.Sent, limits.BodyBytes)
	got := ""
	if o.Stream {
		e.Kind = "stream"
		for i, c := range o.Chunks {
			if err := r.learnFromLines(c.Text); err != nil {
				o.Chunks, e.Error = o.Chunks[:i], cmp.Or(e.Error, "the stream from here on: "+err.Error())
				break
			}
		}
	} else if o.Status > 0 {
		got = body(o.Told, o.Got, limits.DiscoveryBytes)
	}
	e.Request = &Request{Method: o.Method, URL: r.Clean(o.URL.Redacted()), Header: r.header(o.Asked), Body: r.Clean(sent)}
	if o.Status > 0 {
		e.Response = &Response{Status: o.Status, Header: r.header(o.Told), Body: r.Clean(got)}
	}
	for _, c := range o.Chunks {
		e.Chunks = append(e.Chunks, Chunk{Micros: c.Micros, Text: r.Clean(printable(c.Text))})
	}
	e.Error = r.Clean(printable(e.Error))
	return e
}

// CallerHeaders returns the headers that say who asks, spelled as net/http does.
func CallerHeaders() []string {
	return []string{"Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token", "Cookie"}
}

// StandIn is the header that a recording has in place of those of [CallerHeaders] where its source left them out.
const StandIn = "Caller"

// notSecret are headers whose names look like those of credentials.
var notSecret = map[string]bool{"Idempotency-Key": true, "Www-Authenticate": true, "Proxy-Authenticate": true}

// secretHeader reports whether the values of a header are credentials.
func secretHeader(name string) bool { return credential.MatchString(name) && !notSecret[name] }

// secretMember matches the names of query parameters and of members of JSON whose values are credentials. It also matches harmless ones,
// such as pageToken: their placeholders still differ.
var secretMember = lazyregexp.New(`(?i)(token|secret|password|passwd|credential|api[-_]?key|access[-_]?key|private[-_]?key|signature)$`)

// leastSecret is the least length in bytes of a credential in such a member.
const leastSecret = 12

// learn registers the credentials that the exchange shows.
func (r *Redactor) learn(o Overheard) {
	for _, h := range []http.Header{o.Asked, o.Told} {
		for name, values := range h {
			if !secretHeader(name) {
				continue
			}
			for _, value := range values {
				r.learnHeader(name, value)
			}
		}
		for _, name := range []string{"Location", "Content-Location", "Referer"} {
			r.learnAddress(h.Get(name))
		}
	}
	r.learnAddress(o.URL.String())
}

// learnAddress registers the credentials in an address: its password, and fields of its query and fragment. OAuth puts tokens into
// fragments. A malformed address may still have fields.
func (r *Redactor) learnAddress(text string) {
	if at, err := url.Parse(text); err == nil {
		if password, has := at.User.Password(); has {
			r.Hide(password)
		}
	}
	text, fragment, _ := strings.Cut(text, "#")
	_, query, _ := strings.Cut(text, "?")
	for _, fields := range []string{query, fragment} {
		values, _ := url.ParseQuery(fields)
		r.learnFields(values)
	}
}

// leastHeader is the least length in bytes of a header's credential that is also looked for elsewhere. A shorter one may be a word.
const leastHeader = 8

func (r *Redactor) learnHeader(name, value string) {
	scheme, credentials, has := strings.Cut(value, " ")
	if !has || !strings.HasSuffix(name, "Authorization") {
		scheme, credentials = "", value
	}
	if len(credentials) >= leastHeader {
		r.Hide(credentials)
	}
	if strings.EqualFold(scheme, "Basic") {
		if plain, err := base64.StdEncoding.DecodeString(credentials); err == nil {
			if _, password, _ := strings.Cut(string(plain), ":"); len(password) >= leastHeader {
				r.Hide(password)
			}
		}
	}
}

// learnFromLines registers the credentials in lines of a stream. It returns an error if it cannot tell whether there are more.
func (r *Redactor) learnFromLines(text string) (err error) {
	for line := range strings.Lines(text) {
		if data, is := strings.CutPrefix(strings.TrimSpace(line), "data:"); is {
			err = cmp.Or(err, r.learnFrom(nil, []byte(strings.TrimSpace(data))))
		}
	}
	return err
}

// A body that may hold credentials has one of these words, in upper or lower case, or an escape. No other body is decoded. A regular
// expression for them took four fifths of a recorder's time.
var hints = [][]byte{[]byte("token"), []byte("secret"), []byte("passw"), []byte("credential"), []byte("key"), []byte("signature"), []byte(`\u`)}

func hinted(body []byte) bool {
	lower := bytes.ToLower(body)
	return slices.ContainsFunc(hints, func(hint []byte) bool { return bytes.Contains(lower, hint) })
}

// learnFrom registers the credentials in a body of JSON or in a form. It returns an error if it cannot tell whether there are more.
func (r *Redactor) learnFrom(h http.Header, body []byte) error {
	switch media, _, _ := mime.ParseMediaType(h.Get("Content-Type")); {
	case media == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		r.learnFields(form)
		return err
	case strings.HasPrefix(media, "multipart/") && hinted(body):
		return errors.New("a body of several parts that may hold credentials was not kept")
	}
	if !hinted(body) || !looksLikeJSON(h, body) {
		return nil
	}
	limits := DefaultLimits()
	if _, err := Vet(body, limits.Depth, limits.NumberChars); err != nil {
		return fmt.Errorf("a body was not kept: %w", err)
	}
	doc, err := decode(string(body))
	if err != nil {
		return fmt.Errorf("a body that may hold credentials and is no JSON document was not kept: %w", err)
	}
	r.learnIn(doc)
	return nil
}

// learnFields registers the credentials among the fields of a query or a form.
func (r *Redactor) learnFields(fields url.Values) {
	for name, values := range fields {
		for _, value := range values {
			r.learnMember(name, value)
		}
	}
}

func (r *Redactor) learnMember(name, value string) {
	if len(value) >= leastSecret && len(value) <= DefaultLimits().PathBytes && secretMember.MatchString(name) {
		r.Hide(strings.Clone(value))
	}
}

func (r *Redactor) learnIn(doc any) {
	switch v := doc.(type) {
	case map[string]any:
		for name, member := range v {
			if text, is := member.(string); is {
				r.learnMember(name, text)
			}
			r.learnIn(member)
		}
	case []any:
		for _, item := range v {
			r.learnIn(item)
		}
	}
}

// header returns headers for a record, one value a name.
func (r *Redactor) header(h http.Header) map[string]string {
	if len(h) == 0 {
		return nil
	}
	out := make(map[string]string, len(h))
	for name, values := range h {
		text := r.Clean(printable(strings.Join(values, ", ")))
		if secretHeader(name) && !HoldsSecret(text) {
			text = Secret // too short to be looked for elsewhere
		}
		out[name] = text
	}
	return out
}

// readable returns a body without its compression.
func readable(h http.Header, body []byte, most int64) ([]byte, error) {
	if int64(len(body)) > most {
		return nil, fmt.Errorf("a body is larger than %d bytes, and was not kept", most)
	}
	switch encoding := strings.ToLower(h.Get("Content-Encoding")); {
	case len(body) == 0, encoding == "", encoding == "identity":
		return body, nil
	case encoding != "gzip":
		return nil, fmt.Errorf("a body is compressed with %s, and was not kept", clip(encoding))
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("a compressed body cannot be read: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("a compressed body cannot be read: %w", err)
	case int64(len(plain)) > most:
		return nil, fmt.Errorf("a body is larger than %d bytes, and was not kept", most)
	}
	return plain, nil
}
