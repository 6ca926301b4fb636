package goals_test

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

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

const goalsAt = "/v1/host/sample/goals"

// honestGoals serves goals with a run behind each contribution.
func honestGoals(g *hosttest.InventedGoals) []hosttest.Routes {
	return []hosttest.Routes{hosttest.DiscoveryWith("conformance-noop"), g.Routes(), runs(g)}
}

// runs serves the runs that the goals list, and those that clients create.
func runs(g *hosttest.InventedGoals) hosttest.Routes {
	var made atomic.Int64
	known := func(id string) bool {
		g.Mu.Lock()
		defer g.Mu.Unlock()
		return strings.HasPrefix(id, "sentinel-") || slices.ContainsFunc(g.Goals,
			func(o *hosttest.InventedGoal) bool { return slices.Contains(o.Progress.ContributingRunIds, id) })
	}
	get := func(body func(id string) any) hosttest.Answer {
		return func(r *http.Request, _ map[string]any) (int, any) {
			if id := r.PathValue("id"); known(id) {
				return http.StatusOK, body(id)
			}
			return hosttest.Refused(http.StatusNotFound, "not_found")
		}
	}
	return hosttest.Routes{
		"POST /v1/runs": func(*http.Request, map[string]any) (int, any) {
			return http.StatusCreated, hosttest.Fields{"runId": fmt.Sprint("sentinel-", made.Add(1)), "status": "pending"}
		},
		"GET /v1/runs/{id}": get(func(id string) any { return hosttest.Fields{"runId": id, "status": statusOf(g, id)} }),
		"GET /v1/runs/{id}/events/poll": get(func(id string) any {
			return hosttest.Fields{"events": []hosttest.Fields{{"eventId": id + "-e0", "runId": id, "sequence": 0, "type": "run.completed",
				"payload": hosttest.Fields{}}}, "isComplete": true}
		}),
	}
}

// statusOf returns the status of a run: the last one of an escalated goal waits, all others have ended.
func statusOf(g *hosttest.InventedGoals, id string) string {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	for _, o := range g.Goals {
		if runs := o.Progress.ContributingRunIds; o.State == dialect.GoalStateEscalated && runs[len(runs)-1] == id {
			return "waiting-approval"
		}
	}
	return "completed"
}

