package openwop_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// twoTenants are two who have made a run and read it.
func twoTenants(t *testing.T) openwop.Tenants {
	one := func(name, id string) openwop.Tenant {
		return openwop.Tenant{Name: name, Created: madeRun(t, id), Read: told(t, "a run", 200, map[string]any{"runId": id, "owner": map[string]any{"tenant": name}})}
	}
	return openwop.Tenants{First: one("a", "r-a"), Other: one("b", "r-b")}
}

// intrusion is a call that was refused as what never was.
func intrusion(t *testing.T) openwop.TenantCall {
	return openwop.TenantCall{By: "b", Theirs: "r-1", Never: "r-2", Needed: true, Existing: missing(t, "r-1"), Missing: missing(t, "r-2")}
}

func missing(t *testing.T, id string) openwop.Answered {
	return told(t, "it", 404, map[string]any{"error": "not_found", "message": "there is no " + id, "details": map[string]any{"runId": id}})
}

// intrusions are ways to answer somebody else, with the requirement that they
// violate where the id given is that of being refused.
func intrusions(t *testing.T, refused string) map[string]struct {
	call openwop.TenantCall
	want string
} {
	type row = struct {
		call openwop.TenantCall
		want string
	}
	with := func(existing openwop.Answered) openwop.TenantCall {
		c := intrusion(t)
		c.Existing = existing
		return c
	}
	bare := func(details map[string]any) openwop.Answered {
		return told(t, "it", 404, map[string]any{"error": "not_found", "message": "there is no r-1", "details": details})
	}
	forbidden := with(no(t, 403, "run_forbidden"))
	forbidden.Missing = no(t, 403, "run_forbidden")
	return map[string]row{
		"refused":                     {intrusion(t), "passed"},
		"forbidden, there or not":     {forbidden, "passed"},
		"let in":                      {with(told(t, "it", 200, map[string]any{"runId": "r-1"})), refused},
		"a conflict":                  {with(no(t, 409, "conflict")), refused},
		"forbidden only where it is":  {with(no(t, 403, "run_forbidden")), openwopv1.OWPISO2},
		"another code where it is":    {with(told(t, "it", 404, map[string]any{"error": "hidden", "message": "m", "details": map[string]any{"runId": "r-1"}})), openwopv1.OWPISO2},
		"a member more where it is":   {with(bare(map[string]any{"runId": "r-1", "owner": "a"})), openwopv1.OWPISO2},
		"no details where it is":      {with(told(t, "it", 404, map[string]any{"error": "not_found", "message": "there is no r-1"})), openwopv1.OWPISO2},
		"other words where it is not": {with(told(t, "it", 404, map[string]any{"error": "not_found", "message": "not yours", "details": map[string]any{"runId": "r-1"}})), "passed"},
	}
}

// nobodyToKeepApart are observations that say nothing, since there are no two tenants.
func nobodyToKeepApart(t *testing.T) map[string]openwop.Tenants {
	same, refused, unread := twoTenants(t), twoTenants(t), twoTenants(t)
	same.Other.Read = told(t, "a run", 200, map[string]any{"runId": "r-b", "owner": map[string]any{"tenant": "a"}})
	refused.Other.Created = no(t, 404, "not_found")
	unread.Other.Read = no(t, 404, "not_found")
	return map[string]openwop.Tenants{"both keys are of one tenant": same, "the other makes no run": refused, "the other cannot read its own": unread}
}

func ownLog(t *testing.T) openwop.RunLog { return loop(2).log(t) }

