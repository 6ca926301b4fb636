package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// Turn is a turn of an agent as it is seen from outside.
type Turn struct {
	Input  []byte // request as the gateway wrote it
	Output []byte // what the agent left on the standard output, without the end of its last line
	Code   int    // exit code
}

// Program is a whole process: it reads a request to its end, writes an answer, and returns an exit code.
type Program = func(ctx context.Context, in io.Reader, out, errs io.Writer) int

// Agent returns an agent that commits these faults: one that goes by their rules, as honest makes it, with what they change
// from outside around it. The error is that of [Find].
func Agent(honest func(*rules.Set) Program, specs ...string) (Program, error) {
	waits := false
	var faults []Fault
	for _, spec := range specs {
		f, err := Find(spec)
		if err != nil {
			return nil, err
		}
		faults, waits = append(faults, f), waits || f.set.Number(Step) > 1
	}
	if !waits {
		return agentWith(honest, faults), nil
	}
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		input, err := io.ReadAll(in)
		if err != nil {
			fmt.Fprintf(errs, "read the request: %v\n", err)
			return 1
		}
		next := stepIn(input) + 1
		due := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return int64(f.set.Number(Step)) > next })
		return agentWith(honest, due)(ctx, bytes.NewReader(input), out, errs)
	}, nil
}

func agentWith(honest func(*rules.Set) Program, faults []Fault) Program {
	set := rules.Honest()
	for _, f := range faults {
		if f.Replace != nil {
			f.Replace(&set)
		}
	}
	run := honest(&set)
	for _, f := range faults {
		if f.Request != nil || f.Answer != nil {
			run = f.front(run)
		}
	}
	return run
}

// stepIn returns the highest step that a run in the state of a request has asked for, 0 for none.
func stepIn(input []byte) (step int64) {
	var state al.RunState
	if json.Unmarshal(objectOf(input)["state"], &state) != nil {
		return 0
	}
	for _, run := range state.Runs {
		step = max(step, run.Step)
	}
	return step
}

// front puts what a fault changes from outside around an agent. Each turn may be another process, so nothing is
// remembered.
func (f Fault) front(run Program) Program {
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		input, err := io.ReadAll(in)
		if err != nil {
			fmt.Fprintf(errs, "read the request: %v\n", err)
			return 1
		}
		asked := input
		if request := objectOf(input); f.Request != nil && readable(request) {
			f.Request(request)
			asked = encoded(request)
		}
		var printed bytes.Buffer
		t := &Turn{Input: input, Code: run(ctx, bytes.NewReader(asked), &printed, errs)}
		line, ended := bytes.CutSuffix(printed.Bytes(), []byte("\n"))
		t.Output = line
		if f.Answer != nil {
			f.Answer(t)
		}
		if ended {
			t.Output = append(t.Output, '\n')
		}
		if _, err := out.Write(t.Output); err != nil {
			fmt.Fprintf(errs, "write the answer: %v\n", err)
			return 1
		}
		return t.Code
	}
}

// object is a JSON object whose members are read by their exact names.
type object = map[string]json.RawMessage

// objectOf returns the members of an object. Any other value has none.
func objectOf(raw []byte) object {
	var members object
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return object{}
	}
	return members
}

// textOf returns the text that a value is, "" for any other.
func textOf(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

func encoded(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was decoded from JSON, or it is a text
	}
	return raw
}

// readable reports whether an object is a request of any version of the protocol.
func readable(request object) bool {
	_, err := strconv.ParseInt(string(request["protocol"]), 10, 64)
	return err == nil
}

// answering changes answers. Output that holds none stays as it is.
func answering(change func(t *Turn, r *al.Response)) func(*Turn) {
	return func(t *Turn) {
		var r al.Response
		if json.Unmarshal(t.Output, &r) != nil {
			return
		}
		change(t, &r)
		t.Output = encoded(r)
	}
}

const (
	asks      = "agentic.tool_request"
	completed = "agent.completed"
	escalated = "agent.escalated"
)

// emits tells whether an answer has an event whose type begins so.
func emits(prefix string) func(al.Response) bool {
	return func(r al.Response) bool {
		return slices.ContainsFunc(r.Events, func(e al.Event) bool { return strings.HasPrefix(e.Type, prefix) })
	}
}

// emitting changes events whose type begins so.
func emitting(prefix string, change func(t *Turn, e *al.Event)) func(*Turn) {
	return answering(func(t *Turn, r *al.Response) {
		for i := range r.Events {
			if strings.HasPrefix(r.Events[i].Type, prefix) {
				change(t, &r.Events[i])
			}
		}
	})
}

// telling changes the payload of events whose type begins so.
func telling(prefix string, change func(t *Turn, payload object)) func(*Turn) {
	return emitting(prefix, func(t *Turn, e *al.Event) {
		payload := objectOf(e.Payload)
		change(t, payload)
		e.Payload = encoded(payload)
	})
}

// kept is what an answer has the gateway keep.
type kept struct {
	id      string // of the run that the turn is about
	event   al.Event
	reason  string // of the event, where the run was given up
	input   []byte // the request
	before  object // runs that the turn was handed
	runs    object // runs that it gives back
	updates object // all that it gives back
}

// starts reports whether the turn begins its run.
func (k *kept) starts() bool {
	_, known := k.before[k.id]
	return !known
}

// keeping changes what answers have the gateway keep. A turn that changes a run tells of it, so the event names that
// run.
func keeping(change func(k *kept)) func(*Turn) {
	return answering(func(t *Turn, r *al.Response) {
		if r.StateUpdates == nil || len(r.Events) == 0 {
			return
		}
		payload, updates := objectOf(r.Events[0].Payload), objectOf(r.StateUpdates)
		k := &kept{id: textOf(payload["run_id"]), event: r.Events[0], reason: textOf(payload["reason"]), input: t.Input,
			before: runsOf(t.Input), runs: objectOf(updates["runs"]), updates: updates}
		change(k)
		updates["runs"] = encoded(k.runs)
		r.StateUpdates = encoded(updates)
	})
}

// keepingRun changes the run that a turn is about, as it is kept.
func keepingRun(change func(k *kept, run object)) func(*Turn) {
	return keeping(func(k *kept) {
		run := objectOf(k.runs[k.id])
		change(k, run)
		k.runs[k.id] = encoded(run)
	})
}

// runsOf returns the runs that a request hands to the agent.
func runsOf(input []byte) object { return objectOf(objectOf(objectOf(input)["state"])["runs"]) }

// refused has the agent refuse a request for good: it takes out the job, without which nothing is done.
func refused(request object) { delete(request, "job_id") }
