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
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Client sends the requests of a drive and records them. It is safe for concurrent use.
type Client struct {
	network    *Network
	base       *url.URL // of the host
	key        string   // the credential
	blank      string   // its placeholder in records
	http       *http.Client
	transport  *http.Transport
	transcript *Transcript
	held       *held
	free       bool                     // its requests are not counted
	waited     *atomic.Int64            // ns that its requests were held back
	misfits    *atomic.Pointer[failure] // the first request that does not fit the contract
	rank       *atomic.Int64            // of its requests, where the target is limited; 0 for none: see GoFirst
}

// Other returns a client with the credential of another tenant and the same transcript, nil if there is no such
// credential.
func (c *Client) Other() *Client {
	return c.with(c.network.target.OtherKey, OtherTenant)
}

// Voter returns a client with the credential of a further principal of the tenant, counted from 0, and the same
// transcript, nil if there is no such credential.
func (c *Client) Voter(i int) *Client {
	if i < 0 || i >= len(c.network.target.VoterKeys) {
		return nil
	}
	return c.with(c.network.target.VoterKeys[i], fmt.Sprintf("<secret of voter %d>", i+1))
}

// LowScope returns a client with a credential of the tenant that may not answer interrupts and the same transcript, nil
// if there is no such credential.
func (c *Client) LowScope() *Client {
	return c.with(c.network.target.LowScopeKey, "<secret of low scope>")
}

// SecondName is the target's name for the second host.
const SecondName = "second"

// Second returns a client of the second host, with its credential and the same transcript, nil if there is none.
func (c *Client) Second() *Client {
	if c.network.second == nil {
		return nil
	}
	second := *c
	second.base, second.key, second.blank = c.network.second, c.network.target.SecondKey, "<secret of the second host>"
	return &second
}

// with returns a client with another credential, nil if that is empty.
func (c *Client) with(key, blank string) *Client {
	if key == "" {
		return nil
	}
	other := *c
	other.key, other.blank = key, blank
	return &other
}

// HostSecret stands for [Target.HostSecret] in the body of a call. Drives do not know it, and records hold a placeholder.
const HostSecret = "{{host-secret}}"

// HostSecretLength returns the number of characters of [Target.HostSecret], 0 if there is none.
func (c *Client) HostSecretLength() int { return utf8.RuneCountInString(c.network.target.HostSecret) }

// withSecret returns a body with the secret in place of what stands for it.
func (c *Client) withSecret(body []byte) ([]byte, error) {
	if !bytes.Contains(body, []byte(HostSecret)) {
		return body, nil
	}
	quoted, err := json.Marshal(c.network.target.HostSecret)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(body, []byte(HostSecret), quoted[1:len(quoted)-1]), nil
}

// Call is a request to send.
type Call struct {
	Operation Operation // gives Method and Path, where it has a name
	Method    string
	Path      string // below the base URL, escaped, with its query
	Body      any    // encoded as JSON; []byte is sent as it is, nil as no body
	Header    map[string]string
	Label     string     // its purpose, in words of the scenario
	Secrets   []string   // JSON pointers of tokens in the reply, which no record may hold
	Anonymous bool       // send no credential
	Carries   Credential // what it carries in place of the client's credential
	Discovery bool       // use the larger limit of bodies
	Route     string     // its path in the contract, where the target has it elsewhere; "" is Path without its query
}

// Transcript returns what the client has recorded.
func (c *Client) Transcript() *Transcript { return c.transcript }

// Continue has the transcript of an earlier part of the drive come before what the client records. Call it first.
func (c *Client) Continue(t *Transcript) { c.transcript = t }

// Redactor returns the redactor, to hide secrets that the drive learns.
func (c *Client) Redactor() *Redactor { return c.network.redactor }

// Speech is that of the target, nil where it has none.
func (c *Client) Speech() Speech { return c.transcript.Speech }

// Now returns the time by the certification's clock.
func (c *Client) Now() time.Time { return c.network.now() }

// Close drops idle connections and releases the memory counted for the drive.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.held.release()
}