func TestJudgesOfIntruders(t *testing.T) {
	suspended := wire.Wait{What: "the run is suspended", Reached: true, Patience: time.Second, Last: wiretest.Value(t, map[string]any{"status": "waiting-input"})}
	waiting := loop(2).withStatus("waiting-input").log(t)
	waiting.Ended = suspended
	file := func(content string) openwop.FileReply {
		return openwop.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"path": "p", "content": content})}
	}
	list := func(paths ...string) openwop.FileReply {
		return openwop.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"files": paths})}
	}
	goal := openwop.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"id": "g", "state": "active", "objective": "o", "progress": map[string]any{}})}
	for _, s := range []struct {
		scenario, refused string
		observe           func(openwop.Tenants, openwop.TenantCall) any
	}{
		{"runs-unread", openwopv1.OWPISO1, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantRuns{Tenants: w, Reads: []openwop.TenantCall{intrusion(t), c}, Before: ownLog(t), After: ownLog(t)}
		}},
		{"offspring-unread", openwopv1.OWPISO7, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantOffspring{Tenants: w, Log: ownLog(t), Children: []openwop.Answered{told(t, "c", 200, map[string]any{})}, Reads: []openwop.TenantCall{c}}
		}},
		{"cancel-refused", openwopv1.OWPISO3, func(w openwop.Tenants, c openwop.TenantCall) any {
			running := wiretest.Value(t, map[string]any{"status": "running"})
			return openwop.TenantCancel{Tenants: w, Created: madeRun(t, "r-1"), Live: running, Call: c, After: running, Cancel: told(t, "cancel", 200, map[string]any{})}
		}},
		{"answer-refused", openwopv1.OWPISO3, func(w openwop.Tenants, c openwop.TenantCall) any {
			held := openwop.Suspension{Suspended: suspended, Log: waiting, Answered: wiretest.Status(t, 200)}
			return openwop.TenantAnswer{Tenants: w, SuspendedLoop: openwop.SuspendedLoop{Held: held}, Call: c, After: waiting}
		}},
		{"fork-refused", openwopv1.OWPISO3, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantFork{Tenants: w, Call: c, Read: intrusion(t), Before: ownLog(t), After: ownLog(t), Forked: madeRun(t, "f"), Own: told(t, "f", 200, map[string]any{})}
		}},
		{"fork-refused", openwopv1.OWPISO8, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantFork{Tenants: w, Call: intrusion(t), Read: c, Before: ownLog(t), After: ownLog(t), Forked: madeRun(t, "f"), Own: told(t, "f", 200, map[string]any{})}
		}},
		{"files-apart", openwopv1.OWPISO10, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantFiles{Tenants: w, Path: "p", Mine: "mine", Theirs: "theirs", Before: c, Own: list("p"), Others: list(), Put: file("theirs"), Got: file("theirs"), Kept: file("mine"), After: file("mine")}
		}},
		{"goals-apart", openwopv1.OWPISO4, func(w openwop.Tenants, c openwop.TenantCall) any {
			return openwop.TenantGoals{Tenants: w, Mine: openwop.GoalMade{ID: "g", Fresh: goal}, Theirs: openwop.GoalMade{ID: "h", Fresh: goal}, Calls: []openwop.TenantCall{c}, After: goal}
		}},
	} {
		for name, row := range intrusions(t, s.refused) {
			t.Run(s.scenario+"/"+s.refused+"/"+name, func(t *testing.T) { expect(t, s.scenario, s.observe(twoTenants(t), row.call), row.want) })
		}
		for name, nobody := range nobodyToKeepApart(t) {
			t.Run(s.scenario+"/"+name, func(t *testing.T) { expect(t, s.scenario, s.observe(nobody, intrusion(t)), "blocked") })
		}
	}
	t.Run("other words are told", func(t *testing.T) {
		o := openwop.TenantRuns{Tenants: twoTenants(t), Reads: []openwop.TenantCall{intrusions(t, "")["other words where it is not"].call}, Before: ownLog(t), After: ownLog(t)}
		if got := findings(t, "runs-unread", o); !slices.Contains(got, openwopv1.OWPISO2) {
			t.Errorf("findings: %v", got)
		}
	})
}

