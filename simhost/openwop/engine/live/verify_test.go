package live

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/refusal"
)

// verified has the engine verify; gating or not.
func verified(gates bool) option {
	return func(o *Options) { o.Version, o.Verifies, o.Gates = 6, true, gates }
}

// judged are the inputs of a loop whose results are verified.
func judged(t testing.TB, decisions, verdicts string) Create {
	return Create{WorkflowID: "assay-loop-verified", Inputs: map[string]any{
		"plan": parse[[]any](t, decisions), "verdicts": parse[[]any](t, verdicts), "said": "word", "heard": "old",
	}}
}

const (
	workOnce = `[{"kind":"next-worker","nextWorkerIds":["assay-echo"]},{"kind":"terminate"}]`
	endOnce  = `[{"kind":"terminate"}]`
)

// ledgerOf are the steps of a log that matter to a verifier, in order.
func ledgerOf(t testing.TB, events []event.Event) string {
	t.Helper()
	var steps []string
	for _, e := range events {
		payload, err := e.Decode()
		if err != nil {
			t.Fatal(err)
		}
		switch p := payload.(type) {
		case *event.VerifiedPayload:
			steps = append(steps, string(p.Verdict))
		case *event.HandoffPayload:
			if p.Phase == event.OutputHarvested {
				steps = append(steps, "merged")
			}
		case *event.DecidedPayload:
			steps = append(steps, "turn")
		case *event.RunCompletedPayload:
			steps = append(steps, "completed")
		case *event.RunFailedPayload:
			steps = append(steps, p.Error.Code)
		}
	}
	return strings.Join(steps, " ")
}

// RFC 0090 B: the verdict comes before what it is about counts, and where it gates it decides.
func TestVerdictsDecideWhatCounts(t *testing.T) {
	for _, c := range []struct {
		name, decisions, verdicts string
		gates                     bool
		bound                     int
		want, heard               string
	}{
		{"pass", workOnce, `[{"verdict":"pass"},{"verdict":"pass"}]`, true, 0, "turn pass merged turn pass completed", "word"},
		{"fail withholds", workOnce, `[{"verdict":"fail"},{"verdict":"pass"}]`, true, 0, "turn fail turn pass completed", "old"},
		{"revise, and another turn brings it",
			`[{"kind":"next-worker","nextWorkerIds":["assay-echo"]},{"kind":"next-worker","nextWorkerIds":["assay-echo"]},{"kind":"terminate"}]`,
			`[{"verdict":"revise"},{"verdict":"pass"}]`, true, 0, "turn revise turn pass merged turn completed", "word"},
		{"fail at the end", endOnce, `[{"verdict":"fail"}]`, true, 0, "turn fail verification_failed", "old"},
		{"revise at the end", `[{"kind":"terminate"},{"kind":"terminate"}]`, `[{"verdict":"revise"},{"verdict":"pass"}]`, true, 0,
			"turn revise turn pass completed", "old"},
		{"revise without end", endOnce, `[{"verdict":"revise"},{"verdict":"revise"},{"verdict":"revise"}]`, true, 2,
			"turn revise turn revise loop_limit_exceeded", "old"},
		{"no verdict left", workOnce, `[]`, true, 0, "turn merged turn completed", "word"},
		{"told and no more", workOnce, `[{"verdict":"fail"},{"verdict":"revise"}]`, false, 0, "turn fail merged turn revise completed", "word"},
		{"gave up", `[{"kind":"terminate","successCriteria":[{"key":"a","met":true},{"key":"b","met":false}]}]`, `[{"verdict":"pass"}]`,
			true, 0, "turn pass gave_up", "old"},
		{"all met", `[{"kind":"terminate","successCriteria":[{"key":"a","met":true}]}]`, `[]`, true, 0, "turn completed", "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, verified(c.gates))
			create := judged(t, c.decisions, c.verdicts)
			if c.bound > 0 {
				create.Configurable = map[string]any{step.KeyTurns: c.bound}
			}
			s := h.create(create)
			events := h.events(s.RunID)
			if got := ledgerOf(t, events); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if s.Variables["heard"] != c.heard {
				t.Errorf("heard %v, want %s", s.Variables["heard"], c.heard)
			}
			expectLawful(t, s, events, 6)
			h.expectReplays(s.RunID)
			h.restart()
			if again := h.snapshot(s.RunID); show(again) != show(s) {
				t.Errorf("after a restart\n%s\nbefore\n%s", show(again), show(s))
			}
		})
	}
}

