package support

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
)

// StrictHandlerFunc answers a request that was decoded: request is the operation's RequestObject, and the result its
// ResponseObject. A middleware that returns nil has written the response by itself.
type StrictHandlerFunc func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (response any, err error)

// StrictMiddlewareFunc wraps the handling of an operation, between decoding its request and writing its response.
type StrictMiddlewareFunc func(next StrictHandlerFunc, operation string) StrictHandlerFunc

// ServerOptions sets up the handler of an API.
type ServerOptions struct {
	BaseURL    string   // a path before all others
	BaseRouter ServeMux // nil: a new Router. http.ServeMux does not take all paths that OpenAPI has
	// Middlewares wrap each operation; the last is the outermost.
	Middlewares       []func(http.Handler) http.Handler
	StrictMiddlewares []StrictMiddlewareFunc
	// RequestError answers a request that cannot be decoded. nil: 400 with the message, 413 or 415 where that says more.
	RequestError func(w http.ResponseWriter, r *http.Request, err error)
	// ResponseError answers when an operation returns an error. nil: 500 without a word of it.
	ResponseError func(w http.ResponseWriter, r *http.Request, err error)
	// Aborted is told of a response that broke when its header was out: a body that could not be read to its end, a stream
	// that ended with an error. The connection is cut, so that the client does not take it for whole. nil: nobody is told.
	Aborted func(r *http.Request, err error)
	MaxBody int64 // the most bytes of a decoded body. 0: 64 MiB
}

// UnsupportedMediaTypeError says that a body is of a media type that its operation does not take.
type UnsupportedMediaTypeError struct{ Got string }

func (e *UnsupportedMediaTypeError) Error() string {
	if e.Got == "" {
		return "the body has no Content-Type: send one that the operation takes"
	}
	return fmt.Sprintf("Content-Type %q is not one that the operation takes", e.Got)
}

// ErrNoBody says that a body is missing.
var ErrNoBody = errors.New("the body is missing: send one")

func badRequest(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadRequest
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		status = http.StatusRequestEntityTooLarge
	}
	if media := (*UnsupportedMediaTypeError)(nil); errors.As(err, &media) {
		status = http.StatusUnsupportedMediaType
	}
	http.Error(w, err.Error(), status)
}

