// Package runs asks whether runs go the way that RFC-103 has, whatever their steps, tools, values, failures and budgets, and whatever
// comes beside: what an interpreter says of each turn is compared with what the turn did.
package runs

import (
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite compares drawn runs with what the interpreter says.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID:    "runs",
		Title: "several runs at once, with drawn steps, tools, values, failures and budgets: every turn against what the text says of it",
		Scenarios: []scenarios.Scenario{
			startsApart, startsOnce,
			goesOn, keepsItsState, comesAgain, staysOver, strangers, aboveEscalates, nearToolEscalates, fails, givesUp, triesAgain,
			mends, keepsItsBudget, allowlistThroughout, argumentsAsTheyAre, completesAsItWent, tellsWhy, reframesNoMore, ownEvents,
			sameAnswer, keepsItsFiles, namesItsFiles,
			host.EveryTurnAmongRuns("runs", DrawnRuns),
		},
	}
}

// RFC-103 Core Invariants 1, Runtime Model, Test Cases.
var startsApart = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/starts-apart",
	Title:  "each start makes a run of its own, also where its key differs in little from that of another start",
	Proves: scenarios.IDs{agenticloop.RFC103I1, agenticloop.RFC103T3, agenticloop.RFC103M1},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool { return t.Rule == nil && !endsAtOnce(t.Turn, t.host) },
	look: func(t told, j *scenarios.Judge) {
		j.Check(agenticloop.RFC103M1, t.host.Requests()).To(check.Len(1), "%s: requests for tools", t.host.Name)
		j.Check(agenticloop.RFC103T3, t.host.NewRuns()).To(check.Len(1), "%s: new runs", t.host.Name)
		j.Check(agenticloop.RFC103I1, t.host.Requests().Each("/payload/run_id")).To(t.ofNoOther(), "%s: run_id of its request", t.host.Name)
	}})

// The same event is the same start (AL-R13).
var startsOnce = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/starts-once",
	Title:  "a start that comes again in the same event makes no second run, whether its run is on or over",
	Proves: scenarios.IDs{agenticloop.RFC103READ2},
	Claim:  claims.Redelivery,
}, question{about: under(model.Again), look: func(t told, j *scenarios.Judge) {
	j.Check(agenticloop.RFC103READ2, t.host.KeptRuns()).To(check.Len(0), "%s: new runs", t.host.Name)
	if t.host.Status() != "error" {
		t.host.CheckIgnored(j, t.Before.ID, agenticloop.RFC103READ2)
	}
}})

// RFC-103 Resume Validation Logic 5, Core Invariants 2.
var goesOn = asked(scenarios.Scenario{
	ID:    "agenticloop/runs/goes-on",
	Title: "whatever came before, the pending result takes its run one step further or to its end, with one event",
	Proves: scenarios.IDs{agenticloop.RFC103I2, agenticloop.RFC103V9, agenticloop.RFC103M2, agenticloop.RFC103T7, agenticloop.RFC103E11,
		agenticloop.RFC103T9},
	Claim: claims.Plugin,
}, question{about: resulting, also: scenarios.IDs{agenticloop.RFC103T1, agenticloop.RFC103I3}, look: func(t told, j *scenarios.Judge) {
	j.Check(agenticloop.RFC103T9, t.host.Events()).To(check.Len(1), "%s: events", t.host.Name)
	steps := t.host.Requests().Each("/payload/step")
	for _, id := range (scenarios.IDs{agenticloop.RFC103V9, agenticloop.RFC103M2, agenticloop.RFC103T7, agenticloop.RFC103E11}) {
		if len(steps.Values) > 0 {
			j.Check(id, steps).To(check.Equal([]int64{t.Next}), "%s: step of the request", t.host.Name)
		} else {
			j.Check(id, t.host.Events().Each("/type")).To(check.OneOf([]any{host.Completed}, []any{host.Escalated}),
				"%s: what came of it", t.host.Name)
		}
	}
	if len(steps.Values) > 0 {
		j.Check(agenticloop.RFC103I2, steps).To(check.Equal([]int64{t.Next}), "%s: step of the request", t.host.Name)
	}
}})

// RFC-103 Agent Plugin State Schema, State rules (AL-R7).
var keepsItsState = asked(scenarios.Scenario{
	ID:    "agenticloop/runs/keeps-its-state",
	Title: "after each turn that moves a run, its state is right: status, step, budget, goal and what is pending",
	Proves: scenarios.IDs{agenticloop.RFC103S6, agenticloop.RFC103I3, agenticloop.RFC103S7, agenticloop.RFC103S8, agenticloop.RFC103T8,
		agenticloop.RFC103P5, agenticloop.RFC103S2, agenticloop.RFC103S3, agenticloop.RFC103E1},
	Claim: claims.Plugin,
}, question{about: moved, look: told.checkState})

