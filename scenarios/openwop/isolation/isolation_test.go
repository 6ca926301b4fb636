package isolation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/isolation"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// intrusion returns a call that was refused like one for an unknown id.
func intrusion(t *testing.T) host.TenantCall {
	return host.TenantCall{By: "b", Theirs: "r-1", Never: "r-2", Needed: true, Existing: missing(t, "r-1"), Missing: missing(t, "r-2")}
}

func missing(t *testing.T, id string) host.Answered {
	return hosttest.Told(t, "it", 404, map[string]any{"error": "not_found", "message": "there is no " + id,
		"details": map[string]any{"runId": id}})
}

// intrusions returns ways to answer another tenant, with the requirement that each
// violates. refused is the requirement to refuse.
func intrusions(t *testing.T, refused string) map[string]struct {
	call host.TenantCall
	want string
} {
	type row = struct {
		call host.TenantCall
		want string
	}
	with := func(existing host.Answered) host.TenantCall {
		c := intrusion(t)
		c.Existing = existing
		return c
	}
	bare := func(details map[string]any) host.Answered {
		return hosttest.Told(t, "it", 404, map[string]any{"error": "not_found", "message": "there is no r-1", "details": details})
	}
	forbidden := with(hosttest.No(t, 403, "run_forbidden"))
	forbidden.Missing = hosttest.No(t, 403, "run_forbidden")
	// each is asked for twice; StrangerOf(r-2) is what else never was.
	each := func(first, again string) host.TenantCall {
		words := func(message, id string) host.Answered {
			return hosttest.Told(t, "it", 404, map[string]any{"error": "not_found", "message": message, "details": map[string]any{"runId": id}})
		}
		c := with(words(first, "r-1"))
		c.Other, c.Again = missing(t, host.StrangerOf("r-2")), words(again, "r-1")
		return c
	}
	return map[string]row{
		"refused":                    {intrusion(t), "passed"},
		"forbidden, there or not":    {forbidden, "passed"},
		"let in":                     {with(hosttest.Told(t, "it", 200, map[string]any{"runId": "r-1"})), refused},
		"a conflict":                 {with(hosttest.No(t, 409, "conflict")), refused},
		"forbidden only where it is": {with(hosttest.No(t, 403, "run_forbidden")), openwop.OWPISO2},
		"another code where it is": {with(hosttest.Told(t, "it", 404, map[string]any{"error": "hidden", "message": "m",
			"details": map[string]any{"runId": "r-1"}})), openwop.OWPISO2},
		"a member more where it is": {with(bare(map[string]any{"runId": "r-1", "owner": "a"})), openwop.OWPISO2},
		"no details where it is": {with(hosttest.Told(t, "it", 404, map[string]any{"error": "not_found",
			"message": "there is no r-1"})), openwop.OWPISO2},
		"other words where it is not": {with(hosttest.Told(t, "it", 404, map[string]any{"error": "not_found", "message": "not yours",
			"details": map[string]any{"runId": "r-1"}})), "passed"},
		"the same words each time":           {each("there is no r-1", "there is no r-1"), "passed"},
		"other words each time":              {each("not yours", "not yours"), openwop.OWPISO2},
		"words with a number of the request": {each("not found (17)", "not found (20)"), "passed"},
	}
}

func ownLog(t *testing.T) host.RunLog { return hosttest.LoopOf(2).Log(t) }

