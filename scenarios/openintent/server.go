package openintent

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

// server is the target as one drive uses it: the protocol's operations, nothing more.
type server struct {
	*scenarios.Conn
	prefix string        // of every route
	ahead  time.Duration // how far the server's clock is before ours
	told   bool          // whether it has told the time
	took   time.Duration // to its first answer
}

// Reply is what the target answered, as judges see it.
type Reply struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func replied(asked string, r *wire.Reply) Reply {
	return Reply{Asked: asked, Status: r.StatusValue(), Body: r.Value("")}
}

// ok says whether the target said that it did what it was asked for.
func (r Reply) ok() bool { return r.code()/100 == 2 }

func (r Reply) code() int64 {
	code, _ := r.Status.Int()
	return code
}

// Prefixes are where the routes of a server may live. The texts write /v1 and servers serve /api/v1 (C1); nothing where a
// proxy has the prefix in the target's own URL.
var Prefixes = []string{"/api/v1", "/v1", ""}

// open finds out below which prefix the routes of the target live.
func open(ctx context.Context, c *scenarios.Conn) *server {
	s := &server{Conn: c, prefix: Prefixes[0]}
	for _, call := range []wire.Call{
		{Method: http.MethodGet, Path: "/server/config", Label: "is this where the routes are"},
		{Method: http.MethodPost, Path: "/intents", Body: struct{}{}, Label: "is this where intents are made"},
	} {
		for _, prefix := range Prefixes {
			there := call
			there.Path = prefix + call.Path
			began := c.Now()
			reply := c.Do(ctx, there)
			s.took = c.Now().Sub(began)
			if reply.Status != http.StatusNotFound && reply.Status != http.StatusMethodNotAllowed {
				s.prefix = prefix
				return s
			}
		}
	}
	return s
}

// call is a request below the prefix of the routes.
func (s *server) call(label, method, path string, body any) wire.Call {
	return wire.Call{Method: method, Path: s.prefix + path, Body: body, Label: label}
}

// send sends a call with our credential. Any status is an answer but one that says that the credential is not accepted.
func (s *server) send(ctx context.Context, call wire.Call) Reply {
	reply := s.Do(ctx, call)
	if reply.Status == http.StatusUnauthorized && !call.Anonymous {
		scenarios.End(scenarios.Block(fmt.Sprintf("%s %s answered HTTP 401: the server does not accept the credential", call.Method, call.Path),
			"give a key that may make and answer intents with --key, ASSAY_KEY or --key-file"))
	}
	return replied(call.Label, reply)
}

// ask is send of a call below the prefix.
func (s *server) ask(ctx context.Context, label, method, path string, body any) Reply {
	return s.send(ctx, s.call(label, method, path, body))
}

// get reads a resource.
func (s *server) get(ctx context.Context, label, path string) Reply {
	return s.ask(ctx, label, http.MethodGet, path, nil)
}

// make makes a resource, whose id it returns. route is its path as reports say it. Where the target has no such route, the drive finds nothing of what it asks
// about; where it answers otherwise without an id, the drive is blocked.
func (s *server) make(ctx context.Context, what, route, path string, body any) (id string, made Reply) {
	made = s.ask(ctx, "make "+what, http.MethodPost, path, body)
	if missingRoute(made) {
		scenarios.End(scenarios.NotThere(made.Status, "a way to make "+what+" (POST "+s.prefix+route+")"))
	}
	if id = made.Body.Key("id").String(); !made.ok() || id == "" {
		s.setUp("make "+what, made)
		return "", made
	}
	s.hear(made.Body)
	return id, made
}

// setUp stops a drive: a step that only prepares the question came to nothing.
func (s *server) setUp(step string, r Reply) {
	said := "HTTP " + r.Status.JSON()
	if r.ok() {
		said += " with " + wire.Compact(r.Body.Actual())
	} else if text := reasonOf(r.Body); text != "" {
		said += ": " + text
	}
	scenarios.End(scenarios.Block("set-up: could not "+step+": the server answered "+said, "have the server "+step+", or see the scenario that asks for that"))
}

// isBlocked says whether a drive stops because a step was refused, and not because nobody answered.
func isBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}

// lacking says whether a drive stops because what it asked for is not there.
func lacking(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Missing != ""
}

// missingRoute says whether an answer is that of a server without the route.
func missingRoute(r Reply) bool {
	switch r.code() {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// at is a path with ids escaped.
func at(format string, ids ...string) string {
	escaped := make([]any, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return fmt.Sprintf(format, escaped...)
}

// hear sets the server's clock by what it has just made or changed: a deadline or a beginning that we write is in its time.
func (s *server) hear(document wire.Value) {
	for _, member := range []string{"updated_at", "created_at"} {
		if t, ok := timeOf(document.Key(member)); ok {
			s.ahead, s.told = t.Sub(s.Now()), true
			return
		}
	}
}

// now is the time on the server's clock, near enough for what a client writes.
func (s *server) now() time.Time { return s.Now().Add(s.ahead).UTC() }
