package openwop_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

const goalsAt = "/v1/host/sample/goals"

// honestGoals are goals with a run behind each contribution.
func honestGoals(g *inventedGoals) []routes {
	return []routes{discovery("conformance-noop"), g.routes(), g.runs()}
}

// runs serves the runs that the goals show, and those that somebody asks for.
func (g *inventedGoals) runs() routes {
	var made atomic.Int64
	known := func(id string) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return strings.HasPrefix(id, "sentinel-") || slices.ContainsFunc(g.goals, func(o *inventedGoal) bool { return slices.Contains(o.Progress.ContributingRunIds, id) })
	}
	get := func(body func(id string) any) answer {
		return func(r *http.Request, _ map[string]any) (int, any) {
			if id := r.PathValue("id"); known(id) {
				return http.StatusOK, body(id)
			}
			return refused(http.StatusNotFound, "not_found")
		}
	}
	return routes{
		"POST /v1/runs": func(*http.Request, map[string]any) (int, any) {
			return http.StatusCreated, fields{"runId": fmt.Sprint("sentinel-", made.Add(1)), "status": "pending"}
		},
		"GET /v1/runs/{id}": get(func(id string) any { return fields{"runId": id, "status": g.statusOf(id)} }),
		"GET /v1/runs/{id}/events/poll": get(func(id string) any {
			return fields{"events": []fields{{"eventId": id + "-e0", "runId": id, "sequence": 0, "type": "run.completed", "payload": fields{}}}, "isComplete": true}
		}),
	}
}

// statusOf is that of a run: the last one of a goal that is escalated waits, all others have ended.
func (g *inventedGoals) statusOf(id string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.goals {
		if runs := o.Progress.ContributingRunIds; o.State == openwopv1.GoalStateEscalated && runs[len(runs)-1] == id {
			return "waiting-approval"
		}
	}
	return "completed"
}

// askOfGoals asks the scenarios of those names, or the whole suite.
func askOfGoals(t *testing.T, host []routes, names ...string) *scenarios.Report {
	t.Helper()
	selection := scenarios.Selection{Suites: []string{"goal-bounds"}}
	for _, n := range names {
		selection.Scenarios = append(selection.Scenarios, "goal-bounds/"+n)
	}
	o := scenarios.Options{Seed: 7, Patience: time.Second, Workers: 20, Select: selection}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: serve(t, host...), Key: "dev-key"}, o, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// all is the verdict on every scenario, but for those that are named.
func all(r *scenarios.Report, verdict string, but map[string]string) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		if out[o.Scenario.Name()] = verdict; but[o.Scenario.Name()] != "" {
			out[o.Scenario.Name()] = but[o.Scenario.Name()]
		}
	}
	return out
}