// askOfGoals runs the named scenarios, or the whole suite.
func askOfGoals(t *testing.T, host []hosttest.Routes, names ...string) *scenarios.Report {
	t.Helper()
	selection := scenarios.Selection{Suites: []string{"goal-bounds"}}
	for _, n := range names {
		selection.Scenarios = append(selection.Scenarios, "goal-bounds/"+n)
	}
	o := scenarios.Options{Seed: 7, Patience: time.Second, Workers: 20, Select: selection}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: hosttest.Serve(t, host...), Key: "dev-key"}, o, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// all maps every scenario to one verdict, except those in but.
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
	g := &hosttest.InventedGoals{}
	r := askOfGoals(t, honestGoals(g))
	hosttest.Compare(t, r, all(r, "passed observed", nil))
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
	for _, o := range g.Goals {
		if o.Active() {
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
	again, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Quick, scenarios.Selection{Suites: []string{"goal-bounds"}}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range again {
		if first := r.Outcomes[i]; o.Verdict != first.Verdict || o.Evidence != first.Evidence || !slices.Equal(o.Checks, first.Checks) {
			t.Errorf("%s is %s from disk: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}

// moved serves the routes below another home.
func moved(home string, all []hosttest.Routes) []hosttest.Routes {
	var out []hosttest.Routes
	for _, some := range all {
		there := hosttest.Routes{}
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
			r := askOfGoals(t, moved(home, honestGoals(&hosttest.InventedGoals{})), "created-as-asked", "satisfied-disarms")
			hosttest.Compare(t, r, all(r, "passed observed", nil))
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Parallel()
		r := askOfGoals(t, []hosttest.Routes{hosttest.DiscoveryWith()})
		hosttest.Compare(t, r, all(r, "blocked", map[string]string{"block-well-formed": "passed observed"}))
		for _, o := range r.Outcomes {
			if o.Verdict == scenarios.Blocked && !strings.Contains(o.Unblock, "--seam-prefix") {
				t.Errorf("%s: %s", o.Scenario.ID, o.Unblock)
			}
		}
	})
	t.Run("a list too long to read", func(t *testing.T) {
		t.Parallel()
		long := hosttest.Routes{"GET " + goalsAt: hosttest.Always(hosttest.Fields{"goals": []any{strings.Repeat("x", 1<<20)}})}
		r := askOfGoals(t, append(honestGoals(&hosttest.InventedGoals{}), long))
		hosttest.Compare(t, r, all(r, "passed observed", map[string]string{"created-as-asked": "inconclusive",
			"bounds-required": "inconclusive", "client-cannot-satisfy": "inconclusive"}))
	})
}

// The RFC leaves points open, and hosts settle them differently.
func TestGoalsOfOtherHosts(t *testing.T) {
	refuse := func(status int) hosttest.Answer {
		return func(*http.Request, map[string]any) (int, any) { return hosttest.Refused(status, "no") }
	}
	noSeams := func(status int) hosttest.Routes {
		return hosttest.Routes{"POST " + goalsAt + "/{id}/tick": refuse(status), "GET " + goalsAt + "/{id}/events": refuse(status)}
	}
	withoutSeam := map[string]string{}
	for _, name := range []string{"block-well-formed", "bounds-required", "created-as-asked", "misfits-not-kept",
		"client-cannot-satisfy", "abandoned-stays-abandoned"} {
		withoutSeam[name] = "passed observed"
	}
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden, http.StatusNotImplemented} {
		t.Run(fmt.Sprintf("no seam, HTTP %d", status), func(t *testing.T) {
			t.Parallel()
			r := askOfGoals(t, append(honestGoals(&hosttest.InventedGoals{}), noSeams(status)))
			hosttest.Compare(t, r, all(r, "blocked", withoutSeam))
		})
	}
	t.Run("like the application", func(t *testing.T) {
		t.Parallel()
		g := &hosttest.InventedGoals{}
		revives := hosttest.Routes{
			"POST " + goalsAt + "/{id}/resume": g.Of(func(o *hosttest.InventedGoal, _ map[string]any) bool {
				o.State = dialect.GoalStateActive
				return true
			}),
			"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				delete(body, "state") // a word that this host does not know
				return g.Create(r, body)
			},
		}
		r := askOfGoals(t, append(honestGoals(g), noSeams(http.StatusNotFound), revives))
		want := all(r, "blocked", withoutSeam)
		want["abandoned-stays-abandoned"] = "failed"
		hosttest.Compare(t, r, want)
		for _, o := range r.Outcomes {
			if o.Failure != nil && o.Failure.Requirement != requirement.OWP0097C6 {
				t.Errorf("%s: %s", o.Scenario.ID, o.Reason)
			}
		}
	})
	t.Run("edits by POST", func(t *testing.T) {
		t.Parallel()
		g := &hosttest.InventedGoals{}
		r := askOfGoals(t, append(honestGoals(g), hosttest.Routes{"PATCH " + goalsAt + "/{id}": refuse(http.StatusMethodNotAllowed),
			"POST " + goalsAt + "/{id}": g.Of(g.Edit)}))
		hosttest.Compare(t, r, all(r, "passed observed", nil))
	})
	t.Run("fires in its own time", func(t *testing.T) {
		t.Parallel()
		g := &hosttest.InventedGoals{}
		var order sync.Mutex // serializes, as a queue would
		later := hosttest.Routes{"POST " + goalsAt + "/{id}/tick": func(r *http.Request, body map[string]any) (int, any) {
			time.AfterFunc(3*time.Millisecond, func() {
				order.Lock()
				defer order.Unlock()
				g.Find(g.Tick)(r, body)
			})
			return http.StatusAccepted, hosttest.Fields{}
		}}
		r := askOfGoals(t, append(honestGoals(g), later))
		hosttest.Compare(t, r, all(r, "passed observed", nil))
	})
	t.Run("tells its events in the replies only", func(t *testing.T) {
		t.Parallel()
		r := askOfGoals(t, append(honestGoals(&hosttest.InventedGoals{}),
			hosttest.Routes{"GET " + goalsAt + "/{id}/events": refuse(http.StatusNotFound)}))
		told := map[string]string{}
		for _, name := range []string{"closed-at-bound", "evaluated-and-closed", "evaluations-attributed", "content-free"} {
			told[name] = "passed attested"
		}
		hosttest.Compare(t, r, all(r, "passed observed", told))
	})
	t.Run("does not require bounds", func(t *testing.T) {
		t.Parallel()
		d := hosttest.DiscoveryOf("conformance-noop")
		d["agents"] = hosttest.Fields{"goals": hosttest.Fields{"judge": "verifier", "continuation": []string{"schedule", "manual"},
			"requiresBounds": false}}
		r := askOfGoals(t, append(honestGoals(&hosttest.InventedGoals{Verifies: true}),
			hosttest.Routes{"GET /.well-known/openwop": hosttest.Always(d)}))
		hosttest.Compare(t, r, all(r, "passed observed", map[string]string{"bounds-required": "inapplicable"}))
	})
}

// Each of these hosts breaks one rule and keeps the others.
func TestGoalsThatAreNotKept(t *testing.T) {
	tick := "POST " + goalsAt + "/{id}/tick"
	for _, c := range []struct {
		name, scenario, want string
		lie                  func(*hosttest.InventedGoals) hosttest.Routes
	}{
		{"a goal that never moves", "stops-at-bound", requirement.OWP0097G2,
			func(g *hosttest.InventedGoals) hosttest.Routes { g.Idle = true; return nil }},
		{"a goal that a client satisfies", "client-cannot-satisfy", requirement.OWP0097E2,
			func(g *hosttest.InventedGoals) hosttest.Routes { g.Told = true; return nil }},
		{"a bound that is one too high", "stops-at-bound", requirement.OWP0097E4, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				if bounds, _ := body["bounds"].(map[string]any); bounds["maxLoopIterations"] != nil {
					bounds["maxLoopIterations"] = bounds["maxLoopIterations"].(float64) + 1
				}
				return g.Create(r, body)
			}}
		}},
		{"a tick that reads, and fires without looking again", "ticked-at-once", requirement.OWP0097E4,
			func(g *hosttest.InventedGoals) hosttest.Routes {
				return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
					if len(o.Progress.ContributingRunIds) < 6 {
						o.State = dialect.GoalStateActive
					}
					return g.Tick(o, body)
				})}
			}},
		{"a cost that is not added up", "cost-bound", requirement.OWP0097E5, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int,
				any) {
				o.Cost = 0
				return g.Tick(o, body)
			})}
		}},
		{"a deadline that nobody watches", "deadline", requirement.OWP0097E6, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"POST " + goalsAt: func(r *http.Request, body map[string]any) (int, any) {
				if bounds, _ := body["bounds"].(map[string]any); bounds != nil {
					delete(bounds, "runTimeoutMs")
				}
				return g.Create(r, body)
			}}
		}},
		{"a deadline that has passed from the start", "deadline", requirement.OWP0097E6, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
				o.Close(dialect.GoalStateBoundExceeded)
				return g.Tick(o, body)
			})}
		}},
		{"a pause that halts nothing", "pause-halts", requirement.OWP0097C5, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
				o.Paused = false
				return g.Tick(o, body)
			})}
		}},
		{"a pause for good", "pause-halts", requirement.OWP0097C5, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"POST " + goalsAt + "/{id}/resume": g.Of(func(*hosttest.InventedGoal, map[string]any) bool { return true })}
		}},
		{"an escalation that is not heeded", "escalation-halts", requirement.OWP0097E8, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
				delete(body, "escalate")
				return g.Tick(o, body)
			})}
		}},
		{"a goal that resume brings back", "exceeded-stays-exceeded", requirement.OWP0097E4, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"POST " + goalsAt + "/{id}/resume": g.Of(func(o *hosttest.InventedGoal, _ map[string]any) bool {
				o.State = dialect.GoalStateActive
				return true
			})}
		}},
		{"an ended goal that is edited", "exceeded-stays-exceeded", requirement.OWP0097C4, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"PATCH " + goalsAt + "/{id}": g.Of(func(o *hosttest.InventedGoal, body map[string]any) bool {
				o.Objective, _ = body["objective"].(string)
				return true
			})}
		}},
		{"runs that are not there", "runs-of-the-goal", requirement.OWP0097E10, func(*hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{"GET /v1/runs/{id}": func(*http.Request, map[string]any) (int, any) {
				return hosttest.Refused(http.StatusNotFound, "not_found")
			}}
		}},
		{"an objective in an event", "content-free", requirement.OWP0097D2, func(g *hosttest.InventedGoals) hosttest.Routes {
			return hosttest.Routes{tick: g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
				status, reply := g.Tick(o, body)
				for _, e := range o.Events {
					e.Payload["note"] = o.Objective[:25]
				}
				return status, reply
			})}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := &hosttest.InventedGoals{}
			lie := c.lie(g)
			r := askOfGoals(t, append(honestGoals(g), lie), c.scenario)
			if o := r.Outcomes[0]; o.Failure == nil || string(o.Failure.Requirement) != c.want {
				t.Errorf("%s (%s), want a violation of %s", o.Verdict, o.Reason, c.want)
			}
		})
	}
}

