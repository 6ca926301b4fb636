package turns

import (
	"slices"
	"sync"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// rules returns all rules, those of any turn first.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{"answered", scenarios.IDs{agenticloop.RFC103I7, agenticloop.RFC103WIRE1, agenticloop.RFC103WIRE2, agenticloop.RFC103WIRE3,
			agenticloop.RFC103P4, agenticloop.RFC103T1, agenticloop.RFC103E7, agenticloop.RFC103D1, agenticloop.RFC103I3,
			agenticloop.RFC103WIRE13}, turn.checkAnswer},
		{"exited", scenarios.IDs{agenticloop.RFC103P1, agenticloop.RFC103P2, agenticloop.RFC103P6, agenticloop.RFC103N1,
			agenticloop.RFC103O3, agenticloop.RFC103WIRE17}, turn.checkExit},
		{"logged", scenarios.IDs{agenticloop.RFC103WIRE5}, turn.checkLogs},
		{"asked", scenarios.IDs{agenticloop.RFC103E6, agenticloop.RFC103E8, agenticloop.RFC103E9, agenticloop.RFC103E10, agenticloop.RFC103S6,
			agenticloop.RFC103G2, agenticloop.RFC103N4, agenticloop.RFC103G3, agenticloop.RFC103G4, agenticloop.RFC103READ12,
			agenticloop.RFC103P5, agenticloop.RFC103T8}, turn.checkRequests},
		{"others", scenarios.IDs{agenticloop.RFC103WIRE12, agenticloop.RFC103READ5}, turn.checkOthers},
		{"ended", scenarios.IDs{agenticloop.RFC103P3, agenticloop.RFC103E12, agenticloop.RFC103E13, agenticloop.RFC103F3, agenticloop.RFC103S7,
			agenticloop.RFC103S8, agenticloop.RFC103READ9}, turn.checkEnd},
		{"started", scenarios.IDs{agenticloop.RFC103E1, agenticloop.RFC103M1, agenticloop.RFC103T3, agenticloop.RFC103T6,
			agenticloop.RFC103I2, agenticloop.RFC103S2, agenticloop.RFC103S3, agenticloop.RFC103S4}, turn.checkStart},
		{"resumed", resumed(), turn.checkResult},
		{"budgeted", scenarios.IDs{agenticloop.RFC103F7, agenticloop.RFC103G7}, turn.checkBudget},
	}
})

func (t turn) checkAnswer(j *scenarios.Judge) { t.CheckAnswer(j) }

// checkOthers checks nothing where a turn returned no runs beside another that was running.
func (t turn) checkOthers(j *scenarios.Judge) {
	if t.Runs().Actual() != nil && t.AmongRuns() {
		t.CheckOthers(j)
	}
}

func (t turn) checkExit(j *scenarios.Judge) {
	if !t.Exited {
		return
	}
	if t.Status() == "ok" {
		j.Check(agenticloop.RFC103P1, t.Exit).To(check.Equal(0), "%s: exit code", t.Name)
	}
	for _, id := range (scenarios.IDs{agenticloop.RFC103P6, agenticloop.RFC103N1, agenticloop.RFC103O3}) {
		t.CheckExit(j, id)
	}
	j.Check(agenticloop.RFC103WIRE17, t.Exit).To(check.Equal(0), "%s: exit code", t.Name)
	j.Check(agenticloop.RFC103P2, t.Output).To(host.AnObject(), "%s: standard output", t.Name)
}

func (t turn) checkLogs(j *scenarios.Judge) {
	for _, l := range t.Answer.Key("logs").Items() {
		j.Check(agenticloop.RFC103WIRE5, l.Key("level")).To(check.OneOf("debug", "info", "warn", "error"), "%s: level of a log", t.Name)
	}
}