func TestJudgesOfIntruders(t *testing.T) {
	suspended := wire.Wait{What: "the run is suspended", Reached: true, Patience: time.Second, Last: wiretest.Value(t,
		map[string]any{"status": "waiting-input"})}
	waiting := hosttest.LoopOf(2).WithStatus("waiting-input").Log(t)
	waiting.Ended = suspended
	file := func(content string) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"path": "p", "content": content})}
	}
	list := func(paths ...string) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"files": paths})}
	}
	goal := host.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"id": "g", "state": "active",
		"objective": "o", "progress": map[string]any{}})}
	for _, s := range []struct {
		scenario, refused string
		observe           func(host.Tenants, host.TenantCall) any
	}{
		{"runs-unread", openwop.OWPISO1, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantRuns{Tenants: w, Reads: []host.TenantCall{intrusion(t), c}, Before: ownLog(t), After: ownLog(t)}
		}},
		{"offspring-unread", openwop.OWPISO7, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantOffspring{Tenants: w, Log: ownLog(t), Children: []host.Answered{hosttest.Told(t, "c", 200,
				map[string]any{})}, Reads: []host.TenantCall{c}}
		}},
		{"cancel-refused", openwop.OWPISO3, func(w host.Tenants, c host.TenantCall) any {
			running := wiretest.Value(t, map[string]any{"status": "running"})
			return isolation.TenantCancel{Tenants: w, Created: hosttest.MadeRun(t, "r-1"), Live: running, Call: c, After: running,
				Cancel: hosttest.Told(t, "cancel", 200, map[string]any{})}
		}},
		{"answer-refused", openwop.OWPISO3, func(w host.Tenants, c host.TenantCall) any {
			held := host.Suspension{Suspended: suspended, Log: waiting, Answered: wiretest.Status(t, 200)}
			return isolation.TenantAnswer{Tenants: w, SuspendedLoop: host.SuspendedLoop{Held: held}, Call: c, After: waiting}
		}},
		{"fork-refused", openwop.OWPISO3, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantFork{Tenants: w, Call: c, Read: intrusion(t), Before: ownLog(t), After: ownLog(t),
				Forked: hosttest.MadeRun(t, "f"), Own: hosttest.Told(t, "f", 200, map[string]any{})}
		}},
		{"fork-refused", openwop.OWPISO8, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantFork{Tenants: w, Call: intrusion(t), Read: c, Before: ownLog(t), After: ownLog(t),
				Forked: hosttest.MadeRun(t, "f"), Own: hosttest.Told(t, "f", 200, map[string]any{})}
		}},
		{"files-apart", openwop.OWPISO10, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantFiles{Tenants: w, Path: "p", Mine: "mine", Theirs: "theirs", Before: c, Own: list("p"), Others: list(),
				Put: file("theirs"), Got: file("theirs"), Kept: file("mine"), After: file("mine")}
		}},
		{"goals-apart", openwop.OWPISO4, func(w host.Tenants, c host.TenantCall) any {
			return isolation.TenantGoals{Tenants: w, Mine: host.GoalMade{ID: "g", Fresh: goal}, Theirs: host.GoalMade{ID: "h",
				Fresh: goal}, Calls: []host.TenantCall{c}, After: goal}
		}},
	} {
		for name, row := range intrusions(t, s.refused) {
			t.Run(s.scenario+"/"+s.refused+"/"+name, func(t *testing.T) {
				hosttest.Expect(t, s.scenario, s.observe(hosttest.TwoTenants(t), row.call), row.want)
			})
		}
		for name, nobody := range hosttest.NobodyToKeepApart(t) {
			t.Run(s.scenario+"/"+name, func(t *testing.T) { hosttest.Expect(t, s.scenario, s.observe(nobody, intrusion(t)), "blocked") })
		}
	}
	t.Run("other words are told", func(t *testing.T) {
		o := isolation.TenantRuns{Tenants: hosttest.TwoTenants(t),
			Reads: []host.TenantCall{intrusions(t, "")["other words where it is not"].call}, Before: ownLog(t), After: ownLog(t)}
		if !hosttest.HasNote(t, "runs-unread", o, "in other words") {
			t.Errorf("notes: %v", hosttest.Notes(t, "runs-unread", o))
		}
	})
}

