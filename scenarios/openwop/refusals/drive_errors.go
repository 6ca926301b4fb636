package refusals

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// UnknownObservation is a host's replies about unknown ids.
type UnknownObservation struct {
	Known    host.Answered   `json:"known"` // an existing run; zero if none can be made
	Runs     []host.Answered `json:"runs"`  // operations on an unknown run
	Resolve  host.Answered   `json:"resolve"`
	Workflow host.Answered   `json:"workflow"` // a run of an unknown workflow
}

// unknownIDs asks for unknown runs and workflows.
var unknownIDs = &scenarios.Drive[UnknownObservation]{
	ID:    "openwop/unknown-ids",
	Title: "asks for a run that never was and for a run of a workflow that nobody has; as the control reads a run that is there",
	Sends: []string{"{create run}", "{read run}", "of an id never given out: {read run}", "{poll log}", "{cancel run}",
		"{answer node}", "{create run} (a workflow that nobody has)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *UnknownObservation) {
		h := host.Host{Conn: c}
		never := h.Name("run")
		simple, err := scenarios.Attempt(h.Simple)
		if err == nil { // without a fixture only the control is missing
			r := h.Create(ctx, "create a run", simple)
			if r.ID != "" {
				known := r.Snapshot(ctx, "a run that is there")
				o.Known, never = host.AnsweredBy("a run that is there", known), host.StrangerOf(r.ID)
			}
		}
		for _, op := range host.RunOperations {
			if op.Asks == dialect.StreamLog { // if the host began a stream, it would have to be waited for
				continue
			}
			reply := h.Permitted(ctx, op.On(never))
			if a := host.AnsweredBy(op.What+", which never was", reply); op.Needed {
				o.Runs = append(o.Runs, a)
			} else {
				o.Resolve = a
			}
		}
		nowhere := h.Create(ctx, "create a run of a workflow that nobody has", dialect.CreateRunRequest{WorkflowID: h.Name("nowhere")})
		o.Workflow = host.AnsweredBy("a run of a workflow that nobody has", nowhere.Created)
	},
}

// BodiesObservation is a host's replies to malformed bodies.
type BodiesObservation struct {
	Control    host.Answered   `json:"control"`    // the well-formed request; zero without a fixture
	NoJSON     []host.Answered `json:"noJson"`     // cut short, or not JSON at all
	NoObject   []host.Answered `json:"noObject"`   // JSON of another kind
	NoWorkflow []host.Answered `json:"noWorkflow"` // workflowId missing or not a string
	WrongType  []host.Answered `json:"wrongType"`  // another member of the wrong type
	Unknown    host.Answered   `json:"unknown"`    // an unknown member

	HungUp []HungUp `json:"hungUp,omitempty"`
}

// HungUp is a body at which the host ends the connection without an answer, each time that it is sent, while it answers others.
type HungUp struct {
	What   string                  `json:"what"`
	Rule   scenarios.RequirementID `json:"rule"` // how such a body is refused
	Answer wire.Wait               `json:"answer"`
}

// oddBodies asks for runs with malformed bodies.
var oddBodies = &scenarios.Drive[BodiesObservation]{
	ID: "openwop/odd-bodies",
	Title: "asks for runs with bodies that are no JSON, no object, or have a member of the wrong type or one too many; as " +
		"the control with one that is as it should be",
	Sends: []string{"{create run}, fifteen times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BodiesObservation) {
		h := host.Host{Conn: c}
		simple, err := scenarios.Attempt(func() dialect.CreateRunRequest { return h.Simple() })
		offered := err == nil
		workflow := simple.WorkflowID
		if !offered {
			workflow = h.Name("nowhere")
		}
		whole := fmt.Appendf(nil, `{"workflowId":%q}`, workflow)
		for _, kind := range []struct {
			of     *[]host.Answered
			unfit  scenarios.RequirementID
			bodies []oddBody
		}{
			{&o.NoJSON, openwop.OWPERR11, []oddBody{{"a body that is cut short", whole[:h.Between(1, len(`{"workflowId":"`))]}, {"a body that is no JSON",
				[]byte("plain " + h.Marker())}}},
			{&o.NoObject, openwop.OWPERR12, []oddBody{{"the body null", []byte("null")}, {"a list as the body", []byte("[" + string(whole) + "]")},
				{"a text as the body", []byte(`"` + workflow + `"`)}, {"a number as the body", []byte("7")}}},
			{&o.NoWorkflow, openwop.OWPERR13, []oddBody{{"a body without a workflowId", []byte("{}")}, {"a number as the workflowId",
				[]byte(`{"workflowId":7}`)}, {"null as the workflowId", []byte(`{"workflowId":null}`)}}},
		} {
			*kind.of = o.ask(ctx, h, kind.unfit, kind.bodies...)
		}
		if !offered {
			return
		}
		control := o.ask(ctx, h, "", oddBody{"a run of " + workflow, whole})
		o.Control = control[0]
		with := func(member, value string) []byte {
			return bytes.Join([][]byte{whole[:len(whole)-1], fmt.Appendf(nil, `,%q:%s}`, member, value)}, nil)
		}
		o.WrongType = o.ask(ctx, h, openwop.OWPERR14, oddBody{"a list as the inputs", with("inputs", `["plain"]`)},
			oddBody{"a number as the inputs", with("inputs", "7")},
			oddBody{"a text as the tags", with("tags", `"plain"`)}, oddBody{"a number as the metadata", with("metadata", "7")},
			oddBody{"a text as the configurable", with("configurable", `"plain"`)})
		for _, a := range o.ask(ctx, h, openwop.OWPERR15, oddBody{"a member that the body does not have", with("more"+h.Marker(), "true")}) {
			o.Unknown = a
		}
	},
}