// checkRequests checks the requests for tools. The events of an error are not routed.
func (t turn) checkRequests(j *scenarios.Judge) {
	if !t.Answered() || t.Status() != "ok" {
		return
	}
	for _, e := range t.Requests().Values {
		payload := e.Key("payload")
		for _, id := range (scenarios.IDs{agenticloop.RFC103E6, agenticloop.RFC103READ12}) {
			j.Check(id, e.Key("type")).To(routed, "%s: type of a request", t.Name)
		}
		j.Check(agenticloop.RFC103E8, payload.Key("tool_command")).To(check.Text(), "%s: tool_command", t.Name)
		j.Check(agenticloop.RFC103E9, payload).To(host.OneVersion(), "%s: payload of a request", t.Name)
		j.Check(agenticloop.RFC103E10, payload.Key("requested_at")).To(host.Instant(), "%s: requested_at", t.Name)
	}
	if len(t.Allowed()) == 0 {
		j.Check(agenticloop.RFC103G4, t.Requests()).To(check.Len(0), "%s: requests for tools, and none is allowed", t.Name)
	}
	// A turn that does not start an agent shows nothing: perhaps it did not want to (AL-R15).
	if kinds := t.Events().Each("/type"); slices.ContainsFunc(kinds.Values, startsAgent) {
		for _, id := range (scenarios.IDs{agenticloop.RFC103G2, agenticloop.RFC103N4}) {
			j.Check(id, kinds).To(startsNoAgent, "%s: events", t.Name)
		}
	}
	if asked := t.Requests().Values; len(asked) == 1 && !t.WaitsAnew() {
		run := asked[0].At("/payload/run_id").String()
		if _, before := t.RunsBefore()[run]; !before {
			for _, id := range (scenarios.IDs{agenticloop.RFC103P5, agenticloop.RFC103T8}) {
				j.Check(id, t.Run(run)).To(host.AnObject(), "%s: the run that asks, in state_updates", t.Name)
			}
		}
	}
	due, asks := host.PendingOf(t.Turn)
	if !asks || t.repeated(due) {
		return
	}
	kept := t.Run(due.Run)
	for _, id := range (scenarios.IDs{agenticloop.RFC103P5, agenticloop.RFC103T8}) {
		j.Check(id, kept.Key("pending_tool")).To(check.Equal(due.Tool), "%s: what the run that asks waits for, in state_updates", t.Name)
	}
	j.Check(agenticloop.RFC103S6, kept.Key("pending_step")).To(check.Equal(due.Step), "%s: pending_step of the run that asks", t.Name)
	if allowed := t.Allowed(); len(allowed) > 0 {
		j.Check(agenticloop.RFC103G3, t.Events()).To(t.AsksOnlyFor(allowed...), "%s: tools that it asks for", t.Name)
	}
}

// repeated reports whether the turn repeats the request that was pending before it. The allowlist may have changed since.
func (t turn) repeated(due host.Pending) bool {
	was := host.ProgressOf(t.RunsBefore()[due.Run])
	return was.Status == "running" && was.Step == due.Step
}

var routed = host.Matching("agentic.tool_request. and a name without blanks, control characters and slashes", host.Routed)

// startsAgent reports whether the type of an event starts or resumes an agent.
func startsAgent(kind wire.Value) bool {
	return slices.Contains(host.Inputs, kind.String())
}

var startsNoAgent = check.Seeing("no event that starts or resumes an agent", func(s wire.Seen) (bool, string) {
	found, _ := s.(wire.Found)
	return !slices.ContainsFunc(found.Values, startsAgent), wire.Compact(s.Actual())
})

