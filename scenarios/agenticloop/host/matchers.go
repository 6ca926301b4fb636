package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// PlainID is how ids of runs usually look; the text has no form for them (AL-R22). Routed is the type of an event that is routed to
// a tool: its name may be up to 256 of anything but blanks, control characters and slashes (AL-R119).
var (
	PlainID = lazyregexp.New(`^[A-Za-z0-9._-]{1,128}$`)
	Routed  = lazyregexp.New(`^agentic\.tool_request\.[^\s\pC/\\]{1,256}$`)
)

// Matching matches a text by a pattern; what says it in words.
func Matching(what string, pattern *lazyregexp.Regexp) check.Matcher {
	return check.That(what, func(v any) bool { s, ok := v.(string); return ok && pattern.MatchString(s) })
}

// AnObject matches a JSON object.
func AnObject() check.Matcher {
	return check.That("a JSON object", func(v any) bool { _, ok := v.(Object); return ok })
}

// AList matches a JSON array.
func AList() check.Matcher {
	return check.That("a list", func(v any) bool { _, ok := v.([]any); return ok })
}

// Instant matches an RFC 3339 time, with any number of fractional digits.
func Instant() check.Matcher {
	return check.That("an RFC 3339 time", func(v any) bool {
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	})
}

// WholeNumber matches a positive number that is written without a fraction.
func WholeNumber() check.Matcher {
	return check.Seeing("an integer of at least 1", func(s wire.Seen) (bool, string) {
		v, ok := s.(wire.Value)
		n, isInt := v.Int()
		return ok && isInt && n >= 1, v.JSON()
	})
}

// AtMost matches a list of numbers that do not exceed the bound.
func AtMost(bound int64) check.Matcher {
	return check.Seeing(fmt.Sprintf("none above %d", bound), func(s wire.Seen) (bool, string) {
		list, _ := check.Plain(s.Actual()).([]any)
		for _, v := range list {
			if n, ok := v.(int64); !ok || n > bound {
				return false, wire.Compact(s.Actual())
			}
		}
		return true, wire.Compact(s.Actual())
	})
}

// NoneIs matches a list without this text.
func NoneIs(text string) check.Matcher {
	return check.That("none is "+text, func(v any) bool {
		list, _ := v.([]any)
		return !slices.Contains(list, any(text))
	})
}

// NothingPending matches null, 0, "" and absence (AL-R7).
func NothingPending() check.Matcher {
	return check.That("nothing (absent, null, 0 or empty)", IsNothing)
}

// Without matches a value in which the text stands nowhere.
func Without(text string) check.Matcher {
	return check.Seeing("nowhere "+text, func(s wire.Seen) (bool, string) {
		found := Find(s.Actual(), text)
		if found == "" {
			return true, "nowhere"
		}
		return false, "in " + found
	})
}

// Find returns where a text stands in a decoded document: a JSON pointer without escapes, "/" for the document itself,
// "" for nowhere.
func Find(v any, text string) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, text) {
			return "/"
		}
	case []any:
		for i, e := range v {
			if at := Find(e, text); at != "" {
				return fmt.Sprintf("/%d%s", i, strings.TrimSuffix(at, "/"))
			}
		}
	case Object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if strings.Contains(k, text) {
				return "/" + k
			}
			if at := Find(v[k], text); at != "" {
				return "/" + k + strings.TrimSuffix(at, "/")
			}
		}
	}
	return ""
}

// JSONLines matches a listed file with one JSON value a line, or with nothing in it. The cut last line of a long file does not count.
func JSONLines() check.Matcher {
	return check.Seeing("a JSON value a line", func(s wire.Seen) (bool, string) {
		file, _ := s.Actual().(Object)
		text, isText := file["text"].(string)
		if !isText {
			return false, "no text: " + wire.Compact(s.Actual())
		}
		lines := slices.Collect(strings.Lines(text))
		if whole, _ := file["whole"].(bool); !whole && len(lines) > 0 {
			lines = lines[:len(lines)-1]
		}
		for i, line := range lines {
			if !json.Valid([]byte(line)) {
				return false, fmt.Sprintf("line %d is %s", i+1, wire.Compact(strings.TrimSuffix(line, "\n")))
			}
		}
		return true, fmt.Sprintf("%d lines", len(lines))
	})
}

// OneVersion matches arguments that are nested, flat, or the same in both places.
func OneVersion() check.Matcher {
	return check.That("arguments that stand in one place, or alike in both", func(v any) bool {
		payload, _ := v.(Object)
		nested, _ := payload["tool_payload"].(Object)
		for k, arg := range nested {
			switch k {
			case "run_id", "step", "tool", "tool_command", "requested_at", "tool_payload":
				continue // the request's own win
			}
			if flat, both := payload[k]; both && !reflect.DeepEqual(flat, arg) {
				return false
			}
		}
		return true
	})
}

