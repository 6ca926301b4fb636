package bounds

import (
	"context"
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TriedOption is a run requested with one run option.
type TriedOption struct {
	Option string     `json:"option"`           // as JSON: "recursionLimit": 0
	Status wire.Value `json:"status"`           // of the reply
	Either bool       `json:"either,omitempty"` // no text says that the value must be refused
}

// OptionsObservation holds the host's replies to valid and to invalid options.
type OptionsObservation struct {
	Way        string        `json:"way"` // the workflow
	Possible   []TriedOption `json:"possible"`
	Impossible []TriedOption `json:"impossible"`
}

// optionsThatCannotBe requests runs with option values out of range.
var optionsThatCannotBe = &scenarios.Drive[OptionsObservation]{
	ID: "openwop/options-that-cannot-be",
	Title: "asks for runs with bounds of zero, below zero and as text, with thresholds outside 0 to 1 and as text, and with " +
		"values that are in range",
	Sends: []string{"{create run} (a run that ends) with one key of configurable, for each value"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OptionsObservation) {
		h := host.Host{Conn: c}
		o.Way = h.Simple().WorkflowID
		for _, option := range options(h) {
			o.Possible = append(o.Possible, try(ctx, h, o.Way, option.key, option.possible))
			for _, value := range option.impossible {
				t := try(wire.Misfit(ctx, openwop.OWPBND21), h, o.Way, option.key, value)
				t.Either = option.key == threshold
				o.Impossible = append(o.Impossible, t)
			}
		}
	},
}

// threshold is the option that a host may refuse when it is out of range, and need not.
const threshold = "escalationThreshold"

// option is a run option with one valid value and some invalid ones.
type option struct {
	key        string
	possible   any
	impossible []any
}

func options(h host.Host) []option {
	bounds := []string{"recursionLimit", "runTimeoutMs"}
	if _, claimed := claims.ExecutionModel.Look(h.Discovery); claimed { // without one the key is ignored
		bounds = append(bounds, "maxLoopIterations")
	}
	var out []option
	for _, key := range bounds {
		n := h.Between(1000, 9999)
		out = append(out, option{key, n, []any{0, -n, strconv.Itoa(n)}})
	}
	return append(out, option{threshold, h.Share(1, 999), []any{1 + h.Share(1, 999), -h.Share(1, 999),
		strconv.Itoa(h.Between(0, 1))}})
}

// try requests a run with one option and ignores what becomes of the run.
func try(ctx context.Context, h host.Host, way, key string, value any) TriedOption {
	t := TriedOption{Option: fmt.Sprintf("%q: %s", key, wire.Compact(value))}
	reply := h.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Label: "a run with " + t.Option,
		Body: map[string]any{"workflowId": way, "metadata": h.Labelled(), "configurable": map[string]any{key: value}}})
	h.Adopt(reply)
	t.Status = reply.StatusValue()
	return t
}

// EchoObservation is a run with options, and its first and last snapshots.
type EchoObservation struct {
	RecursionLimit int         `json:"recursionLimit"`
	RunTimeoutMs   int         `json:"runTimeoutMs"`
	Threshold      float64     `json:"threshold"`
	Temperature    *float64    `json:"temperature,omitempty"` // 0, which is not the same as none
	Early          wire.Value  `json:"early"`                 // the first snapshot
	Log            host.RunLog `json:"log"`
	// Later is the snapshot when a branch with other options had been made and had ended. Zero at quick, or where it was not made.
	Later wire.Value `json:"later,omitzero"`
}

// shown extracts a part of the first and the last snapshot.
func (o EchoObservation) shown(part func(snapshot wire.Value) wire.Value) wire.Values {
	return wire.Values{part(o.Early), part(o.Log.Ended.Last)}
}

// optionsOfARun makes a run with options and reads it twice.
var optionsOfARun = &scenarios.Drive[EchoObservation]{
	ID: "openwop/options-of-a-run",
	Title: "makes a run with random run options, reads its snapshot, waits for its end and reads it again; beyond quick, branches off it " +
		"with others and reads it once more",
	Sends: []string{"{create run} (conformance-delay, or a run that ends) with configurable", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *EchoObservation) {
		h := host.Host{Conn: c}
		*o = EchoObservation{RecursionLimit: atMost(h, "maxNodeExecutions", 20, 99), RunTimeoutMs: atMost(h, "maxRunDurationMs", 8000,
			9999), Threshold: h.Share(1, 999), Temperature: new(0.0)}
		request := dialect.CreateRunRequest{WorkflowID: fixture.Delay, Inputs: map[string]any{"delayMs": h.Between(50, 100)}}
		if !h.Offers(fixture.Delay) { // with it the first snapshot is of a live run
			request = h.Simple()
		}
		request.Configurable = &dialect.Configurable{RecursionLimit: new(int64(o.RecursionLimit)), RunTimeoutMs: new(int64(o.RunTimeoutMs)),
			EscalationThreshold: &o.Threshold, Temperature: o.Temperature}
		r := h.Create(ctx, "create the run with options", request)
		if r.ID != "" {
			early := r.Snapshot(ctx, "the run as it was made")
			o.Early = early.Value("")
		}
		o.Log = r.Finish(ctx, "log")
		o.branch(ctx, r)
	},
}

// branch branches off the run with other options, where branches are claimed, and reads the run when the branch has ended.
func (o *EchoObservation) branch(ctx context.Context, r *host.Run) {
	_, claimed := claims.ForkBranch.Look(r.Discovery)
	if r.Depth == scenarios.Quick || !claimed || !o.Log.Ended.Reached || len(o.Log.Events) == 0 {
		return
	}
	fork := r.ForkFrom(ctx, r, dialect.ForkRunRequest{Mode: dialect.ForkModeBranch, FromSeq: new(host.Sequence(o.Log.Last())),
		RunOptionsOverlay: &dialect.RunOptions{Configurable: &dialect.Configurable{RecursionLimit: new(int64(o.RecursionLimit - 1)),
			RunTimeoutMs: new(int64(o.RunTimeoutMs - 1)), EscalationThreshold: new(o.Threshold / 2)}}})
	if fork.Log.Ended.Reached {
		o.Later = r.Seen(ctx, "the run, when a branch with other options has ended")
	}
}
