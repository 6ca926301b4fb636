package agenticloop

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of several scenarios have in common.

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// given stops a judge where a turn that it needs did not end as a turn does: that is another scenario's failure.
func given(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		switch {
		case t.Name == "":
			j.BlockOn(agenticloopv2.RFC103I7, "set-up: the turns before it did not end as turns do")
		case !t.answered():
			j.BlockOn(agenticloopv2.RFC103I7, fmt.Sprintf("set-up: %s: it ended with %s, and printed %s", t.Name, t.Exit.JSON(), t.Output.JSON()))
		}
	}
}

// begun stops a judge for which the start was only the set-up.
func begun(j *scenarios.Judge, starts ...Turn) {
	given(j, starts...)
	for _, t := range starts {
		if _, ok := waiting(t); !ok {
			j.BlockOn(agenticloopv2.RFC103M1, "set-up: "+t.Name+": no request for a tool that its run waits for, but "+t.Output.JSON())
		}
	}
}

// taken stops a judge where a result that matched was passed over: that is another scenario's failure.
func taken(j *scenarios.Judge, t Turn) {
	if same, _ := t.untouched().MatchSeen(t.runs()); same && !moved(t) && t.Answer.Key("status").String() == "ok" {
		j.BlockOn(agenticloopv2.RFC103V9, "set-up: "+t.Name+": nothing came of it")
	}
}

// silent expects a turn that was ignored: status ok, no event, and the run as it was.
func silent(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		j.Check(id, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
		j.Check(id, t.events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.runs()).To(t.unchanged(run), "%s", t.Name)
	}
}

// repeats says whether the turn did no more than to ask once more for what its run waits for: that is as safe as silence
// (AL-R14).
func (t Turn) repeats(run string) bool {
	p, w := t.asked(), waitsOf(t.before()[run])
	if p == nil || len(t.events().Values) != 1 || p.Run != run || w.status != "running" || w.step != p.Step || w.tool != p.Tool {
		return false
	}
	unchanged, _ := t.unchanged(run).MatchSeen(t.runs())
	return unchanged
}

// asked is what the one request of a turn names; nil where there is none, or another number.
func (t Turn) asked() *pending {
	requests := t.requests().Values
	if len(requests) != 1 {
		return nil
	}
	payload := requests[0].Key("payload")
	p := &pending{Run: payload.Key("run_id").String(), Tool: payload.Key("tool").String()}
	p.Step, _ = payload.Key("step").Int()
	return p
}

// ignored expects a turn that was silent, or that asked once more for what is pending.
func ignored(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	if !t.repeats(run) {
		silent(j, t, run, of...)
		return
	}
	for _, id := range of {
		j.Check(id, t.runs()).To(t.unchanged(run), "%s", t.Name)
	}
	j.Find(of[0], "%s: it hands out the pending request once more", t.Name)
}

// unmoved expects that the run is as it was and nothing was asked for, whether the turn was ignored or refused for good.
func unmoved(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		if t.Answer.Key("status").String() == "error" {
			j.Check(id, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry of the error", t.Name)
			continue
		}
		j.Check(id, t.events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.runs()).To(t.unchanged(run), "%s", t.Name)
	}
}

// givenUp expects that the turn escalated the run: status ok, one agent.escalated and no other event, and the run escalated
// in the same response. What the event holds is asked once, by the scenario of the wrong tool.
func givenUp(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	if t.escalatesAsError(j) {
		return
	}
	for _, id := range of {
		j.Check(id, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
		j.Check(id, t.events().Each("/type")).To(check.Equal([]string{escalated}), "%s: events", t.Name)
		j.Check(id, t.run(run).Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
	}
}

// escalatesAsError reports whether an escalation comes with an error, which takes back what it says: that is another
// scenario's failure, and blocks this one.
func (t Turn) escalatesAsError(j *scenarios.Judge) bool {
	if t.Answer.Key("status").String() != "error" || len(t.ends().Values) == 0 {
		return false
	}
	j.Part(func() { j.BlockOn(agenticloopv2.RFC103P3, "set-up: "+t.Name+": it ended the run with status error") })
	return true
}

// refusedForGood expects an error that is not to be tried again, or an escalation, and nothing asked for.
func refusedForGood(j *scenarios.Judge, t Turn, of ...scenarios.RequirementID) {
	if t.escalatesAsError(j) {
		return
	}
	for _, id := range of {
		if t.Answer.Key("status").String() == "error" {
			j.Check(id, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry of the error", t.Name)
		} else {
			j.Check(id, t.events().Each("/type")).To(check.Equal([]string{escalated}), "%s: events of a turn that is no error", t.Name)
		}
		j.Check(id, t.requests()).To(check.Len(0), "%s: requests for tools", t.Name)
	}
}

// kept are the runs that the gateway would keep of the turn: an error changes none.
func (t Turn) kept() wire.Found {
	made := t.newRuns()
	if t.Answer.Key("status").String() == "error" {
		made.Values = nil
	}
	return made
}

// nothing says whether a field that may name what is pending says that nothing is.
func nothing(v any) bool { return v == nil || v == "" || reflect.DeepEqual(v, int64(0)) }

// idle expects that nothing is pending: null, 0, "" or nothing at all (AL-R7).
func idle() check.Matcher {
	return check.That("nothing (absent, null, 0 or empty)", nothing)
}

var (
	runID   = lazyregexp.New(`^[A-Za-z0-9._-]{1,128}$`)
	routed  = lazyregexp.New(`^agentic\.tool_request\.[A-Za-z0-9_-]{1,64}$`)
	permits = []string{"debug", "info", "warn", "error"}
)

// object expects a JSON object.
func anObject() check.Matcher {
	return check.That("a JSON object", func(v any) bool { _, ok := v.(map[string]any); return ok })
}

// instant expects an RFC 3339 time, with any number of digits behind the second.
func instant() check.Matcher {
	return check.That("an RFC 3339 time", func(v any) bool { s, _ := v.(string); _, err := time.Parse(time.RFC3339, s); return err == nil })
}

func matching(what string, pattern *lazyregexp.Regexp) check.Matcher {
	return check.That(what, func(v any) bool { s, ok := v.(string); return ok && pattern.MatchString(s) })
}

// requestKey expects the dedupe key of a request; the attempt may follow (AL-R9).
func requestKey(run string, step int64) check.Matcher {
	want := fmt.Sprintf("agentic:run:%s:step:%d:request", run, step)
	again := regexp.MustCompile("^" + regexp.QuoteMeta(want) + `:attempt:[0-9]+$`)
	return check.That(want+", or that with :attempt:<n>", func(v any) bool { s, ok := v.(string); return ok && (s == want || again.MatchString(s)) })
}

// hasLevel expects a log of a level among the logs.
func hasLevel(level string) check.Matcher {
	return check.That("a log of level "+level, func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(l any) bool {
			log, _ := l.(map[string]any)
			said, _ := log["level"].(string)
			return strings.EqualFold(said, level) || strings.EqualFold(said, level+"ing")
		})
	})
}

// setUpFailed stops a judge on a drive that could not bring about what the question needs.
func setUpFailed(j *scenarios.Judge, why string) {
	if why != "" {
		j.Block("set-up: "+why, "see the turns of its transcript")
	}
}

// sizeOf is how many bytes a value takes as JSON.
func sizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(raw)
}

// timeless is a decoded document without the members that tell a time.
func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
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