// RFC-103 Resume Validation Logic 3, Idempotency and Dedupe (AL-R14).
var comesAgain = asked(scenarios.Scenario{
	ID: "agenticloop/runs/comes-again",
	Title: "a result that a run has already taken moves it no further, however old it is, how often it comes again, and whatever it " +
		"says then",
	Proves: scenarios.IDs{agenticloop.RFC103V6, agenticloop.RFC103I6, agenticloop.RFC103M4, agenticloop.RFC103O5,
		agenticloop.RFC103M3},
	Claim: claims.Plugin,
}, question{about: under(model.Stale), look: func(t told, j *scenarios.Judge) {
	ids := scenarios.IDs{agenticloop.RFC103V6, agenticloop.RFC103I6, agenticloop.RFC103M4, agenticloop.RFC103O5}
	if t.Move.Kind == model.SameAgain || t.Move.Kind == model.Repeat {
		ids = append(ids, agenticloop.RFC103M3)
	}
	t.host.CheckIgnored(j, t.Before.ID, ids...)
	t.checkUnwritten(j, agenticloop.RFC103V6)
}})

// RFC-103 Resume Validation Logic 2.
var staysOver = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/stays-over",
	Title:  "a run that has ended stays as it is, however it ended, and whatever still arrives for it",
	Proves: scenarios.IDs{agenticloop.RFC103V4, agenticloop.RFC103READ8},
	Claim:  claims.Plugin,
}, question{about: under(model.Over), look: func(t told, j *scenarios.Judge) {
	t.host.CheckSilent(j, t.Before.ID, agenticloop.RFC103V4, agenticloop.RFC103READ8)
	t.checkUnwritten(j, agenticloop.RFC103V4)
}})

// RFC-103 Resume Validation Logic 1, Core Invariants 5 (AL-R101).
var strangers = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/strangers",
	Title:  "a result whose run_id is nearly right moves no run",
	Proves: scenarios.IDs{agenticloop.RFC103V2, agenticloop.RFC103I5},
	Claim:  claims.Plugin,
}, question{about: under(model.Unknown, model.Misshapen), look: func(t told, j *scenarios.Judge) {
	if t.Rule == model.Misshapen {
		t.host.CheckUnmoved(j, t.Before.ID, agenticloop.RFC103I5)
		return
	}
	t.host.CheckSilent(j, t.Delivery.Run, agenticloop.RFC103V2)
	t.checkUnwritten(j, agenticloop.RFC103V2)
	j.Check(agenticloop.RFC103I5, t.host.Runs()).To(t.host.Untouched(), "%s", t.host.Name)
}})

// Only the testing notes of the RFC speak of a later step (AL-R6, AL-R101).
var aboveEscalates = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/above-escalates",
	Title:  "at any step, a result for a later step escalates the run, however far ahead that is",
	Proves: scenarios.IDs{agenticloop.RFC103K2},
	Claim:  claims.Plugin,
}, question{about: under(model.Later, model.Unread), also: scenarios.IDs{agenticloop.RFC103T1}, look: func(t told, j *scenarios.Judge) {
	if t.Rule == model.Later {
		t.host.CheckEscalated(j, t.Before.ID, agenticloop.RFC103K2)
		return
	}
	j.Check(agenticloop.RFC103K2, t.host.Events()).To(host.NotBeyond(t.Before.Step), "%s: events", t.host.Name)
}})

// RFC-103 Resume Validation Logic 4 (AL-R17).
var nearToolEscalates = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/near-tool-escalates",
	Title:  "at any step, a result from a tool with nearly the right name escalates the run",
	Proves: scenarios.IDs{agenticloop.RFC103V7, agenticloop.RFC103F2, agenticloop.RFC103M5},
	Claim:  claims.Plugin,
}, question{about: under(model.OtherTool), also: scenarios.IDs{agenticloop.RFC103T1}, look: func(t told, j *scenarios.Judge) {
	t.host.CheckEscalated(j, t.Before.ID, agenticloop.RFC103V7, agenticloop.RFC103F2, agenticloop.RFC103M5)
}})

