package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Stranger is somebody without access, by what is sent in place of a credential.
type Stranger string

const (
	noCredential Stranger = "without a credential"
	unknownKey   Stranger = "with a key that the host does not know"
)

// asStranger sends a call as somebody without access. The operator's own
// headers go out with every request and may be a credential as well: then
// nobody here can play a stranger.
func (h host) asStranger(ctx context.Context, who Stranger, call wire.Call) (*wire.Reply, error) {
	call.Anonymous = true
	if who == unknownKey {
		call.Header = map[string]string{"Authorization": "Bearer assay-" + h.marker()}
	}
	reply, err := h.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	for name, value := range h.Transcript().Entry(reply.Exchange()).Request.Header {
		if value == "<secret>" && (name != "Authorization" || who == noCredential) {
			return nil, scenarios.Block("the header "+name+" goes out with every request, so nobody is without a credential", "give the credential with --key in place of --header")
		}
	}
	return reply, nil
}

// StrangerCall is one operation, asked for by somebody without access: on a run
// that exists and on one that does not.
type StrangerCall struct {
	Who      Stranger `json:"who"`
	Existing Answered `json:"existing"`
	Missing  Answered `json:"missing"` // zero where the operation is on no run
	Needed   bool     `json:"needed"`  // every host has this operation
}

// StrangersObservation is what strangers were answered.
type StrangersObservation struct {
	Created Answered       `json:"created"` // with the credential
	Read    Answered       `json:"read"`
	Calls   []StrangerCall `json:"calls"`
}

// runOperation is an operation on a run.
type runOperation struct {
	what, method, suffix string
	body                 any
	needed               bool
}

var runOperations = []runOperation{
	{"the run", http.MethodGet, "", nil, true},
	{"the log of the run", http.MethodGet, "/events/poll?timeout=1", nil, true},
	{"the stream of the run", http.MethodGet, "/events", nil, true},
	{"to cancel the run", http.MethodPost, "/cancel", map[string]any{}, true},
	{"to answer an interrupt of the run", http.MethodPost, "/interrupts/nobody", map[string]any{"resumeValue": map[string]any{"action": "accept"}}, false},
}

func (op runOperation) on(id string) wire.Call {
	return wire.Call{Method: op.method, Path: runPath(id) + op.suffix, Body: op.body, Label: op.what, Secrets: interruptTokens}
}

// withoutAccess has strangers try every operation on a run that has ended, and on one that never was.
var withoutAccess = &scenarios.Drive[StrangersObservation]{
	ID:    "openwop/strangers",
	Title: "makes a run, and asks for it and for one that never was without a credential and with one that the host cannot know",
	Sends: []string{"POST /v1/runs", "as a stranger, of the run and of one that never was: GET /v1/runs/{runId}", "GET .../events/poll", "GET .../events", "POST .../cancel", "POST .../interrupts/{nodeId}",
		"as a stranger: POST /v1/runs"},
	Run: func(ctx context.Context, c *scenarios.Conn) (StrangersObservation, error) {
		h := host{c}
		var o StrangersObservation
		simple, err := h.simple()
		if err != nil {
			return o, err
		}
		r, err := h.create(ctx, "create a run", simple)
		if err != nil {
			return o, err
		}
		if o.Created = answered("a run", r.Created); r.ID == "" {
			return o, nil
		}
		if _, err := r.ended(ctx); err != nil { // its stream is a short one then
			return o, err
		}
		read, err := r.snapshot(ctx, "the run, with the credential")
		if err != nil {
			return o, err
		}
		o.Read = answered("the run", read)
		for _, who := range []Stranger{noCredential, unknownKey} {
			call, err := h.strangersRun(ctx, who, simple)
			if err != nil {
				return o, err
			}
			o.Calls = append(o.Calls, call)
			for _, op := range runOperations {
				call := StrangerCall{Who: who, Needed: op.needed}
				existing, err := h.asStranger(ctx, who, op.on(r.ID))
				if err != nil {
					return o, err
				}
				missing, err := h.asStranger(ctx, who, op.on(strangerOf(r.ID)))
				if err != nil {
					return o, err
				}
				call.Existing, call.Missing = answered(op.what, existing), answered(op.what, missing)
				o.Calls = append(o.Calls, call)
			}
		}
		return o, nil
	},
}

// strangersRun has a stranger ask for a run.
func (h host) strangersRun(ctx context.Context, who Stranger, body any) (StrangerCall, error) {
	reply, err := h.asStranger(ctx, who, wire.Call{Method: http.MethodPost, Path: "/v1/runs", Body: body, Label: "a run", Secrets: interruptTokens})
	if err != nil {
		return StrangerCall{}, err
	}
	h.adopt(reply) // where the host made one
	return StrangerCall{Who: who, Existing: answered("a run", reply), Needed: true}, nil
}