// A verdict names what it is about, and nothing of what is in it.
func TestVerdictNamesItsTarget(t *testing.T) {
	h := newHost(t, verified(true))
	s := h.create(judged(t, workOnce, `[{"verdict":"pass","criteria":["a","b"],"confidence":0.75},{"verdict":"pass"}]`))
	var targets []string
	var child, decision string
	for _, e := range h.events(s.RunID) {
		payload, _ := e.Decode()
		switch p := payload.(type) {
		case *event.HandoffPayload:
			child = p.ChildRunID
		case *event.DecidedPayload:
			decision = e.ID
		case *event.VerifiedPayload:
			targets = append(targets, p.Target)
			if p.AgentID != step.HostVerifier || strings.Contains(string(e.Payload), "word") {
				t.Errorf("verdict %s", e.Payload)
			}
			if len(targets) == 1 && (fmt.Sprint(p.Criteria) != "[a b]" || *p.Confidence != 0.75) {
				t.Errorf("verdict %s", e.Payload)
			}
		}
	}
	if !slices.Equal(targets, []string{child, decision}) {
		t.Errorf("targets %v, want %v", targets, []string{child, decision})
	}
}

// Below version 6 nobody verifies, and a decision has no criteria; neither has a host without a verifier verdicts.
func TestNobodyVerifiesWhereThatIsNotOffered(t *testing.T) {
	criteria := `[{"kind":"next-worker","nextWorkerIds":["assay-echo"]},{"kind":"terminate","successCriteria":[{"key":"a","met":false}]}]`
	for name, o := range map[string]struct {
		option
		want string
	}{
		"version 5":  {func(o *Options) { o.Version, o.Verifies, o.Gates = 5, true, true }, "turn merged turn completed"},
		"unverified": {version(6), "turn merged turn gave_up"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, o.option)
			s := h.create(judged(t, criteria, `[{"verdict":"fail"},{"verdict":"fail"}]`))
			if got := ledgerOf(t, h.events(s.RunID)); got != o.want {
				t.Errorf("%s, want %s", got, o.want)
			}
		})
	}
}

func TestVerdictsThatAreNoneAreRefused(t *testing.T) {
	h := newHost(t, verified(true))
	for verdicts, field := range map[string]string{
		`["pass"]`:                                  "inputs.verdicts[0]",
		`[{"verdict":"maybe"}]`:                     "inputs.verdicts[0].verdict",
		`[{"verdict":"pass","confidence":2}]`:       "inputs.verdicts[0].confidence",
		`[{"verdict":"pass"},{"why":"x"}]`:          "inputs.verdicts[1]",
		`[{"verdict":"pass","criteria":["a","a"]}]`: "inputs.verdicts[0].criteria",
		`[{"verdict":"pass","criteria":[""]}]`:      "inputs.verdicts[0].criteria",
	} {
		_, err := h.Create(soon(t), judged(t, endOnce, verdicts))
		refused := (*refusal.Error)(nil)
		if !errors.As(err, &refused) || refused.Code != codes.Validation || refused.Details["field"] != field {
			t.Errorf("%s: %v", verdicts, err)
		}
	}
}

// scriptVerdicts gives the supervisor of a workflow a random verifier.
func scriptVerdicts(rt *rapid.T, d *openwopv1.WorkflowDefinition) {
	verdicts := []any{}
	for _, found := range rapid.SliceOfN(rapid.SampledFrom([]string{"pass", "pass", "fail", "revise"}), 0, 6).Draw(rt, "verdicts") {
		verdicts = append(verdicts, map[string]any{"verdict": found})
	}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.TypeID == workflow.TypeSupervisor {
			config := map[string]any{workflow.KeyVerdicts: verdicts}
			maps.Copy(config, n.Config)
			n.Config = config
		}
	}
}
