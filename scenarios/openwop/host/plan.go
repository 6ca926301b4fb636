package host

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// MostTurns is the longest loop that Assay runs to reach a host's ceiling.
const MostTurns = 200

// Share draws a multiple of 0.001 from least to most thousandths.
func (h Host) Share(least, most int) float64 { return float64(h.Between(least, most)) / 1000 }

// Floor returns the confidence below which the host must not carry out a decision.
func (h Host) Floor() float64 {
	if _, claimed := claims.ExecutionModel2.Look(h.Discovery); !claimed {
		scenarios.End(scenarios.Block("the confidence floor comes with version 2 of the execution model",
			"advertise the version of the execution model that statefulResume belongs to"))
	}
	advertised := claims.Model(h.Discovery).Key("confidenceEscalationFloor")
	if !advertised.Present() {
		return 0.5
	}
	n, _ := advertised.Actual().(json.Number)
	if floor, err := n.Float64(); err == nil && floor > 0 && floor <= 1 {
		return floor
	}
	scenarios.End(scenarios.Block("nothing is below the advertised confidenceEscalationFloor: "+advertised.JSON(),
		"advertise a number from 0.5 to 1"))
	return 0
}

// Dispatched returns the events that name the dispatched workers: handoff steps if the log has any, else
// node.dispatched events.
func Dispatched(l RunLog) wire.Found {
	if began := l.Phase(dialect.ChainPhaseDispatchBegan); len(began.Values) > 0 {
		return began
	}
	return l.OfType(dialect.NodeDispatched)
}

// Plan is a supervisor's script: one decision a turn.
type Plan []any

func NextWorker(workers ...string) any {
	return dialect.NextWorkerDecision{Kind: dialect.NextWorkerDecisionKindNextWorker, NextWorkerIds: workers}
}

func AskUser(prompt string) any {
	return dialect.AskUserDecision{Kind: dialect.AskUserDecisionKindAskUser, Prompt: prompt}
}

func Terminate(reason string) any {
	return dialect.TerminateDecision{Kind: dialect.TerminateDecisionKindTerminate, Reason: reason}
}

// LoopPlan plans n turns: n-1 dispatches, then the end.
func (h Host) LoopPlan(n int) Plan {
	p := make(Plan, 0, n)
	for range n - 1 {
		p = append(p, NextWorker(fixture.Noop))
	}
	return append(p, Terminate(h.Name("done")))
}

// Scripted is a loop whose turns are known in advance.
type Scripted struct {
	Fixture string
	Plan    Plan // what the log must show; sent along if Chosen
	Chosen  bool // the plan was made for this run; otherwise it is the fixture's own
}

func (s Scripted) Turns() int { return len(s.Plan) }

func (s Scripted) Request(bound *int64) dialect.CreateRunRequest {
	r := dialect.CreateRunRequest{WorkflowID: s.Fixture}
	if s.Chosen {
		r.Inputs = map[string]any{"plan": s.Plan}
	}
	if bound != nil {
		r.Configurable = &dialect.Configurable{MaxLoopIterations: bound}
	}
	return r
}

// Decisions returns the plan as a log should show it.
func (s Scripted) Decisions() []any {
	raw, err := json.Marshal(s.Plan)
	if err != nil {
		panic("a plan of ours does not encode: " + err.Error())
	}
	var out []any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic("a plan of ours does not decode: " + err.Error())
	}
	return out
}

// Decides blocks the judge unless the log shows a turn of the orchestrator. A loop that failed may have met a limit before
// its first turn; one that completed took a turn at least.
func (l RunLog) Decides(j *scenarios.Judge) {
	if len(l.Decided().Values) > 0 {
		return
	}
	const reason = "setup failed: the log shows no orchestrator turn"
	if l.Status().String() == "completed" {
		j.Violates(openwop.OWP0037A2, l.Decided(), reason+" of a loop that completed")
	}
	j.Block(reason, "have the loop take its first turn")
}

// Takes blocks the judge unless the loop took this many turns. One that stops early may have met a limit; one that goes
// on violates beyond, unless that is "".
func (l RunLog) Takes(j *scenarios.Judge, turns int, beyond scenarios.RequirementID) {
	took := len(l.Decided().Values)
	reason := fmt.Sprintf("setup failed: the loop took %d turns; its plan has %d", took, turns)
	switch {
	case took == turns:
		return
	case took > turns && beyond != "":
		j.Violates(beyond, l.Decided().Last(), reason)
	}
	j.Block(reason, takeTurns)
}

