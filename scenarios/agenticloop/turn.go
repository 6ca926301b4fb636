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
	Name      string          `json:"name"`   // what it was handed, in words
	Before    json.RawMessage `json:"before"` // the state that it was handed
	Refused   bool            `json:"refused,omitempty"`
	Killed    bool            `json:"killed,omitempty"`
	TimedOut  bool            `json:"timedOut,omitempty"`
	Exit      wire.Value      `json:"exit"`   // exit code, or how it ended in words
	Output    wire.Value      `json:"output"` // what it printed, or in words why that is no JSON
	Bytes     wire.Value      `json:"bytes"`  // how much it printed
	Errors    wire.Value      `json:"stderr"`
	Survivors wire.Value      `json:"survivors"`
	Litter    wire.Value      `json:"litter"`
	Answer    wire.Value      `json:"answer"` // the response; absent where it is no JSON
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
	var state object
	if decode(t.Before, &state) != nil {
		return nil
	}
	return runsOf(state)
}

// runBefore is a run as the turn was handed it, for a matcher.
func (t Turn) runBefore(id string) any { return check.Plain(t.before()[id]) }

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

// unchanged expects that the turn left the run as it was: it does not mention it, or says of it what it was handed.
func (t Turn) unchanged(id string) check.Matcher {
	was := t.runBefore(id)
	return check.Seeing("run "+id+" as it was", func(s wire.Seen) (bool, string) {
		runs, _ := s.Actual().(map[string]any)
		if runs == nil {
			return true, "not mentioned"
		}
		now, there := runs[id]
		switch {
		case !there && was == nil:
			return true, "not there"
		case !there:
			return false, "gone: the runs are replaced as a whole"
		}
		return reflect.DeepEqual(check.Plain(now), was), wire.Compact(now)
	})
}

// untouched expects that the turn changed no run at all.
func (t Turn) untouched() check.Matcher {
	was, _ := check.Plain(any(t.before())).(map[string]any)
	return check.Seeing("no run changed, made or lost", func(s wire.Seen) (bool, string) {
		runs, isObject := s.Actual().(map[string]any)
		if !isObject {
			return s.Actual() == nil, wire.Compact(s.Actual())
		}
		now, _ := check.Plain(any(runs)).(map[string]any)
		if len(now) == 0 && len(was) == 0 {
			return true, "no run"
		}
		for id := range now {
			if !reflect.DeepEqual(now[id], was[id]) {
				return false, "run " + id + " is " + wire.Compact(runs[id])
			}
		}
		if len(now) != len(was) {
			return false, "runs are gone: " + wire.Compact(runs)
		}
		return true, "all as they were"
	})
}
