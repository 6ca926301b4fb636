package host

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Conduct is what a run of a workflow does when nobody touches it.
type Conduct string

const (
	Completes Conduct = "completes"
	Fails     Conduct = "fails"
	Waits     Conduct = "waits" // for an answer
	Lasts     Conduct = "lasts" // for several seconds at least
)

// Own is a workflow that no drive was written for, and what a control run of it, without inputs, showed. Nothing else is known of it.
type Own struct {
	Workflow string  `json:"workflow"`
	Conduct  Conduct `json:"conduct"` // "" if no run of it is made
	Nodes    int     `json:"nodes"`   // that started
	// First is how long its first node was under way, 0 if the log does not say.
	First time.Duration `json:"firstNs"`
	Took  time.Duration `json:"tookNs"` // from its creation to its end, or until the control gave up
	// Still: what lasts took no step in the second half of the control.
	Still bool `json:"still"`
	// Reply is how long a request took while it was under way.
	Reply time.Duration `json:"replyNs"`
}

// Request returns a request for a run of the workflow.
func (o Own) Request() dialect.CreateRunRequest {
	return dialect.CreateRunRequest{WorkflowID: o.Workflow}
}

// published are workflows of the protocol that drives take for what they do, where the one that was written for it is missing.
var published = map[Conduct][]string{
	Completes: {fixture.SixNodes, "conformance-multi-node", "conformance-idempotent", "conformance-identity",
		"conformance-dispatch-input-mapping-child", "conformance-dispatch-output-mapping-child", "conformance-subworkflow-child"},
	Fails: {fixture.Fail, "conformance-failure"},
	Waits: {fixture.UpstreamApproval, fixture.UpstreamClarification, fixture.UpstreamEvent, fixture.UpstreamAuth,
		fixture.UpstreamCascadeChild, fixture.Approval, fixture.Questions, fixture.Event},
	Lasts: {fixture.Wait, fixture.Overtime, fixture.ManyNodes},
}

// mostOwn bounds the workflows of the host's list that are tried.
const mostOwn = 12

// Find returns a workflow that does one of these things, and satisfies fit: one that the operator named for whatever role, one of the
// host's own that it lists, or a published one.
func Find(h Host, fit func(Own) bool, conducts ...Conduct) (Own, bool) {
	for _, w := range candidates(h, conducts) {
		if o := Try(h, w); slices.Contains(conducts, o.Conduct) && fit(o) {
			return o, true
		}
	}
	return Own{}, false
}

// candidates returns the workflows that Find tries, in that order. Published ones that the host does not list are among them unless it
// runs whatever it is asked for.
func candidates(h Host, conducts []Conduct) []string {
	var out []string
	for _, role := range Roles {
		out = append(out, h.Roles[role])
	}
	for _, f := range claims.Family(h.Discovery, "fixtures").Items() {
		if _, known := knownTo(h, f.String()); !known && len(out) < mostOwn {
			out = append(out, f.String())
		}
	}
	for _, c := range conducts {
		for _, w := range published[c] {
			if h.Lists(w) || !runsAnything(h) {
				out = append(out, w)
			}
		}
	}
	return slices.DeleteFunc(distinct(out), func(w string) bool { return w == "" })
}

// runsAnything reports whether the host makes a run of a workflow that nobody has.
func runsAnything(h Host) bool {
	return "" != h.Learn("whether it runs anything", func(ctx context.Context) string {
		r := h.Create(ctx, "control: a workflow that nobody has", dialect.CreateRunRequest{WorkflowID: "nobody-has-" + h.Label()})
		if r.ID != "" {
			r.endControl(ctx)
		}
		return r.ID
	})
}

// Any is what any workflow satisfies.
func Any(Own) bool { return true }

// Try returns what a control run of a workflow shows, which is found out once for the target.
func Try(h Host, workflow string) (o Own) {
	text := h.Learn("conduct of "+workflow, func(ctx context.Context) string {
		return string(scenarios.Get(json.Marshal(watch(ctx, h, workflow))))
	})
	scenarios.End(json.Unmarshal([]byte(text), &o))
	return o
}

// The control of a workflow lasts until the run ends or waits, for so many requests, and no less than atLeast. What lasts that long lets
// a drive say what it has to say.
const (
	controlLooks = 24
	atLeast      = 3 * time.Second
)

// watch makes a run of the workflow and watches it.
func watch(ctx context.Context, h Host, workflow string) Own {
	o := Own{Workflow: workflow}
	begun := h.Now()
	r := h.Create(ctx, "control run of "+workflow, dialect.CreateRunRequest{WorkflowID: workflow})
	if r.ID == "" {
		return o
	}
	var l RunLog
	grown := begun // when the log was last seen to grow
	requests, first := 1, h.Now()
	patient := *h.Conn
	patient.Patience = atLeast
	look := func(ctx context.Context) (wire.Value, bool) {
		before := len(l.Events)
		snapshot := r.look(ctx, "control run of "+workflow)
		l = r.pages(ctx, "log of the control run of "+workflow)
		if requests += 2; len(l.Events) > before {
			grown = h.Now()
		}
		status := snapshot.Text("/status")
		return snapshot.Value(""), IsTerminal(status) || IsWaiting(status)
	}
	seen := patient.Await(ctx, "the control run has ended or waits", look)
	for !seen.Reached && requests < controlLooks {
		seen.Last, seen.Reached = look(ctx)
	}
	o.Took = h.Now().Sub(begun)
	o.Reply = first.Sub(begun)
	switch status := seen.Last.Key("status").String(); {
	case IsTerminal(status):
		r.Gone()
		l = r.ReadLog(ctx, "log of the control run of "+workflow)
		o.Conduct = map[string]Conduct{"completed": Completes, "failed": Fails}[status]
	default:
		o.Conduct, o.Still = Lasts, h.Now().Sub(grown) > o.Took/2
		if IsWaiting(status) {
			o.Conduct = Waits
		}
		r.endControl(ctx)
	}
	o.Nodes = len(l.OfType(dialect.NodeStarted).Values)
	o.First = min(o.Took, l.firstNode())
	return o
}

// firstNode is how long the first node was under way, by the host's own clock; 0 if the log does not say.
func (l RunLog) firstNode() time.Duration {
	var span []time.Time
	for _, event := range []dialect.Event{dialect.NodeStarted, dialect.NodeCompleted} {
		for _, e := range l.OfType(event).Values[:min(1, len(l.OfType(event).Values))] {
			if at, said := TimeOf(e); said {
				span = append(span, at)
			}
		}
	}
	if len(span) < 2 {
		return 0
	}
	return max(0, span[1].Sub(span[0]))
}

// InTime reports whether n requests can be sent while the workflow's first node is under way, with as much to spare.
func (o Own) InTime(n int) bool {
	return o.First >= max(250*time.Millisecond, time.Duration(2*n)*o.Reply)
}

// Bounded returns a request for a run that crosses its bound on nodes, and so fails where the host keeps it to that.
func Bounded(h Host) (request dialect.CreateRunRequest, ok bool) {
	request.WorkflowID = fixture.SixNodes
	if ok = h.Offers(fixture.SixNodes); !ok {
		var own Own
		own, ok = Find(h, func(o Own) bool { return o.Nodes > 1 }, Completes)
		request = own.Request()
	}
	request.Configurable = &dialect.Configurable{RecursionLimit: new(int64(1))}
	return request, ok
}
