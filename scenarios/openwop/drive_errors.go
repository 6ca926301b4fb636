package openwop

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// UnknownObservation is what a host answers about what is not there.
type UnknownObservation struct {
	Known    Answered   `json:"known"` // a run that is there; zero where none can be made
	Runs     []Answered `json:"runs"`  // operations on a run that never was
	Resolve  Answered   `json:"resolve"`
	Workflow Answered   `json:"workflow"` // a run of a workflow that nobody has
}

// unknownIDs asks for what is not there.
var unknownIDs = &scenarios.Drive[UnknownObservation]{
	ID:    "openwop/unknown-ids",
	Title: "asks for a run that never was and for a run of a workflow that nobody has; as the control reads a run that is there",
	Sends: []string{"POST /v1/runs", "GET /v1/runs/{runId}", "of an id never given out: GET /v1/runs/{runId}", "GET .../events/poll", "POST .../cancel", "POST .../interrupts/{nodeId}", "POST /v1/runs (a workflow that nobody has)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (UnknownObservation, error) {
		h := host{c}
		var o UnknownObservation
		never := h.Name("run")
		if simple, err := h.simple(); err == nil { // without a fixture there is no control, but still a question
			r, err := h.create(ctx, "create a run", simple)
			if err != nil {
				return o, err
			}
			if r.ID != "" {
				known, err := r.snapshot(ctx, "a run that is there")
				if err != nil {
					return o, err
				}
				o.Known, never = answered("a run that is there", known), strangerOf(r.ID)
			}
		}
		for _, op := range runOperations {
			if op.suffix == "/events" { // a stream that began would have to be waited for
				continue
			}
			reply, err := h.permitted(ctx, op.on(never))
			if err != nil {
				return o, err
			}
			if a := answered(op.what+", which never was", reply); op.needed {
				o.Runs = append(o.Runs, a)
			} else {
				o.Resolve = a
			}
		}
		nowhere, err := h.create(ctx, "create a run of a workflow that nobody has", openwopv1.CreateRunRequest{WorkflowID: h.Name("assay-nowhere")})
		if err != nil {
			return o, err
		}
		o.Workflow = answered("a run of a workflow that nobody has", nowhere.Created)
		return o, nil
	},
}

// permitted sends a call for which 403 is one of the answers that are asked
// for. A 401 is not: the host does not accept the credential.
func (h host) permitted(ctx context.Context, call wire.Call) (*wire.Reply, error) {
	reply, err := h.Do(ctx, call)
	if err == nil && reply.Status == http.StatusUnauthorized {
		return nil, scenarios.Block(fmt.Sprintf("%s %s answered HTTP 401: the host does not accept the credential", call.Method, call.Path),
			"give a key that may create and read runs with --key, ASSAY_KEY or --key-file")
	}
	return reply, err
}

// BodiesObservation is what a host answers to bodies that are not as they should be.
type BodiesObservation struct {
	Control    Answered   `json:"control"`    // the same request as it should be; zero without a fixture
	NoJSON     []Answered `json:"noJson"`     // cut short, or not begun
	NoObject   []Answered `json:"noObject"`   // JSON of another kind
	NoWorkflow []Answered `json:"noWorkflow"` // without a workflowId, or with one that is no text
	WrongType  []Answered `json:"wrongType"`  // another member of the wrong type
	Unknown    Answered   `json:"unknown"`    // a member that the body does not have
}