// A host may refuse a call and still carry it out.
func TestJudgesOfWhatIntrudersLeave(t *testing.T) {
	running := wiretest.Value(t, map[string]any{"status": "running"})
	cancelled := wiretest.Value(t, map[string]any{"status": "cancelled"})
	suspended := wire.Wait{What: "the run is suspended", Reached: true, Patience: time.Second, Last: wiretest.Value(t,
		map[string]any{"status": "waiting-input"})}
	waiting := hosttest.LoopOf(2).WithStatus("waiting-input").Log(t)
	waiting.Ended = suspended
	read := isolation.TenantRuns{Tenants: hosttest.TwoTenants(t), Reads: []host.TenantCall{intrusion(t)}, Before: ownLog(t), After: ownLog(t)}
	cancel := isolation.TenantCancel{Tenants: hosttest.TwoTenants(t), Created: hosttest.MadeRun(t, "r-1"), Live: running,
		Call: intrusion(t), After: running, Cancel: hosttest.Told(t, "cancel", 200, map[string]any{})}
	answer := isolation.TenantAnswer{Tenants: hosttest.TwoTenants(t), Call: intrusion(t), After: waiting,
		SuspendedLoop: host.SuspendedLoop{Held: host.Suspension{Suspended: suspended, Log: waiting, Answered: wiretest.Status(t, 200)}}}
	fork := isolation.TenantFork{Tenants: hosttest.TwoTenants(t), Call: intrusion(t), Read: intrusion(t), Before: ownLog(t),
		After: ownLog(t), Forked: hosttest.MadeRun(t, "f"), Own: hosttest.Told(t, "f", 200, map[string]any{})}
	for name, c := range map[string]struct {
		scenario string
		observe  func() any
		want     string
	}{
		"the list is everybody's": {"runs-unread", func() any {
			o := read
			o.Own, o.Others = hosttest.Told(t, "list", 200, []any{map[string]any{"runId": "r-a"}}), hosttest.Told(t, "list", 200,
				[]any{map[string]any{"runId": "r-a"}, map[string]any{"runId": "r-b"}})
			return o
		}, openwop.OWPISO1},
		"each has a list": {"runs-unread", func() any {
			o := read
			o.Own, o.Others = hosttest.Told(t, "list", 200, []any{"r-a"}), hosttest.Told(t, "list", 200, []any{"r-b"})
			return o
		}, "passed"},
		"a look leaves an event": {"runs-unread", func() any { o := read; o.After = hosttest.LoopOf(3).Log(t); return o }, openwop.OWPISO1},
		"cancelled all the same": {"cancel-refused", func() any { o := cancel; o.After = cancelled; return o }, openwop.OWPISO3},
		"ended before":           {"cancel-refused", func() any { o := cancel; o.Live = cancelled; return o }, "blocked"},
		"nobody can cancel": {"cancel-refused", func() any { o := cancel; o.Cancel = hosttest.No(t, 404, "not_found"); return o },
			"blocked"},
		"answered all the same": {"answer-refused", func() any { o := answer; o.After = ownLog(t); return o }, openwop.OWPISO3},
		"went on": {"answer-refused", func() any {
			o := answer
			o.After.Events = append(slices.Clone(o.After.Events), hosttest.LoopOf(3).Log(t).Events...)
			return o
		}, openwop.OWPISO3},
		"never suspended": {"answer-refused", func() any { o := answer; o.Held.Suspended.Reached = false; return o }, hosttest.BlockedOn("")},
		"nobody can answer": {"answer-refused", func() any { o := answer; o.Held.Answered = wiretest.Status(t, 404); return o },
			hosttest.BlockedOn("")},
		"nobody can fork": {"fork-refused",
			func() any { o := fork; o.Forked = hosttest.No(t, 501, "capability_not_provided"); return o }, "blocked"},
		"forked into the run": {"fork-refused", func() any { o := fork; o.After = hosttest.LoopOf(3).Log(t); return o }, openwop.OWPISO3},
		"the loop has no child": {"offspring-unread",
			func() any { return isolation.TenantOffspring{Tenants: hosttest.TwoTenants(t), Log: ownLog(t)} }, "blocked"},
		"no child is served": {"offspring-unread", func() any {
			return isolation.TenantOffspring{Tenants: hosttest.TwoTenants(t), Log: ownLog(t), Children: []host.Answered{hosttest.No(t, 404,
				"not_found")}, Reads: []host.TenantCall{intrusion(t)}}
		}, hosttest.BlockedOn(openwop.OWPDSP12)},
	} {
		t.Run(name, func(t *testing.T) { hosttest.Expect(t, c.scenario, c.observe(), c.want) })
	}
}

