package openwop

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims used by signs only.
var (
	anyFork          = claims.On("forks", "forks of runs", "/replay/supported", claims.FamilyField("replay", "supported"))
	anyAncestry      = claims.On("ancestry", "which run dispatched a run", claims.AncestryPointer, claims.AncestryFlag)
	memoryAttributed = claims.On("memory-events", "events of what is written into memory", "/memory/attribution/emitsWriteEvents",
		func(d scenarios.Discovery) wire.Value {
			return claims.Family(d, "memory").At("/attribution/emitsWriteEvents")
		})
)

// signs returns the events that the protocol gates by a claim and the endpoints that imply one.
func signs(d *dialect.Dialect) []scenarios.Sign {
	return []scenarios.Sign{
		eventSign(d, dialect.HandedOver, "", claims.ExecutionModel),
		eventSign(d, dialect.ConfidenceEscalated, "", claims.ExecutionModel2),
		eventSign(d, dialect.Decided, "/payload/iteration", claims.ExecutionModel5),
		eventSign(d, dialect.Verified, "", claims.ExecutionModel6),
		eventSign(d, dialect.GoalEvaluated, "", claims.Goals),
		eventSign(d, dialect.GoalClosed, "", claims.Goals),
		eventSign(d, dialect.WorkspaceUpdated, "", claims.WorkspaceFiles),
		eventSign(d, dialect.MemoryWritten, "", memoryAttributed),
		{
			What: "goals that can be listed", Claim: claims.Goals, Method: "GET", Path: d.Matching(dialect.ListGoals), Word: "goals",
			Find:  listAt("goals"),
			Probe: func(prefix, _ string) string { return d.Path(dialect.ListGoals, prefix) },
		}, {
			What: "workspace files that can be listed", Claim: claims.WorkspaceFiles, Method: "GET", Path: d.Matching(dialect.ListFiles),
			Word:  "files",
			Find:  listAt("files"),
			Probe: func(string, string) string { return d.Path(dialect.ListFiles) },
		}, {
			What: "the ancestry of a run", Claim: anyAncestry, Method: "GET", Path: d.Matching(dialect.ReadLineage), Word: "hostId",
			Find: func(reply wire.Value) wire.Value { return reply.Key("hostId") },
			Probe: func(_, runID string) string {
				if runID == "" {
					return ""
				}
				return d.Path(dialect.ReadLineage, runID)
			},
		}, {
			What: "a fork of a run", Claim: anyFork, Method: "POST", Path: d.Matching(dialect.ForkRun), Word: "runId",
			Find: func(reply wire.Value) wire.Value { return reply.Key("runId") },
		},
	}
}

// eventSign returns the sign of an event of this type in a run's log. If member is not empty, the event must carry
// it.
func eventSign(d *dialect.Dialect, event dialect.Event, member string, claim scenarios.Claim) scenarios.Sign {
	word := d.Word(event)
	what := "events " + word + " in the log of a run"
	if member == "" {
		member = "/type"
	} else {
		what = "events " + word + " with " + member + " in the log of a run"
	}
	return scenarios.Sign{
		What: what, Claim: claim, Method: "GET", Path: d.Matching(dialect.PollLog, dialect.StreamLog), Word: word,
		Find: func(reply wire.Value) wire.Value {
			for _, e := range reply.Key("events").Items() {
				if dialect.EventOf(e) == event && e.At(member).Present() {
					return e.At(member)
				}
			}
			return wire.Value{}
		},
	}
}

// listAt returns a function that finds the list under name in a reply.
func listAt(name string) func(wire.Value) wire.Value {
	return func(reply wire.Value) wire.Value {
		list := reply.Key(name)
		if _, isList := list.Actual().([]any); !isList {
			return wire.Value{}
		}
		return list
	}
}

// runOf returns the id of the run that a {create run} reply reports as created.
func runOf(reply wire.Value) string {
	if !reply.Key("status").Present() && !reply.Key("eventsUrl").Present() {
		return ""
	}
	return reply.Key("runId").String()
}