func TestGoalsThatAreKept(t *testing.T) {
	t.Parallel()
	g := &inventedGoals{}
	r := askOfGoals(t, honestGoals(g))
	compare(t, r, all(r, "passed observed", nil))
	if len(r.Outcomes) < 18 || r.ExitCode() != scenarios.ExitProved {
		t.Errorf("%d scenarios, exit code %d", len(r.Outcomes), r.ExitCode())
	}
	for _, p := range r.Profiles {
		if p.ID == "goals" && p.Status != "certified" {
			t.Errorf("profile %s is %s, %d of %d", p.ID, p.Status, p.Proved, p.Required)
		}
	}
	for _, o := range r.Outcomes {
		if len(o.Findings) > 0 {
			t.Errorf("%s: findings %v", o.Scenario.ID, o.Findings)
		}
	}
	if len(r.Leftovers) > 0 {
		t.Errorf("left behind: %v", r.Leftovers)
	}
	for _, o := range g.goals {
		if o.active() {
			t.Errorf("goal %s, %q, is active still", o.ID, o.Objective)
		}
	}
	dir := t.TempDir()
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Selection{Suites: []string{"goal-bounds"}}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range again {
		if first := r.Outcomes[i]; o.Verdict != first.Verdict || o.Evidence != first.Evidence || !slices.Equal(o.Checks, first.Checks) {
			t.Errorf("%s is %s from disk: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}

// moved are routes below another home.
func moved(home string, all []routes) []routes {
	var out []routes
	for _, some := range all {
		there := routes{}
		for pattern, a := range some {
			there[strings.Replace(pattern, goalsAt, home, 1)] = a
		}
		out = append(out, there)
	}
	return out
}

func TestGoalsAreFoundWhereverTheyLive(t *testing.T) {
	for _, home := range []string{"/v1/goals", "/conformance/seams/sample/goals"} {
		t.Run(home, func(t *testing.T) {
			t.Parallel()
			r := askOfGoals(t, moved(home, honestGoals(&inventedGoals{})), "created-as-asked", "satisfied-disarms")
			compare(t, r, all(r, "passed observed", nil))
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Parallel()
		r := askOfGoals(t, []routes{discovery()})
		compare(t, r, all(r, "blocked", map[string]string{"block-well-formed": "passed observed"}))
		for _, o := range r.Outcomes {
			if o.Verdict == scenarios.Blocked && !strings.Contains(o.Unblock, "--seam-prefix") {
				t.Errorf("%s: %s", o.Scenario.ID, o.Unblock)
			}
		}
	})
	t.Run("a list too long to read", func(t *testing.T) {
		t.Parallel()
		long := routes{"GET " + goalsAt: always(fields{"goals": []any{strings.Repeat("x", 1<<20)}})}
		r := askOfGoals(t, append(honestGoals(&inventedGoals{}), long))
		compare(t, r, all(r, "passed observed", map[string]string{"created-as-asked": "inconclusive", "bounds-required": "inconclusive", "client-cannot-satisfy": "inconclusive"}))
	})
}

// What the text leaves open is answered in more than one way.
func TestGoalsOfOtherHosts(t *testing.T) {
	refuse := func(status int) answer {
		return func(*http.Request, map[string]any) (int, any) { return refused(status, "no") }
	}
	noSeams := func(status int) routes {
		return routes{"POST " + goalsAt + "/{id}/tick": refuse(status), "GET " + goalsAt + "/{id}/events": refuse(status)}
	}
	withoutSeam := map[string]string{}
	for _, name := range []string{"block-well-formed", "bounds-required", "created-as-asked", "misfits-not-kept", "client-cannot-satisfy", "abandoned-stays-abandoned"} {
		withoutSeam[name] = "passed observed"
	}
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden, http.StatusNotImplemented} {
		t.Run(fmt.Sprintf("no seam, HTTP %d", status), func(t *testing.T) {
			t.Parallel()
			r := askOfGoals(t, append(honestGoals(&inventedGoals{}), noSeams(status)))
			compare(t, r, all(r, "blocked", withoutSeam))
		})
	}
	t.Run("like the application", func(t *testing.T) {
		t.Parallel()
		g := &inventedGoals{}
		revives := routes{
			"POST " + goalsAt + "/{id}/resume": g.of(func(o *inventedGoal, _ map[string]any) bool { o.State = openwopv1.GoalStateActive; return true }),
			"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				delete(body, "state") // a word that it does not know
				return g.create(r, body)
			},
		}
		r := askOfGoals(t, append(honestGoals(g), noSeams(http.StatusNotFound), revives))
		want := all(r, "blocked", withoutSeam)
		want["abandoned-stays-abandoned"] = "failed"
		compare(t, r, want)
		for _, o := range r.Outcomes {
			if o.Failure != nil && o.Failure.Requirement != openwopv1.OWP0097C6 {
				t.Errorf("%s: %s", o.Scenario.ID, o.Reason)
			}
		}
	})
	t.Run("edits by POST", func(t *testing.T) {
		t.Parallel()
		g := &inventedGoals{}
		r := askOfGoals(t, append(honestGoals(g), routes{"PATCH " + goalsAt + "/{id}": refuse(http.StatusMethodNotAllowed), "POST " + goalsAt + "/{id}": g.of(g.edit)}))
		compare(t, r, all(r, "passed observed", nil))
	})
	t.Run("fires in its own time", func(t *testing.T) {
		t.Parallel()
		g := &inventedGoals{}
		var order sync.Mutex // as a queue would keep it
		later := routes{"POST " + goalsAt + "/{id}/tick": func(r *http.Request, body map[string]any) (int, any) {
			time.AfterFunc(3*time.Millisecond, func() {
				order.Lock()
				defer order.Unlock()
				g.find(g.tick)(r, body)
			})
			return http.StatusAccepted, fields{}
		}}
		r := askOfGoals(t, append(honestGoals(g), later))
		compare(t, r, all(r, "passed observed", nil))
	})
	t.Run("tells its events in the replies only", func(t *testing.T) {
		t.Parallel()
		r := askOfGoals(t, append(honestGoals(&inventedGoals{}), routes{"GET " + goalsAt + "/{id}/events": refuse(http.StatusNotFound)}))
		told := map[string]string{}
		for _, name := range []string{"closed-at-bound", "evaluated-and-closed", "evaluations-attributed", "content-free"} {
			told[name] = "passed attested"
		}
		compare(t, r, all(r, "passed observed", told))
	})
	t.Run("does not require bounds", func(t *testing.T) {
		t.Parallel()
		d := discoveryOf("conformance-noop")
		d["agents"] = fields{"goals": fields{"judge": "verifier", "continuation": []string{"schedule", "manual"}, "requiresBounds": false}}
		r := askOfGoals(t, append(honestGoals(&inventedGoals{verifies: true}), routes{"GET /.well-known/openwop": always(d)}))
		compare(t, r, all(r, "passed observed", map[string]string{"bounds-required": "inapplicable"}))
	})
}

// Each of these hosts breaks one rule and keeps the others.
func TestGoalsThatAreNotKept(t *testing.T) {
	tick := "POST " + goalsAt + "/{id}/tick"
	for _, c := range []struct {
		name, scenario, want string
		lie                  func(*inventedGoals) routes
	}{
		{"a goal that never moves", "stops-at-bound", openwopv1.OWP0097G2, func(g *inventedGoals) routes { g.idle = true; return nil }},
		{"a goal that a client satisfies", "client-cannot-satisfy", openwopv1.OWP0097E2, func(g *inventedGoals) routes { g.told = true; return nil }},
		{"a bound that is one too high", "stops-at-bound", openwopv1.OWP0097E4, func(g *inventedGoals) routes {
			return routes{"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				if bounds, _ := body["bounds"].(map[string]any); bounds["maxLoopIterations"] != nil {
					bounds["maxLoopIterations"] = bounds["maxLoopIterations"].(float64) + 1
				}
				return g.create(r, body)
			}}
		}},
		{"a tick that reads, and fires without looking again", "ticked-at-once", openwopv1.OWP0097E4, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) {
				if len(o.Progress.ContributingRunIds) < 6 {
					o.State = openwopv1.GoalStateActive
				}
				return g.tick(o, body)
			})}
		}},
		{"a cost that is not added up", "cost-bound", openwopv1.OWP0097E5, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) { o.cost = 0; return g.tick(o, body) })}
		}},
		{"a deadline that nobody watches", "deadline", openwopv1.OWP0097E6, func(g *inventedGoals) routes {
			return routes{"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				if bounds, _ := body["bounds"].(map[string]any); bounds != nil {
					delete(bounds, "runTimeoutMs")
				}
				return g.create(r, body)
			}}
		}},
		{"a deadline that has passed from the start", "deadline", openwopv1.OWP0097E6, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) {
				o.close(openwopv1.GoalStateBoundExceeded)
				return g.tick(o, body)
			})}
		}},
		{"a pause that halts nothing", "pause-halts", openwopv1.OWP0097C5, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) { o.paused = false; return g.tick(o, body) })}
		}},
		{"a pause for good", "pause-halts", openwopv1.OWP0097C5, func(g *inventedGoals) routes {
			return routes{"POST " + goalsAt + "/{id}/resume": g.of(func(*inventedGoal, map[string]any) bool { return true })}
		}},
		{"an escalation that is not heeded", "escalation-halts", openwopv1.OWP0097E8, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) {
				delete(body, "escalate")
				return g.tick(o, body)
			})}
		}},
		{"a goal that resume brings back", "exceeded-stays-exceeded", openwopv1.OWP0097E4, func(g *inventedGoals) routes {
			return routes{"POST " + goalsAt + "/{id}/resume": g.of(func(o *inventedGoal, _ map[string]any) bool { o.State = openwopv1.GoalStateActive; return true })}
		}},
		{"an ended goal that is edited", "exceeded-stays-exceeded", openwopv1.OWP0097C4, func(g *inventedGoals) routes {
			return routes{"PATCH " + goalsAt + "/{id}": g.of(func(o *inventedGoal, body map[string]any) bool {
				o.Objective, _ = body["objective"].(string)
				return true
			})}
		}},
		{"runs that are not there", "runs-of-the-goal", openwopv1.OWP0097E10, func(*inventedGoals) routes {
			return routes{"GET /v1/runs/{id}": func(*http.Request, map[string]any) (int, any) { return refused(http.StatusNotFound, "not_found") }}
		}},
		{"an objective in an event", "content-free", openwopv1.OWP0097D2, func(g *inventedGoals) routes {
			return routes{tick: g.find(func(o *inventedGoal, body map[string]any) (int, any) {
				status, reply := g.tick(o, body)
				for _, e := range o.events {
					e.Payload["note"] = o.Objective[:25]
				}
				return status, reply
			})}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := &inventedGoals{}
			lie := c.lie(g)
			r := askOfGoals(t, append(honestGoals(g), lie), c.scenario)
			if o := r.Outcomes[0]; o.Failure == nil || string(o.Failure.Requirement) != c.want {
				t.Errorf("%s (%s), want a violation of %s", o.Verdict, o.Reason, c.want)
			}
		})
	}
}

