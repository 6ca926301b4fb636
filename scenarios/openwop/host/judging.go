package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

func IsList(v wire.Value) bool {
	_, ok := v.Actual().([]any)
	return ok
}

// NotThere reports whether a status means that the host lacks the endpoint.
func NotThere(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

func FirstText(values ...wire.Value) string {
	for _, v := range values {
		if s := v.String(); s != "" {
			return s
		}
	}
	return ""
}

// NodeOf returns the node that an event names: hosts name it in the event, in its payload, or in both. It is "" for none.
func NodeOf(e wire.Value) string { return FirstText(e.Key("nodeId"), e.At("/payload/nodeId")) }

// OfTheLoop returns the events that advance a loop: turns, handoffs, nodes and ends. A host may append others
// after the end, such as a released lease.
func OfTheLoop(l RunLog) wire.Found {
	return l.OfType(dialect.Decided, dialect.HandedOver,
		dialect.NodeStarted, dialect.NodeDispatched, dialect.Breached,
		dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled)
}

// BreachesAndEnds returns the types of breaches and terminal events, in log order.
func BreachesAndEnds(l RunLog) wire.Found {
	return l.OfType(dialect.Breached, dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled).Each("/type")
}

// CheckBreach checks for exactly one breach, of this kind and limit.
func (l RunLog) CheckBreach(j *scenarios.Judge, id scenarios.RequirementID, kind dialect.CapKind, limit int, observed check.Matcher) {
	breach := l.Breaches()
	j.Check(id, breach).To(check.Len(1), "breaches of a bound of %d", limit)
	j.Check(id, breach.Each("/payload/kind")).To(check.Equal([]any{string(kind)}), "kind of the breach")
	j.Check(id, breach.Each("/payload/limit")).To(check.Equal([]any{limit}), "limit of the breach")
	j.Check(id, breach.Each("/payload/observed")).To(check.Each(observed), "observed")
}

// CheckUntouched checks that the run completed without a breach.
func (l RunLog) CheckUntouched(j *scenarios.Judge, id scenarios.RequirementID) {
	j.Check(id, l.Breaches()).To(check.Len(0), "breaches")
	j.Check(id, l.Status()).To(check.Equal("completed"), "status of the run")
}

// About expects a number equal to want up to rounding, in any notation.
func About(want float64) check.Matcher {
	return check.That(fmt.Sprint(want), func(v any) bool {
		n, ok := AsNumber(v)
		return ok && n > want-1e-6 && n < want+1e-6
	})
}

func AsNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// Optional checks a member that may be absent but must otherwise match.
func Optional(j *scenarios.Judge, id scenarios.RequirementID, v wire.Value, m check.Matcher, what string) {
	if v.Present() {
		j.Check(id, v).To(m, "%s", what)
	} else {
		j.Check(id, v).To(check.Absent(), "%s", what)
	}
}

func JsonObject() check.Matcher {
	return check.That("a JSON object", func(v any) bool { _, ok := v.(map[string]any); return ok })
}

// The following is shared by the judges of several scenarios about goals.

func Succeeded(status wire.Value) bool {
	code, _ := status.Int()
	return code/100 == 2
}

// Timestamp expects an RFC 3339 date-time.
func Timestamp() check.Matcher {
	return check.That("a date-time", func(v any) bool {
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	})
}

func IsA(types ...dialect.Event) func(wire.Value) bool {
	return func(e wire.Value) bool { return slices.Contains(types, dialect.EventOf(e)) }
}

// StepEvents are the events that advance a run. What a host may append while the run is idle is not among them, such as a
// renewed lease or a reminder.
var StepEvents = []dialect.Event{dialect.Decided, dialect.HandedOver,
	dialect.NodeStarted, dialect.NodeDispatched, dialect.NodeResumed,
	dialect.NodeCompleted, dialect.NodeFailed, dialect.InterruptResolved,
	dialect.RunResumed, dialect.VariableChanged, dialect.Breached,
	dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled}

// Steps returns the [StepEvents] of a log.
func Steps(l RunLog) wire.Found { return l.OfType(StepEvents...) }

func Holding(marker string) check.Matcher {
	return check.That("with "+marker+" in it", func(v any) bool { return Holds(v, marker) })
}

// Holds reports whether a decoded value contains a text anywhere.
func Holds(v any, text string) bool {
	raw, err := json.Marshal(v)
	return err == nil && strings.Contains(string(raw), text)
}

// NoMoreThan expects a list with at most n elements.
func NoMoreThan(n int) check.Matcher {
	return check.That(fmt.Sprintf("at most %d of them", n), func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) <= n
	})
}

// NothingBut expects a list of these items only, in their order, each at most once.
func NothingBut(allowed []string) check.Matcher {
	return check.That("nothing but "+wire.Compact(allowed)+", in this order", func(v any) bool {
		list, ok := v.([]any)
		at := 0
		for _, got := range list {
			for at < len(allowed) && got != allowed[at] {
				at++
			}
			if at++; at > len(allowed) {
				return false
			}
		}
		return ok
	})
}

// OneSucceeded expects a list of HTTP statuses with exactly one 2xx.
func OneSucceeded() check.Matcher {
	return check.That("exactly one HTTP 2xx", func(v any) bool {
		succeeded := 0
		list, _ := v.([]any)
		for _, status := range list {
			if code, _ := status.(int64); code/100 == 2 {
				succeeded++
			}
		}
		return succeeded == 1
	})
}

// RefusesAnswer reports whether a status refuses an answer for its content. A refusal of a late answer does not
// count.
func RefusesAnswer(status wire.Value) bool {
	code, _ := status.Int()
	return slices.Contains([]int64{400, 401, 403, 422}, code)
}