// A host may answer anything. No verdict may be our own error.
func TestGoalsOfAHostileHost(t *testing.T) {
	many := slices.Repeat([]any{"run-1"}, 5_000)
	for name, body := range map[string]any{
		"nothing":  nil,
		"a number": 7,
		"a list":   []any{hosttest.Fields{"id": "g-1"}},
		"wrong kinds": hosttest.Fields{"id": hosttest.Fields{}, "goals": hosttest.Fields{}, "state": []any{}, "progress": []any{1},
			"bounds": "none", "events": "none", "runId": 3},
		"an id, no goal": hosttest.Fields{"id": "../..", "goals": []any{nil, 1, "g", []any{}}, "events": []any{nil, 1,
			hosttest.Fields{"type": 4}}},
		"runs, endlessly": hosttest.Fields{"id": "g-1", "state": "active", "goals": many,
			"progress": hosttest.Fields{"iterations": 9e18, "contributingRunIds": many}, "events": many, "runId": "run-2"},
		"fewer than none": hosttest.Fields{"id": "g-1", "state": "active", "progress": hosttest.Fields{"iterations": -1e300,
			"contributingRunIds": []any{}}, "events": []any{}, "runId": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := askOfGoals(t, []hosttest.Routes{{"GET /.well-known/openwop": hosttest.Always(hosttest.DiscoveryOf("conformance-noop")),
				"/": hosttest.Always(body)}})
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Broken || o.Verdict == scenarios.Passed && o.Scenario.Name() != "block-well-formed" {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
		})
	}
}
