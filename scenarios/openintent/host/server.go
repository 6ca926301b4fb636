// Package host is an OpenIntent server as every suite sees it: its operations, their replies, and the checks that
// several themes share.
package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// KeyHeader is the header of a caller's key.
const KeyHeader = "X-API-Key"

// Server is the target as one drive uses it: the operations of the protocol.
type Server struct {
	*scenarios.Conn
	Prefix string        // of every route
	ahead  atomic.Int64  // ns that the server's clock is ahead of ours; drives write several intents at once
	Took   time.Duration // to the first reply, not counting what the request was held back
	Exact  bool          // it was seen to keep whole numbers that no double has
	config wire.Value    // what the server shows of its configuration
}

// DefaultPolicy returns the retry policy of the platform, absent if the server shows none. It applies to what a record does
// not say.
func (s *Server) DefaultPolicy() wire.Value { return s.config.At("/suspension/default_retry_policy") }

// Reply is a reply of the target, as judges see it.
type Reply struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

// Replied returns a reply under the label of its request.
func Replied(asked string, r *wire.Reply) Reply {
	return Reply{Asked: asked, Status: r.StatusValue(), Body: r.Value("")}
}

// Ok reports whether the status is 2xx.
func (r Reply) Ok() bool { return r.Code()/100 == 2 }

// Code returns the HTTP status.
func (r Reply) Code() int64 {
	code, _ := r.Status.Int()
	return code
}

// Prefixes are the prefixes that the routes of a server may have. The texts write /v1 and servers serve /api/v1
// (OIP-R1). There is none if the target's URL includes it.
var Prefixes = []string{"/api/v1", "/v1", ""}

// Open returns the target with the prefix of its routes.
func Open(ctx context.Context, c *scenarios.Conn) *Server {
	s := &Server{Conn: c, Prefix: Prefixes[0]}
	for _, call := range []wire.Call{
		{Method: http.MethodGet, Path: "/server/config", Label: "is this where the routes are"},
		{Method: http.MethodPost, Path: "/intents", Body: struct{}{}, Label: "is this where intents are made"}, // makes none
	} {
		for _, prefix := range Prefixes {
			there := call
			there.Path, there.Route = prefix+call.Path, Prefixes[0]+call.Path
			began, waited := c.Now(), c.Waited()
			reply := c.Do(wire.Misfit(ctx, "OIP-R1"), there)
			s.Took = c.Now().Sub(began) - (c.Waited() - waited)
			if reply.Status != http.StatusNotFound && reply.Status != http.StatusMethodNotAllowed {
				s.Prefix = prefix
				if there.Method == http.MethodGet && reply.Success() {
					s.config = reply.Value("")
				}
				return s
			}
		}
	}
	return s
}

// Call returns a request below the prefix of the routes.
func (s *Server) Call(label, method, path string, body any) wire.Call {
	route, _, _ := strings.Cut(path, "?")
	return wire.Call{Method: method, Path: s.Prefix + path, Route: Prefixes[0] + route, Body: body, Label: label}
}

// Send sends a call with our credential. It ends the drive if the server does not accept the credential.
func (s *Server) Send(ctx context.Context, call wire.Call) Reply {
	reply := s.Do(ctx, call)
	if reply.Status == http.StatusUnauthorized && !call.Anonymous {
		scenarios.End(scenarios.Block(
			fmt.Sprintf("%s %s answered HTTP 401: the server does not accept the credential", call.Method, call.Path),
			"give a key that may make and answer intents with --key, ASSAY_KEY or --key-file"))
	}
	return Replied(call.Label, reply)
}

// SendAs sends a call as another agent. It ends the drive if the server does not know that one's key.
func SendAs(ctx context.Context, other *scenarios.Conn, call wire.Call) Reply {
	reply := other.Do(ctx, call)
	if reply.Status == http.StatusUnauthorized {
		scenarios.End(scenarios.Block("the server does not accept the key of the second agent (HTTP 401)",
			"give a key that the server knows with --voter-key"))
	}
	return Replied(call.Label, reply)
}

// Ask sends a call below the prefix.
func (s *Server) Ask(ctx context.Context, label, method, path string, body any) Reply {
	return s.Send(ctx, s.Call(label, method, path, body))
}

// Get reads a resource.
func (s *Server) Get(ctx context.Context, label, path string) Reply {
	return s.Ask(ctx, label, http.MethodGet, path, nil)
}

// create makes a resource and returns its id; route is the path as reports show it. It ends the drive if the target has
// no such route, or replies without an id.
func (s *Server) create(ctx context.Context, what, route, path string, body any) (id string, made Reply) {
	made = s.Ask(ctx, "make "+what, http.MethodPost, path, body)
	if MissingRoute(made) {
		scenarios.End(scenarios.NotThere(made.Status, "a way to make "+what+" (POST "+s.Prefix+route+")"))
	}
	if id = made.Body.Key("id").String(); !made.Ok() || id == "" {
		s.SetUp("make "+what, made)
	}
	s.setClock(made.Body)
	return id, made
}

// SetUp ends a drive whose setup failed at a step.
func (s *Server) SetUp(step string, r Reply) {
	answer := "HTTP " + r.Status.JSON()
	if r.Ok() {
		answer += " with " + wire.Compact(r.Body.Actual())
	} else if text := reasonOf(r.Body); text != "" {
		answer += ": " + text
	}
	scenarios.End(scenarios.Block("setup failed: could not "+step+": the server answered "+answer,
		"repair that step on the server; another scenario tests it"))
}

// IsBlocked reports whether a drive ends because a step was refused.
func IsBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}

// Lacking reports whether a drive ends because the target lacks what it asks about.
func Lacking(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Missing != ""
}

// MissingRoute reports whether a reply is that of a server without the route.
func MissingRoute(r Reply) bool {
	switch r.Code() {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// At returns a path with its ids escaped.
func At(format string, ids ...string) string {
	escaped := make([]any, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return fmt.Sprintf(format, escaped...)
}

// setClock reads the server's clock from a document that it has just written. Times that a drive writes are by that
// clock.
func (s *Server) setClock(document wire.Value) {
	for _, member := range []string{"updated_at", "created_at"} {
		if t, ok := TimeOf(document.Key(member)); ok {
			s.ahead.Store(int64(t.Sub(s.Now())))
			return
		}
	}
}

// ServerNow returns the time by the server's clock, about as exact as a client's.
func (s *Server) ServerNow() time.Time { return s.Now().Add(time.Duration(s.ahead.Load())).UTC() }