// Do sends a call and records the exchange. The error is [ErrNoAnswer], [ErrOverLimit], [ErrUnreadable], [ErrBusy] or
// the context's. A refusal for load (429, or 503 with Retry-After) is obeyed as long as the context lasts.
func (c *Client) Do(ctx context.Context, call Call) (*Reply, error) {
	call, err := c.said(call)
	if err != nil {
		return nil, err
	}
	return c.patiently(ctx, call, func() (*Reply, error) { return c.once(ctx, call) })
}

// GoFirst has the requests of a drive go before those of others from now on where the target is limited, since what it asks hangs
// on time. Of several such drives the first that called it goes first: taking turns, all would be late.
func (c *Client) GoFirst() {
	if c.rank.Load() == 0 {
		c.rank.Store(c.network.throttle.nextRank())
	}
}

// Waited is how long the requests of the drive were held back, all together, since the target, or the operator's rate, would
// have it so. That time says nothing about how fast the target is.
func (c *Client) Waited() time.Duration { return time.Duration(c.waited.Load()) }

func (c *Client) once(ctx context.Context, call Call) (*Reply, error) {
	request, sent, err := c.prepare(ctx, call, "application/json")
	if err != nil {
		return nil, err
	}
	if err := c.spend(call, sent.Body); err != nil {
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
		_, err = c.record(start, c.network.now().Sub(start), call, sent, nil, "", noAnswer(ctx, c.doing(call), err))
		return nil, err
	}
	return c.receive(ctx, start, call, sent, response, limit)
}

func (c *Client) doing(call Call) string {
	return call.Method + " " + clip(c.network.redactor.Clean(call.Path))
}

// receive reads a reply's body within its limits and records the exchange.
func (c *Client) receive(
	ctx context.Context, start time.Time, call Call, sent Request, response *http.Response, limit int64,
) (*Reply, error) {
	body, weight, err := c.body(ctx, call, response, limit)
	took := c.network.now().Sub(start)
	if err == nil {
		err = c.decodeInTurn(ctx, c.doing(call), weight)
	}
	if err != nil {
		body = nil
	}
	text := string(body)
	doc, longest := c.hide(call.Secrets, text)
	if longest > c.network.limits.PathBytes {
		text, doc, err = "", nil, overLimit(c.doing(call), "a token in it is longer than %d bytes", c.network.limits.PathBytes)
	}
	n, err := c.record(start, took, call, sent, response, text, err)
	if err != nil {
		return nil, err
	}
	if doc != nil {
		c.transcript.remember(n, text, doc)
	}
	certificate := ""
	if call.Discovery {
		certificate = leaf(response.TLS)
	}
	return &Reply{
		Status: response.StatusCode, Header: response.Header, Body: body, certificate: certificate,
		exchange: n, longest: c.network.limits.PathBytes, transcript: c.transcript,
	}, nil
}