// RFC-103 Resume Validation Logic 5 (AL-R5).
var fails = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/fails",
	Title:  "a failure leads to the same step again or to the end of the run, at any step",
	Proves: scenarios.IDs{agenticloop.RFC103V10},
	Claim:  claims.Plugin,
}, question{about: under(model.Failed, model.FailedTwice), also: scenarios.IDs{agenticloop.RFC103T1, agenticloop.RFC103P4}, look: func(
	t told, j *scenarios.Judge,
) {
	j.Check(agenticloop.RFC103V10, t.host.Events()).To(host.NotBeyond(t.Before.Step), "%s: events", t.host.Name)
	if len(t.host.Requests().Values) > 0 || t.Rule == model.FailedTwice {
		return
	}
	j.Check(agenticloop.RFC103V10, t.host.Events().Each("/type")).To(check.Equal([]string{host.Escalated}), "%s: events", t.host.Name)
}})

// RFC-103 Error Handling (AL-R108).
var givesUp = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/gives-up",
	Title:  "a run whose step fails once more than it may be retried is escalated, at any step",
	Proves: scenarios.IDs{agenticloop.RFC103F6, agenticloop.RFC103F3},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool { return t.Rule == model.Failed && (t.MustEnd || t.seen.Did == model.Escalated) },
	also:  scenarios.IDs{agenticloop.RFC103V10, agenticloop.RFC103S8},
	look: func(t told, j *scenarios.Judge) {
		t.host.CheckEscalated(j, t.Before.ID, agenticloop.RFC103F6)
		if len(t.host.OfType(host.Escalated).Values) > 0 {
			t.host.CheckReason(j, t.Before.ID)
		} else {
			j.Check(agenticloop.RFC103F3, t.host.OfType(host.Escalated)).To(check.Len(1), "%s: escalations", t.host.Name)
		}
	}})

// RFC-103 Error Handling (AL-R5, AL-R8, AL-R108).
var triesAgain = asked(scenarios.Scenario{
	ID: "agenticloop/runs/tries-again",
	Title: "while retries remain, the failed step is asked for again with the same tool and command, and its attempt grows by one, at any " +
		"step",
	Proves: scenarios.IDs{agenticloop.RFC103F4},
	Claim:  claims.Retries,
}, question{
	about: func(t told) bool { return t.Rule == model.Failed && (!t.MayEnd || t.seen.Did == model.Retried) },
	look: func(t told, j *scenarios.Judge) {
		asked, attempt := t.host.Requests(), t.host.Run(t.Before.ID).Key("attempt")
		j.Check(agenticloop.RFC103F4, asked.Each("/payload/step")).To(check.Equal([]int64{t.Before.Step}), "%s: step", t.host.Name)
		j.Check(agenticloop.RFC103F4, asked.Each("/payload/tool")).To(check.Equal([]string{t.Before.Tool}), "%s: tool", t.host.Name)
		if command := t.asked.Key("tool_command"); t.decided && command.Present() { // nobody chooses another one
			j.Check(agenticloop.RFC103F4, asked.Each("/payload/tool_command")).To(check.Equal([]any{command.Actual()}), "%s: command",
				t.host.Name)
		}
		if before, known := t.attempt(); known {
			j.Check(agenticloop.RFC103F4, attempt).To(check.Equal(before+1), "%s: attempt", t.host.Name)
		} else {
			j.Check(agenticloop.RFC103F4, attempt).To(check.Integer(1, 0), "%s: attempt", t.host.Name)
		}
	}})

// RFC-103 Error Handling (AL-R5).
var mends = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/mends",
	Title:  "a run whose retry succeeds goes on from that step, at any step",
	Proves: scenarios.IDs{agenticloop.RFC103F5},
	Claim:  claims.Retries,
}, question{
	about: func(t told) bool { return resulting(t) && t.Before.Failures > 0 },
	also:  scenarios.IDs{agenticloop.RFC103V9, agenticloop.RFC103I3},
	look: func(t told, j *scenarios.Judge) {
		j.Check(agenticloop.RFC103F5, t.host.Events()).To(check.Len(1), "%s: events", t.host.Name)
		if steps := t.host.Requests().Each("/payload/step"); len(steps.Values) > 0 {
			j.Check(agenticloop.RFC103F5, steps).To(check.Equal([]int64{t.Next}), "%s: step", t.host.Name)
		}
	}})

// RFC-103 Error Handling, Security and Scope (AL-R10).
var keepsItsBudget = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/keeps-its-budget",
	Title:  "a run is escalated when it would go beyond its budget, and not before, whatever its budget and those of other runs",
	Proves: scenarios.IDs{agenticloop.RFC103F7, agenticloop.RFC103G7},
	Claim:  claims.Plugin,
}, question{
	about: meetsBudget, also: scenarios.IDs{agenticloop.RFC103T1}, look: told.checkBudget,
	none: [2]string{"left to itself the plugin is done before a budget is used up",
		"declare a decision seam in " + host.ProfileName + " that can say call_tool"},
})

