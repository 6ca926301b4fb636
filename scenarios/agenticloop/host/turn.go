package host

import (
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// Types of the events that a plugin emits.
const (
	RequestPrefix = "agentic.tool_request" // a dot and the name of a plugin follow
	Completed     = "agent.completed"
	Escalated     = "agent.escalated"
)

// Trigger is the type of a start that comes from outside (RFC103-B1).
const Trigger = "api.trigger"

// Turn is one turn of the plugin.
type Turn struct {
	Name     string   `json:"name"`            // what the plugin was handed, in words
	Before   State    `json:"before"`          // the state it was handed
	About    []string `json:"about,omitempty"` // the runs it was told about; it must leave others alone
	Refused  bool     `json:"refused,omitempty"`
	Killed   bool     `json:"killed,omitempty"`
	TimedOut bool     `json:"timedOut,omitempty"`
	// Patience is how long we waited, when the profile sets no limit and the RFC allows longer.
	Patience  string     `json:"patience,omitempty"`
	Exit      wire.Value `json:"exit"`   // the exit code, or how the process ended in words
	Output    wire.Value `json:"output"` // what it printed, or in words why that is no JSON
	Bytes     wire.Value `json:"bytes"`  // the length of its output
	Errors    wire.Value `json:"stderr"`
	Survivors wire.Value `json:"survivors"`
	Litter    wire.Value `json:"litter"`
	Answer    wire.Value `json:"answer"` // the response; absent when the output is no JSON

	ended *wire.Ended // nil when read from disk
}

// Turns are all turns that a drive started, except the quiet ones.
type Turns []Turn

// All returns the turns.
func (t Turns) All() []Turn { return t }

// mint reads the values of the turn from its transcript.
func (t *Turn) mint() {
	t.Exit, t.Output, t.Bytes, t.Errors = t.ended.Part("exit"), t.ended.Part("output"), t.ended.Part("bytes"),
		t.ended.Part("stderr")
	t.Survivors, t.Litter, t.Answer = t.ended.Part("survivors"), t.ended.Part("litter"), t.ended.Value("")
}

// Answered reports whether the turn ended by itself with a response that can be read: with exit code 0, or with any beside an
// error (AL-R21).
func (t Turn) Answered() bool {
	_, isObject := t.Answer.Actual().(Object)
	return t.exitedSoundly() && isObject && (t.Status() == "ok" || t.Status() == "error")
}

// exitedSoundly reports whether the turn exited with 0, or with another code beside status error: a failed turn may be told by
// both (AL-R21).
func (t Turn) exitedSoundly() bool {
	code, exited := t.Exit.Int()
	return exited && (code == 0 || t.Status() == "error")
}

// Status returns the status of the response.
func (t Turn) Status() string { return t.Answer.Key("status").String() }

// Events returns the events that the turn emitted.
func (t Turn) Events() wire.Found {
	at := t.Answer.Key("events")
	return wire.Found{Values: at.Items(), In: at.Ref()}
}

// PassedOver reports whether the turn says, in a log, that it did nothing: status ok and no event.
func (t Turn) PassedOver() bool {
	return t.Status() == "ok" && !t.Moved() && len(t.Answer.Key("logs").Items()) > 0
}

// Moved reports whether the turn emitted anything.
func (t Turn) Moved() bool { return len(t.Events().Values) > 0 }

// OfType returns the events of a type.
func (t Turn) OfType(kind string) wire.Found {
	return t.Events().Where(func(e wire.Value) bool { return e.Key("type").String() == kind })
}

// Ends returns the events that end a run.
func (t Turn) Ends() wire.Found {
	return t.Events().Where(func(e wire.Value) bool {
		kind := e.Key("type").String()
		return kind == Completed || kind == Escalated
	})
}

// Requests returns the events that ask for a tool.
func (t Turn) Requests() wire.Found {
	return t.Events().Where(func(e wire.Value) bool { return strings.HasPrefix(e.Key("type").String(), RequestPrefix) })
}

// Plugins names the plugins that the turn asks for: from the type of each request, or its tool when the type names
// none.
func (t Turn) Plugins() []string {
	var out []string
	for _, e := range t.Requests().Values {
		kind := e.Key("type").String()
		if !Routed.MatchString(kind) {
			out = append(out, e.At("/payload/tool").String())
			continue
		}
		out = append(out, strings.TrimPrefix(kind, RequestPrefix+"."))
	}
	return out
}

// asked returns what the single request of a turn names.
func (t Turn) asked() (due Pending, ok bool) {
	requests := t.Requests().Values
	if len(requests) != 1 {
		return due, false
	}
	payload := requests[0].Key("payload")
	due = Pending{Run: payload.Key("run_id").String(), Tool: payload.Key("tool").String()}
	due.Step, ok = payload.Key("step").Int()
	return due, ok
}

// repeats reports whether the turn only repeated the request that its run waits for, which is as safe as silence
// (AL-R14).
func (t Turn) repeats(run string) bool {
	due, ok := t.asked()
	if !ok || len(t.Events().Values) != 1 || due.Run != run ||
		ProgressOf(t.RunsBefore()[run]) != (Progress{"running", due.Step, due.Tool}) {
		return false
	}
	unchanged, _ := t.Unchanged(run).MatchSeen(t.Runs())
	return unchanged
}

// Runs returns the runs of the response; absent when it changes none.
func (t Turn) Runs() wire.Value { return t.Answer.At("/state_updates/runs") }

// Run returns a run of the response.
func (t Turn) Run(id string) wire.Value { return t.Runs().Key(id) }

// RunsBefore returns the runs that the turn was handed.
func (t Turn) RunsBefore() Object {
	return RunsOf(t.StateBefore())
}

// StateBefore returns the state that the turn was handed. The caller must not change it.
func (t Turn) StateBefore() Object { return t.Before.read() }

// StateAfter returns the state that the gateway keeps. The caller must not change it.
func (t Turn) StateAfter() Object {
	answer, _ := t.Answer.Actual().(Object)
	return after(OrEmpty(t.StateBefore()), answer)
}

// NewRuns returns the runs of the response that the turn was not handed.
func (t Turn) NewRuns() wire.Found {
	runs := t.Runs()
	out := wire.Found{In: runs.Ref()}
	for _, id := range t.NewIDs() {
		out.Values = append(out.Values, runs.Key(id))
	}
	return out
}

// NewIDs returns the ids of [Turn.NewRuns].
func (t Turn) NewIDs() (ids []string) {
	known := t.RunsBefore()
	members, _ := t.Runs().Actual().(Object)
	for _, id := range slices.Sorted(maps.Keys(members)) {
		if _, old := known[id]; !old {
			ids = append(ids, id)
		}
	}
	return ids
}

// KeptRuns returns the new runs that the gateway would keep: an error changes no state.
func (t Turn) KeptRuns() wire.Found {
	made := t.NewRuns()
	if t.Status() == "error" {
		made.Values = nil
	}
	return made
}

// WaitsAnew reports whether a run of the response waits for something new, whatever the request names.
func (t Turn) WaitsAnew() bool {
	runs, _ := t.Runs().Actual().(Object)
	before := t.RunsBefore()
	for id, run := range runs {
		if now := ProgressOf(run); now.Status == "running" && now.Step > 0 && now != ProgressOf(before[id]) {
			return true
		}
	}
	return false
}