func badResponse(w http.ResponseWriter, _ *http.Request, _ error) {
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// incoming is a request that is being decoded. Its first error stays.
type incoming struct {
	w     http.ResponseWriter
	r     *http.Request
	most  int64
	query url.Values
	err   error
}

func (o *ServerOptions) incoming(w http.ResponseWriter, r *http.Request) *incoming {
	in := &incoming{w: w, r: r, most: o.MaxBody}
	if in.most == 0 {
		in.most = defaultMaxBody
	}
	if r.URL.RawQuery != "" {
		if in.query, in.err = url.ParseQuery(r.URL.RawQuery); in.err != nil {
			in.err = &InvalidParamFormatError{"query", in.err}
		}
	}
	return in
}

// param decodes a parameter into its field.
func (in *incoming) param(p parameter, to any) {
	if in.err == nil {
		_, in.err = p.read(in.r, in.query, to)
	}
}

// media returns the index of the first media type that the body fits, or -1 if there is no body to decode.
func (in *incoming) media(required bool, types ...string) int {
	if in.err != nil {
		return -1
	}
	sent := in.r.Header.Get("Content-Type")
	if in.r.Body == nil || in.r.Body == http.NoBody || in.r.ContentLength == 0 && sent == "" {
		if required {
			in.err = ErrNoBody
		}
		return -1
	}
	if sent == "" && len(types) == 1 {
		return 0
	}
	if got, _, err := mime.ParseMediaType(sent); err == nil {
		for _, fits := range []func(got, want string) bool{func(got, want string) bool { return got == want }, mediaFits} {
			for i, want := range types {
				if fits(got, want) {
					return i
				}
			}
		}
	}
	in.err = &UnsupportedMediaTypeError{sent}
	return -1
}

func (in *incoming) all() []byte {
	body, err := io.ReadAll(http.MaxBytesReader(in.w, in.r.Body, in.most))
	if err != nil {
		in.err = fmt.Errorf("read body: %w", err)
	}
	return body
}

// json decodes the body into *to, a pointer to a field that is a pointer or can be nil.
func (in *incoming) json(required bool, to any) {
	body := in.all()
	if in.err != nil {
		return
	}
	if len(bytes.TrimSpace(body)) == 0 {
		if required {
			in.err = ErrNoBody
		}
		return
	}
	if err := Decode(body, to); err != nil {
		in.err = fmt.Errorf("body: %w", err)
	}
}

// form decodes a body that is a form.
func (in *incoming) form(s *shape, to any) {
	body := in.all()
	if in.err != nil {
		return
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		in.err = &InvalidParamFormatError{"body", err}
		return
	}
	p := parameter{name: "body", style: "form", explode: true, shape: *s}
	raw, _, err := p.spread(values)
	if err == nil {
		err = decodeValue(raw, reflect.ValueOf(to).Elem())
	}
	if err != nil {
		in.err = fmt.Errorf("body: %w", err)
	}
}

// text reads a body as text.
func (in *incoming) text() *string {
	s := string(in.all())
	return &s
}

// parts reads a body of several parts.
func (in *incoming) parts() *multipart.Reader {
	parts, err := in.r.MultipartReader()
	if err != nil {
		in.err = fmt.Errorf("body: %w", err)
	}
	return parts
}

// serve runs an operation on a request that was decoded, and has its response written.
func (o *ServerOptions) serve(in *incoming, operation string, request any, handle func(ctx context.Context, request any) (any, error),
	write func(response any) (known bool, err error)) {
	if in.err != nil {
		o.RequestError(in.w, in.r, in.err)
		return
	}
	handler := func(ctx context.Context, _ http.ResponseWriter, _ *http.Request, request any) (any, error) {
		response, err := handle(ctx, request)
		if err == nil && response == nil { // a middleware that has answered may return nil, an operation may not
			err = fmt.Errorf("%s returned no response and no error", operation)
		}
		return response, err
	}
	next := StrictHandlerFunc(handler)
	for _, m := range o.StrictMiddlewares {
		next = m(next, operation)
	}
	response, err := next(in.r.Context(), in.w, in.r, request)
	if err == nil && response != nil {
		var known bool
		if known, err = write(response); !known {
			err = fmt.Errorf("%s returned a %T, which is no response of it", operation, response)
		}
	}
	var broke *brokenOff
	switch {
	case errors.As(err, &broke):
		if o.Aborted != nil {
			o.Aborted(in.r, broke.err)
		}
		panic(http.ErrAbortHandler)
	case err != nil:
		o.ResponseError(in.w, in.r, err)
	}
}

// brokenOff is an error that came when the header of a response was out already.
type brokenOff struct{ err error }

func (e *brokenOff) Error() string { return e.err.Error() }

// afterHeader marks an error as one that came when the header was out; nil stays nil.
func afterHeader(err error) error {
	if err == nil {
		return nil
	}
	return &brokenOff{err}
}

// ready fills in what was left out.
func (o ServerOptions) ready() *ServerOptions {
	if o.BaseRouter == nil {
		o.BaseRouter = NewRouter()
	}
	if o.RequestError == nil {
		o.RequestError = badRequest
	}
	if o.ResponseError == nil {
		o.ResponseError = badResponse
	}
	return &o
}

// handle registers an operation.
func (o *ServerOptions) handle(method, path string, f http.HandlerFunc) {
	var h http.Handler = f
	for _, m := range o.Middlewares {
		h = m(h)
	}
	o.BaseRouter.HandleFunc(method+" "+o.BaseURL+path, h.ServeHTTP)
}

// writeJSON writes a response of JSON.
func writeJSON(w http.ResponseWriter, status int, media string, v any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, err := b.WriteTo(w)
	return afterHeader(err)
}

// writeText writes a response of text.
func writeText(w http.ResponseWriter, status int, media, text string) error {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, err := io.WriteString(w, text)
	return afterHeader(err)
}

// writeForm writes a response that is a form.
func writeForm(w http.ResponseWriter, status int, media string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	values := url.Values{}
	for _, q := range (parameter{style: "form", explode: true}).queries(raw) {
		values.Add(q.name, q.value)
	}
	return writeText(w, status, media, values.Encode())
}

// copyBody writes a response from a reader, which it closes.
func copyBody(w http.ResponseWriter, status int, media string, length int64, body io.Reader) (err error) {
	if media != "" {
		w.Header().Set("Content-Type", media)
	}
	if length > 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	}
	w.WriteHeader(status)
	if body == nil {
		return nil
	}
	if c, ok := body.(io.Closer); ok {
		defer func() { err = errors.Join(err, afterHeader(c.Close())) }()
	}
	_, err = io.Copy(w, body)
	return afterHeader(err)
}

// setHeader writes a header of a response.
func setHeader(w http.ResponseWriter, p parameter, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("header %s: %w", p.name, err)
	}
	w.Header().Set(p.name, p.path(raw, func(s string) string { return s }))
	return nil
}
