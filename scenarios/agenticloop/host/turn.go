package host

import (
	"encoding/json"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// repeats says whether the turn did no more than to ask once more for what its run waits for: that is as safe as silence
// (AL-R14).
func (t Turn) repeats(run string) bool {
	due, w := t.asked(), StandingOf(t.RunsBefore()[run])
	if due == nil || len(t.Events().Values) != 1 || due.Run != run || w.Status != "running" || w.Step != due.Step || w.Tool != due.Tool {
		return false
	}
	unchanged, _ := t.Unchanged(run).MatchSeen(t.Runs())
	return unchanged
}

// asked is what the one request of a turn names; nil where there is none, or another number.
func (t Turn) asked() *Pending {
	requests := t.Requests().Values
	if len(requests) != 1 {
		return nil
	}
	payload := requests[0].Key("payload")
	due := &Pending{Run: payload.Key("run_id").String(), Tool: payload.Key("tool").String()}
	due.Step, _ = payload.Key("step").Int()
	return due
}

// KeptRuns are the runs that the gateway would keep of the turn: an error changes none.
func (t Turn) KeptRuns() wire.Found {
	made := t.NewRuns()
	if t.Answer.Key("status").String() == "error" {
		made.Values = nil
	}
	return made
}

// Turns are all turns that a drive started, but those that it killed on purpose.
type Turns []Turn

func (t Turns) All() []Turn { return t }

// Plugins are the plugins that a turn asks for, by the types of its requests; by the tool where a type names none.
func (t Turn) Plugins() []string {
	var out []string
	for _, e := range t.Requests().Values {
		if !Routed.MatchString(e.Key("type").String()) {
			out = append(out, e.At("/payload/tool").String())
			continue
		}
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(e.Key("type").String(), RequestPrefix), "."))
	}
	return out
}

// Turn is one turn of the agent as it was seen.
type Turn struct {
	Name      string          `json:"name"`            // what it was handed, in words
	Before    json.RawMessage `json:"before"`          // the state that it was handed
	About     []string        `json:"about,omitempty"` // the runs that it was told of: what it does to others is wrong
	Refused   bool            `json:"refused,omitempty"`
	Killed    bool            `json:"killed,omitempty"`
	TimedOut  bool            `json:"timedOut,omitempty"`
	Patience  string          `json:"patience,omitempty"` // how long it was waited for, where the profile says nothing and the text allows for more
	Exit      wire.Value      `json:"exit"`               // exit code, or how it ended in words
	Output    wire.Value      `json:"output"`             // what it printed, or in words why that is no JSON
	Bytes     wire.Value      `json:"bytes"`              // how much it printed
	Errors    wire.Value      `json:"stderr"`
	Survivors wire.Value      `json:"survivors"`
	Litter    wire.Value      `json:"litter"`
	Answer    wire.Value      `json:"answer"` // the response; absent where it is no JSON

	ended *wire.Ended // nil where it was read from disk
}

// mint takes what the transcript has of the turn.
func (t *Turn) mint() {
	t.Exit, t.Output, t.Bytes, t.Errors = t.ended.Part("exit"), t.ended.Part("output"), t.ended.Part("bytes"), t.ended.Part("stderr")
	t.Survivors, t.Litter, t.Answer = t.ended.Part("survivors"), t.ended.Part("litter"), t.ended.Value("")
}

// Answered says whether the turn ended as a turn does, with a response that can be read.
func (t Turn) Answered() bool {
	code, ok := t.Exit.Int()
	_, isObject := t.Answer.Actual().(map[string]any)
	status := t.Answer.Key("status").String()
	return ok && code == 0 && isObject && (status == "ok" || status == "error")
}

// Events are those that the turn emitted.
func (t Turn) Events() wire.Found {
	at := t.Answer.Key("events")
	return wire.Found{Values: at.Items(), In: at.Ref()}
}

const RequestPrefix = "agentic.tool_request"

// Requests are the events that ask for a tool.
func (t Turn) Requests() wire.Found {
	return t.Events().Where(func(e wire.Value) bool { return strings.HasPrefix(e.Key("type").String(), RequestPrefix) })
}

// OfType are the events of a type.
func (t Turn) OfType(kind string) wire.Found {
	return t.Events().Where(func(e wire.Value) bool { return e.Key("type").String() == kind })
}

// Ends are the events that end a run.
func (t Turn) Ends() wire.Found {
	return t.Events().Where(func(e wire.Value) bool {
		kind := e.Key("type").String()
		return kind == Completed || kind == Escalated
	})
}

const (
	Completed = "agent.completed"
	Escalated = "agent.escalated"
)

// Runs are those of the response; absent where it changes none.
func (t Turn) Runs() wire.Value { return t.Answer.At("/state_updates/runs") }

// Run is a run as the response has it.
func (t Turn) Run(id string) wire.Value { return t.Runs().Key(id) }

// RunsBefore are the runs that the turn was handed.
func (t Turn) RunsBefore() map[string]any {
	state, err := wire.Decode(string(t.Before))
	if err != nil {
		return nil
	}
	members, _ := state.(Object)
	return RunsOf(members)
}

// NewRuns are the runs that the turn was not handed.
func (t Turn) NewRuns() wire.Found {
	known, runs := t.RunsBefore(), t.Runs()
	out := wire.Found{In: runs.Ref()}
	members, _ := runs.Actual().(map[string]any)
	for _, id := range SortedKeys(members) {
		if _, old := known[id]; !old {
			out.Values = append(out.Values, runs.Key(id))
		}
	}
	return out
}
