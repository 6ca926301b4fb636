package host

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// StrangerOf returns an id of the same form that the host has not issued. It is the control for reading a child: a
// host that answers to any id fails it.
func StrangerOf(id string) string { return wire.Neighbour(id) }

// Sentinel returns a request for another run that serves as a barrier: by its end, a host still working on an
// earlier run had time to show it.
func (h Host) Sentinel(way Scripted) dialect.CreateRunRequest {
	if h.Offers(fixture.Noop) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Noop}
	}
	return way.Request(nil)
}

// Stranger is a caller without access, named by what it sends as a credential.
type Stranger string

const (
	NoCredential Stranger = "without a credential"
	UnknownKey   Stranger = "with a key that the host does not know"
)

// AsStranger sends a call as a caller without access. It blocks the drive if the operator's own headers, which go
// out with every request, hold a credential.
func (h Host) AsStranger(ctx context.Context, who Stranger, call wire.Call) *wire.Reply {
	call.Anonymous = true
	refused := openwop.OWPERR1
	if who == UnknownKey {
		refused = openwop.OWPERR2
		call.Header = map[string]string{"Authorization": "Bearer " + h.Marker()}
	}
	reply := h.Do(wire.Misfit(ctx, refused), call)
	for name, value := range h.Transcript().Entry(reply.Exchange()).Request.Header {
		if value == "<secret>" && (name != "Authorization" || who == NoCredential) {
			scenarios.End(scenarios.Block("the header "+name+" goes out with every request, so no request lacks a credential",
				"give the credential with --key in place of --header"))
		}
	}
	return reply
}

// StrangerCall is one operation by a caller without access, on an existing run and on a missing one.
type StrangerCall struct {
	Who      Stranger `json:"who"`
	Existing Answered `json:"existing"`
	Missing  Answered `json:"missing"` // zero if the operation takes no run
	Needed   bool     `json:"needed"`  // every host has this operation
}

// StrangersObservation holds the replies to strangers.
type StrangersObservation struct {
	Created Answered       `json:"created"` // with the credential
	Read    Answered       `json:"read"`
	Calls   []StrangerCall `json:"calls"`
}

// runOperation is an operation on a run.
type runOperation struct {
	What   string
	Asks   dialect.Operation
	beside []string // ids after the run's
	body   any
	Needed bool
}

var RunOperations = []runOperation{
	{"the run", dialect.ReadRun, nil, nil, true},
	{"the log of the run", dialect.PollLog, nil, nil, true},
	{"the stream of the run", dialect.StreamLog, nil, nil, true},
	{"to cancel the run", dialect.CancelRun, nil, map[string]any{}, true},
	{"to answer an interrupt of the run", dialect.AnswerNode, []string{"nobody"},
		map[string]any{"resumeValue": map[string]any{"action": "accept"}}, false},
}

func (op runOperation) On(id string) wire.Call {
	return wire.Call{Operation: op.Asks.Of(append([]string{id}, op.beside...)...), Body: op.body, Label: op.What, Secrets: InterruptTokens}
}

// WithoutAccess has strangers try every operation on a finished run and on one that never existed.
var WithoutAccess = &scenarios.Drive[StrangersObservation]{
	ID:    "openwop/strangers",
	Title: "makes a run, and asks for it and for one that never was without a credential and with one that the host cannot know",
	Sends: []string{"{create run}", "as a stranger, of the run and of one that never was: {read run}", "{poll log}", "{stream log}",
		"{cancel run}", "{answer node}",
		"as a stranger: {create run}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StrangersObservation) {
		h := Host{c}
		simple := h.Simple()
		r := h.Create(ctx, "create a run", simple)
		if o.Created = AnsweredBy("a run", r.Created); r.ID == "" {
			return
		}
		r.AwaitEnd(ctx) // keeps its stream short
		read := r.Snapshot(ctx, "the run, with the credential")
		o.Read = AnsweredBy("the run", read)
		for _, who := range []Stranger{NoCredential, UnknownKey} {
			call := h.strangersRun(ctx, who, simple)
			o.Calls = append(o.Calls, call)
			for _, op := range RunOperations {
				call := StrangerCall{Who: who, Needed: op.Needed}
				existing := h.AsStranger(ctx, who, op.On(r.ID))
				missing := h.AsStranger(ctx, who, op.On(StrangerOf(r.ID)))
				call.Existing, call.Missing = AnsweredBy(op.What, existing), AnsweredBy(op.What, missing)
				o.Calls = append(o.Calls, call)
			}
		}
	},
}

// strangersRun has a stranger create a run.
func (h Host) strangersRun(ctx context.Context, who Stranger, body any) StrangerCall {
	reply := h.AsStranger(ctx, who, wire.Call{Operation: dialect.CreateRun.Of(), Body: body, Label: "a run", Secrets: InterruptTokens})
	h.Adopt(reply) // in case the host made one
	return StrangerCall{Who: who, Existing: AnsweredBy("a run", reply), Needed: true}
}
