package control

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Snapped is a run with a known outcome, and its snapshots: at its creation, at
// its end, and later.
type Snapped struct {
	Workflow string        `json:"workflow"`
	Want     string        `json:"want"` // the final status
	Tags     []string      `json:"tags"`
	Marker   string        `json:"marker"` // in its metadata, under "note"
	Kept     []Kept        `json:"kept,omitempty"`
	Created  host.Answered `json:"created"`
	Early    host.Answered `json:"early"`
	Ended    wire.Wait     `json:"ended"`
	Later    wire.Value    `json:"later"`
}

// Kept is a further member of a run's metadata.
type Kept struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// kept draws members of every type, most of them such that a careless host takes them for none.
func kept(h host.Host) []Kept {
	deep, _ := json.Marshal(map[string]any{h.Marker(): []any{map[string]any{}, []any{}, "", 0, false, h.Marker()}})
	values := []string{`false`, `0`, `""`, `[]`, `{}`, `true`, strconv.Itoa(-h.Between(1, 1<<31-1)),
		`"\u00e9\u4e2d\ud83d\ude42 <&> \" \\"`, string(deep)}
	out := make([]Kept, len(values))
	for i, v := range values {
		out[i] = Kept{h.Name("member"), json.RawMessage(v)}
	}
	return out
}

// mostTag is the most characters that the contract allows in a tag.
const mostTag = 256

// longest draws a tag of the greatest length, without repetitions.
func longest(h host.Host) string {
	tag := ""
	for len(tag) < mostTag {
		tag += h.Marker()
	}
	return tag[len(tag)-mostTag:]
}

// SnapshotsObservation is one run for each way to end.
type SnapshotsObservation struct {
	Runs []Snapped `json:"runs"`
}

// snapshots reads runs when they are made, when they have ended, and later.
var snapshots = &scenarios.Drive[SnapshotsObservation]{
	ID:    "openwop/snapshots",
	Title: "makes a run that completes, one that fails and one that it cancels, with tags and metadata, and reads each three times",
	Sends: []string{"{create run} (conformance-noop, conformance-dispatch-deterministic-fail-child or one over its bound, and " +
		"conformance-cancellable, conformance-delay or assay-loop-ask-user)", "{cancel run}", "{read run}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SnapshotsObservation) {
		h := host.Host{Conn: c}
		simple := h.Simple()
		requests := map[string]dialect.CreateRunRequest{"completed": simple}
		failing, fails := host.Failing(h, fixture.Fail)
		if requests["failed"] = failing; !fails {
			requests["failed"], _ = host.Bounded(h)
		}
		if long, err := scenarios.Attempt(func() dialect.CreateRunRequest { return h.Lasting() }); err == nil {
			requests["cancelled"] = long
		}
		var runs []*host.Run
		for _, want := range []string{"completed", "failed", "cancelled"} {
			request := requests[want]
			if request.WorkflowID == "" {
				continue
			}
			r, s := snap(ctx, h, request, want)
			if want == "failed" && !fails && s.Ended.Last.Key("status").String() != want { // whether bounds are kept is another question
				continue
			}
			runs, o.Runs = append(runs, r), append(o.Runs, s)
		}
		for i, r := range runs {
			if r.ID == "" || !o.Runs[i].Ended.Reached {
				continue
			}
			o.Runs[i].Later = r.Seen(ctx, "the run, later")
		}
	},
}

// snap makes a run and follows it to its end.
func snap(ctx context.Context, h host.Host, request dialect.CreateRunRequest, want string) (*host.Run, Snapped) {
	s := Snapped{Workflow: request.WorkflowID, Want: want, Tags: []string{h.Marker(), h.Marker()}, Marker: h.Marker(), Kept: kept(h)}
	if h.Depth > scenarios.Quick { // in no order that a host may have of its own
		slices.Sort(s.Tags)
		slices.Reverse(s.Tags)
		if want == "cancelled" {
			s.Tags = append(s.Tags, longest(h))
		}
	}
	request.Tags, request.Metadata = s.Tags, map[string]any{"note": s.Marker}
	for _, k := range s.Kept {
		request.Metadata[k.Name] = k.Value
	}
	r := h.Create(ctx, "create a run that is to be "+want, request)
	if s.Created = host.AnsweredBy("a run that is to be "+want, r.Created); r.ID == "" {
		return r, s
	}
	early := r.Snapshot(ctx, "the run as it was made")
	s.Early = host.AnsweredBy("the run as it was made", early)
	if want == "cancelled" {
		r.Stop(ctx, "to cancel the run")
	}
	s.Ended = r.AwaitEnd(ctx)
	return r, s
}