// hide registers the secrets of a reply before the reply is recorded. It returns the length of the longest, and the
// decoded reply if it had to decode it. A secret that no request could carry is not registered, or a target could make
// us search every record for megabytes.
func (c *Client) hide(pointers []string, body string) (doc any, longest int) {
	if len(pointers) == 0 {
		return nil, 0
	}
	doc, err := decode(c.transcript.heard(body))
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

// record keeps an exchange in the transcript. It returns err, or an error if there is no room for the exchange.
func (c *Client) record(
	start time.Time, took time.Duration, call Call, sent Request, response *http.Response, body string, err error,
) (int, error) {
	entry := Entry{Kind: "http", At: start.UTC(), Micros: took.Microseconds(), Label: call.Label, Request: &sent}
	var shared int64
	if response != nil {
		entry.Response = &Response{Status: response.StatusCode, Header: c.headers(response.Header)}
		entry.Response.Body, shared = c.held.same(&sent, c.network.redactor.Clean(printable(body)))
	}
	if err != nil {
		entry.Error = c.network.redactor.Clean(err.Error())
	}
	if full := c.held.keepShared(c.doing(call), entry.bytes(), shared); full != nil {
		entry.strip(full.Error())
		err = cmp.Or(err, full)
	}
	return c.transcript.add(entry), err
}

// prepare builds the request. Bodies have a Content-Length, since some hosts cannot read chunked ones.
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
	body, err := c.withSecret(body)
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
	if agent := c.network.target.UserAgent; agent != "" {
		request.Header.Set("User-Agent", agent)
	}
	if c.base == c.network.base { // not for the second host
		for k, v := range c.network.target.Header {
			request.Header.Set(k, v)
		}
	}
	if c.key != "" && !call.Anonymous && call.Carries == OwnCredential {
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
	sent := Request{
		Method: call.Method, URL: clean(request.URL.Redacted()), Header: c.headers(request.Header),
		Body: clean(printable(string(body))),
	}
	if call.Carries != OwnCredential && call.Carries != NoCredential {
		name, value := c.wrong(call.Carries)
		request.Header.Set(name, value)
		sent.Header[http.CanonicalHeaderKey(name)] = "<" + string(call.Carries) + ">"
	}
	if sent.Misfit, err = c.fits(ctx, call, body); err != nil {
		_, err = c.record(c.network.now(), 0, call, sent, nil, "", err)
		return nil, sent, err
	}
	return request, sent, nil
}

// body reads and vets the body of a response. weight is the size of its document once it is decoded.
func (c *Client) body(ctx context.Context, call Call, response *http.Response, limit int64) (body []byte, weight int64, err error) {
	defer response.Body.Close()
	if err := c.network.inFlight.take(ctx, limit); err != nil {
		return nil, 0, noAnswer(ctx, c.doing(call), err)
	}
	defer c.network.inFlight.give(limit)
	body, err = readAll(io.LimitReader(response.Body, limit+1), min(response.ContentLength, limit))
	switch {
	case int64(len(body)) > limit:
		return nil, 0, overLimit(c.doing(call), "the body is larger than %d bytes", limit)
	case err != nil:
		return nil, 0, noAnswer(ctx, c.doing(call), err)
	}
	if looksLikeJSON(response.Header, body) {
		weight, err = c.network.limits.vetted(c.doing(call), body)
	}
	return body, weight, err
}

// readAll is like [io.ReadAll], with a result of exact capacity. announced is the size in bytes, -1 if unknown.
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

// bodies holds buffers of up to mostKept bytes to read bodies into.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const mostKept = 1 << 20

// looksLikeJSON reports whether a body is meant as JSON, and so has to be vetted.
func looksLikeJSON(h http.Header, body []byte) bool {
	if strings.Contains(h.Get("Content-Type"), "json") && len(body) > 0 {
		return true
	}
	b := bytes.TrimLeft(body, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// noAnswer returns the error of a failed request: [ErrNoAnswer], or the context's if we cancelled the request.
func noAnswer(ctx context.Context, doing string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", doing, context.Canceled)
	}
	if errors.Is(err, errTooManyRedirects) {
		return &failure{kind: ErrOverLimit, doing: doing, cause: err}
	}
	return &failure{kind: ErrNoAnswer, doing: doing, cause: err}
}

// Secret stands in records for the values of the operator's own headers, and for the credential.
const Secret = "<secret>"

// OtherTenant stands in records for the credential of the other tenant.
const OtherTenant = "<secret of the other tenant>"

// headers returns headers for a record, one value a name, with placeholders for credentials and the operator's own
// headers.
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
			out[k] = Secret
		default:
			out[k] = c.network.redactor.Clean(printable(strings.Join(v, ", ")))
		}
	}
	return out
}

// keyed reports whether a header carries the credential.
func (c *Client) keyed(name string) bool {
	return c.network.target.KeyHeader != "" && http.CanonicalHeaderKey(c.network.target.KeyHeader) == name
}

// private reports whether the values of a header must not be recorded.
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

// printable returns text with invalid UTF-8 replaced.
func printable(text string) string {
	if utf8.ValidString(text) { // the usual case, and much faster
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
