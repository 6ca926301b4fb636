package programs

import (
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
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
	ID: "openwop/programs/counted-in-forks",
	Title: "a replay of a replay has the turns, decisions and outcome of the original run, and asks nobody again; it and a branch count " +
		"their turns from 1 and chain their handoffs, wherever they begin",
	Proves: scenarios.IDs{openwop.OWP0061M1, openwop.OWP0061B2, openwop.OWP0037B3},
	Claim:  claims.StatefulResumeReplay,
	Ask: scenarios.Ask(drawnForks, func(o ForksObservation, j *scenarios.Judge) {
		o.given(j)
		forked, parent := false, o.Log
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
			checkGoesOn(f, j, parent, "fork "+strconv.Itoa(i+1)+" in a row")
			parent = f.Log
		}
		if !forked {
			j.Block("the host made no fork", "fork runs that have ended, or claim no replay")
		}
		for _, b := range o.Branches {
			if !replay.PassedOver(b, j, o.Plain) && host.Succeeded(b.Log.Created) && b.Log.Ended.Reached {
				b.Log.Readable(j)
				checkGoesOn(b, j, o.Plain, fmt.Sprintf("a branch from %d", b.FromSeq))
			}
		}
	}),
}

// checkGoesOn expects a fork to count its turns and to chain its handoffs as any run does.
func checkGoesOn(f host.Forked, j *scenarios.Judge, source host.RunLog, what string) {
	j.Check(openwop.OWP0061B2, f.Log.Iterations()).To(check.CountFromOne(len(f.Log.Decided().Values)), "iterations of %s", what)
	handoff.CheckForkedChains(f.Log, j, source, f.FromSeq)
}

// given is [played.given] of the program.
func (o ForksObservation) given(j *scenarios.Judge) {
	played{o.Ran, tell(o.Program)}.taken(j)
}
