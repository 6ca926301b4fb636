package refusals_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfStrangers(t *testing.T) {
	honest := func() host.StrangersObservation {
		o := host.StrangersObservation{Created: hosttest.MadeRun(t, "r"), Read: hosttest.Told(t, "the run", 200, map[string]any{"runId": "r"})}
		for _, who := range []host.Stranger{"without a credential", "with a key that the host does not know"} {
			for _, what := range []string{"create", "read", "answer"} {
				c := host.StrangerCall{Who: who, Needed: what != "answer", Existing: hosttest.No(t, 401, "unauthenticated")}
				c.Existing.Asked = what
				if what != "create" {
					c.Missing = hosttest.No(t, 401, "unauthenticated")
				}
				o.Calls = append(o.Calls, c)
			}
		}
		return o
	}
	absent := func(o *host.StrangersObservation) {
		for _, i := range []int{2, 5} {
			o.Calls[i].Existing, o.Calls[i].Missing = hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found")
		}
	}
	for _, c := range []struct {
		name    string
		spoil   func(*host.StrangersObservation)
		refused string
		hidden  string
	}{
		{"honest", func(*host.StrangersObservation) {}, "passed", "passed"},
		{"no operation to answer by node", absent, "passed", "passed"},
		{"anybody creates runs", func(o *host.StrangersObservation) { o.Calls[0].Existing = hosttest.MadeRun(t, "r2") },
			openwop.OWPERR1, "passed"},
		{"any key will do", func(o *host.StrangersObservation) { o.Calls[3].Existing = hosttest.MadeRun(t, "r2") }, openwop.OWPERR2, "passed"},
		{"anybody reads the run", func(o *host.StrangersObservation) {
			o.Calls[1].Existing = hosttest.Told(t, "read", 200, map[string]any{"runId": "r"})
		}, openwop.OWPERR1, openwop.OWPERR3},
		{"anybody answers", func(o *host.StrangersObservation) {
			o.Calls[2].Existing = hosttest.Told(t, "answer", 200, map[string]any{})
		}, openwop.OWPERR1, openwop.OWPERR3},
		{"looks for the run before the key",
			func(o *host.StrangersObservation) { o.Calls[1].Missing = hosttest.No(t, 404, "not_found") }, "passed", openwop.OWPERR3},
		{"tells by the code", func(o *host.StrangersObservation) { o.Calls[4].Missing = hosttest.No(t, 401, "key_expired") }, "passed",
			openwop.OWPERR3},
		{"403 for a stranger", func(o *host.StrangersObservation) { o.Calls[1].Existing = hosttest.No(t, 403, "forbidden") },
			openwop.OWPERR1, openwop.OWPERR3},
		{"refuses without words", func(o *host.StrangersObservation) { o.Calls[1].Existing = hosttest.Told(t, "read", 401, "") },
			openwop.OWPERR4, openwop.OWPERR3},
		{"refuses in a nested object", func(o *host.StrangersObservation) {
			o.Calls[0].Existing = hosttest.Told(t, "create", 401, map[string]any{"error": map[string]any{"code": "unauthenticated",
				"message": "no"}})
		}, openwop.OWPERR4, "passed"},
		{"details are a text", func(o *host.StrangersObservation) {
			o.Calls[0].Existing = hosttest.Told(t, "create", 401, map[string]any{"error": "unauthenticated", "message": "no", "details": "no"})
		}, openwop.OWPERR4, "passed"},
		{"no run to ask for", func(o *host.StrangersObservation) { o.Created = hosttest.No(t, 404, "not_found") }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "strangers-refused", o, c.refused)
			hosttest.Expect(t, "existence-hidden", o, c.hidden)
		})
	}
	t.Run("a code of its own and another member are told", func(t *testing.T) {
		o := honest()
		o.Calls[0].Existing = hosttest.Told(t, "create", 401, map[string]any{"error": "invalid_credential", "message": "no",
			"scopeRequired": "runs:create"})
		if got := hosttest.Findings(t, "strangers-refused", o); !slices.Contains(got, openwop.OWPERR5) {
			t.Errorf("findings: %v", got)
		}
		if !hosttest.HasNote(t, "strangers-refused", o, "belong in details") {
			t.Errorf("notes: %v", hosttest.Notes(t, "strangers-refused", o))
		}
	})
}

