package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Client sends one drive's requests and records them. It is safe for
// concurrent use.
type Client struct {
	network    *Network
	base       *url.URL // of the host that it asks
	key        string   // the credential it sends
	blank      string   // what the record has in its place
	http       *http.Client
	transport  *http.Transport
	transcript *Transcript
	held       *held
}

// Other sends the same drive's requests with the credential of another tenant,
// into the same transcript. It is nil where there is no such credential.
func (c *Client) Other() *Client {
	return c.with(c.network.target.OtherKey, "<secret of the other tenant>")
}

// Voter sends the same drive's requests with the credential of a further
// principal of the tenant, counted from 0, into the same transcript. It is nil
// where there is no such credential.
func (c *Client) Voter(i int) *Client {
	if i < 0 || i >= len(c.network.target.VoterKeys) {
		return nil
	}
	return c.with(c.network.target.VoterKeys[i], fmt.Sprintf("<secret of voter %d>", i+1))
}

// LowScope sends the same drive's requests with a credential of the tenant that
// may not answer interrupts, into the same transcript. It is nil where there is
// no such credential.
func (c *Client) LowScope() *Client {
	return c.with(c.network.target.LowScopeKey, "<secret of low scope>")
}

// SecondName is the name under which the target knows the second host.
const SecondName = "second"

// Second sends to the second host, with the credential for that, into the same transcript. It is nil where there is none.
func (c *Client) Second() *Client {
	if c.network.second == nil {
		return nil
	}
	second := *c
	second.base, second.key, second.blank = c.network.second, c.network.target.SecondKey, "<secret of the second host>"
	return &second
}

// with is the client with another credential, nil where that is empty.
func (c *Client) with(key, blank string) *Client {
	if key == "" {
		return nil
	}
	other := *c
	other.key, other.blank = key, blank
	return &other
}

// OwnKey stands for the credential in the body of a call, where a drive wants the host to be told it: no drive has it in
// hand, and in every record it is a placeholder.
const OwnKey = "{{key}}"

// KeyLength is how many characters the credential has, 0 where there is none.
func (c *Client) KeyLength() int { return utf8.RuneCountInString(c.key) }

// withKey is a body that tells the credential.
func (c *Client) withKey(body []byte) ([]byte, error) {
	if !bytes.Contains(body, []byte(OwnKey)) {
		return body, nil
	}
	quoted, err := json.Marshal(c.key)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(body, []byte(OwnKey), quoted[1:len(quoted)-1]), nil
}

// Call is one request to be sent.
type Call struct {
	Operation Operation // gives Method and Path, where it has a name
	Method    string
	Path      string // below the base URL, escaped, with its query
	Body      any    // marshalled as JSON; []byte goes out as it is; nil sends no body
	Header    map[string]string
	Label     string   // what it is for, in words of the scenario
	Secrets   []string // JSON pointers of the reply's strings that no record may hold: tokens
	Anonymous bool     // leave the credential out
	Discovery bool     // the larger body limit applies
}

// Reply is a live answer. What a judge may see of it is minted by [Reply.Value].
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // not redacted: it never leaves the drive

	exchange   int
	longest    int // string to act on
	transcript *Transcript
}

// Transcript is what this client recorded so far.
func (c *Client) Transcript() *Transcript { return c.transcript }

// Redactor keeps secrets that the drive learns (tokens) out of the transcript.
func (c *Client) Redactor() *Redactor { return c.network.redactor }

// Speech is that of the target, nil where it has none.
func (c *Client) Speech() Speech { return c.transcript.Speech }

// Now is the certification's clock.
func (c *Client) Now() time.Time { return c.network.now() }

// Close drops idle connections, and counts what the drive has decoded no longer.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.held.release()
}

// Exchange is the number of the reply's entry in the transcript.
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

// Success says whether the status is 2xx.
func (r *Reply) Success() bool { return r.Status >= 200 && r.Status < 300 }

// Text is the string at a JSON pointer of the live body, for a drive that has
// to act on it: a value of the record may have been redacted. It is "" where
// the string is longer than a path may be: nobody could act on it.
func (r *Reply) Text(pointer string) string {
	doc, err := r.decoded()
	if err != nil {
		return ""
	}
	text := textAt(doc, pointer)
	if len(text) > r.longest {
		return ""
	}
	return strings.Clone(text) // it would keep the whole body
}

// decoded is the live body, which is the record's where nothing of it was redacted.
func (r *Reply) decoded() (any, error) {
	if text, ok := r.transcript.Document(r.exchange); ok && text == string(r.Body) {
		return r.transcript.body(r.exchange)
	}
	return decode(string(r.Body))
}

func textAt(doc any, pointer string) string {
	v, _ := lookup(doc, pointer)
	s, _ := v.(string)
	return s
}