// oddBodies asks for runs with bodies that are not as they should be.
var oddBodies = &scenarios.Drive[BodiesObservation]{
	ID:    "openwop/odd-bodies",
	Title: "asks for runs with bodies that are no JSON, no object, or have a member of the wrong type or one too many; as the control with one that is as it should be",
	Sends: []string{"POST /v1/runs, fifteen times"},
	Run: func(ctx context.Context, c *scenarios.Conn) (BodiesObservation, error) {
		h := host{c}
		var o BodiesObservation
		simple, err := h.simple()
		offered := err == nil
		workflow := simple.WorkflowID
		if !offered {
			workflow = h.Name("assay-nowhere")
		}
		whole := fmt.Appendf(nil, `{"workflowId":%q}`, workflow)
		for _, kind := range []struct {
			of     *[]Answered
			bodies []oddBody
		}{
			{&o.NoJSON, []oddBody{{"a body that is cut short", whole[:h.between(1, len(whole)-1)]}, {"a body that is no JSON", []byte("assay " + h.marker())}}},
			{&o.NoObject, []oddBody{{"the body null", []byte("null")}, {"a list as the body", []byte("[" + string(whole) + "]")}, {"a text as the body", []byte(`"` + workflow + `"`)}, {"a number as the body", []byte("7")}}},
			{&o.NoWorkflow, []oddBody{{"a body without a workflowId", []byte("{}")}, {"a number as the workflowId", []byte(`{"workflowId":7}`)}, {"null as the workflowId", []byte(`{"workflowId":null}`)}}},
		} {
			if *kind.of, err = h.oddRuns(ctx, kind.bodies...); err != nil {
				return o, err
			}
		}
		if !offered {
			return o, nil
		}
		control, err := h.oddRuns(ctx, oddBody{"a run of " + workflow, whole})
		if err != nil {
			return o, err
		}
		o.Control = control[0]
		with := func(member, value string) []byte {
			return bytes.Join([][]byte{whole[:len(whole)-1], fmt.Appendf(nil, `,%q:%s}`, member, value)}, nil)
		}
		if o.WrongType, err = h.oddRuns(ctx, oddBody{"a list as the inputs", with("inputs", `["assay"]`)}, oddBody{"a number as the inputs", with("inputs", "7")},
			oddBody{"a text as the tags", with("tags", `"assay"`)}, oddBody{"a number as the metadata", with("metadata", "7")}, oddBody{"a text as the configurable", with("configurable", `"assay"`)}); err != nil {
			return o, err
		}
		unknown, err := h.oddRuns(ctx, oddBody{"a member that the body does not have", with("assay"+h.marker(), "true")})
		if err == nil {
			o.Unknown = unknown[0]
		}
		return o, err
	},
}

// oddBody is a request for a run as it goes out.
type oddBody struct {
	what string
	raw  []byte
}

// oddRuns asks for runs and notes those that are made.
func (h host) oddRuns(ctx context.Context, bodies ...oddBody) ([]Answered, error) {
	var out []Answered
	for _, b := range bodies {
		reply, err := h.do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs", Body: b.raw, Label: b.what, Secrets: interruptTokens})
		if err != nil {
			return out, err
		}
		h.adopt(reply)
		out = append(out, answered(b.what, reply))
	}
	return out, nil
}

// OddRequestsObservation is what a host answers to a stream mode and to a
// method that it does not have.
type OddRequestsObservation struct {
	Created Answered   `json:"created"`
	Ended   wire.Wait  `json:"ended"`
	Modes   []Answered `json:"modes"`
	Method  Answered   `json:"method"`
}

// oddRequests asks for the stream of a run that has ended, so that a host which
// streams all the same is soon done.
var oddRequests = &scenarios.Drive[OddRequestsObservation]{
	ID:    "openwop/odd-requests",
	Title: "asks for the stream of a run that has ended in modes that cannot be, and for its log by a method that it does not have",
	Sends: []string{"POST /v1/runs", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events?streamMode=(random)", "GET /v1/runs/{runId}/events?streamMode=values,debug", "PUT /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (OddRequestsObservation, error) {
		h := host{c}
		var o OddRequestsObservation
		r, err := h.simpleRun(ctx, "create a run")
		if err != nil {
			return o, err
		}
		if o.Created = answered("a run", r.Created); r.ID == "" {
			return o, nil
		}
		if o.Ended, err = r.ended(ctx); err != nil || !o.Ended.Reached {
			return o, err
		}
		for _, mode := range []string{"assay-" + h.marker(), "values,debug"} {
			reply, err := h.do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(r.ID) + "/events?streamMode=" + mode, Header: map[string]string{"Accept": "text/event-stream"}, Label: "stream"})
			if err != nil {
				return o, err
			}
			o.Modes = append(o.Modes, answered("the stream mode "+mode, reply))
		}
		reply, err := h.permitted(ctx, wire.Call{Method: http.MethodPut, Path: runPath(r.ID) + "/events/poll", Body: map[string]any{}, Label: "a method that it does not have"})
		if err != nil {
			return o, err
		}
		o.Method = answered("PUT on the log of a run", reply)
		return o, nil
	},
}