const takeTurns = "have a loop take every turn of its plan, up to the end: check limits, and what its workers need"

// KeepsTo blocks the judge unless the loop took the turns of its plan. same compares the decision of a turn, from 0, with
// the plan. A loop that stops early may have met a limit.
func (l RunLog) KeepsTo(j *scenarios.Judge, turns int, same func(turn int, decision wire.Value) bool) {
	for i, d := range l.Decided().Each("/payload/decision").Values {
		if i >= turns || !same(i, d) {
			j.Violates(openwop.OWP0037A2, d, fmt.Sprintf("setup failed: turn %d of a loop with a plan of %d turns decided otherwise: %s",
				i+1, turns, d.JSON()))
		}
	}
	l.Takes(j, turns, "")
}

// LoopOf returns the strongest loop that the host offers: ours with a random number of turns from least to most,
// else upstream's with its fixed two turns. spare is the number of turns the drive needs within the host's limits
// beyond the loop's own.
func (h Host) LoopOf(least, most, spare int) Scripted {
	ceiling, why := h.Ceiling()
	switch {
	case h.Offers(fixture.Loop, fixture.Noop) && ceiling-spare >= least:
		return Scripted{fixture.Loop, h.LoopPlan(h.Between(least, min(most, ceiling-spare))), true}
	case ceiling-spare < 2:
		TooFewTurns(why)
		return Scripted{}
	case h.Offers(fixture.Handoff, fixture.HandoffChild):
		return Scripted{fixture.Handoff, Plan{NextWorker(fixture.HandoffChild), Terminate("goal-reached")}, false}
	case h.Offers(fixture.Dispatch, fixture.Noop):
		return Scripted{fixture.Dispatch, Plan{NextWorker(fixture.Noop), Terminate("goal-reached")}, false}
	case ceiling-spare >= scriptedTurns && OffersScripted(h, fixture.ScriptedLoop):
		return ScriptedLoop(h)
	}
	h.Lacks("no loop fixture is on offer", fixture.Loop)
	return Scripted{}
}

const scriptedTurns = 4

// OffersScripted reports whether the host runs a loop of the second family, with its workers, as its script says.
func OffersScripted(h Host, loop string) bool {
	f, _ := knownTo(h, loop)
	return h.Offers(append(slices.Clone(f.Needs), loop)...)
}

// ScriptOf returns a loop of the second family up to its end, and how many decisions its script has behind that.
func ScriptOf(h Host, loop string) (s Scripted, beyond int) {
	f, _ := knownTo(h, loop)
	s.Fixture = loop
	for i, d := range f.script {
		s.Plan = append(s.Plan, d)
		if d["kind"] == string(dialect.TerminateDecisionKindTerminate) {
			return s, len(f.script) - i - 1
		}
	}
	return s, 0
}

// ScriptedLoop returns the plain loop of the second family.
func ScriptedLoop(h Host) Scripted {
	s, _ := ScriptOf(h, fixture.ScriptedLoop)
	return s
}

// Ceiling returns the number of turns the host's limits allow a loop, and the limit that decides. A turn costs a
// supervisor node and, except for the last, a dispatch node.
func (h Host) Ceiling() (turns int, why string) {
	limits := claims.Family(h.Discovery, "limits")
	turns, why = MostTurns, "no limit"
	if n, ok := limits.Key("maxLoopIterations").Int(); ok && n < int64(turns) {
		turns, why = int(n), fmt.Sprintf("limits.maxLoopIterations is %d", n)
	}
	if n, ok := limits.Key("maxNodeExecutions").Int(); ok && (n+1)/2 < int64(turns) {
		turns, why = int((n+1)/2), fmt.Sprintf("limits.maxNodeExecutions is %d", n)
	}
	return turns, why
}

// TooFewTurns ends the drive where the ceiling is below what it needs. why names the limit that decides.
func TooFewTurns(why string) {
	scenarios.End(scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified"))
}

// FixedScript is the note for a loop that could not be chosen at random.
const FixedScript = "driven by a fixture with fixed turns: canned answers for it could pass; offer " +
	"assay-loop to have the turns chosen at random"

// Between draws an integer from least to most, inclusive.
func (h Host) Between(least, most int) int { return h.Rand.Between(least, most) }

// Marker returns a name for a value that only this drive can have sent.
func (h Host) Marker() string { return h.Name("") }