// RFC-103 Security and Scope (AL-R116).
var allowlistThroughout = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/allowlist-throughout",
	Title:  "no run asks for a tool that is not on the allowlist of that very turn, whatever earlier turns, starts or results said",
	Proves: scenarios.IDs{agenticloop.RFC103G3},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool {
		return t.Rule == nil || t.Barred || t.Move.Allowed != nil || t.Move.Kind == model.Erring
	},
	also: scenarios.IDs{agenticloop.RFC103T1, agenticloop.RFC103P4},
	look: func(t told, j *scenarios.Judge) {
		if slices.Contains(t.host.Plugins(), t.own) {
			j.Part(func() {
				j.Violates(agenticloop.RFC103G2, t.host.Requests(), "setup failed: "+t.host.Name+": it asks for itself")
			})
			return
		}
		j.Check(agenticloop.RFC103G3, t.host.Events()).To(t.host.AsksOnlyFor(t.Allowed...), "%s: events", t.host.Name)
		if t.Barred && len(t.host.Ends().Values) > 0 {
			j.Check(agenticloop.RFC103G3, t.host.Requests()).To(check.Len(0), "%s: requests of a turn that ends its run", t.host.Name)
		}
	}})

// RFC-103 Event Contract 2 (AL-R2).
var argumentsAsTheyAre = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/arguments-as-they-are",
	Title:  "a request has the arguments that the planner chose, whatever their type and value, also when it is repeated",
	Proves: scenarios.IDs{agenticloop.RFC103E9},
	Claim:  claims.Plugin,
}, question{
	about: showsArguments, look: told.checkArguments,
	none: [2]string{"no request has the arguments that its planner was to choose",
		"declare a decision seam in " + host.ProfileName + " that can say call_tool, and hands its arguments on"},
})

// RFC-103 Event Contract 4 (AL-R110).
var completesAsItWent = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/completes-as-it-went",
	Title:  "agent.completed has the goal, word for word, and the number of results its run took, however many failed or came again",
	Proves: scenarios.IDs{agenticloop.RFC103E12, agenticloop.RFC103E13, agenticloop.RFC103E14},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool {
		return t.seen.Did == model.Completed && (t.Rule == nil || t.Rule.Allows(model.Completed))
	},
	look: func(t told, j *scenarios.Judge) {
		end, named := t.host.OfType(host.Completed), check.Equal([]string{t.Before.ID})
		if t.Rule == nil { // nobody knows its id beforehand
			named = check.Each(check.Text())
		}
		j.Check(agenticloop.RFC103E12, end.Each("/payload/run_id")).To(named, "%s: run_id", t.host.Name)
		j.Check(agenticloop.RFC103E12, end.Each("/payload/goal")).To(check.Each(goalOf(t)), "%s: goal", t.host.Name)
		j.Check(agenticloop.RFC103E13, end.Each("/payload/outcome")).To(check.Each(check.Text()), "%s: outcome", t.host.Name)
		steps := end.Each("/payload/steps_taken")
		if t.Rule == nil && !slices.ContainsFunc(steps.Values, wire.Value.Present) { // the text has no run that is done at its start
			j.Find("", "%s: agent.completed does not say that it took no step", t.host.Name)
			return
		}
		j.Check(agenticloop.RFC103E14, steps).To(check.Equal([]int64{int64(t.after.Taken)}), "%s: steps_taken", t.host.Name)
	}})

// RFC-103 Error Handling (AL-R17).
var tellsWhy = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/tells-why",
	Title:  "whatever a run is given up for, and at any step, agent.escalated names the run and a reason",
	Proves: scenarios.IDs{agenticloop.RFC103F3},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool {
		return t.Rule != nil && t.seen.Did == model.Escalated && t.Rule.Allows(model.Escalated)
	},
	look: func(t told, j *scenarios.Judge) { t.host.CheckReason(j, t.Before.ID) },
})

// RFC-103 Error Handling, Security and Scope (AL-R12).
var reframesNoMore = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/reframes-no-more",
	Title:  "whatever its max_reframes, a run gives up its plan that often and no more, with other steps between, and is then escalated",
	Proves: scenarios.IDs{agenticloop.RFC103F8, agenticloop.RFC103G8},
	Claim:  claims.Reframes,
}, question{
	about: told.reframes, look: told.checkReframes,
	also: scenarios.IDs{agenticloop.RFC103V9, agenticloop.RFC103T1, agenticloop.RFC103T9, agenticloop.RFC103P4, agenticloop.RFC103S8},
	none: [2]string{"no script can have the plugin give up its plan",
		"declare scripted_config in " + host.ProfileName + ", with words for reframe"},
})