func TestJudgeOfWhatIsNotThere(t *testing.T) {
	honest := func() refusals.UnknownObservation {
		return refusals.UnknownObservation{Known: hosttest.Told(t, "a run", 200, map[string]any{"runId": "r"}), Resolve: hosttest.No(t,
			404, "interrupt_not_found"), Workflow: hosttest.No(t, 404, "not_found"),
			Runs: []host.Answered{hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found")}}
	}
	for _, c := range []struct {
		name  string
		spoil func(*refusals.UnknownObservation)
		want  string
	}{
		{"honest", func(*refusals.UnknownObservation) {}, "passed"},
		{"no fixture for the control", func(o *refusals.UnknownObservation) { o.Known = host.Answered{} }, "passed"},
		{"forbids what it does not know", func(o *refusals.UnknownObservation) { o.Runs[0] = hosttest.No(t, 403, "run_forbidden") }, "passed"},
		{"400 for a workflow", func(o *refusals.UnknownObservation) { o.Workflow = hosttest.No(t, 400, "validation_error") }, "passed"},
		{"any run is there", func(o *refusals.UnknownObservation) {
			o.Runs[0] = hosttest.Told(t, "it", 200, map[string]any{"runId": "r"})
		}, openwop.OWPERR8},
		{"an empty log of any run", func(o *refusals.UnknownObservation) {
			o.Runs[1] = hosttest.Told(t, "it", 200, map[string]any{"events": []any{}})
		}, openwop.OWPERR8},
		{"any run is cancelled", func(o *refusals.UnknownObservation) {
			o.Runs[2] = hosttest.Told(t, "it", 200, map[string]any{"status": "cancelled"})
		}, openwop.OWPERR8},
		{"falls over", func(o *refusals.UnknownObservation) { o.Runs[0] = hosttest.No(t, 500, "internal_error") }, openwop.OWPERR8},
		{"any interrupt is answered",
			func(o *refusals.UnknownObservation) { o.Resolve = hosttest.Told(t, "it", 200, map[string]any{}) }, openwop.OWPERR8},
		{"any workflow is run", func(o *refusals.UnknownObservation) { o.Workflow = hosttest.MadeRun(t, "r2") }, openwop.OWPERR9},
		{"refuses and makes a run", func(o *refusals.UnknownObservation) {
			o.Workflow = hosttest.Told(t, "it", 404, map[string]any{"error": "not_found", "message": "no", "runId": "r2"})
		}, openwop.OWPERR9},
		{"a page for people", func(o *refusals.UnknownObservation) { o.Runs[0] = hosttest.Told(t, "it", 404, "<html>404</html>") },
			openwop.OWPERR4},
		{"nothing is ever there", func(o *refusals.UnknownObservation) { o.Known = hosttest.No(t, 404, "not_found") }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "unknown-not-found", o, c.want)
		})
	}
	t.Run("a code of its own is told", func(t *testing.T) {
		o := honest()
		o.Runs[0], o.Workflow = hosttest.No(t, 404, "run_not_found"), hosttest.No(t, 404, "workflow_not_found")
		if got := hosttest.Findings(t, "unknown-not-found", o); !slices.Equal(got, []string{openwop.OWPERR5, openwop.OWPERR5}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfOddBodies(t *testing.T) {
	honest := func() refusals.BodiesObservation {
		bad := func(n int) (out []host.Answered) {
			for range n {
				out = append(out, hosttest.No(t, 400, "validation_error"))
			}
			return out
		}
		return refusals.BodiesObservation{Control: hosttest.MadeRun(t, "r"), NoJSON: bad(2), NoObject: bad(4), NoWorkflow: bad(3),
			WrongType: bad(5), Unknown: hosttest.No(t, 400, "validation_error")}
	}
	for _, c := range []struct {
		name            string
		spoil           func(*refusals.BodiesObservation)
		bodies, members string
	}{
		{"honest", func(*refusals.BodiesObservation) {}, "passed", "passed"},
		{"422 for all", func(o *refusals.BodiesObservation) {
			o.NoObject[0], o.WrongType[0], o.Unknown = hosttest.No(t, 422, "validation_error"), hosttest.No(t, 422, "validation_error"),
				hosttest.No(t, 422, "validation_error")
		}, "passed", "passed"},
		{"404 for a workflow that is a number",
			func(o *refusals.BodiesObservation) { o.NoWorkflow[1] = hosttest.No(t, 404, "workflow_not_found") }, "passed", "passed"},
		{"falls over a body that is cut short",
			func(o *refusals.BodiesObservation) { o.NoJSON[0] = hosttest.No(t, 500, "internal_error") }, openwop.OWPERR11, "passed"},
		{"makes a run of it", func(o *refusals.BodiesObservation) { o.NoJSON[1] = hosttest.MadeRun(t, "r2") }, openwop.OWPERR11, "passed"},
		{"falls over null", func(o *refusals.BodiesObservation) { o.NoObject[0] = hosttest.No(t, 500, "internal_error") },
			openwop.OWPERR12, "passed"},
		{"makes a run of a list", func(o *refusals.BodiesObservation) { o.NoObject[1] = hosttest.MadeRun(t, "r2") }, openwop.OWPERR12, "passed"},
		{"makes a run of nothing", func(o *refusals.BodiesObservation) { o.NoWorkflow[0] = hosttest.MadeRun(t, "r2") },
			openwop.OWPERR13, "passed"},
		{"falls over a number", func(o *refusals.BodiesObservation) { o.NoWorkflow[1] = hosttest.No(t, 500, "internal_error") },
			openwop.OWPERR13, "passed"},
		{"takes inputs of any type", func(o *refusals.BodiesObservation) { o.WrongType[0] = hosttest.MadeRun(t, "r2") }, "passed", "passed"},
		{"takes any member", func(o *refusals.BodiesObservation) { o.Unknown = hosttest.MadeRun(t, "r2") }, "passed", "passed"},
		{"falls over inputs", func(o *refusals.BodiesObservation) { o.WrongType[0] = hosttest.No(t, 500, "internal_error") }, "passed",
			openwop.OWPERR14},
		{"falls over a member", func(o *refusals.BodiesObservation) { o.Unknown = hosttest.No(t, 502, "internal_error") }, "passed",
			openwop.OWPERR15},
		{"no fixture", func(o *refusals.BodiesObservation) {
			o.Control, o.WrongType, o.Unknown = host.Answered{}, nil, host.Answered{}
		}, "passed", "blocked"},
		{"refuses everything", func(o *refusals.BodiesObservation) { o.Control = hosttest.No(t, 400, "validation_error") }, "passed", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "bodies-refused", o, c.bodies)
			hosttest.Expect(t, "members-answered", o, c.members)
		})
	}
	t.Run("what is taken all the same is told", func(t *testing.T) {
		o := honest()
		o.WrongType[0], o.Unknown = hosttest.MadeRun(t, "r2"), hosttest.MadeRun(t, "r3")
		if got := hosttest.Notes(t, "members-answered", o); len(got) != 2 {
			t.Errorf("notes: %v", got)
		}
	})
}

func TestJudgesOfOddRequests(t *testing.T) {
	mode := func(supported any) host.Answered {
		return hosttest.Told(t, "a mode", 400, map[string]any{"error": "unsupported_stream_mode", "message": "no",
			"details": map[string]any{"supported": supported}})
	}
	honest := func() refusals.OddRequestsObservation {
		return refusals.OddRequestsObservation{Created: hosttest.MadeRun(t, "r"), Ended: ended(t, "completed"),
			Modes:  []host.Answered{mode([]string{"values"}), mode([]string{"values"})},
			Method: hosttest.No(t, 405, "method_not_allowed")}
	}
	for _, c := range []struct {
		name         string
		spoil        func(*refusals.OddRequestsObservation)
		mode, method string
	}{
		{"honest", func(*refusals.OddRequestsObservation) {}, "passed", "passed"},
		{"ignores the mode", func(o *refusals.OddRequestsObservation) { o.Modes[0] = hosttest.Told(t, "a mode", 200, ": open") },
			openwop.OWPERR16, "passed"},
		{"combines what stands alone", func(o *refusals.OddRequestsObservation) {
			o.Modes[1] = hosttest.Told(t, "a mode", 200,
				": open")
		}, openwop.OWPERR16, "passed"},
		{"does not say which there are",
			func(o *refusals.OddRequestsObservation) { o.Modes[0] = hosttest.No(t, 400, "unsupported_stream_mode") }, openwop.OWPERR16, "passed"},
		{"says that there are none", func(o *refusals.OddRequestsObservation) { o.Modes[0] = mode([]string{}) }, openwop.OWPERR16, "passed"},
		{"says so outside of an envelope", func(o *refusals.OddRequestsObservation) {
			o.Modes[0] = hosttest.Told(t, "a mode", 400, map[string]any{"details": map[string]any{"supported": []string{"values"}}})
		}, openwop.OWPERR4, "passed"},
		{"the run does not end", func(o *refusals.OddRequestsObservation) { o.Ended.Reached = false }, hosttest.BlockedOn(""),
			hosttest.BlockedOn("")},
		{"there is no run", func(o *refusals.OddRequestsObservation) { o.Created = hosttest.No(t, 404, "not_found") }, hosttest.BlockedOn(""),
			hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "stream-mode-refused", o, c.mode)
			hosttest.Expect(t, "method-refused", o, c.method)
		})
	}
	t.Run("a method that does something is told", func(t *testing.T) {
		o := honest()
		o.Method = hosttest.Told(t, "PUT", 200, map[string]any{})
		if got := hosttest.Findings(t, "method-refused", o); !slices.Equal(got, []string{openwop.OWPERR10}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfALargeBody(t *testing.T) {
	for _, c := range []struct {
		name           string
		control, large host.Answered
		want           string
	}{
		{"honest", hosttest.MadeRun(t, "r"), hosttest.No(t, 413, "payload_too_large"), "passed"},
		{"400", hosttest.MadeRun(t, "r"), hosttest.No(t, 400, "validation_error"), "passed"},
		{"takes it", hosttest.MadeRun(t, "r"), hosttest.MadeRun(t, "r2"), openwop.OWPERR17},
		{"falls over", hosttest.MadeRun(t, "r"), hosttest.No(t, 500, "internal_error"), openwop.OWPERR17},
		{"without words", hosttest.MadeRun(t, "r"), hosttest.Told(t, "it", 413, "too large"), openwop.OWPERR4},
		{"refuses small ones, too", hosttest.No(t, 413, "payload_too_large"), hosttest.No(t, 413, "payload_too_large"), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "oversized-refused", refusals.OversizedObservation{Limit: 10, Control: c.control, Large: c.large}, c.want)
		})
	}
}

// ended returns a completed wait for the end of a run.
func ended(t *testing.T, status string) wire.Wait {
	t.Helper()
	return wire.Wait{What: "the run has ended", Reached: true, Patience: time.Second, Last: wiretest.Value(t,
		map[string]any{"runId": "r", "status": status})}
}

func TestJudgesOfIdempotency(t *testing.T) {
	run := func(id string) host.KeyedRun { return host.KeyedRun{Answered: hosttest.MadeRun(t, id)} }
	again := func(id string) host.KeyedRun {
		k := run(id)
		k.Replay = wiretest.Value(t, `"true"`)
		return k
	}
	refusal := func(status int, code string) host.KeyedRun {
		return host.KeyedRun{Answered: hosttest.No(t, status, code)}
	}
	honest := func() refusals.IdempotencyObservation {
		return refusals.IdempotencyObservation{First: run("r1"), Again: again("r1"), Reordered: again("r1"),
			Other: refusal(409, "idempotency_key_mismatch"), Fresh: run("r2"), Last: again("r1"),
			AtOnce: []host.KeyedRun{again("r3"), run("r3"), refusal(409, "idempotency_in_flight"), again("r3")}, After: again("r3")}
	}
	for _, c := range []struct {
		name         string
		spoil        func(*refusals.IdempotencyObservation)
		once, atOnce string
	}{
		{"honest", func(*refusals.IdempotencyObservation) {}, "passed", "passed"},
		{"another order is another body",
			func(o *refusals.IdempotencyObservation) { o.Reordered = refusal(409, "idempotency_key_mismatch") }, "passed", "passed"},
		{"all wait for the first", func(o *refusals.IdempotencyObservation) { o.AtOnce[2] = again("r3") }, "passed", "passed"},
		{"ignores keys", func(o *refusals.IdempotencyObservation) { o.Again = run("r9") }, openwop.OWPERR18, "passed"},
		{"forgets the key after another body", func(o *refusals.IdempotencyObservation) { o.Last = run("r9") }, openwop.OWPERR18, "passed"},
		{"refuses a repetition", func(o *refusals.IdempotencyObservation) { o.Again = refusal(409, "idempotency_key_mismatch") },
			openwop.OWPERR18, "passed"},
		{"another order makes another run", func(o *refusals.IdempotencyObservation) { o.Reordered = run("r9") }, openwop.OWPERR18, "passed"},
		{"takes another body for the same", func(o *refusals.IdempotencyObservation) { o.Other = again("r1") }, openwop.OWPERR19, "passed"},
		{"makes another run under the key", func(o *refusals.IdempotencyObservation) { o.Other = run("r9") }, openwop.OWPERR19, "passed"},
		{"says so without words", func(o *refusals.IdempotencyObservation) { o.Other.Answered = hosttest.Told(t, "it", 409, "") },
			openwop.OWPERR4, "passed"},
		{"one run for all keys", func(o *refusals.IdempotencyObservation) { o.Fresh = run("r1") }, openwop.OWPERR18, "passed"},
		{"two runs at once", func(o *refusals.IdempotencyObservation) { o.AtOnce[0] = run("r9") }, "passed", openwop.OWPERR20},
		{"a run that nobody repeats", func(o *refusals.IdempotencyObservation) { o.After = run("r9") }, "passed", openwop.OWPERR20},
		{"falls over at once", func(o *refusals.IdempotencyObservation) { o.AtOnce[1] = refusal(500, "internal_error") }, "passed",
			openwop.OWPERR20},
		{"none is done at once", func(o *refusals.IdempotencyObservation) {
			for i := range o.AtOnce {
				o.AtOnce[i] = refusal(409, "idempotency_in_flight")
			}
		}, "passed", openwop.OWPERR20},
		{"makes no run", func(o *refusals.IdempotencyObservation) { o.First = refusal(404, "not_found") }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "keyed-once", o, c.once)
			hosttest.Expect(t, "keyed-at-once", o, c.atOnce)
		})
	}
	t.Run("a spelling and a header are told", func(t *testing.T) {
		o := honest()
		o.Other, o.Again.Replay = refusal(409, "idempotency_key_conflict"), wire.Value{}
		if got := hosttest.Findings(t, "keyed-once", o); !slices.Equal(got, []string{openwop.OWPERR21, openwop.OWPERR5}) {
			t.Errorf("findings: %v", got)
		}
	})
	t.Run("another reply about the same run", func(t *testing.T) {
		o := honest()
		o.Again.Answered = hosttest.Told(t, "it", 200, map[string]any{"runId": "r1", "status": "completed"})
		hosttest.Expect(t, "keyed-once", o, openwop.OWPERR18)
	})
}