// Do sends a call and records the exchange. The error is [ErrNoAnswer],
// [ErrOverLimit], [ErrUnreadable], [ErrBusy] or the context's; any other HTTP status is a reply,
// not an error. A 429 is obeyed twice, for as long as the limits allow.
func (c *Client) Do(ctx context.Context, call Call) (*Reply, error) {
	call, err := c.said(call)
	if err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		reply, err := c.once(ctx, call)
		switch {
		case err != nil:
			return nil, err
		case reply.Status == http.StatusServiceUnavailable, reply.Status == http.StatusTooManyRequests && attempt == 2:
			return nil, &failure{kind: ErrBusy, doing: c.doing(call), detail: fmt.Sprintf("HTTP %d", reply.Status)}
		case reply.Status != http.StatusTooManyRequests:
			return reply, nil
		}
		if err := Pause(ctx, c.retryAfter(reply)); err != nil {
			return nil, err
		}
	}
}

// retryAfter reads seconds only; a date or nonsense counts as a quarter of a second.
func (c *Client) retryAfter(r *Reply) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(r.Header.Get("Retry-After")))
	if err != nil || seconds < 0 {
		return 250 * time.Millisecond
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, c.network.limits.RetryAfter)
}

func (c *Client) once(ctx context.Context, call Call) (*Reply, error) {
	request, sent, err := c.prepare(ctx, call, "application/json")
	if err != nil {
		return nil, err
	}
	if err := c.network.pace.wait(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.network.limits.Request)
	defer cancel()
	limit := c.network.limits.BodyBytes
	if call.Discovery {
		limit = c.network.limits.DiscoveryBytes
	}
	start := c.network.now()
	response, err := c.http.Do(request.WithContext(ctx))
	if err != nil {
		_, err = c.record(start, call, sent, nil, "", noAnswer(ctx, c.doing(call), err))
		return nil, err
	}
	return c.receive(ctx, start, call, sent, response, limit)
}

func (c *Client) doing(call Call) string {
	return call.Method + " " + clip(c.network.redactor.Clean(call.Path))
}

// receive reads a reply's body within its limits and records the exchange.
func (c *Client) receive(ctx context.Context, start time.Time, call Call, sent Request, response *http.Response, limit int64) (*Reply, error) {
	body, err := c.body(ctx, call, response, limit)
	text := string(body)
	doc, longest := c.hide(call.Secrets, text)
	if longest > c.network.limits.PathBytes {
		text, doc, err = "", nil, overLimit(c.doing(call), "a token in it is longer than %d bytes", c.network.limits.PathBytes)
	}
	n, err := c.record(start, call, sent, response, text, err)
	if err != nil {
		return nil, err
	}
	if doc != nil {
		c.transcript.remember(n, text, doc)
	}
	return &Reply{Status: response.StatusCode, Header: response.Header, Body: body, exchange: n, longest: c.network.limits.PathBytes, transcript: c.transcript}, nil
}

// hide registers the secrets of a reply before the reply is recorded, and
// returns the length of the longest, and the reply, if it had to be decoded.
// One that no request could carry is not registered: a target could have us
// look for megabytes in every record.
func (c *Client) hide(pointers []string, body string) (doc any, longest int) {
	if len(pointers) == 0 {
		return nil, 0
	}
	doc, err := decode(body)
	if err != nil {
		return nil, 0
	}
	for _, p := range pointers {
		token := textAt(doc, p)
		longest = max(longest, len(token))
		if len(token) <= c.network.limits.PathBytes {
			c.network.redactor.Hide(strings.Clone(token))
		}
	}
	return doc, longest
}

// record keeps an exchange. The error is err, or says that there is no room for it.
func (c *Client) record(start time.Time, call Call, sent Request, response *http.Response, body string, err error) (int, error) {
	entry := Entry{Kind: "http", At: start.UTC(), Micros: c.network.now().Sub(start).Microseconds(), Label: call.Label, Request: &sent}
	if response != nil {
		entry.Response = &Response{Status: response.StatusCode, Header: c.headers(response.Header), Body: c.network.redactor.Clean(printable(body))}
	}
	if err != nil {
		entry.Error = c.network.redactor.Clean(err.Error())
	}
	if full := c.held.keep(c.doing(call), entry.bytes()); full != nil {
		entry.strip(full.Error())
		err = cmp.Or(err, full)
	}
	return c.transcript.add(entry), err
}

