package host

import (
	"reflect"
	"strings"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// contracted are the members of payloads that the RFC defines, except times. A plugin may add more, such as the id of a
// trace.
var contracted = []string{
	"run_id", "step", "tool", "tool_command", "tool_payload", "goal", "outcome", "steps_taken", "artifacts", "reason",
}

// decided reduces events to what they decide.
func decided(events any) []any {
	list, _ := events.([]any)
	out := []any{}
	for _, e := range list {
		event, _ := e.(Object)
		payload, _ := event["payload"].(Object)
		said := Object{"type": event["type"], "dedupe_key": event["dedupe_key"]}
		for _, name := range contracted {
			if value, there := payload[name]; there {
				said[name] = timeless(value)
			}
		}
		out = append(out, said)
	}
	return out
}

// SameWords matches events that decide the same as those of another turn.
func SameWords(first Turn) check.Matcher {
	want := decided(check.Plain(first.Answer.Key("events").Actual()))
	return check.That("as the first time, "+wire.Compact(want), func(v any) bool {
		return reflect.DeepEqual(decided(check.Plain(v)), want)
	})
}

// timeless returns a decoded document without the members that tell a time.
func timeless(v any) any {
	switch v := v.(type) {
	case Object:
		out := make(Object, len(v))
		for k, e := range v {
			if !strings.HasSuffix(k, "_at") && !strings.HasSuffix(k, "_since") && k != "timestamp" {
				out[k] = timeless(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = timeless(e)
		}
		return out
	}
	return v
}