// requestKey matches the dedupe key of a request; the attempt may follow (AL-R9).
func requestKey(run string, step int64) check.Matcher {
	want := fmt.Sprintf("agentic:run:%s:step:%d:request", run, step)
	again := regexp.MustCompile("^" + regexp.QuoteMeta(want) + `:attempt:[0-9]+$`)
	return check.That(want+", or that with :attempt:<n>", func(v any) bool {
		s, ok := v.(string)
		return ok && (s == want || again.MatchString(s))
	})
}

// NotBeyond matches events that neither complete a run nor ask for a step above the given one.
func NotBeyond(step int64) check.Matcher {
	return check.Seeing(fmt.Sprintf("no completion, and no request above step %d", step),
		func(s wire.Seen) (bool, string) {
			list, _ := check.Plain(s.Actual()).([]any)
			for _, e := range list {
				event, _ := e.(Object)
				payload, _ := event["payload"].(Object)
				n, _ := payload["step"].(int64)
				if event["type"] == Completed || n > step {
					return false, wire.Compact(e)
				}
			}
			return true, fmt.Sprintf("%d events", len(list))
		})
}

// NoRequestBut matches requests of which none is new.
func (t Turn) NoRequestBut(run string) check.Matcher {
	return check.Seeing("none but what is pending already", func(wire.Seen) (bool, string) {
		n := len(t.Requests().Values)
		return n == 0 || t.repeats(run), fmt.Sprintf("%d", n)
	})
}

// AsksOnlyFor matches events that ask for no plugin but these.
func (t Turn) AsksOnlyFor(allowed ...string) check.Matcher {
	return check.Seeing("requests for none but "+strings.Join(allowed, ", "), func(wire.Seen) (bool, string) {
		for _, name := range t.Plugins() {
			if !slices.Contains(allowed, name) {
				return false, fmt.Sprintf("%.80q", name)
			}
		}
		return true, fmt.Sprintf("%.80q", t.Plugins())
	})
}

// MovesOn matches events that take a run one step on, or to its end.
func (t Turn) MovesOn(due Pending) check.Matcher {
	return check.Seeing(fmt.Sprintf("a request with step %d, or the end of the run", due.Step+1),
		func(s wire.Seen) (bool, string) {
			why := Delivery{Run: due.Run, Step: due.Step, Tool: due.Tool, Status: "ok"}.wantsProgress(t, Progress{"running", due.Step, due.Tool})
			return why == "", wire.Compact(s.Actual())
		})
}

// Unchanged matches runs among which this one is as the turn was handed it: not mentioned, repeated, or dropped after
// its end.
func (t Turn) Unchanged(id string) check.Matcher { return unchangedFrom(t.RunsBefore()[id], id) }

func unchangedFrom(was any, id string) check.Matcher {
	return check.Seeing("run "+id+" as it was", func(s wire.Seen) (bool, string) {
		unchanged := isUnchanged(s.Actual(), was, id)
		runs, isObject := s.Actual().(Object)
		if !isObject {
			return unchanged, wire.Compact(s.Actual())
		}
		now, there := runs[id]
		switch {
		case there:
			return unchanged, wire.Compact(now)
		case was == nil:
			return unchanged, "not there"
		case unchanged:
			return true, "let go of, since it was over"
		}
		return false, "gone: the runs are replaced as a whole"
	})
}

// isUnchanged reports whether a run is among decoded runs as it was.
func isUnchanged(now, was any, id string) bool {
	runs, isObject := now.(Object)
	if !isObject {
		return now == nil
	}
	if run, there := runs[id]; there {
		return same(run, was)
	}
	return was == nil || ProgressOf(was).IsOver()
}

// Untouched matches runs of which none was changed, made or lost.
func (t Turn) Untouched() check.Matcher {
	was := t.RunsBefore()
	return check.Seeing("no run changed, made or lost", func(s wire.Seen) (bool, string) {
		runs, isObject := s.Actual().(Object)
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
			if _, there := runs[id]; !there && !ProgressOf(run).IsOver() {
				return false, "run " + id + " is gone: " + wire.Compact(runs)
			}
		}
		return true, "all as they were"
	})
}

// othersKept matches runs that changed only if the turn was told about them. A run that is over may shrink or be
// dropped.
func (t Turn) othersKept() check.Matcher {
	return check.Seeing("the runs that it was not told of as they were", func(s wire.Seen) (bool, string) {
		runs, _ := s.Actual().(Object)
		before := t.RunsBefore()
		for _, id := range slices.Sorted(maps.Keys(before)) {
			if now, there := runs[id]; there && !slices.Contains(t.About, id) && !isKept(now, before[id]) {
				return false, "run " + id + " is " + wire.Compact(now)
			}
		}
		return true, "as they were"
	})
}

// keptFrom matches a run that is as it was; see [isKept].
func keptFrom(was any) check.Matcher {
	return check.Seeing("as it was", func(s wire.Seen) (bool, string) {
		return isKept(s.Actual(), was), wire.Compact(s.Actual())
	})
}

// isKept reports whether a run is as it was, or has shrunk since it was over.
func isKept(now, was any) bool {
	return same(now, was) || ProgressOf(was).IsOver() && isPartOf(now, was)
}