// What is refused may have been done all the same.
func TestJudgesOfWhatIntrudersLeave(t *testing.T) {
	running := wiretest.Value(t, map[string]any{"status": "running"})
	cancelled := wiretest.Value(t, map[string]any{"status": "cancelled"})
	suspended := wire.Wait{What: "the run is suspended", Reached: true, Patience: time.Second, Last: wiretest.Value(t, map[string]any{"status": "waiting-input"})}
	waiting := loop(2).withStatus("waiting-input").log(t)
	waiting.Ended = suspended
	read := openwop.TenantRuns{Tenants: twoTenants(t), Reads: []openwop.TenantCall{intrusion(t)}, Before: ownLog(t), After: ownLog(t)}
	cancel := openwop.TenantCancel{Tenants: twoTenants(t), Created: madeRun(t, "r-1"), Live: running, Call: intrusion(t), After: running, Cancel: told(t, "cancel", 200, map[string]any{})}
	answer := openwop.TenantAnswer{Tenants: twoTenants(t), Call: intrusion(t), After: waiting,
		SuspendedLoop: openwop.SuspendedLoop{Held: openwop.Suspension{Suspended: suspended, Log: waiting, Answered: wiretest.Status(t, 200)}}}
	fork := openwop.TenantFork{Tenants: twoTenants(t), Call: intrusion(t), Read: intrusion(t), Before: ownLog(t), After: ownLog(t), Forked: madeRun(t, "f"), Own: told(t, "f", 200, map[string]any{})}
	for name, c := range map[string]struct {
		scenario string
		observe  func() any
		want     string
	}{
		"the list is everybody's": {"runs-unread", func() any {
			o := read
			o.Own, o.Others = told(t, "list", 200, []any{map[string]any{"runId": "r-a"}}), told(t, "list", 200, []any{map[string]any{"runId": "r-a"}, map[string]any{"runId": "r-b"}})
			return o
		}, openwopv1.OWPISO1},
		"each has a list": {"runs-unread", func() any {
			o := read
			o.Own, o.Others = told(t, "list", 200, []any{"r-a"}), told(t, "list", 200, []any{"r-b"})
			return o
		}, "passed"},
		"a look leaves an event": {"runs-unread", func() any { o := read; o.After = loop(3).log(t); return o }, openwopv1.OWPISO1},
		"cancelled all the same": {"cancel-refused", func() any { o := cancel; o.After = cancelled; return o }, openwopv1.OWPISO3},
		"ended before":           {"cancel-refused", func() any { o := cancel; o.Live = cancelled; return o }, "blocked"},
		"nobody can cancel":      {"cancel-refused", func() any { o := cancel; o.Cancel = no(t, 404, "not_found"); return o }, "blocked"},
		"answered all the same":  {"answer-refused", func() any { o := answer; o.After = ownLog(t); return o }, openwopv1.OWPISO3},
		"went on": {"answer-refused", func() any {
			o := answer
			o.After.Events = append(slices.Clone(o.After.Events), loop(3).log(t).Events...)
			return o
		}, openwopv1.OWPISO3},
		"never suspended":       {"answer-refused", func() any { o := answer; o.Held.Suspended.Reached = false; return o }, "blocked"},
		"nobody can answer":     {"answer-refused", func() any { o := answer; o.Held.Answered = wiretest.Status(t, 404); return o }, "blocked"},
		"nobody can fork":       {"fork-refused", func() any { o := fork; o.Forked = no(t, 501, "capability_not_provided"); return o }, "blocked"},
		"forked into the run":   {"fork-refused", func() any { o := fork; o.After = loop(3).log(t); return o }, openwopv1.OWPISO3},
		"the loop has no child": {"offspring-unread", func() any { return openwop.TenantOffspring{Tenants: twoTenants(t), Log: ownLog(t)} }, "blocked"},
		"no child is served": {"offspring-unread", func() any {
			return openwop.TenantOffspring{Tenants: twoTenants(t), Log: ownLog(t), Children: []openwop.Answered{no(t, 404, "not_found")}, Reads: []openwop.TenantCall{intrusion(t)}}
		}, "blocked"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, c.scenario, c.observe(), c.want) })
	}
}

