package openwop_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// told is an answer as a test tells it.
func told(t *testing.T, asked string, status int, body any) openwop.Answered {
	t.Helper()
	transcript := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: status, Body: body})
	return openwop.Answered{Asked: asked, Status: wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: "status"}), Body: wiretest.At(t, transcript, wire.Ref{Exchange: 1})}
}

// no is a refusal in an envelope.
func no(t *testing.T, status int, code string) openwop.Answered {
	t.Helper()
	return told(t, "it", status, map[string]any{"error": code, "message": "no"})
}

func madeRun(t *testing.T, id string) openwop.Answered {
	t.Helper()
	return told(t, "a run", 201, map[string]any{"runId": id, "status": "pending", "eventsUrl": "/e"})
}

// findings are the requirements that a scenario has something to say about, in order.
func findings(t *testing.T, name string, observation any) []string {
	t.Helper()
	var out []string
	for _, f := range scenarios.Conclude(scenario(t, name), openwop.Protocol.Ledger, observation).Findings {
		out = append(out, string(f.Requirement))
	}
	return out
}

func TestJudgesOfStrangers(t *testing.T) {
	honest := func() openwop.StrangersObservation {
		o := openwop.StrangersObservation{Created: madeRun(t, "r"), Read: told(t, "the run", 200, map[string]any{"runId": "r"})}
		for _, who := range []openwop.Stranger{"without a credential", "with a key that the host does not know"} {
			for _, what := range []string{"create", "read", "answer"} {
				c := openwop.StrangerCall{Who: who, Needed: what != "answer", Existing: no(t, 401, "unauthenticated")}
				c.Existing.Asked = what
				if what != "create" {
					c.Missing = no(t, 401, "unauthenticated")
				}
				o.Calls = append(o.Calls, c)
			}
		}
		return o
	}
	absent := func(o *openwop.StrangersObservation) {
		for _, i := range []int{2, 5} {
			o.Calls[i].Existing, o.Calls[i].Missing = no(t, 404, "not_found"), no(t, 404, "not_found")
		}
	}
	for _, c := range []struct {
		name    string
		spoil   func(*openwop.StrangersObservation)
		refused string
		hidden  string
	}{
		{"honest", func(*openwop.StrangersObservation) {}, "passed", "passed"},
		{"no operation to answer by node", absent, "passed", "passed"},
		{"anybody creates runs", func(o *openwop.StrangersObservation) { o.Calls[0].Existing = madeRun(t, "r2") }, openwopv1.OWPERR1, "passed"},
		{"any key will do", func(o *openwop.StrangersObservation) { o.Calls[3].Existing = madeRun(t, "r2") }, openwopv1.OWPERR2, "passed"},
		{"anybody reads the run", func(o *openwop.StrangersObservation) {
			o.Calls[1].Existing = told(t, "read", 200, map[string]any{"runId": "r"})
		}, openwopv1.OWPERR1, openwopv1.OWPERR3},
		{"anybody answers", func(o *openwop.StrangersObservation) { o.Calls[2].Existing = told(t, "answer", 200, map[string]any{}) }, openwopv1.OWPERR1, openwopv1.OWPERR3},
		{"looks for the run before the key", func(o *openwop.StrangersObservation) { o.Calls[1].Missing = no(t, 404, "not_found") }, "passed", openwopv1.OWPERR3},
		{"tells by the code", func(o *openwop.StrangersObservation) { o.Calls[4].Missing = no(t, 401, "key_expired") }, "passed", openwopv1.OWPERR3},
		{"403 for a stranger", func(o *openwop.StrangersObservation) { o.Calls[1].Existing = no(t, 403, "forbidden") }, openwopv1.OWPERR1, openwopv1.OWPERR3},
		{"refuses without words", func(o *openwop.StrangersObservation) { o.Calls[1].Existing = told(t, "read", 401, "") }, openwopv1.OWPERR4, openwopv1.OWPERR3},
		{"refuses in a nested object", func(o *openwop.StrangersObservation) {
			o.Calls[0].Existing = told(t, "create", 401, map[string]any{"error": map[string]any{"code": "unauthenticated", "message": "no"}})
		}, openwopv1.OWPERR4, "passed"},
		{"details are a text", func(o *openwop.StrangersObservation) {
			o.Calls[0].Existing = told(t, "create", 401, map[string]any{"error": "unauthenticated", "message": "no", "details": "no"})
		}, openwopv1.OWPERR4, "passed"},
		{"no run to ask for", func(o *openwop.StrangersObservation) { o.Created = no(t, 404, "not_found") }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "strangers-refused", o, c.refused)
			expect(t, "existence-hidden", o, c.hidden)
		})
	}
	t.Run("a code of its own and another member are told", func(t *testing.T) {
		o := honest()
		o.Calls[0].Existing = told(t, "create", 401, map[string]any{"error": "invalid_credential", "message": "no", "scopeRequired": "runs:create"})
		if got := findings(t, "strangers-refused", o); !slices.Contains(got, openwopv1.OWPERR4) || !slices.Contains(got, openwopv1.OWPERR5) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfWhatIsNotThere(t *testing.T) {
	honest := func() openwop.UnknownObservation {
		return openwop.UnknownObservation{Known: told(t, "a run", 200, map[string]any{"runId": "r"}), Resolve: no(t, 404, "interrupt_not_found"), Workflow: no(t, 404, "not_found"),
			Runs: []openwop.Answered{no(t, 404, "not_found"), no(t, 404, "not_found"), no(t, 404, "not_found")}}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.UnknownObservation)
		want  string
	}{
		{"honest", func(*openwop.UnknownObservation) {}, "passed"},
		{"no fixture for the control", func(o *openwop.UnknownObservation) { o.Known = openwop.Answered{} }, "passed"},
		{"forbids what it does not know", func(o *openwop.UnknownObservation) { o.Runs[0] = no(t, 403, "run_forbidden") }, "passed"},
		{"400 for a workflow", func(o *openwop.UnknownObservation) { o.Workflow = no(t, 400, "validation_error") }, "passed"},
		{"any run is there", func(o *openwop.UnknownObservation) { o.Runs[0] = told(t, "it", 200, map[string]any{"runId": "r"}) }, openwopv1.OWPERR8},
		{"an empty log of any run", func(o *openwop.UnknownObservation) { o.Runs[1] = told(t, "it", 200, map[string]any{"events": []any{}}) }, openwopv1.OWPERR8},
		{"any run is cancelled", func(o *openwop.UnknownObservation) {
			o.Runs[2] = told(t, "it", 200, map[string]any{"status": "cancelled"})
		}, openwopv1.OWPERR8},
		{"falls over", func(o *openwop.UnknownObservation) { o.Runs[0] = no(t, 500, "internal_error") }, openwopv1.OWPERR8},
		{"any interrupt is answered", func(o *openwop.UnknownObservation) { o.Resolve = told(t, "it", 200, map[string]any{}) }, openwopv1.OWPERR8},
		{"any workflow is run", func(o *openwop.UnknownObservation) { o.Workflow = madeRun(t, "r2") }, openwopv1.OWPERR9},
		{"refuses and makes a run", func(o *openwop.UnknownObservation) {
			o.Workflow = told(t, "it", 404, map[string]any{"error": "not_found", "message": "no", "runId": "r2"})
		}, openwopv1.OWPERR9},
		{"a page for people", func(o *openwop.UnknownObservation) { o.Runs[0] = told(t, "it", 404, "<html>404</html>") }, openwopv1.OWPERR4},
		{"nothing is ever there", func(o *openwop.UnknownObservation) { o.Known = no(t, 404, "not_found") }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "unknown-not-found", o, c.want)
		})
	}
	t.Run("a code of its own is told", func(t *testing.T) {
		o := honest()
		o.Runs[0], o.Workflow = no(t, 404, "run_not_found"), no(t, 404, "workflow_not_found")
		if got := findings(t, "unknown-not-found", o); !slices.Equal(got, []string{openwopv1.OWPERR5, openwopv1.OWPERR5}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfOddBodies(t *testing.T) {
	honest := func() openwop.BodiesObservation {
		bad := func(n int) (out []openwop.Answered) {
			for range n {
				out = append(out, no(t, 400, "validation_error"))
			}
			return out
		}
		return openwop.BodiesObservation{Control: madeRun(t, "r"), NoJSON: bad(2), NoObject: bad(4), NoWorkflow: bad(3), WrongType: bad(5), Unknown: no(t, 400, "validation_error")}
	}
	for _, c := range []struct {
		name            string
		spoil           func(*openwop.BodiesObservation)
		bodies, members string
	}{
		{"honest", func(*openwop.BodiesObservation) {}, "passed", "passed"},
		{"422 for all", func(o *openwop.BodiesObservation) {
			o.NoObject[0], o.WrongType[0], o.Unknown = no(t, 422, "validation_error"), no(t, 422, "validation_error"), no(t, 422, "validation_error")
		}, "passed", "passed"},
		{"404 for a workflow that is a number", func(o *openwop.BodiesObservation) { o.NoWorkflow[1] = no(t, 404, "workflow_not_found") }, "passed", "passed"},
		{"falls over a body that is cut short", func(o *openwop.BodiesObservation) { o.NoJSON[0] = no(t, 500, "internal_error") }, openwopv1.OWPERR11, "passed"},
		{"makes a run of it", func(o *openwop.BodiesObservation) { o.NoJSON[1] = madeRun(t, "r2") }, openwopv1.OWPERR11, "passed"},
		{"falls over null", func(o *openwop.BodiesObservation) { o.NoObject[0] = no(t, 500, "internal_error") }, openwopv1.OWPERR12, "passed"},
		{"makes a run of a list", func(o *openwop.BodiesObservation) { o.NoObject[1] = madeRun(t, "r2") }, openwopv1.OWPERR12, "passed"},
		{"makes a run of nothing", func(o *openwop.BodiesObservation) { o.NoWorkflow[0] = madeRun(t, "r2") }, openwopv1.OWPERR13, "passed"},
		{"falls over a number", func(o *openwop.BodiesObservation) { o.NoWorkflow[1] = no(t, 500, "internal_error") }, openwopv1.OWPERR13, "passed"},
		{"takes inputs of any type", func(o *openwop.BodiesObservation) { o.WrongType[0] = madeRun(t, "r2") }, "passed", "passed"},
		{"takes any member", func(o *openwop.BodiesObservation) { o.Unknown = madeRun(t, "r2") }, "passed", "passed"},
		{"falls over inputs", func(o *openwop.BodiesObservation) { o.WrongType[0] = no(t, 500, "internal_error") }, "passed", openwopv1.OWPERR14},
		{"falls over a member", func(o *openwop.BodiesObservation) { o.Unknown = no(t, 502, "internal_error") }, "passed", openwopv1.OWPERR15},
		{"no fixture", func(o *openwop.BodiesObservation) {
			o.Control, o.WrongType, o.Unknown = openwop.Answered{}, nil, openwop.Answered{}
		}, "passed", "blocked"},
		{"refuses everything", func(o *openwop.BodiesObservation) { o.Control = no(t, 400, "validation_error") }, "passed", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "bodies-refused", o, c.bodies)
			expect(t, "members-answered", o, c.members)
		})
	}
	t.Run("what is taken all the same is told", func(t *testing.T) {
		o := honest()
		o.WrongType[0], o.Unknown = madeRun(t, "r2"), madeRun(t, "r3")
		if got := findings(t, "members-answered", o); !slices.Equal(got, []string{openwopv1.OWPERR14, openwopv1.OWPERR15}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfOddRequests(t *testing.T) {
	mode := func(supported any) openwop.Answered {
		return told(t, "a mode", 400, map[string]any{"error": "unsupported_stream_mode", "message": "no", "details": map[string]any{"supported": supported}})
	}
	honest := func() openwop.OddRequestsObservation {
		return openwop.OddRequestsObservation{Created: madeRun(t, "r"), Ended: ended(t, "completed"), Modes: []openwop.Answered{mode([]string{"values"}), mode([]string{"values"})},
			Method: no(t, 405, "method_not_allowed")}
	}
	for _, c := range []struct {
		name         string
		spoil        func(*openwop.OddRequestsObservation)
		mode, method string
	}{
		{"honest", func(*openwop.OddRequestsObservation) {}, "passed", "passed"},
		{"ignores the mode", func(o *openwop.OddRequestsObservation) { o.Modes[0] = told(t, "a mode", 200, ": open") }, openwopv1.OWPERR16, "passed"},
		{"combines what stands alone", func(o *openwop.OddRequestsObservation) { o.Modes[1] = told(t, "a mode", 200, ": open") }, openwopv1.OWPERR16, "passed"},
		{"does not say which there are", func(o *openwop.OddRequestsObservation) { o.Modes[0] = no(t, 400, "unsupported_stream_mode") }, openwopv1.OWPERR16, "passed"},
		{"says that there are none", func(o *openwop.OddRequestsObservation) { o.Modes[0] = mode([]string{}) }, openwopv1.OWPERR16, "passed"},
		{"says so outside of an envelope", func(o *openwop.OddRequestsObservation) {
			o.Modes[0] = told(t, "a mode", 400, map[string]any{"details": map[string]any{"supported": []string{"values"}}})
		}, openwopv1.OWPERR4, "passed"},
		{"the run does not end", func(o *openwop.OddRequestsObservation) { o.Ended.Reached = false }, "blocked", "blocked"},
		{"there is no run", func(o *openwop.OddRequestsObservation) { o.Created = no(t, 404, "not_found") }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "stream-mode-refused", o, c.mode)
			expect(t, "method-refused", o, c.method)
		})
	}
	t.Run("a method that does something is told", func(t *testing.T) {
		o := honest()
		o.Method = told(t, "PUT", 200, map[string]any{})
		if got := findings(t, "method-refused", o); !slices.Equal(got, []string{openwopv1.OWPERR10}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfALargeBody(t *testing.T) {
	for _, c := range []struct {
		name           string
		control, large openwop.Answered
		want           string
	}{
		{"honest", madeRun(t, "r"), no(t, 413, "payload_too_large"), "passed"},
		{"400", madeRun(t, "r"), no(t, 400, "validation_error"), "passed"},
		{"takes it", madeRun(t, "r"), madeRun(t, "r2"), openwopv1.OWPERR17},
		{"falls over", madeRun(t, "r"), no(t, 500, "internal_error"), openwopv1.OWPERR17},
		{"without words", madeRun(t, "r"), told(t, "it", 413, "too large"), openwopv1.OWPERR4},
		{"refuses small ones, too", no(t, 413, "payload_too_large"), no(t, 413, "payload_too_large"), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "oversized-refused", openwop.OversizedObservation{Limit: 10, Control: c.control, Large: c.large}, c.want)
		})
	}
}

// ended is the wait for the end of a run.
func ended(t *testing.T, status string) wire.Wait {
	t.Helper()
	return wire.Wait{What: "the run has ended", Reached: true, Patience: time.Second, Last: wiretest.Value(t, map[string]any{"runId": "r", "status": status})}
}

func TestJudgesOfIdempotency(t *testing.T) {
	run := func(id string) openwop.KeyedRun { return openwop.KeyedRun{Answered: madeRun(t, id)} }
	again := func(id string) openwop.KeyedRun {
		k := run(id)
		k.Replay = wiretest.Value(t, `"true"`)
		return k
	}
	refusal := func(status int, code string) openwop.KeyedRun { return openwop.KeyedRun{Answered: no(t, status, code)} }
	honest := func() openwop.IdempotencyObservation {
		return openwop.IdempotencyObservation{First: run("r1"), Again: again("r1"), Reordered: again("r1"), Other: refusal(409, "idempotency_key_mismatch"), Fresh: run("r2"), Last: again("r1"),
			AtOnce: []openwop.KeyedRun{again("r3"), run("r3"), refusal(409, "idempotency_in_flight"), again("r3")}, After: again("r3")}
	}
	for _, c := range []struct {
		name         string
		spoil        func(*openwop.IdempotencyObservation)
		once, atOnce string
	}{
		{"honest", func(*openwop.IdempotencyObservation) {}, "passed", "passed"},
		{"another order is another body", func(o *openwop.IdempotencyObservation) { o.Reordered = refusal(409, "idempotency_key_mismatch") }, "passed", "passed"},
		{"all wait for the first", func(o *openwop.IdempotencyObservation) { o.AtOnce[2] = again("r3") }, "passed", "passed"},
		{"ignores keys", func(o *openwop.IdempotencyObservation) { o.Again = run("r9") }, openwopv1.OWPERR18, "passed"},
		{"forgets the key after another body", func(o *openwop.IdempotencyObservation) { o.Last = run("r9") }, openwopv1.OWPERR18, "passed"},
		{"refuses a repetition", func(o *openwop.IdempotencyObservation) { o.Again = refusal(409, "idempotency_key_mismatch") }, openwopv1.OWPERR18, "passed"},
		{"another order makes another run", func(o *openwop.IdempotencyObservation) { o.Reordered = run("r9") }, openwopv1.OWPERR18, "passed"},
		{"takes another body for the same", func(o *openwop.IdempotencyObservation) { o.Other = again("r1") }, openwopv1.OWPERR19, "passed"},
		{"makes another run under the key", func(o *openwop.IdempotencyObservation) { o.Other = run("r9") }, openwopv1.OWPERR19, "passed"},
		{"says so without words", func(o *openwop.IdempotencyObservation) { o.Other.Answered = told(t, "it", 409, "") }, openwopv1.OWPERR4, "passed"},
		{"one run for all keys", func(o *openwop.IdempotencyObservation) { o.Fresh = run("r1") }, openwopv1.OWPERR18, "passed"},
		{"two runs at once", func(o *openwop.IdempotencyObservation) { o.AtOnce[0] = run("r9") }, "passed", openwopv1.OWPERR20},
		{"a run that nobody repeats", func(o *openwop.IdempotencyObservation) { o.After = run("r9") }, "passed", openwopv1.OWPERR20},
		{"falls over at once", func(o *openwop.IdempotencyObservation) { o.AtOnce[1] = refusal(500, "internal_error") }, "passed", openwopv1.OWPERR20},
		{"none is done at once", func(o *openwop.IdempotencyObservation) {
			for i := range o.AtOnce {
				o.AtOnce[i] = refusal(409, "idempotency_in_flight")
			}
		}, "passed", openwopv1.OWPERR20},
		{"makes no run", func(o *openwop.IdempotencyObservation) { o.First = refusal(404, "not_found") }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "keyed-once", o, c.once)
			expect(t, "keyed-at-once", o, c.atOnce)
		})
	}
	t.Run("a spelling and a header are told", func(t *testing.T) {
		o := honest()
		o.Other, o.Again.Replay = refusal(409, "idempotency_key_conflict"), wire.Value{}
		if got := findings(t, "keyed-once", o); !slices.Equal(got, []string{openwopv1.OWPERR21, openwopv1.OWPERR5}) {
			t.Errorf("findings: %v", got)
		}
	})
	t.Run("another reply about the same run is told", func(t *testing.T) {
		o := honest()
		o.Again.Answered = told(t, "it", 200, map[string]any{"runId": "r1", "status": "completed"})
		if got := findings(t, "keyed-once", o); !slices.Equal(got, []string{openwopv1.OWPERR18}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfCancellation(t *testing.T) {
	snapshot := func(status string) wire.Value {
		return wiretest.Value(t, map[string]any{"runId": "r", "status": status})
	}
	reply := func(status string) openwop.Answered {
		return told(t, "to cancel it", 200, map[string]any{"runId": "r", "status": status})
	}
	ends := func(kinds ...string) openwop.RunLog {
		s := story{id: "r", status: "cancelled", events: []event{{"run.started", map[string]any{}}}}
		for _, kind := range kinds {
			s.events = append(s.events, event{kind, map[string]any{}})
		}
		l := s.log(t)
		l.Ended.Reached = true
		return l
	}
	honest := func() openwop.CancelObservation {
		return openwop.CancelObservation{Way: "w", Created: madeRun(t, "r"), Live: snapshot("running"), Untouched: snapshot("running"),
			Strangers: []openwop.Answered{no(t, 401, "unauthenticated"), no(t, 401, "unauthenticated")},
			Cancel:    reply("cancelling"), Log: ends("run.cancelled"), Again: reply("cancelled"), Later: snapshot("cancelled"),
			Done: ended(t, "completed"), DoneReply: reply("completed"), DoneAfter: snapshot("completed")}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.CancelObservation)
		want  string // of the three, in order
	}{
		{"honest", func(*openwop.CancelObservation) {}, "passed passed passed"},
		{"version 2 refuses", func(o *openwop.CancelObservation) {
			o.Again, o.DoneReply = no(t, 409, "run_terminal"), no(t, 409, "run_terminal")
		}, "passed passed passed"},
		{"goes on", func(o *openwop.CancelObservation) {
			o.Log.Ended = ended(t, "completed")
			o.Later = snapshot("completed")
			o.Again = reply("completed")
		}, openwopv1.OWPERR23 + " passed blocked"},
		{"never ends", func(o *openwop.CancelObservation) {
			o.Log.Ended.Reached, o.Log.Ended.Last = false, snapshot("running")
		}, openwopv1.OWPERR23 + " blocked blocked"},
		{"ends twice", func(o *openwop.CancelObservation) { o.Log = ends("run.cancelled", "run.completed") }, openwopv1.OWPERR23 + " passed passed"},
		{"refuses its owner", func(o *openwop.CancelObservation) { o.Cancel = no(t, 404, "not_found") }, openwopv1.OWPERR23 + " passed passed"},
		{"says that it completed", func(o *openwop.CancelObservation) { o.Cancel = reply("completed") }, openwopv1.OWPERR23 + " passed passed"},
		{"cancels what has ended", func(o *openwop.CancelObservation) {
			o.DoneReply, o.DoneAfter = reply("cancelled"), snapshot("cancelled")
		}, "passed " + openwopv1.OWPERR24 + " passed"},
		{"says that it cancelled what has ended", func(o *openwop.CancelObservation) { o.DoneReply = reply("cancelled") }, "passed " + openwopv1.OWPERR24 + " passed"},
		{"falls over the second time", func(o *openwop.CancelObservation) { o.Again = no(t, 500, "internal_error") }, "passed " + openwopv1.OWPERR24 + " passed"},
		{"changes the second time", func(o *openwop.CancelObservation) { o.Later = snapshot("failed") }, "passed " + openwopv1.OWPERR24 + " passed"},
		{"refuses a stranger and does it", func(o *openwop.CancelObservation) { o.Untouched = snapshot("cancelled") }, "passed passed " + openwopv1.OWPERR25},
		{"refuses a stranger and begins", func(o *openwop.CancelObservation) { o.Untouched = snapshot("cancelling") }, "passed passed " + openwopv1.OWPERR25},
		{"obeys a stranger", func(o *openwop.CancelObservation) { o.Strangers[0] = reply("cancelled") }, "passed passed blocked"},
		{"is over before", func(o *openwop.CancelObservation) { o.Live = snapshot("completed") }, "blocked blocked blocked"},
		{"is not made", func(o *openwop.CancelObservation) { o.Created = no(t, 404, "not_found") }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			want := strings.Fields(c.want)
			for i, name := range []string{"cancel-ends", "cancel-of-ended", "strangers-change-nothing"} {
				expect(t, name, o, want[i])
			}
		})
	}
}