// RFC-103 Narrative (AL-R3).
var ownEvents = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/own-events",
	Title:  "at any step, an event of the tool's own, with the correlation in the context, leads where a result would, late ones too",
	Proves: scenarios.IDs{agenticloop.RFC103B2},
	Claim:  claims.ContextResumes,
}, question{
	about: func(t told) bool { return t.Move.Own },
	look: func(t told, j *scenarios.Judge) {
		j.Check(agenticloop.RFC103B2, t.host.Events()).To(t.keeps(), "%s: events", t.host.Name)
		if steps := t.host.Requests().Each("/payload/step"); resulting(t) && len(steps.Values) > 0 {
			j.Check(agenticloop.RFC103B2, steps).To(check.Equal([]int64{t.Next}), "%s: step", t.host.Name)
		}
	}})

// RFC-103 Success Criteria (AL-R109).
var sameAnswer = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/same-answer",
	Title:  "at any step, a job that comes again with the state as it was gets the same answer, but for its times",
	Proves: scenarios.IDs{agenticloop.RFC103O4},
	Claim:  claims.Plugin,
}, question{
	about: func(t told) bool { return t.lost != nil },
	look: func(t told, j *scenarios.Judge) {
		j.Check(agenticloop.RFC103O4, t.host.Events().Each("/payload/run_id")).To(
			check.SameAs(t.lost.Events().Each("/payload/run_id")), "%s: run_id of the events", t.host.Name)
		if t.live {
			return
		}
		if t.seen.Did == model.Escalated { // a reason may say when it was
			j.Check(agenticloop.RFC103O4, t.host.Events().Each("/type")).To(check.SameAs(t.lost.Events().Each("/type")), "%s: events",
				t.host.Name)
		} else {
			j.Check(agenticloop.RFC103O4, t.host.Answer.Key("events")).To(host.SameWords(*t.lost), "%s: events", t.host.Name)
		}
		for _, field := range []string{"status", "step", "pending_step", "pending_tool", "reframes", "attempt", "completed_steps"} {
			j.Check(agenticloop.RFC103O4, t.host.Run(t.Before.ID).Key(field)).To(check.SameAs(t.lost.Run(t.Before.ID).Key(field)),
				"%s: %s of the run", t.host.Name, field)
		}
	}})

// RFC-103 Workspace Contract (AL-R19, AL-R20).
var keepsItsFiles = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/keeps-its-files",
	Title:  "after each turn of a run, however long it is, the files of its workspace are there, and trace.jsonl has lost no line",
	Proves: scenarios.IDs{agenticloop.RFC103W1, agenticloop.RFC103W2},
	Claim:  claims.Workspaces,
}, question{
	about: func(t told) bool { return moved(t) && t.files.Key("trace.jsonl").Key("text").Present() },
	look: func(t told, j *scenarios.Judge) {
		for _, file := range []string{"context.md", "memory.md", "plan.md"} {
			j.Check(agenticloop.RFC103W1, t.files.Key(file).Key("kind")).To(check.Equal("file"), "%s: %s", t.host.Name, file)
		}
		trace := t.files.Key("trace.jsonl")
		j.Check(agenticloop.RFC103W2, trace).To(host.JSONLines(), "%s: trace.jsonl", t.host.Name)
		j.Check(agenticloop.RFC103W2, trace.Key("text")).To(host.KeepsLines(t.before.Key("trace.jsonl")), "%s: trace.jsonl", t.host.Name)
	}})

// RFC-103 Event Contract 4, Success Criteria.
var namesItsFiles = asked(scenarios.Scenario{
	ID:     "agenticloop/runs/names-its-files",
	Title:  "the artifacts of agent.completed are relative paths of files that are there, whatever results named",
	Proves: scenarios.IDs{agenticloop.RFC103E15, agenticloop.RFC103O6},
	Claim:  claims.Workspaces,
}, question{
	about: func(t told) bool {
		return t.files.Present() && !t.files.Key("…").Present() && t.seen.Did == model.Completed
	},
	look: func(t told, j *scenarios.Judge) {
		for _, e := range t.host.OfType(host.Completed).Values {
			list := e.At("/payload/artifacts")
			j.Check(agenticloop.RFC103E15, list).To(host.RelativePaths(), "%s: artifacts", t.host.Name)
			j.Check(agenticloop.RFC103O6, list).To(host.PathsIn(t.files, list), "%s: artifacts", t.host.Name)
		}
	},
	none: [2]string{"left to itself the plugin does not complete the run that has a workspace",
		"declare a decision seam in " + host.ProfileName + " that can say done"},
})
