package openwop

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/wire"
)

// Standing is a run as last read, finished or not, and what it must agree with.
type Standing struct {
	Log      host.RunLog // Ended.Reached reports whether it has ended; Ended.Last is its snapshot
	Version  int         // of the execution model, 0 if none
	Unmapped bool        // its workflow maps no worker output
	// Advertised is what the host says of itself, and ShownPaused reports whether a snapshot showed the run paused.
	Advertised  scenarios.Discovery
	ShownPaused bool

	Before  host.RunLog // an earlier reading of its log; empty if none
	Source  host.RunLog // of a fork: the source run as it stood when forked
	FromSeq int64       // of a fork: events below it are the source's
	Branch  bool        // of a fork: it continues work in progress under ids of its own
}

// Invariant is a rule that holds for every run, whatever was asked of it. Its checks are those of the suites.
type Invariant struct {
	Name   string
	Proves []scenarios.RequirementID
	// Anytime: it holds while a run goes on, too; the others speak of the log of a run that has ended.
	Anytime bool
	// Forks: it also holds for forks, whose logs begin with events of another run.
	Forks bool
	judge func(Standing, *scenarios.Judge)
}

// Judge holds a run to the invariant. The outcome lists every check made; its verdict is Broken if none was made
// or the judge panicked.
func (i Invariant) Judge(s Standing) scenarios.Outcome {
	return scenarios.Hold("openwop/invariant/"+i.Name, i.Proves, i.judge, rows, s)
}

// Invariants returns the rules that the suites apply to every run they read.
func Invariants() []Invariant {
	return []Invariant{
		{"numbered", scenarios.IDs{openwop.OWPEVT1}, true, false, func(s Standing, j *scenarios.Judge) { eventlog.CheckNumbered(s.Log, j) }},
		{"enveloped", scenarios.IDs{openwop.OWPEVT2, openwop.OWPEVT3, openwop.OWPEVT5, openwop.OWPEVT7}, true, true,
			func(s Standing, j *scenarios.Judge) { eventlog.CheckEnvelopes(s.Log, j) }},
		{"own", scenarios.IDs{openwop.OWPEVT4}, true, false, func(s Standing, j *scenarios.Judge) { eventlog.CheckOwn(s.Log, j) }},
		{"caused", scenarios.IDs{openwop.OWPEVT6}, false, false, Standing.checkCauses},
		{"fitting", scenarios.IDs{openwop.OWPEVT8}, true, true, Standing.checkPayloads},
		{"ended-once", scenarios.IDs{openwop.OWPEVT9, openwop.OWPEVT10, openwop.OWPEVT11}, false, true, Standing.checkEnd},
		{"kept", scenarios.IDs{openwop.OWPEVT12}, true, true, Standing.checkKept},
		{"counted", scenarios.IDs{openwop.OWP0061B1, openwop.OWP0061B2}, false, false, Standing.checkCounted},
		{"uncounted", scenarios.IDs{openwop.OWP0061B3}, false, false, Standing.checkUncounted},
		{"decided-first", scenarios.IDs{openwop.OWPDSP1}, false, false, Standing.checkDecidedFirst},
		{"one-agent", scenarios.IDs{openwop.OWPDSP2}, false, false, Standing.checkAgent},
		{"terminated", scenarios.IDs{openwop.OWPDSP5}, false, false, Standing.checkTerminated},
		{"chained", scenarios.IDs{openwop.OWP0037B3}, false, false, Standing.checkChained},
		{"unmapped", scenarios.IDs{openwop.OWP0037B1}, false, false, Standing.checkUnmapped},
		{"resolved-once", scenarios.IDs{openwop.OWPINT3}, false, true, Standing.checkResolved},
		{"breached", scenarios.IDs{openwop.OWP0061E3, openwop.OWP0061E4}, false, false, Standing.checkBreached},
		copied,
	}
}

// copied is the one that is asked of forks too.
var copied = Invariant{"copied", scenarios.IDs{openwop.OWPRPL3, openwop.OWPRPL10}, false, true, Standing.checkCopied}

// checkCauses checks nothing if no event names a cause.
func (s Standing) checkCauses(j *scenarios.Judge) {
	if slices.ContainsFunc(s.Log.Events, func(e wire.Value) bool { return e.Key("causationId").Actual() != nil }) {
		eventlog.CheckCauses(s.Log, j)
	}
}