func TestJudgesOfCancellation(t *testing.T) {
	snapshot := func(status string) wire.Value {
		return wiretest.Value(t, map[string]any{"runId": "r", "status": status})
	}
	reply := func(status string) host.Answered {
		return hosttest.Told(t, "to cancel it", 200, map[string]any{"runId": "r", "status": status})
	}
	ends := func(kinds ...string) host.RunLog {
		s := hosttest.Story{Id: "r", Status: "cancelled", Events: []hosttest.Event{{Kind: "run.started", Payload: map[string]any{}}}}
		for _, kind := range kinds {
			s.Events = append(s.Events, hosttest.Event{Kind: kind, Payload: map[string]any{}})
		}
		l := s.Log(t)
		l.Ended.Reached = true
		return l
	}
	honest := func() refusals.CancelObservation {
		return refusals.CancelObservation{Way: "w", Created: hosttest.MadeRun(t, "r"), Live: snapshot("running"), Untouched: snapshot("running"),
			Strangers: []host.Answered{hosttest.No(t, 401, "unauthenticated"), hosttest.No(t, 401, "unauthenticated")},
			Cancel:    reply("cancelling"), Log: ends("run.cancelled"), Again: reply("cancelled"), Later: snapshot("cancelled"),
			Done: ended(t, "completed"), DoneReply: reply("completed"), DoneAfter: snapshot("completed")}
	}
	for _, c := range []struct {
		name  string
		spoil func(*refusals.CancelObservation)
		want  string // of the three, in order
	}{
		{"honest", func(*refusals.CancelObservation) {}, "passed passed passed"},
		{"version 2 refuses", func(o *refusals.CancelObservation) {
			o.Again, o.DoneReply = hosttest.No(t, 409, "run_terminal"), hosttest.No(t, 409, "run_terminal")
		}, "passed passed passed"},
		{"goes on", func(o *refusals.CancelObservation) {
			o.Log.Ended = ended(t, "completed")
			o.Later = snapshot("completed")
			o.Again = reply("completed")
		}, openwop.OWPERR23 + " passed blocked"},
		{"never ends", func(o *refusals.CancelObservation) {
			o.Log.Ended.Reached, o.Log.Ended.Last = false, snapshot("running")
		}, openwop.OWPERR23 + " blocked blocked"},
		{"ends twice", func(o *refusals.CancelObservation) { o.Log = ends("run.cancelled", "run.completed") },
			openwop.OWPERR23 + " passed passed"},
		{"refuses its owner", func(o *refusals.CancelObservation) { o.Cancel = hosttest.No(t, 404, "not_found") },
			openwop.OWPERR23 + " passed passed"},
		{"says that it completed", func(o *refusals.CancelObservation) { o.Cancel = reply("completed") }, openwop.OWPERR23 + " passed passed"},
		{"cancels what has ended", func(o *refusals.CancelObservation) {
			o.DoneReply, o.DoneAfter = reply("cancelled"), snapshot("cancelled")
		}, "passed " + openwop.OWPERR24 + " passed"},
		{"says that it cancelled what has ended", func(o *refusals.CancelObservation) { o.DoneReply = reply("cancelled") },
			"passed " + openwop.OWPERR24 + " passed"},
		{"falls over the second time", func(o *refusals.CancelObservation) { o.Again = hosttest.No(t, 500, "internal_error") },
			"passed " + openwop.OWPERR24 + " passed"},
		{"changes the second time", func(o *refusals.CancelObservation) { o.Later = snapshot("failed") }, "passed " + openwop.OWPERR24 +
			" passed"},
		{"refuses a stranger and does it", func(o *refusals.CancelObservation) { o.Untouched = snapshot("cancelled") },
			"passed passed " + openwop.OWPERR25},
		{"refuses a stranger and begins", func(o *refusals.CancelObservation) { o.Untouched = snapshot("cancelling") },
			"passed passed " + openwop.OWPERR25},
		{"obeys a stranger", func(o *refusals.CancelObservation) { o.Strangers[0] = reply("cancelled") }, "passed passed blocked"},
		{"is over before", func(o *refusals.CancelObservation) { o.Live = snapshot("completed") }, "blocked blocked blocked"},
		{"is not made", func(o *refusals.CancelObservation) { o.Created = hosttest.No(t, 404, "not_found") }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			want := strings.Fields(c.want)
			for i, name := range []string{"cancel-ends", "cancel-of-ended", "strangers-change-nothing"} {
				hosttest.Expect(t, name, o, want[i])
			}
		})
	}
}
