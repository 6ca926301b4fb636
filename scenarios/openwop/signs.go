package openwop

import (
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// The paths of requests whose replies can show what a host does, below its base URL.
var (
	logPath      = lazyregexp.New(`^/v1/runs/[^/]+/events(/poll)?$`)
	forkPath     = lazyregexp.New(`^/v1/runs/[^/]+:fork$`)
	ancestryPath = lazyregexp.New(`^/v1/runs/[^/]+/ancestry$`)
	goalsPath    = lazyregexp.New(`/goals$`)
	filesPath    = lazyregexp.New(`^/v1/host/workspace/files$`)
)

// Claims that only a sign asks for.
var (
	anyFork          = claims.On("forks", "forks of runs", "/replay/supported", claims.FamilyField("replay", "supported"))
	anyAncestry      = claims.On("ancestry", "which run dispatched a run", claims.AncestryPointer, claims.AncestryFlag)
	memoryAttributed = claims.On("memory-events", "events of what is written into memory", "/memory/attribution/emitsWriteEvents", func(d scenarios.Discovery) wire.Value {
		return claims.Family(d, "memory").At("/attribution/emitsWriteEvents")
	})
)

// signs are the events that the protocol gates by a claim, and the endpoints that stand for one.
var signs = []scenarios.Sign{
	eventSign(dialect.HandedOver, "", claims.ExecutionModel),
	eventSign(dialect.ConfidenceEscalated, "", claims.ExecutionModel2),
	eventSign(dialect.Decided, "/payload/iteration", claims.ExecutionModel5),
	eventSign(dialect.Verified, "", claims.ExecutionModel6),
	eventSign(dialect.GoalEvaluated, "", claims.Goals),
	eventSign(dialect.GoalClosed, "", claims.Goals),
	eventSign(dialect.WorkspaceUpdated, "", claims.WorkspaceFiles),
	eventSign(dialect.MemoryWritten, "", memoryAttributed),
	{
		What: "goals that can be listed", Claim: claims.Goals, Method: "GET", Path: goalsPath, Word: "goals",
		Find:  listAt("goals"),
		Probe: func(prefix, _ string) string { return prefix + "/goals" },
	}, {
		What: "workspace files that can be listed", Claim: claims.WorkspaceFiles, Method: "GET", Path: filesPath, Word: "files",
		Find:  listAt("files"),
		Probe: func(string, string) string { return "/v1/host/workspace/files" },
	}, {
		What: "the ancestry of a run", Claim: anyAncestry, Method: "GET", Path: ancestryPath, Word: "hostId",
		Find: func(reply wire.Value) wire.Value { return reply.Key("hostId") },
		Probe: func(_, runID string) string {
			if runID == "" {
				return ""
			}
			return "/v1/runs/" + runID + "/ancestry"
		},
	}, {
		What: "a fork of a run", Claim: anyFork, Method: "POST", Path: forkPath, Word: "runId",
		Find: func(reply wire.Value) wire.Value { return reply.Key("runId") },
	},
}

// eventSign is an event of a type in the log of a run, with this member where one is named.
func eventSign(event dialect.Event, member string, claim scenarios.Claim) scenarios.Sign {
	what := "events " + string(event) + " in the log of a run"
	if member == "" {
		member = "/type"
	} else {
		what = "events " + string(event) + " with " + member + " in the log of a run"
	}
	return scenarios.Sign{
		What: what, Claim: claim, Method: "GET", Path: logPath, Word: string(event),
		Find: func(reply wire.Value) wire.Value {
			for _, e := range reply.Key("events").Items() {
				if e.Key("type").String() == string(event) && e.At(member).Present() {
					return e.At(member)
				}
			}
			return wire.Value{}
		},
	}
}

// listAt finds the list that a reply has under this name.
func listAt(name string) func(wire.Value) wire.Value {
	return func(reply wire.Value) wire.Value {
		list := reply.Key(name)
		if _, isList := list.Actual().([]any); !isList {
			return wire.Value{}
		}
		return list
	}
}

// runOf is the run that a reply to POST /v1/runs says was made.
func runOf(reply wire.Value) string {
	if !reply.Key("status").Present() && !reply.Key("eventsUrl").Present() {
		return ""
	}
	return reply.Key("runId").String()
}