// oddBody is a request for a run, byte for byte.
type oddBody struct {
	what string
	raw  []byte
}

func (b oddBody) send(ctx context.Context, h host.Host) *wire.Reply {
	return h.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: b.raw, Label: b.what, Secrets: host.InterruptTokens})
}

// ask asks for runs with bodies that break a rule, "" for none, and adopts any that the host makes. It leaves out those to which the
// host hangs up.
func (o *BodiesObservation) ask(ctx context.Context, h host.Host, rule scenarios.RequirementID, bodies ...oddBody) []host.Answered {
	var out []host.Answered
	for _, b := range bodies {
		send := func(ctx context.Context) *wire.Reply {
			if rule != "" {
				ctx = wire.Misfit(ctx, string(rule))
			}
			return b.send(ctx, h)
		}
		reply, err := scenarios.Attempt(func() *wire.Reply { return send(ctx) })
		if rule != "" && wire.HungUp(err) {
			var answer wire.Wait
			if answer, reply = sendAgain(ctx, h, b.what, send); reply == nil {
				o.HungUp = append(o.HungUp, HungUp{b.what, rule, answer})
				continue
			}
			err = nil
		}
		scenarios.End(err)
		h.Adopt(reply)
		out = append(out, host.AnsweredBy(b.what, reply))
	}
	return out
}

// sendAgain sends a request until it is answered, and another before each time, which has to be. Lines are cut by chance, but not the
// same request's each time.
func sendAgain(ctx context.Context, h host.Host, what string, send func(context.Context) *wire.Reply) (w wire.Wait, reply *wire.Reply) {
	never := h.Name("run")
	hurried := *h.Conn
	hurried.Patience = min(hurried.Patience, time.Second)
	w = hurried.Await(ctx, "an answer to "+what, func(ctx context.Context) (wire.Value, bool) {
		other := h.Permitted(ctx, wire.Call{Operation: dialect.ReadRun.Of(never), Label: "a run that never was"})
		again, err := scenarios.Attempt(func() *wire.Reply { return send(ctx) })
		if !wire.HungUp(err) {
			scenarios.End(err)
			reply = again
			return again.StatusValue(), true
		}
		return other.StatusValue(), false
	})
	return w, reply
}

// OddRequestsObservation is a host's replies to unknown stream modes and an
// unknown method.
type OddRequestsObservation struct {
	Created host.Answered   `json:"created"`
	Ended   wire.Wait       `json:"ended"`
	Modes   []host.Answered `json:"modes"`
	Method  host.Answered   `json:"method"`
}

// oddRequests uses an ended run, so a host that streams instead of refusing is
// soon done.
var oddRequests = &scenarios.Drive[OddRequestsObservation]{
	ID:    "openwop/odd-requests",
	Title: "asks for the stream of a run that has ended in modes that cannot be, and for its log by a method that it does not have",
	Sends: []string{"{create run}", "{read run}", "{stream log}?streamMode=(random)",
		"{stream log}?streamMode=values,debug and others with values", "{write log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OddRequestsObservation) {
		h := host.Host{Conn: c}
		r := h.SimpleRun(ctx, "create a run")
		if o.Created = host.AnsweredBy("a run", r.Created); r.ID == "" {
			return
		}
		if o.Ended = r.AwaitEnd(ctx); !o.Ended.Reached {
			return
		}
		others := []string{"debug", "updates", "messages"}
		h.Rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		for _, mode := range []string{h.Marker(), "values,debug", others[0] + ",values", others[1] + "," + others[2] + ",values",
			others[2] + ",values," + others[0], others[0] + "," + h.Marker()} {
			reply := h.Send(wire.Misfit(ctx, openwop.OWPERR16), wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", mode),
				Header: map[string]string{"Accept": "text/event-stream"}, Label: "stream"})
			o.Modes = append(o.Modes, host.AnsweredBy("the stream mode "+mode, reply))
		}
		reply := h.Permitted(wire.Misfit(ctx, openwop.OWPERR10), wire.Call{Operation: dialect.WriteLog.Of(r.ID), Body: map[string]any{},
			Label: "a method that it does not have"})
		o.Method = host.AnsweredBy("PUT on the log of a run", reply)
	},
}
