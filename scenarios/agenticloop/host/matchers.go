package host

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// AtMost expects no number above a bound.
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

// NoRequestBut expects no request but one that was made before.
func (t Turn) NoRequestBut(run string) check.Matcher {
	return check.Seeing("none but what is pending already", func(wire.Seen) (bool, string) {
		n := len(t.Requests().Values)
		return n == 0 || t.repeats(run), fmt.Sprintf("%d", n)
	})
}

// NotBeyond expects events that neither complete a run nor ask for a step above the given one.
func NotBeyond(step int64) check.Matcher {
	return check.Seeing(fmt.Sprintf("no completion, and no request above step %d", step), func(s wire.Seen) (bool, string) {
		list, _ := check.Plain(s.Actual()).([]any)
		for _, e := range list {
			event, _ := e.(map[string]any)
			payload, _ := event["payload"].(map[string]any)
			n, _ := payload["step"].(int64)
			if event["type"] == Completed || n > step {
				return false, wire.Compact(e)
			}
		}
		return true, fmt.Sprintf("%d events", len(list))
	})
}

// MovesOn expects that a turn took a run one step on, or to its end.
func (t Turn) MovesOn(due Pending) check.Matcher {
	return check.Seeing(fmt.Sprintf("a request with step %d, or the end of the run", due.Step+1), func(s wire.Seen) (bool, string) {
		w := Standing{Status: "running", Step: due.Step, Tool: due.Tool}
		why := Delivery{Run: due.Run, Step: due.Step, Tool: due.Tool, Status: "ok"}.wantsProgress(t, w)
		return why == "", wire.Compact(s.Actual())
	})
}

// WholeNumber expects a number that is written as one, with no fraction.
func WholeNumber() check.Matcher {
	return check.Seeing("an integer of at least 1", func(s wire.Seen) (bool, string) {
		v, ok := s.(wire.Value)
		n, isInt := v.Int()
		return ok && isInt && n >= 1, v.JSON()
	})
}

// NothingPending expects that nothing is pending: null, 0, "" or nothing at all (AL-R7).
func NothingPending() check.Matcher {
	return check.That("nothing (absent, null, 0 or empty)", IsNothing)
}

var (
	RunID  = lazyregexp.New(`^[A-Za-z0-9._-]{1,128}$`)
	Routed = lazyregexp.New(`^agentic\.tool_request\.[A-Za-z0-9_-]{1,64}$`)
)

// object expects a JSON object.
func AnObject() check.Matcher {
	return check.That("a JSON object", func(v any) bool { _, ok := v.(map[string]any); return ok })
}

// Instant expects an RFC 3339 time, with any number of digits behind the second.
func Instant() check.Matcher {
	return check.That("an RFC 3339 time", func(v any) bool { s, _ := v.(string); _, err := time.Parse(time.RFC3339, s); return err == nil })
}

func Matching(what string, pattern *lazyregexp.Regexp) check.Matcher {
	return check.That(what, func(v any) bool { s, ok := v.(string); return ok && pattern.MatchString(s) })
}

// requestKey expects the dedupe key of a request; the attempt may follow (AL-R9).
func requestKey(run string, step int64) check.Matcher {
	want := fmt.Sprintf("agentic:run:%s:step:%d:request", run, step)
	again := regexp.MustCompile("^" + regexp.QuoteMeta(want) + `:attempt:[0-9]+$`)
	return check.That(want+", or that with :attempt:<n>", func(v any) bool { s, ok := v.(string); return ok && (s == want || again.MatchString(s)) })
}

// NoneIs expects a list without this text.
func NoneIs(text string) check.Matcher {
	return check.That("none is "+text, func(v any) bool {
		list, _ := v.([]any)
		for _, e := range list {
			if e == text {
				return false
			}
		}
		return true
	})
}

// part says whether a run says nothing but what another one said, its status among it.
func part(run, of any) bool {
	less, _ := plainly(run).(map[string]any)
	more, _ := plainly(of).(map[string]any)
	for name, value := range less {
		if !reflect.DeepEqual(value, more[name]) {
			return false
		}
	}
	return less["status"] == more["status"]
}

// othersKept expects that each run that the turn was not told of is as it was, or let go of where it was over.
func (t Turn) othersKept() check.Matcher {
	return check.Seeing("the runs that it was not told of as they were", func(s wire.Seen) (bool, string) {
		runs, _ := s.Actual().(map[string]any)
		before := t.RunsBefore()
		for _, id := range SortedKeys(before) {
			now, there := runs[id]
			was := before[id]
			switch {
			case !there || slices.Contains(t.About, id) || same(now, was):
			case isOver(was) && part(now, was): // shrunk, to make room
			default:
				return false, "run " + id + " is " + wire.Compact(now)
			}
		}
		return true, "as they were"
	})
}

// AsksOnlyFor expects requests for these plugins alone.
func (t Turn) AsksOnlyFor(allowed ...string) check.Matcher {
	return check.Seeing("requests for none but "+strings.Join(allowed, ", "), func(wire.Seen) (bool, string) {
		for _, tool := range t.Plugins() {
			ok := false
			for _, a := range allowed {
				ok = ok || a == tool
			}
			if !ok {
				return false, fmt.Sprintf("%.80q", tool)
			}
		}
		return true, fmt.Sprintf("%.80q", t.Plugins())
	})
}

// Without expects that a text stands nowhere in a value.
func Without(text string) check.Matcher {
	return check.Seeing("nowhere "+text, func(s wire.Seen) (bool, string) {
		found := Holds(s.Actual(), text)
		if found == "" {
			return true, "nowhere"
		}
		return false, "in " + found
	})
}

// Holds is where in a decoded document a text stands, as a JSON pointer without escapes, "/" for the document itself; ""
// where it does not.
func Holds(v any, text string) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, text) {
			return "/"
		}
	case []any:
		for i, e := range v {
			if at := Holds(e, text); at != "" {
				return fmt.Sprintf("/%d%s", i, strings.TrimSuffix(at, "/"))
			}
		}
	case map[string]any:
		for _, k := range SortedKeys(v) {
			if strings.Contains(k, text) {
				return "/" + k
			}
			if at := Holds(v[k], text); at != "" {
				return "/" + k + strings.TrimSuffix(at, "/")
			}
		}
	}
	return ""
}

// Unchanged expects that the turn left the run as it was: it does not mention it, or says of it what it was handed, or let
// go of it when it was over.
func (t Turn) Unchanged(id string) check.Matcher { return unchangedFrom(t.RunsBefore()[id], id) }

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

// Untouched expects that the turn changed no run at all.
func (t Turn) Untouched() check.Matcher {
	was := t.RunsBefore()
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

// JsonLines expects a file of a listing with one JSON value a line. What was too long to be kept is looked at as far as it was.
func JsonLines() check.Matcher {
	return check.Seeing("a JSON value a line", func(s wire.Seen) (bool, string) {
		file, _ := s.Actual().(map[string]any)
		text, isText := file["text"].(string)
		if !isText {
			return false, "no text: " + wire.Compact(s.Actual())
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if whole, _ := file["whole"].(bool); !whole {
			lines = lines[:len(lines)-1]
		}
		for i, line := range lines {
			if !json.Valid([]byte(line)) {
				return false, fmt.Sprintf("line %d is %s", i+1, wire.Compact(line))
			}
		}
		return true, fmt.Sprintf("%d lines", len(lines))
	})
}
