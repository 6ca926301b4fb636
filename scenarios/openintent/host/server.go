// Package host is an OpenIntent server as every suite sees it: its operations, what they answer, and what judges of several
// themes ask of that.
package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// keyHeader is where a caller says who it is.
const KeyHeader = "X-API-Key"

// server is the target as one drive uses it: the protocol's operations, nothing more.
type Server struct {
	*scenarios.Conn
	Prefix string        // of every route
	ahead  time.Duration // how far the server's clock is before ours
	told   bool          // whether it has told the time
	Took   time.Duration // to its first answer
}

// Reply is what the target answered, as judges see it.
type Reply struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func Replied(asked string, r *wire.Reply) Reply {
	return Reply{Asked: asked, Status: r.StatusValue(), Body: r.Value("")}
}

// Ok says whether the target said that it did what it was asked for.
func (r Reply) Ok() bool { return r.Code()/100 == 2 }

func (r Reply) Code() int64 {
	code, _ := r.Status.Int()
	return code
}

// Prefixes are where the routes of a server may live. The texts write /v1 and servers serve /api/v1 (OIP-R1); nothing where a
// proxy has the prefix in the target's own URL.
var Prefixes = []string{"/api/v1", "/v1", ""}

// Open finds out below which prefix the routes of the target live.
func Open(ctx context.Context, c *scenarios.Conn) *Server {
	s := &Server{Conn: c, Prefix: Prefixes[0]}
	for _, call := range []wire.Call{
		{Method: http.MethodGet, Path: "/server/config", Label: "is this where the routes are"},
		{Method: http.MethodPost, Path: "/intents", Body: struct{}{}, Label: "is this where intents are made"},
	} {
		for _, prefix := range Prefixes {
			there := call
			there.Path = prefix + call.Path
			began := c.Now()
			reply := c.Do(ctx, there)
			s.Took = c.Now().Sub(began)
			if reply.Status != http.StatusNotFound && reply.Status != http.StatusMethodNotAllowed {
				s.Prefix = prefix
				return s
			}
		}
	}
	return s
}

// Call is a request below the prefix of the routes.
func (s *Server) Call(label, method, path string, body any) wire.Call {
	return wire.Call{Method: method, Path: s.Prefix + path, Body: body, Label: label}
}

// Send sends a call with our credential. Any status is an answer but one that says that the credential is not accepted.
func (s *Server) Send(ctx context.Context, call wire.Call) Reply {
	reply := s.Do(ctx, call)
	if reply.Status == http.StatusUnauthorized && !call.Anonymous {
		scenarios.End(scenarios.Block(fmt.Sprintf("%s %s answered HTTP 401: the server does not accept the credential", call.Method, call.Path),
			"give a key that may make and answer intents with --key, ASSAY_KEY or --key-file"))
	}
	return Replied(call.Label, reply)
}

// Ask is send of a call below the prefix.
func (s *Server) Ask(ctx context.Context, label, method, path string, body any) Reply {
	return s.Send(ctx, s.Call(label, method, path, body))
}

// Get reads a resource.
func (s *Server) Get(ctx context.Context, label, path string) Reply {
	return s.Ask(ctx, label, http.MethodGet, path, nil)
}

// make makes a resource, whose id it returns. route is its path as reports say it. Where the target has no such route, the drive finds nothing of what it asks
// about; where it answers otherwise without an id, the drive is blocked.
func (s *Server) make(ctx context.Context, what, route, path string, body any) (id string, made Reply) {
	made = s.Ask(ctx, "make "+what, http.MethodPost, path, body)
	if MissingRoute(made) {
		scenarios.End(scenarios.NotThere(made.Status, "a way to make "+what+" (POST "+s.Prefix+route+")"))
	}
	if id = made.Body.Key("id").String(); !made.Ok() || id == "" {
		s.SetUp("make "+what, made)
		return "", made
	}
	s.hear(made.Body)
	return id, made
}

// SetUp stops a drive: a step that only prepares the question came to nothing.
func (s *Server) SetUp(step string, r Reply) {
	said := "HTTP " + r.Status.JSON()
	if r.Ok() {
		said += " with " + wire.Compact(r.Body.Actual())
	} else if text := reasonOf(r.Body); text != "" {
		said += ": " + text
	}
	scenarios.End(scenarios.Block("set-up: could not "+step+": the server answered "+said, "have the server "+step+", or see the scenario that asks for that"))
}

// IsBlocked says whether a drive stops because a step was refused, and not because nobody answered.
func IsBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}

// Lacking says whether a drive stops because what it asked for is not there.
func Lacking(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Missing != ""
}

// MissingRoute says whether an answer is that of a server without the route.
func MissingRoute(r Reply) bool {
	switch r.Code() {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// At is a path with ids escaped.
func At(format string, ids ...string) string {
	escaped := make([]any, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return fmt.Sprintf(format, escaped...)
}

// hear sets the server's clock by what it has just made or changed: a deadline or a beginning that we write is in its time.
func (s *Server) hear(document wire.Value) {
	for _, member := range []string{"updated_at", "created_at"} {
		if t, ok := TimeOf(document.Key(member)); ok {
			s.ahead, s.told = t.Sub(s.Now()), true
			return
		}
	}
}

// ServerNow is the time on the server's clock, near enough for what a client writes.
func (s *Server) ServerNow() time.Time { return s.Now().Add(s.ahead).UTC() }