// A host may answer anything. No verdict is ever a fault of ours.
func TestGoalsOfAHostileHost(t *testing.T) {
	many := slices.Repeat([]any{"run-1"}, 5_000)
	for name, body := range map[string]any{
		"nothing":         nil,
		"a number":        7,
		"a list":          []any{fields{"id": "g-1"}},
		"wrong kinds":     fields{"id": fields{}, "goals": fields{}, "state": []any{}, "progress": []any{1}, "bounds": "none", "events": "none", "runId": 3},
		"an id, no goal":  fields{"id": "../..", "goals": []any{nil, 1, "g", []any{}}, "events": []any{nil, 1, fields{"type": 4}}},
		"runs, endlessly": fields{"id": "g-1", "state": "active", "goals": many, "progress": fields{"iterations": 9e18, "contributingRunIds": many}, "events": many, "runId": "run-2"},
		"fewer than none": fields{"id": "g-1", "state": "active", "progress": fields{"iterations": -1e300, "contributingRunIds": []any{}}, "events": []any{}, "runId": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := askOfGoals(t, []routes{{"GET /.well-known/openwop": always(discoveryOf("conformance-noop")), "/": always(body)}})
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Broken || o.Verdict == scenarios.Passed && o.Scenario.Name() != "block-well-formed" {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
		})
	}
}