func (s Standing) checkPayloads(j *scenarios.Judge) { eventlog.CheckPayloads(j, s.Log) }

func (s Standing) checkEnd(j *scenarios.Judge) {
	if !s.Log.Ended.Last.Present() {
		return // nobody looked at the run
	}
	if !s.Log.Ended.Reached {
		j.Check(openwop.OWPEVT9, s.Log.Terminals().Each("/type")).To(check.Len(0), "events that end a run of status %s", s.Log.Status().JSON())
		return
	}
	eventlog.CheckEnd(s.Log, j, "when it had ended")
	eventlog.CheckEndAsTold(s.Log, j)
}

func (s Standing) checkKept(j *scenarios.Judge) {
	if len(s.Before.Events) > 0 {
		eventlog.CheckKept(j, s.Before, s.Log, "as they were, and as they are")
	}
}

// turns returns the number of turns the supervisor took.
func (s Standing) turns() int { return len(s.Log.Decided().Values) }

func (s Standing) checkCounted(j *scenarios.Judge) {
	if s.Version >= 5 && s.turns() > 0 {
		loop.CheckCounted(j, s.Log.Iterations(), s.turns())
	}
}

func (s Standing) checkUncounted(j *scenarios.Judge) {
	if s.Version < 5 && s.turns() > 0 {
		loop.CheckUncounted(j, s.Log.Iterations())
	}
}

func (s Standing) checkDecidedFirst(j *scenarios.Judge) {
	if s.turns() > 0 {
		loop.CheckDecidedFirst(s.Log, j, s.turns())
	}
}

func (s Standing) checkAgent(j *scenarios.Judge) {
	if s.turns() > 0 {
		loop.CheckAgent(s.Log, j)
	}
}

// A held decision to terminate ends nothing if somebody rejects it, nor does one that a verifier rejects.
func (s Standing) checkTerminated(j *scenarios.Judge) {
	for i, d := range s.Log.Decided().Values {
		if d.At("/payload/decision/kind").String() != string(dialect.TerminateDecisionKindTerminate) {
			continue
		}
		held := handoff.Turn(s.Log, i).Where(host.IsA(dialect.NodeSuspended, dialect.InterruptRequested, dialect.Verified))
		if len(held.Values) == 0 {
			loop.CheckNoTurnAfter(s.Log, j, host.Sequence(d))
		}
	}
}

// A transition that another host caused names no event of this log.
func (s Standing) checkChained(j *scenarios.Judge) {
	abroad := s.Log.All().Where(func(e wire.Value) bool {
		return e.Key("causationHostId").Present() || e.At("/payload/causationHostId").Present()
	})
	if len(s.Log.OfType(dialect.HandedOver).Values) > 0 && len(abroad.Values) == 0 {
		handoff.CheckChains(s.Log, j)
	}
}

func (s Standing) checkUnmapped(j *scenarios.Judge) {
	if s.Unmapped {
		handoff.CheckUnharvested(s.Log, j)
	}
}

func (s Standing) checkResolved(j *scenarios.Judge) { loop.CheckResolvedOnce(s.Log, j) }

func (s Standing) checkBreached(j *scenarios.Judge) {
	if breaches := s.Log.Breaches(); len(breaches.Values) > 0 {
		j.Check(openwop.OWP0061E4, breaches).To(check.Len(1), "breaches")
		j.Check(openwop.OWP0061E3, host.BreachesAndEnds(s.Log)).To(dialect.Types(dialect.Breached, dialect.RunFailed), "breach and end in order")
		bounds.CheckOver(s.Log, j, openwop.OWP0061E3)
	}
}

func (s Standing) checkCopied(j *scenarios.Judge) {
	switch f := (host.Forked{Log: s.Log, FromSeq: s.FromSeq}); {
	case len(s.Source.Events) == 0:
	case s.Branch:
		replay.CheckPrefix(f, j, openwop.OWPRPL10, s.Source, replay.IdsOfOthers...)
	default:
		replay.CheckPrefix(f, j, openwop.OWPRPL3, s.Source)
	}
}
