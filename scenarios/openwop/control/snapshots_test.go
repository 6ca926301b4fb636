package control_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfSnapshots(t *testing.T) {
	full := func(status string, edit func(map[string]any)) map[string]any {
		s := map[string]any{"runId": "r", "workflowId": "w", "status": status, "startedAt": "2026-11-01T00:00:00Z",
			"tags": []any{"a", "b"}, "metadata": map[string]any{"note": "m"}}
		if status == "completed" || status == "failed" || status == "cancelled" {
			s["completedAt"] = "2026-11-01T00:00:01Z"
		}
		if status == "failed" {
			s["error"] = map[string]any{"code": "c", "message": "m"}
		}
		if edit != nil {
			edit(s)
		}
		return s
	}
	observe := func(t *testing.T, edit func(map[string]any)) control.SnapshotsObservation {
		var o control.SnapshotsObservation
		for _, status := range []string{"completed", "failed", "cancelled"} {
			end := wiretest.Value(t, full(status, edit))
			o.Runs = append(o.Runs, control.Snapped{Workflow: "w", Want: status, Tags: []string{"a", "b"}, Marker: "m",
				Created: hosttest.MadeRun(t, "r"), Early: hosttest.Told(t, "early", 200, full("running", nil)),
				Ended: wire.Wait{What: "the run has ended", Reached: true, Last: end}, Later: end})
		}
		return o
	}
	names := []string{"snapshot-well-formed", "ends-as-it-should", "failed-has-error", "times-of-a-run", "labels-kept"}
	for _, c := range []struct {
		name  string
		edit  func(map[string]any)
		want  string
		finds string // a requirement, and the scenario that reports it
	}{
		{"honest", nil, "passed passed passed passed passed", ""},
		{"of another run", func(s map[string]any) { s["runId"] = "q" }, openwop.OWPCTL1 + " passed passed passed passed", ""},
		{"of another workflow", func(s map[string]any) { s["workflowId"] = "v" }, openwop.OWPCTL1 + " passed passed passed passed", ""},
		{"a status that there is not", func(s map[string]any) { s["status"] = "done" }, openwop.OWPCTL2 + " " + openwop.OWPCTL3 +
			" blocked passed passed", ""},
		{"all complete", func(s map[string]any) { s["status"] = "completed" }, "passed " + openwop.OWPCTL3 + " blocked passed passed", ""},
		{"an error without a code", func(s map[string]any) {
			if s["error"] != nil {
				s["error"] = map[string]any{"message": "m"}
			}
		}, "passed passed " + openwop.OWPCTL4 + " passed passed", " snapshot-well-formed"},
		{"an error as text", func(s map[string]any) {
			if s["error"] != nil {
				s["error"] = "it failed"
			}
		}, "passed passed " + openwop.OWPCTL4 + " passed passed", ""},
		{"costs as text", func(s map[string]any) { s["metrics"] = map[string]any{"openwopCost": "much"} },
			openwop.OWPCTL8 + " passed passed passed passed", ""},
		{"an error of a run that completed", func(s map[string]any) { s["error"] = map[string]any{"code": "c", "message": "m"} },
			"passed passed passed passed passed", "OWP-CTL-5 failed-has-error"},
		{"ends before it began", func(s map[string]any) { s["completedAt"] = "2026-10-31T00:00:00Z" },
			"passed passed passed passed passed", "OWP-CTL-6 times-of-a-run"},
		{"endedAt", func(s map[string]any) { s["endedAt"] = s["completedAt"]; delete(s, "completedAt") },
			"passed passed passed passed passed", "OWP-CTL-6 times-of-a-run"},
		{"loses its tags", func(s map[string]any) { delete(s, "tags") }, "passed passed passed passed passed", "OWP-CTL-7 labels-kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observe(t, c.edit)
			for i, want := range strings.Fields(c.want) {
				hosttest.Expect(t, names[i], o, want)
			}
			if c.finds != "" {
				id, name, _ := strings.Cut(c.finds, " ")
				if got := hosttest.Findings(t, name, o); !slices.Contains(got, id) {
					t.Errorf("findings: %v", got)
				}
			}
		})
	}
	t.Run("a status that is in use is told", func(t *testing.T) {
		o := observe(t, nil)
		o.Runs[0].Early = hosttest.Told(t, "early", 200, full("waiting-clarification", nil))
		hosttest.Expect(t, "snapshot-well-formed", o, "passed")
		if got := hosttest.Findings(t, "snapshot-well-formed", o); !slices.Contains(got, "") {
			t.Errorf("findings: %v", got)
		}
	})
	t.Run("changes later", func(t *testing.T) {
		o := observe(t, nil)
		o.Runs[2].Later = wiretest.Value(t, full("completed", nil))
		hosttest.Expect(t, "ends-as-it-should", o, openwop.OWPCTL3)
	})
	t.Run("not made, or never over", func(t *testing.T) {
		for i, spoil := range []func(*control.Snapped){func(s *control.Snapped) { s.Created = hosttest.No(t, 404, "not_found") },
			func(s *control.Snapped) { s.Ended.Reached = false }} {
			for _, name := range names {
				o := observe(t, nil)
				spoil(&o.Runs[0])
				t.Run(fmt.Sprint(i, name), func(t *testing.T) { hosttest.Expect(t, name, o, "blocked") })
			}
		}
	})
}

func TestJudgeOfTheNodeThatWaits(t *testing.T) {
	asked := func(t *testing.T, snapshot map[string]any, answered int) loop.AskedObservation {
		held := host.Suspension{Turn: 1, Suspended: wire.Wait{What: "the run is suspended", Reached: true, Last: wiretest.Value(t, snapshot)},
			Log: stands(hosttest.Story{Id: "r", Status: "waiting-input", Events: []hosttest.Event{runStarted,
				hosttest.Decided(1, "ask-user")}}, t), Answered: wiretest.Status(t, answered)}
		return loop.AskedObservation{SuspendedLoop: host.SuspendedLoop{Way: "w", Held: held}}
	}
	for name, c := range map[string]struct {
		o     loop.AskedObservation
		found bool
	}{
		"named":               {asked(t, map[string]any{"currentNodeId": "supervisor"}, 200), false},
		"named elsewhere":     {asked(t, map[string]any{"interrupt": map[string]any{"nodeId": "supervisor"}}, 200), false},
		"not named":           {asked(t, map[string]any{"status": "waiting-input"}, 200), true},
		"another that is not": {asked(t, map[string]any{"currentNodeId": "other"}, 404), true},
	} {
		hosttest.Expect(t, "suspended-names-node", c.o, "passed")
		if got := hosttest.Findings(t, "suspended-names-node", c.o); slices.Contains(got, openwop.OWPCTL9) != c.found {
			t.Errorf("%s: findings %v", name, got)
		}
	}
	o := asked(t, map[string]any{}, 200)
	o.Seam = &host.SeamAnswer{}
	hosttest.Expect(t, "suspended-names-node", o, "blocked")
}
