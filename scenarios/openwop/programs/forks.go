package programs

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/replay"
)

// What holds for a fork of a run holds for a fork of a fork.
var forkedAgain = scenarios.Scenario{
	ID: "openwop/programs/forked-again",
	Title: "a replay of a replay is its own run, names the replay as its source, has the same events below the fork, and leaves " +
		"its source unchanged",
	Proves: scenarios.IDs{openwop.OWPRPL1, openwop.OWPRPL2, openwop.OWPRPL3},
	Claim:  claims.Replay,
	Ask: scenarios.Ask(drawnForks, func(o ForksObservation, j *scenarios.Judge) {
		o.given(j)
		parent := o.Log
		for _, f := range o.Forks {
			if replay.PassedOver(f, j, parent) {
				break
			}
			f.Log.MadeFork(j, openwop.OWPRPL1, "a fork")
			j.Require(j.Check(openwop.OWPRPL1, f.Log.ID).NotTo(check.Equal(parent.RunID), "runId of the fork"))
			f.Log.GivenFork(j)
			replay.CheckReply(f, j, parent, dialect.ForkModeReplay)
			replay.CheckPrefix(f, j, openwop.OWPRPL3, parent)
			parent = f.Log
		}
		if parent.RunID == o.Log.RunID {
			j.Block("the host made no fork", "let a replay begin at any event")
		}
		before := append([]string{o.Log.RunID}, o.forks()...)
		for i, l := range o.Later {
			l.Readable(j)
			was := o.Log
			if i > 0 {
				was = o.Forks[i-1].Log
			}
			j.Check(openwop.OWPRPL2, l.All()).To(check.SameAs(was.All()), "log of run %s when all forks had ended", before[i])
			j.Check(openwop.OWPRPL2, l.Status()).To(check.SameAs(was.Status()), "status of run %s when all forks had ended", before[i])
		}
	}),
}

// forks are the ids of the forks.
func (o ForksObservation) forks() (out []string) {
	for _, f := range o.Forks {
		out = append(out, f.Log.RunID)
	}
	return out
}

// RFC 0061, motivation.
var countedInForks = scenarios.Scenario{
	ID:     "openwop/programs/counted-in-forks",
	Title:  "a replay of a replay has the turns, decisions and outcome of the original run, and asks nobody again",
	Proves: scenarios.IDs{openwop.OWP0061M1},
	Claim:  claims.StatefulResumeReplay,
	Ask: scenarios.Ask(drawnForks, func(o ForksObservation, j *scenarios.Judge) {
		o.given(j)
		forked := false
		for i, f := range o.Forks {
			if replay.PassedOver(f, j, o.Log) {
				break
			}
			replay.CheckMade(f, j, openwop.OWP0061M1, o.Log)
			forked = true
			j.Check(openwop.OWP0061M1, f.Log.Iterations()).To(check.SameAs(o.Log.Iterations()), "iterations of fork %d in a row", i+1)
			j.Check(openwop.OWP0061M1, f.Log.Decided().Each("/payload/decision")).To(check.SameAs(o.Log.Decided().Each("/payload/decision")),
				"decisions of fork %d in a row", i+1)
			j.Check(openwop.OWP0061M1, f.Log.Status()).To(check.SameAs(o.Log.Status()), "status of fork %d in a row", i+1)
		}
		if !forked {
			j.Block("the host made no fork", "fork runs that have ended, or claim no replay")
		}
	}),
}

// given is [played.given] of the program.
func (o ForksObservation) given(j *scenarios.Judge) {
	played{o.Ran, tell(o.Program)}.taken(j)
}
