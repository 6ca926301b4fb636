package openintent

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// certifyResolver certifies a program that runs in this process.
func certifyResolver(t *testing.T, p wire.Program) []scenarios.Outcome {
	t.Helper()
	target, err := Resolver([]string{"resolve"})
	if err != nil {
		t.Fatal(err)
	}
	target.Process.Here = p
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 3, Patience: 200 * time.Millisecond}, ResolverSuites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background()).Outcomes
}

// answering returns a resolver that answers with a function.
func answering(resolve func(question map[string]any) any) wire.Program {
	return func(_ context.Context, in io.Reader, out, errs io.Writer) int {
		var question map[string]any
		if err := json.NewDecoder(in).Decode(&question); err != nil {
			return 1
		}
		if err := json.NewEncoder(out).Encode(map[string]any{"policy": resolve(question)}); err != nil {
			return 1
		}
		return 0
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// merged returns each member from the last level that sets it.
func merged(question map[string]any) map[string]any {
	var out map[string]any
	for _, name := range []string{"platform", "agent", "call"} {
		for member, v := range object(question[name]) {
			if out == nil {
				out = map[string]any{}
			}
			out[member] = v
		}
	}
	return out
}

// lean leaves out every default, and answers null if no level sets anything.
func lean(question map[string]any) any {
	out := merged(question)
	if out == nil {
		return nil
	}
	if _, said := out["final_fallback_policy"]; !said {
		if f, said := object(question["record"])["fallback_policy"]; said {
			out["final_fallback_policy"] = f
		}
	}
	return out
}

// full writes every default, even if no level sets anything, and a member that nobody asked for.
func full(question map[string]any) any {
	out := map[string]any{"max_attempts": 1.0, "interval_seconds": object(question["record"])["timeout_seconds"], "strategy": "fixed",
		"escalation_ladder": []any{}, "final_fallback_policy": "fail", "source": "mine"}
	maps.Copy(out, object(lean(question)))
	if f, said := object(question["record"])["fallback_policy"]; said && len(merged(question)) == 0 {
		out["final_fallback_policy"] = f
	}
	var steps []any
	list, _ := out["escalation_ladder"].([]any)
	for _, s := range list {
		step := map[string]any{"channel_hint": "", "notify_to": ""}
		for k, v := range object(s) {
			if v != nil {
				step[k] = v
			}
		}
		steps = append(steps, step)
	}
	if out["escalation_ladder"] = steps; steps == nil {
		out["escalation_ladder"] = []any{}
	}
	return out
}

func TestHonestResolversPass(t *testing.T) {
	for name, p := range map[string]wire.Program{"lean": answering(lean), "full": answering(full)} {
		for _, o := range certifyResolver(t, p) {
			if o.Verdict != scenarios.Passed {
				t.Errorf("%s: %s %s: %s", name, o.Scenario.ID, o.Verdict, o.Reason)
			}
		}
	}
}

// Each resolver makes one mistake, which the named vectors find.
func TestMistakesOfResolvers(t *testing.T) {
	change := func(mistake func(question, out map[string]any)) wire.Program {
		return answering(func(q map[string]any) any {
			out := object(full(q))
			mistake(q, out)
			return out
		})
	}
	for name, c := range map[string]struct {
		program wire.Program
		failed  []string
		rule    scenarios.RequirementID
	}{
		"it answers null to everything": {answering(func(map[string]any) any { return nil }),
			[]string{"v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "no-attempts", "silent-agent", "generated"},
			""},
		"the agent is not asked": {answering(func(q map[string]any) any { delete(q, "agent"); return lean(q) }),
			[]string{"generated"}, ""},
		"the platform's ladder stays": {change(func(q, out map[string]any) {
			if l, ok := object(q["platform"])["escalation_ladder"]; ok {
				out["escalation_ladder"] = l
			}
		}), []string{"v7", "generated"}, openintent.OIP0026H6},
		"three attempts by default": {change(func(q, out map[string]any) {
			if _, said := merged(q)["max_attempts"]; !said {
				out["max_attempts"] = 3.0
			}
		}), []string{"v1", "v6", "v9", "v10", "no-attempts", "generated"}, ""},
		"the record is not looked at": {change(func(q, out map[string]any) {
			if _, said := merged(q)["final_fallback_policy"]; !said {
				out["final_fallback_policy"] = "fail"
			}
		}), []string{"v11", "generated"}, openintent.OIP0026H7},
		"the whole policy of the lowest level": {answering(func(q map[string]any) any {
			for _, name := range []string{"call", "agent", "platform"} {
				if level := object(q[name]); level != nil {
					return lean(map[string]any{"call": level, "record": q["record"]})
				}
			}
			return nil
		}), []string{"v4", "v7", "generated"}, ""},
	} {
		for _, o := range certifyResolver(t, c.program) {
			want := slices.ContainsFunc(c.failed,
				func(n string) bool { return strings.HasPrefix(o.Scenario.Name(), n+"-") || o.Scenario.Name() == n })
			if got := o.Verdict == scenarios.Failed; got != want || !got && o.Verdict != scenarios.Passed {
				t.Errorf("%s: %s %s: %s", name, o.Scenario.ID, o.Verdict, o.Reason)
			}
			if o.Failure != nil && c.rule != "" && o.Scenario.Name() != "generated" && o.Failure.Requirement != c.rule {
				t.Errorf("%s: %s blames %s, want %s", name, o.Scenario.ID, o.Failure.Requirement, c.rule)
			}
		}
	}
}

// A program that gives no proper answer fails every scenario, and does Assay no harm.
func TestHostileResolvers(t *testing.T) {
	prints := func(text string, exit int) wire.Program {
		return func(_ context.Context, in io.Reader, out, _ io.Writer) int {
			_, _ = io.Copy(io.Discard, in)
			_, _ = io.WriteString(out, text)
			return exit
		}
	}
	for name, p := range map[string]wire.Program{
		"garbage":          prints("Traceback (most recent call last):", 0),
		"nothing":          prints("", 0),
		"no policy":        prints(`{}`, 0),
		"a policy as text": prints(`{"policy":"fixed"}`, 0),
		"two documents":    prints(`{"policy":null}{"policy":null}`, 0),
		"a list":           prints(`[{"policy":null}]`, 0),
		"it fails":         prints(`{"policy":null}`, 3),
		"without an end":   prints(`{"policy":"`+strings.Repeat("a", 12<<20), 0),
		"it hangs":         func(ctx context.Context, _ io.Reader, _, _ io.Writer) int { <-ctx.Done(); return 0 },
		"odd kinds of value": prints(`{"policy":{"max_attempts":"3","interval_seconds":[1],"strategy":7,`+
			`"escalation_ladder":{"a":1},"final_fallback_policy":null}}`, 0),
		"a ladder of junk": prints(`{"policy":{"escalation_ladder":[null,1,"x",{"attempt":"2"}]}}`, 0),
	} {
		for _, o := range certifyResolver(t, p) {
			if o.Verdict != scenarios.Failed {
				t.Errorf("%s: %s %s: %s", name, o.Scenario.ID, o.Verdict, o.Reason)
			}
		}
	}
}