func TestJudgesOfWhatTenantsAskFor(t *testing.T) {
	keyed := func(id string) openwop.KeyedRun { return openwop.KeyedRun{Answered: madeRun(t, id)} }
	run := func(owner string) openwop.Answered {
		return told(t, "it", 200, map[string]any{"runId": "n", "owner": map[string]any{"tenant": owner}})
	}
	honest := func() openwop.TenantAsks {
		return openwop.TenantAsks{Tenants: twoTenants(t), Key: keyed("k-a"), Same: keyed("k-b"), Again: keyed("k-a"), Name: "a", Named: madeRun(t, "n"), Mine: run("b"), Yours: no(t, 404, "not_found")}
	}
	for _, c := range []struct {
		name        string
		spoil       func(*openwop.TenantAsks)
		keys, owner string
	}{
		{"honest", func(*openwop.TenantAsks) {}, "passed", "passed"},
		{"refuses the name", func(o *openwop.TenantAsks) { o.Named = no(t, 403, "forbidden") }, "passed", "passed"},
		{"one key for all", func(o *openwop.TenantAsks) { o.Same = keyed("k-a") }, openwopv1.OWPISO5, "passed"},
		{"tells that the key was used", func(o *openwop.TenantAsks) {
			o.Same = openwop.KeyedRun{Answered: no(t, 409, "idempotency_key_mismatch")}
		}, openwopv1.OWPISO5, "passed"},
		{"keeps no keys", func(o *openwop.TenantAsks) { o.Again = keyed("k-c") }, "blocked", "passed"},
		{"believes the body", func(o *openwop.TenantAsks) { o.Mine, o.Yours = no(t, 404, "not_found"), run("a") }, "passed", openwopv1.OWPISO6},
		{"shows the name in the body", func(o *openwop.TenantAsks) { o.Mine = run("a") }, "passed", openwopv1.OWPISO6},
		{"gives it to both", func(o *openwop.TenantAsks) { o.Yours = run("b") }, "passed", openwopv1.OWPISO6},
		{"falls over", func(o *openwop.TenantAsks) { o.Named = no(t, 500, "internal_error") }, "passed", openwopv1.OWPISO6},
		{"one tenant", func(o *openwop.TenantAsks) { o.Tenants = nobodyToKeepApart(t)["both keys are of one tenant"] }, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "keys-apart", o, c.keys)
			expect(t, "owner-by-credential", o, c.owner)
		})
	}
}

func TestJudgeOfFilesAtOnePath(t *testing.T) {
	file := func(status int, content string) openwop.FileReply {
		return openwop.FileReply{Status: wiretest.Status(t, status), Body: wiretest.Value(t, map[string]any{"path": "p", "content": content})}
	}
	list := func(paths ...string) openwop.FileReply {
		return openwop.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"files": paths})}
	}
	for name, c := range map[string]struct {
		spoil func(*openwop.TenantFiles)
		want  string
	}{
		"lists the other's":      {func(o *openwop.TenantFiles) { o.Others = list("p") }, openwopv1.OWPISO10},
		"one file for both":      {func(o *openwop.TenantFiles) { o.Kept = file(200, "theirs") }, openwopv1.OWPISO10},
		"keeps the first":        {func(o *openwop.TenantFiles) { o.Got = file(200, "mine") }, openwopv1.OWPISO10},
		"deletes both":           {func(o *openwop.TenantFiles) { o.After = file(404, "") }, openwopv1.OWPISO10},
		"lists nobody's":         {func(o *openwop.TenantFiles) { o.Own = list() }, "blocked"},
		"the other cannot write": {func(o *openwop.TenantFiles) { o.Put = file(403, "") }, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := openwop.TenantFiles{Tenants: twoTenants(t), Path: "p", Mine: "mine", Theirs: "theirs", Before: intrusion(t), Own: list("p"), Others: list(),
				Put: file(200, "theirs"), Got: file(200, "theirs"), Kept: file(200, "mine"), After: file(200, "mine")}
			c.spoil(&o)
			expect(t, "files-apart", o, c.want)
		})
	}
}

func TestJudgeOfGoalsOfTwo(t *testing.T) {
	goal := func(id, state string) openwop.GoalReply {
		return openwop.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"id": id, "state": state, "objective": "o", "progress": map[string]any{}})}
	}
	list := func(ids ...string) openwop.GoalReply {
		return openwop.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"goals": ids})}
	}
	for name, c := range map[string]struct {
		spoil func(*openwop.TenantGoals)
		want  string
	}{
		"each has a list":            {func(*openwop.TenantGoals) {}, "passed"},
		"lists the other's":          {func(o *openwop.TenantGoals) { o.Others = list("g-1", "g-2") }, openwopv1.OWPISO4},
		"paused all the same":        {func(o *openwop.TenantGoals) { o.After = goal("g-1", "paused") }, openwopv1.OWPISO4},
		"the other can make no goal": {func(o *openwop.TenantGoals) { o.Theirs.ID = "" }, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := openwop.TenantGoals{Tenants: twoTenants(t), Mine: openwop.GoalMade{ID: "g-1", Fresh: goal("g-1", "active")}, Theirs: openwop.GoalMade{ID: "g-2", Fresh: goal("g-2", "active")},
				Calls: []openwop.TenantCall{intrusion(t)}, Own: list("g-1"), Others: list("g-2"), After: goal("g-1", "active")}
			c.spoil(&o)
			expect(t, "goals-apart", o, c.want)
		})
	}
}
