package support

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Doer sends a request; *http.Client is one.
type Doer interface {
	Do(req *http.Request) (*http.Response, error)
}

// RequestEditorFn changes a request before it is sent, to add credentials for instance.
type RequestEditorFn func(ctx context.Context, req *http.Request) error

// Client calls the operations of the API. Its methods return what the server sent as it is; those of ClientWithResponses
// decode it.
type Client struct {
	Server         string // the URL before all paths
	Client         Doer   // nil: http.DefaultClient
	RequestEditors []RequestEditorFn
	// Check judges the body of each reply that ClientWithResponses decodes, by the JSON pointer of its schema in the
	// bundled document. nil: none is judged.
	Check func(schema string, body []byte) error
	// MaxBody is the most bytes of a reply that are read. 0: 64 MiB.
	MaxBody int64
}

// ClientOption sets up a client.
type ClientOption func(*Client) error

// NewClient returns a client of the server at a URL.
func NewClient(server string, options ...ClientOption) (*Client, error) {
	if u, err := url.Parse(server); err != nil || u.Scheme == "" && u.Host == "" && !strings.HasPrefix(server, "/") {
		return nil, fmt.Errorf("the server's address %q is no URL: write it like https://example.com/v1", server)
	}
	c := &Client{Server: server}
	for _, o := range options {
		if err := o(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// WithHTTPClient sends requests with another client than http.DefaultClient.
func WithHTTPClient(d Doer) ClientOption {
	return func(c *Client) error { c.Client = d; return nil }
}

// WithRequestEditorFn has each request changed before it is sent.
func WithRequestEditorFn(f RequestEditorFn) ClientOption {
	return func(c *Client) error { c.RequestEditors = append(c.RequestEditors, f); return nil }
}

// WithResponseCheck judges the body of each reply before it is decoded, by the JSON pointer of its schema in the bundled
// document.
func WithResponseCheck(check func(schema string, body []byte) error) ClientOption {
	return func(c *Client) error { c.Check = check; return nil }
}

// ClientWithResponses calls the operations of the API and decodes the replies.
type ClientWithResponses struct{ Client *Client }

// NewClientWithResponses returns a client of the server at a URL, which decodes the replies.
func NewClientWithResponses(server string, options ...ClientOption) (*ClientWithResponses, error) {
	c, err := NewClient(server, options...)
	if err != nil {
		return nil, err
	}
	return &ClientWithResponses{c}, nil
}

// call is a request in the making. Its first error stays.
type call struct {
	method  string
	path    string
	query   []string
	header  http.Header
	cookies []string
	body    io.Reader
	err     error
}

func newCall(method string) *call { return &call{method: method, header: http.Header{}} }

// literal adds a part of the path as it is.
func (c *call) literal(s string) *call { c.path += s; return c }

// set adds a parameter. A value that was not set is passed over.
func (c *call) set(p parameter, value any, set bool) *call {
	if !set || c.err != nil {
		return c
	}
	raw, err := json.Marshal(value)
	if err != nil {
		c.err = fmt.Errorf("parameter %s: %w", p.name, err)
		return c
	}
	switch p.in {
	case "path":
		text := p.path(raw, url.PathEscape)
		if text == "" {
			c.err = &RequiredParamError{p.name}
		}
		if text == "." || text == ".." {
			text = strings.ReplaceAll(text, ".", "%2E") // a path is cleaned of these
		}
		c.path += text
	case "query":
		for _, q := range p.queries(raw) {
			c.query = append(c.query, url.QueryEscape(q.name)+"="+url.QueryEscape(q.value))
		}
	case "header":
		text := p.path(raw, func(s string) string { return s })
		if strings.ContainsAny(text, "\r\n") {
			c.err = &InvalidParamFormatError{p.name, errors.New("a header has one line")}
		}
		c.header.Set(p.name, text)
	case "cookie":
		for _, q := range p.queries(raw) {
			cookie := &http.Cookie{Name: q.name, Value: q.value}
			if err := cookie.Valid(); err != nil { // it would be sent without some of its bytes
				c.err = &InvalidParamFormatError{p.name, err}
				break
			}
			c.cookies = append(c.cookies, cookie.String())
		}
	}
	return c
}

// json sets the body to a value as JSON.
func (c *call) json(media string, value any, set bool) *call {
	if !set {
		return c
	}
	b, err := json.Marshal(value)
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("body: %w", err)
	}
	return c.raw(media, bytes.NewReader(b))
}

// form sets the body to the members of a value as a form.
func (c *call) form(media string, value any, set bool) *call {
	if !set {
		return c
	}
	raw, err := json.Marshal(value)
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("body: %w", err)
		return c
	}
	var pairs []string
	for _, q := range (parameter{style: "form", explode: true}).queries(raw) {
		pairs = append(pairs, url.QueryEscape(q.name)+"="+url.QueryEscape(q.value))
	}
	return c.raw(media, strings.NewReader(strings.Join(pairs, "&")))
}

// raw sets the body.
func (c *call) raw(media string, body io.Reader) *call {
	if body == nil {
		return c
	}
	if reflect.ValueOf(body).Kind() == reflect.Pointer && reflect.ValueOf(body).IsNil() {
		return c
	}
	c.body = body
	c.header.Set("Content-Type", media)
	return c
}

// request makes the request.
func (c *call) request(ctx context.Context, server string) (*http.Request, error) {
	if c.err != nil {
		return nil, c.err
	}
	address := strings.TrimSuffix(server, "/") + c.path
	if len(c.query) > 0 {
		address += "?" + strings.Join(c.query, "&")
	}
	r, err := http.NewRequestWithContext(ctx, c.method, address, c.body)
	if err != nil {
		return nil, err
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	if len(c.cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(c.cookies, "; "))
	}
	return r, nil
}

// send makes the request, has it edited and sends it.
func (c *Client) send(ctx context.Context, made *call, editors []RequestEditorFn) (*http.Response, error) {
	r, err := made.request(ctx, c.Server)
	if err != nil {
		return nil, err
	}
	for _, edit := range append(c.RequestEditors[:len(c.RequestEditors):len(c.RequestEditors)], editors...) {
		if err := edit(ctx, r); err != nil {
			return nil, err
		}
	}
	if c.Client == nil {
		return http.DefaultClient.Do(r)
	}
	return c.Client.Do(r)
}

// whole reads the body of a reply.
func (c *Client) whole(r *http.Response) (body []byte, err error) {
	defer func() { err = errors.Join(err, r.Body.Close()) }()
	most := c.MaxBody
	if most == 0 {
		most = defaultMaxBody
	}
	if body, err = io.ReadAll(io.LimitReader(r.Body, most+1)); err != nil {
		return body, fmt.Errorf("read reply: %w", err)
	}
	if int64(len(body)) > most {
		return nil, fmt.Errorf("read reply: it is larger than %d bytes: raise MaxBody", most)
	}
	return body, nil
}

// isMedia reports whether a reply has a media type; "application/*" and "*/*" are patterns.
func isMedia(h http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && mediaFits(got, want)
}

// decodeReply judges and decodes the body of a reply.
func (c *Client) decodeReply(schema string, body []byte, to any) error {
	if c.Check != nil && schema != "" {
		if err := c.Check(schema, body); err != nil {
			return fmt.Errorf("reply: %w", err)
		}
	}
	if err := Decode(body, to); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	return nil
}