// prepare builds the request. Bodies go out with a Content-Length: not every
// host can read a chunked one.
func (c *Client) prepare(ctx context.Context, call Call, accept string) (*http.Request, Request, error) {
	var body []byte
	switch b := call.Body.(type) {
	case nil:
	case []byte:
		body = b
	default:
		var err error
		if body, err = json.Marshal(b); err != nil {
			return nil, Request{}, fmt.Errorf("%s %s: encoding the request body: %w", call.Method, call.Path, err)
		}
	}
	if c.base == nil {
		return nil, Request{}, fmt.Errorf("%s %s: the target is an executable: start a turn of it", call.Method, call.Path)
	}
	if most := c.network.limits.PathBytes; len(call.Path) > most {
		return nil, Request{}, overLimit(c.doing(call), "an id that the target chose makes the path longer than %d bytes", most)
	}
	body, err := c.withKey(body)
	if err != nil {
		return nil, Request{}, fmt.Errorf("%s %s: encoding the credential: %w", call.Method, call.Path, err)
	}
	request, err := http.NewRequestWithContext(ctx, call.Method, c.base.String()+call.Path, bytes.NewReader(body))
	if err != nil {
		return nil, Request{}, fmt.Errorf("%s %s: building the request: %w", call.Method, call.Path, err)
	}
	if len(body) == 0 {
		request.Body = http.NoBody
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", accept)
	if c.base == c.network.base { // they are for the target
		for k, v := range c.network.target.Header {
			request.Header.Set(k, v)
		}
	}
	if c.key != "" && !call.Anonymous {
		if name := c.network.target.KeyHeader; name != "" {
			request.Header.Set(name, c.key)
		} else {
			request.Header.Set("Authorization", "Bearer "+c.key)
		}
	}
	for k, v := range call.Header {
		request.Header.Set(k, v)
	}
	clean := c.network.redactor.Clean
	return request, Request{Method: call.Method, URL: clean(request.URL.Redacted()), Header: c.headers(request.Header), Body: clean(printable(string(body)))}, nil
}

func (c *Client) body(ctx context.Context, call Call, response *http.Response, limit int64) ([]byte, error) {
	defer response.Body.Close()
	if err := c.network.inFlight.take(ctx, limit); err != nil {
		return nil, noAnswer(ctx, c.doing(call), err)
	}
	defer c.network.inFlight.give(limit)
	body, err := readAll(io.LimitReader(response.Body, limit+1), min(response.ContentLength, limit))
	switch {
	case int64(len(body)) > limit:
		return nil, overLimit(c.doing(call), "the body is larger than %d bytes", limit)
	case err != nil:
		return nil, noAnswer(ctx, c.doing(call), err)
	}
	if looksLikeJSON(response.Header, body) {
		weight, err := c.network.limits.vetted(c.doing(call), body)
		if err != nil {
			return nil, err
		}
		if err := c.held.decode(ctx, c.doing(call), weight); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// readAll is [io.ReadAll] into a slice without slack; announced is the size in bytes, -1 if none was announced.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	b := bodies.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= mostKept {
			b.Reset()
			bodies.Put(b)
		}
	}()
	b.Grow(int(max(announced, 0)) + bytes.MinRead)
	_, err := b.ReadFrom(r)
	return bytes.Clone(b.Bytes()), err
}

// bodies holds buffers that bodies are read into, of up to mostKept bytes each.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const mostKept = 1 << 20

// looksLikeJSON keeps the vetting away from what is not meant as JSON.
func looksLikeJSON(h http.Header, body []byte) bool {
	if strings.Contains(h.Get("Content-Type"), "json") && len(body) > 0 {
		return true
	}
	b := bytes.TrimLeft(body, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// noAnswer tells a target that does not answer from our own cancellation.
func noAnswer(ctx context.Context, doing string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", doing, context.Canceled)
	}
	if errors.Is(err, errTooManyRedirects) {
		return &failure{kind: ErrOverLimit, doing: doing, cause: err}
	}
	return &failure{kind: ErrNoAnswer, doing: doing, cause: err}
}

// headers keeps one value a name. Credentials and the operator's own headers
// are blanked by where they stand, whatever they look like.
func (c *Client) headers(h http.Header) map[string]string {
	if len(h) == 0 {
		return nil
	}
	out := make(map[string]string, len(h))
	for k, v := range h {
		switch {
		case k == "Authorization", c.keyed(k):
			out[k] = c.blank
		case c.private(k):
			out[k] = "<secret>"
		default:
			out[k] = c.network.redactor.Clean(printable(strings.Join(v, ", ")))
		}
	}
	return out
}

// keyed says whether a header is the one in which the credential goes.
func (c *Client) keyed(name string) bool {
	return c.network.target.KeyHeader != "" && http.CanonicalHeaderKey(c.network.target.KeyHeader) == name
}

func (c *Client) private(name string) bool {
	switch name {
	case "Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization":
		return true
	}
	for k := range c.network.target.Header {
		if http.CanonicalHeaderKey(k) == name {
			return true
		}
	}
	return false
}

// printable is text as it survives a JSON file.
func printable(text string) string {
	if utf8.ValidString(text) { // much faster, and nearly always so
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