func TestJudgesOfWhatTenantsAskFor(t *testing.T) {
	keyed := func(id string) host.KeyedRun { return host.KeyedRun{Answered: hosttest.MadeRun(t, id)} }
	run := func(owner string) host.Answered {
		return hosttest.Told(t, "it", 200, map[string]any{"runId": "n", "owner": map[string]any{"tenant": owner}})
	}
	honest := func() isolation.TenantAsks {
		return isolation.TenantAsks{Tenants: hosttest.TwoTenants(t), Key: keyed("k-a"), Same: keyed("k-b"), Again: keyed("k-a"),
			Name: "a", Named: hosttest.MadeRun(t, "n"), Mine: run("b"), Yours: hosttest.No(t, 404, "not_found")}
	}
	for _, c := range []struct {
		name        string
		spoil       func(*isolation.TenantAsks)
		keys, owner string
	}{
		{"honest", func(*isolation.TenantAsks) {}, "passed", "passed"},
		{"refuses the name", func(o *isolation.TenantAsks) { o.Named = hosttest.No(t, 403, "forbidden") }, "passed", "passed"},
		{"one key for all", func(o *isolation.TenantAsks) { o.Same = keyed("k-a") }, openwop.OWPISO5, "passed"},
		{"tells that the key was used", func(o *isolation.TenantAsks) {
			o.Same = host.KeyedRun{Answered: hosttest.No(t, 409, "idempotency_key_mismatch")}
		}, openwop.OWPISO5, "passed"},
		{"keeps no keys", func(o *isolation.TenantAsks) { o.Again = keyed("k-c") }, hosttest.BlockedOn(openwop.OWPERR18), "passed"},
		{"believes the body", func(o *isolation.TenantAsks) { o.Mine, o.Yours = hosttest.No(t, 404, "not_found"), run("a") }, "passed",
			openwop.OWPISO6},
		{"shows the name in the body", func(o *isolation.TenantAsks) { o.Mine = run("a") }, "passed", openwop.OWPISO6},
		{"gives it to both", func(o *isolation.TenantAsks) { o.Yours = run("b") }, "passed", openwop.OWPISO6},
		{"falls over", func(o *isolation.TenantAsks) { o.Named = hosttest.No(t, 500, "internal_error") }, "passed", openwop.OWPISO6},
		{"one tenant", func(o *isolation.TenantAsks) {
			o.Tenants = hosttest.NobodyToKeepApart(t)["both keys are of one tenant"]
		}, "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "keys-apart", o, c.keys)
			hosttest.Expect(t, "owner-by-credential", o, c.owner)
		})
	}
}

func TestJudgeOfFilesAtOnePath(t *testing.T) {
	file := func(status int, content string) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, status), Body: wiretest.Value(t, map[string]any{"path": "p", "content": content})}
	}
	list := func(paths ...string) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"files": paths})}
	}
	for name, c := range map[string]struct {
		spoil func(*isolation.TenantFiles)
		want  string
	}{
		"lists the other's":      {func(o *isolation.TenantFiles) { o.Others = list("p") }, openwop.OWPISO10},
		"one file for both":      {func(o *isolation.TenantFiles) { o.Kept = file(200, "theirs") }, openwop.OWPISO10},
		"keeps the first":        {func(o *isolation.TenantFiles) { o.Got = file(200, "mine") }, openwop.OWPISO10},
		"deletes both":           {func(o *isolation.TenantFiles) { o.After = file(404, "") }, openwop.OWPISO10},
		"lists nobody's":         {func(o *isolation.TenantFiles) { o.Own = list() }, hosttest.BlockedOn(openwop.OWPWSP4)},
		"the other cannot write": {func(o *isolation.TenantFiles) { o.Put = file(403, "") }, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := isolation.TenantFiles{Tenants: hosttest.TwoTenants(t), Path: "p", Mine: "mine", Theirs: "theirs", Before: intrusion(t),
				Own: list("p"), Others: list(),
				Put: file(200, "theirs"), Got: file(200, "theirs"), Kept: file(200, "mine"), After: file(200, "mine")}
			c.spoil(&o)
			hosttest.Expect(t, "files-apart", o, c.want)
		})
	}
}

func TestJudgeOfGoalsOfTwo(t *testing.T) {
	goal := func(id, state string) host.GoalReply {
		return host.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"id": id, "state": state,
			"objective": "o", "progress": map[string]any{}})}
	}
	list := func(ids ...string) host.GoalReply {
		return host.GoalReply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"goals": ids})}
	}
	for name, c := range map[string]struct {
		spoil func(*isolation.TenantGoals)
		want  string
	}{
		"each has a list":            {func(*isolation.TenantGoals) {}, "passed"},
		"lists the other's":          {func(o *isolation.TenantGoals) { o.Others = list("g-1", "g-2") }, openwop.OWPISO4},
		"paused all the same":        {func(o *isolation.TenantGoals) { o.After = goal("g-1", "paused") }, openwop.OWPISO4},
		"the other can make no goal": {func(o *isolation.TenantGoals) { o.Theirs.ID = "" }, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := isolation.TenantGoals{Tenants: hosttest.TwoTenants(t), Mine: host.GoalMade{ID: "g-1", Fresh: goal("g-1", "active")},
				Theirs: host.GoalMade{ID: "g-2", Fresh: goal("g-2", "active")},
				Calls:  []host.TenantCall{intrusion(t)}, Own: list("g-1"), Others: list("g-2"), After: goal("g-1", "active")}
			c.spoil(&o)
			hosttest.Expect(t, "goals-apart", o, c.want)
		})
	}
}
