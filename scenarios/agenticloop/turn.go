package agenticloop

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

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

// answered says whether the turn ended as a turn does, with a response that can be read.
func (t Turn) answered() bool {
	code, ok := t.Exit.Int()
	_, isObject := t.Answer.Actual().(map[string]any)
	status := t.Answer.Key("status").String()
	return ok && code == 0 && isObject && (status == "ok" || status == "error")
}

// events are those that the turn emitted.
func (t Turn) events() wire.Found {
	at := t.Answer.Key("events")
	return wire.Found{Values: at.Items(), In: at.Ref()}
}

const requestPrefix = "agentic.tool_request"

// requests are the events that ask for a tool.
func (t Turn) requests() wire.Found {
	return t.events().Where(func(e wire.Value) bool { return strings.HasPrefix(e.Key("type").String(), requestPrefix) })
}

// ofType are the events of a type.
func (t Turn) ofType(kind string) wire.Found {
	return t.events().Where(func(e wire.Value) bool { return e.Key("type").String() == kind })
}

// ends are the events that end a run.
func (t Turn) ends() wire.Found {
	return t.events().Where(func(e wire.Value) bool {
		kind := e.Key("type").String()
		return kind == completed || kind == escalated
	})
}

const (
	completed = "agent.completed"
	escalated = "agent.escalated"
)

// runs are those of the response; absent where it changes none.
func (t Turn) runs() wire.Value { return t.Answer.At("/state_updates/runs") }

// run is a run as the response has it.
func (t Turn) run(id string) wire.Value { return t.runs().Key(id) }

// before are the runs that the turn was handed.
func (t Turn) before() map[string]any {
	state, err := wire.Decode(string(t.Before))
	if err != nil {
		return nil
	}
	members, _ := state.(object)
	return runsOf(members)
}

// newRuns are the runs that the turn was not handed.
func (t Turn) newRuns() wire.Found {
	known, runs := t.before(), t.runs()
	out := wire.Found{In: runs.Ref()}
	members, _ := runs.Actual().(map[string]any)
	for _, id := range sortedKeys(members) {
		if _, old := known[id]; !old {
			out.Values = append(out.Values, runs.Key(id))
		}
	}
	return out
}

// same says whether two runs, as a decoded document has them, say the same: what is null may as well be absent, and nothing
// pending may be written as 0 or as an empty text (AL-R7). An agent may write every run anew in its own manner.
func same(a, b any) bool { return reflect.DeepEqual(plainly(a), plainly(b)) }

// plainly is a run without what says nothing.
func plainly(run any) any {
	members, isObject := check.Plain(run).(map[string]any)
	if !isObject {
		return check.Plain(run)
	}
	out := make(map[string]any, len(members))
	for name, value := range members {
		if pending := strings.HasPrefix(name, "pending_"); value != nil && (!pending || !nothing(value)) {
			out[name] = value
		}
	}
	return out
}

// isOver says whether a run has ended, as a state has it. An agent may let go of one that has: nothing bounds the state else,
// and what comes for it is ignored either way (AL-R25).
func isOver(run any) bool {
	status := waitsOf(run).status
	return status == "done" || status == "escalated"
}

// unchanged expects that the turn left the run as it was: it does not mention it, or says of it what it was handed, or let
// go of it when it was over.
func (t Turn) unchanged(id string) check.Matcher { return unchangedFrom(t.before()[id], id) }

func unchangedFrom(was any, id string) check.Matcher {
	return check.Seeing("run "+id+" as it was", func(s wire.Seen) (bool, string) {
		runs, _ := s.Actual().(map[string]any)
		if runs == nil {
			return true, "not mentioned"
		}
		now, there := runs[id]
		switch {
		case !there && was == nil:
			return true, "not there"
		case !there && isOver(was):
			return true, "let go of, since it was over"
		case !there:
			return false, "gone: the runs are replaced as a whole"
		}
		return same(now, was), wire.Compact(now)
	})
}

// untouched expects that the turn changed no run at all.
func (t Turn) untouched() check.Matcher {
	was := t.before()
	return check.Seeing("no run changed, made or lost", func(s wire.Seen) (bool, string) {
		runs, isObject := s.Actual().(map[string]any)
		if !isObject {
			return s.Actual() == nil, wire.Compact(s.Actual())
		}
		if len(runs) == 0 && len(was) == 0 {
			return true, "no run"
		}
		for id, now := range runs {
			if before, known := was[id]; !known || !same(now, before) {
				return false, "run " + id + " is " + wire.Compact(now)
			}
		}
		for id, run := range was {
			if _, there := runs[id]; !there && !isOver(run) {
				return false, "run " + id + " is gone: " + wire.Compact(runs)
			}
		}
		return true, "all as they were"
	})
}