// checkEnd checks a turn that ends a run that it was told of.
func (t turn) checkEnd(j *scenarios.Judge) {
	ends := t.Ends()
	if !t.Answered() || len(ends.Values) != 1 {
		return
	}
	j.Check(agenticloop.RFC103P3, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status of a turn that ends a run", t.Name)
	id, goal := t.of(), t.start
	if t.resumes {
		goal = goalOf(t.RunsBefore()[id])
	}
	if t.Status() != "ok" || !t.resumes && t.made() == "" {
		return
	}
	end, kept := ends.Values[0], t.Run(id)
	status, idle := "escalated", scenarios.RequirementID(agenticloop.RFC103READ9)
	if end.Key("type").String() == host.Completed {
		status, idle = "done", agenticloop.RFC103S7
		j.Check(agenticloop.RFC103E12, end.At("/payload/run_id")).To(check.Equal(id), "%s: run_id of agent.completed", t.Name)
		if goal != "" {
			j.Check(agenticloop.RFC103E12, end.At("/payload/goal")).To(check.Equal(goal), "%s: goal of agent.completed", t.Name)
		}
		j.Check(agenticloop.RFC103E13, end.At("/payload/outcome")).To(check.Text(), "%s: outcome of agent.completed", t.Name)
	} else {
		t.CheckReason(j, id)
	}
	j.Check(agenticloop.RFC103S8, kept.Key("status")).To(check.Equal(status), "%s: status of the run", t.Name)
	for _, field := range []string{"pending_step", "pending_tool"} {
		j.Check(idle, kept.Key(field)).To(host.NothingPending(), "%s: %s of the run", t.Name, field)
	}
}

func goalOf(run any) string {
	members, _ := run.(host.Object)
	goal, _ := members["goal"].(string)
	return goal
}

// checkStart checks a start that asks for a tool. One that ends at once, or is refused, may have a reason that nobody sees.
func (t turn) checkStart(j *scenarios.Judge) {
	if !t.starts || t.restart || !t.Answered() || t.Status() != "ok" || len(t.Requests().Values) != 1 {
		return
	}
	due, _ := host.PendingOf(t.Turn)
	if _, before := t.RunsBefore()[t.Requests().Values[0].At("/payload/run_id").String()]; before {
		return // the start was handed over before, and the request is the pending one once more (AL-R13, AL-R14)
	}
	made := t.NewRuns()
	for _, id := range (scenarios.IDs{agenticloop.RFC103E1, agenticloop.RFC103M1, agenticloop.RFC103T3}) {
		j.Check(id, made).To(check.Len(1), "%s: runs that it makes", t.Name)
	}
	if len(made.Values) != 1 || due.Run == "" {
		return
	}
	kept := t.Run(due.Run)
	j.Check(agenticloop.RFC103T3, kept.Key("status")).To(check.Equal("running"), "%s: status of the run", t.Name)
	j.Check(agenticloop.RFC103T6, kept.Key("pending_step")).To(check.Equal(1), "%s: pending_step of the run", t.Name)
	j.Check(agenticloop.RFC103I2, t.Requests().Each("/payload/step")).To(check.Equal([]int64{1}), "%s: step of the request", t.Name)
	j.Check(agenticloop.RFC103S2, kept.Key("status")).To(check.Equal("running"), "%s: status of the run", t.Name)
	j.Check(agenticloop.RFC103S2, kept.Key("step")).To(check.Integer(0, due.Step), "%s: step of the run", t.Name)
	j.Check(agenticloop.RFC103S2, kept.Key("max_steps")).To(check.Integer(1, 0), "%s: max_steps of the run", t.Name)
	j.Check(agenticloop.RFC103S3, t.Answer.At("/state_updates/last_run_id")).To(check.Equal(due.Run), "%s: last_run_id", t.Name)
	for _, name := range []string{"created_at", "updated_at"} {
		j.Check(agenticloop.RFC103S4, kept.Key(name)).To(host.Instant(), "%s: %s of the run", t.Name, name)
	}
}

// checkBudget checks a turn that was handed the result of the last step that the budget of its run has, by every config and state that
// the turns of the run have shown from its start on. A run that is completed then may not have wanted a further step (AL-R10).
func (t turn) checkBudget(j *scenarios.Judge) {
	if !t.resumes || !t.Answered() || t.Status() != "ok" || t.rule != model.Matching || !t.known.whole {
		return
	}
	if len(t.Requests().Values)+len(t.OfType(host.Escalated).Values) == 0 {
		return
	}
	budget := t.known
	budget.bound(t, wire.Value{})
	if budget.open || t.was.Step < budget.budget {
		return
	}
	for _, id := range (scenarios.IDs{agenticloop.RFC103F7, agenticloop.RFC103G7}) {
		j.Check(id, t.Requests().Each("/payload/step")).To(host.AtMost(budget.budget), "%s: steps that it asks for", t.Name)
	}
}
