package workspace

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// SnapshotSuite tests which files a turn reads.
func SnapshotSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "workspace-snapshot", Title: "the files a turn reads: as they were when it started, after a resume and on replay as well",
		Scenarios: []scenarios.Scenario{writeInTurn, writeFromOutside, lastDeleted, replaySeesTheSame, seamWriteTurn, seamLastTurn},
	}
}

// RFC 0061 C: a turn reads the files as of its start, so its own writes show from
// the next turn on.
var writeInTurn = scenarios.Scenario{
	ID:     "openwop/workspace-snapshot/write-in-turn",
	Title:  "what a turn writes is not there for the turn itself, and is there for every turn after it",
	Proves: scenarios.IDs{openwop.OWP0061C3, openwop.OWP0061C6},
	Claim:  claims.LoopWorkspace,
	Ask: scenarios.Ask(loopThatWrites, func(l NotedLoop, j *scenarios.Judge) {
		l.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		seen, ok := l.notes(j)
		if !ok {
			return
		}
		for _, at := range l.looks() {
			for _, f := range l.Files {
				shows(seen, j, l.rule(at), at, f.Path, l.expects(f, int(at.Turn)))
			}
		}
	}),
}

// RFC 0061 D: a question during a turn does not change what it reads; RFC 0061 C:
// the next turn reads the files as of its own start.
var writeFromOutside = scenarios.Scenario{
	ID:     "openwop/workspace-snapshot/write-from-outside",
	Title:  "what others write, make and delete while a loop is suspended is nothing to the resumed turn, and all there for the next",
	Proves: scenarios.IDs{openwop.OWP0061D2, openwop.OWP0061C3},
	Claim:  claims.LoopWorkspaceResume,
	Ask: scenarios.Ask(loopWrittenTo, func(o HeldLoop, j *scenarios.Judge) {
		o.Loop.Log.Exists(j, openwop.OWPCAP19)
		j.Reach(o.Suspended, askInTurn)
		switch {
		case o.noted():
			o.judgeNotes(j)
		default:
			o.judgeSnapshots(j)
		}
	}),
}

var lastDeleted = scenarios.Scenario{
	ID:     "openwop/workspace-snapshot/last-file-deleted",
	Title:  "the only file of a workspace, deleted while a loop is suspended, is there for the resumed turn, and for none after it",
	Proves: scenarios.IDs{openwop.OWP0061D2, openwop.OWP0061C3},
	Claim:  claims.LoopWorkspaceResume, Depth: scenarios.Standard,
	Ask: scenarios.Ask(loopEmptied, func(o HeldLoop, j *scenarios.Judge) {
		if !host.Succeeded(o.Loop.Log.Created) { // the list of fixtures may not hold for every tenant
			j.Block("setup failed: there is no run of "+fixture.LoopWorkspace+": HTTP "+o.Loop.Log.Created.JSON(), host.GiveOtherKey)
		}
		j.Reach(o.Suspended, askInTurn)
		o.judgeNotes(j)
	}),
}

// What unblocks a loop that does not ask, or is not heard.
const (
	askInTurn      = "have a decision to ask suspend the loop in its turn"
	answerWithText = "let a clarification be answered with a text, by the key that is given"
)

// resumes blocks the judge unless the answer resumed the loop.
func (o HeldLoop) resumes(j *scenarios.Judge) {
	if !o.resumed() {
		j.Block("setup failed: the host refused the answer that resumes the loop: HTTP "+o.Answered.JSON(), answerWithText)
	}
}

func (o HeldLoop) judgeNotes(j *scenarios.Judge) {
	l := o.Loop
	o.resumes(j)
	l.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	seen, ok := l.notes(j)
	if !ok {
		return
	}
	for _, at := range l.looks() {
		id := scenarios.RequirementID(openwop.OWP0061C3)
		if int(at.Turn) == l.Changed && at.At == host.AtEnd {
			id = openwop.OWP0061D2
		}
		for _, f := range l.Files {
			shows(seen, j, id, at, f.Path, l.expects(f, int(at.Turn)))
		}
	}
}

// judgeSnapshots judges by the versions that the run's own snapshot lists, which
// do not show what the resumed turn read.
func (o HeldLoop) judgeSnapshots(j *scenarios.Judge) {
	held, later := readListing(o.Suspended.Last), readListing(o.Later)
	for _, f := range o.Loop.Files {
		if f.Before != "" && len(held.byPath[f.Path]) == 0 {
			j.Block("no turn notes what it sees, and the snapshot of the suspended run does not list "+f.Path+" under /workspace", fixture.Load)
		}
	}
	for _, f := range o.Loop.Files {
		held.lists(j, openwop.OWP0061C3, f.Path, f.Old, "when it was suspended")
		later.lists(j, openwop.OWP0061D2, f.Path, f.Old, "when the files had changed")
	}
	o.resumes(j)
	j.Reach(o.Again, askInTurn)
	next := readListing(o.Again.Last)
	for _, f := range o.Loop.Files {
		next.lists(j, openwop.OWP0061C3, f.Path, f.New, "in its next turn")
	}
	j.Find("", "seen by the versions that the run's snapshot lists; offer %s to have the resumed turn "+
		"say what it read", fixture.LoopWorkspace)
}

// RFC 0061 C: a turn's inputs can be reproduced.
var replaySeesTheSame = scenarios.Scenario{
	ID:     "openwop/workspace-snapshot/replay-sees-the-same",
	Title:  "the turns of a replay see the files that the turns of its source saw, whatever has become of them since",
	Proves: scenarios.IDs{openwop.OWP0061C1},
	Claim:  claims.LoopWorkspaceReplay,
	Ask: scenarios.Ask(replayedNotes, func(o ReplayedNotes, j *scenarios.Judge) {
		l := o.Source
		l.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		source, ok := l.notes(j)
		if !ok {
			return
		}
		l.givenChanges(j, source)
		o.replayed(j)
		replay := readNotes(o.Replayed)
		for _, at := range l.looks() {
			for _, f := range l.Files {
				want, got := of(source, at, f.Path), of(replay, at, f.Path)
				j.Check(openwop.OWP0061C1, got.Each("/content")).To(check.SameAs(want.Each("/content")), "content of %s in %s", f.Path, at)
				j.Check(openwop.OWP0061C1, got.Each("/version")).To(check.SameAs(want.Each("/version")), "version of %s in %s", f.Path, at)
			}
		}
		o.tellOfWrites(j)
	}),
}

// givenChanges blocks the judge unless the source saw its files change: an empty
// copy would match an empty source.
func (l NotedLoop) givenChanges(j *scenarios.Judge, seen host.Notes) {
	for _, at := range l.looks() {
		for _, f := range l.Files {
			if !shown(seen, at, f.Path, l.expects(f, int(at.Turn))) {
				j.Violates(l.rule(at), of(seen, at, f.Path), "setup failed: the turns of the source did not see what they should: "+f.Path+
					" in "+at.String())
			}
		}
	}
}

// rule returns the requirement that a look of a loop without a question shows: from the write on, that the write is
// there for the next turn only, and before it that a turn reads the files as of its start.
func (l NotedLoop) rule(at host.Look) scenarios.RequirementID {
	if turn := int(at.Turn); turn > l.Changed || turn == l.Changed && at.At == host.AtEnd {
		return openwop.OWP0061C6
	}
	return openwop.OWP0061C3
}

// replayed blocks the judge unless the replay, as its set-up, was made.
func (o ReplayedNotes) replayed(j *scenarios.Judge) {
	switch {
	case !host.Succeeded(o.Replayed.Created) || o.Replayed.RunID == "":
		j.Block("setup failed: the host did not make the replay: it answered HTTP "+o.Replayed.Created.JSON()+" with runId "+
			o.Replayed.ID.JSON(), "let a run that has ended be forked in mode replay")
	case o.Replayed.RunID == o.Source.Log.RunID:
		j.Violates(openwop.OWPRPL1, o.Replayed.ID, "setup failed: the host names the source as its own replay")
	}
	j.Reach(o.Replayed.Ended, "have the replay of a loop end by itself")
	o.Replayed.Readable(j)
}

// tellOfWrites notes files that the replay changed. This requirement covers reads
// only; another sentence says that a replay must not act again.
func (o ReplayedNotes) tellOfWrites(j *scenarios.Judge) {
	for i := range min(len(o.Before), len(o.After)) {
		before, after := o.Before[i], o.After[i]
		if before.Status.JSON() != after.Status.JSON() || before.File.Key("version").JSON() != after.File.Key("version").JSON() {
			j.Find("", "%s changed while the run was replayed: HTTP %s at version %s before, HTTP %s at "+
				"version %s after it", before.Path,
				before.Status.JSON(), before.File.Key("version").JSON(), after.Status.JSON(), after.File.Key("version").JSON())
		}
	}
}

// RFC 0061 C through the seam's reply.
var seamWriteTurn = scenarios.Scenario{
	ID:     "openwop/workspace-snapshot/seam-write-turn",
	Title:  "the seam says of a write in a random turn that the turn itself does not see it, and the next one does",
	Proves: scenarios.IDs{openwop.OWP0061C6},
	Claim:  claims.LoopWorkspace,
	Ask: scenarios.Ask(seamWrites, func(o host.SeamObservation, j *scenarios.Judge) {
		shown := true
		for _, a := range o.Answers {
			givenReport(a, j, o.Path)
			checkWrite(a, j)
			shown = showsWrite(a, j) && shown
		}
		if shown {
			j.SeenAs(scenarios.Observed)
		}
	}),
}

// visible returns the reply's account of the written file.
func visible(a host.SeamAnswer) wire.Value { return a.Body.Key("workspaceVisible") }

// givenReport blocks the judge if the seam says nothing of the write.
func givenReport(a host.SeamAnswer, j *scenarios.Judge, path string) {
	host.SeamAnswered(j, a.Status, path)
	if n := len(a.Decisions); n > 0 && n != a.Turns {
		j.Block(fmt.Sprintf("setup failed: the loop of the seam %s took %d turns, asked for %d", path, n, a.Turns),
			"have the seam run as many turns as it is asked for (docs/seams.md)")
	}
	if visible(a).Actual() == nil {
		j.Block("the seam "+path+" does not report the write it was asked for", "have its reply carry workspaceVisible (docs/seams.md)")
	}
}

// checkWrite checks the reply to a write that another turn follows.
func checkWrite(a host.SeamAnswer, j *scenarios.Judge) {
	j.Check(openwop.OWP0061C6, visible(a).Key("atWriteTurn")).To(check.Equal(false), "atWriteTurn when turn %d of %d writes",
		a.WritesAt, a.Turns)
	j.Check(openwop.OWP0061C6, visible(a).Key("atNextTurn")).To(check.Equal(true), "atNextTurn when turn %d of %d writes", a.WritesAt, a.Turns)
}

// writeReported reports whether checkWrite would pass.
func writeReported(a host.SeamAnswer) bool {
	return visible(a).Key("atWriteTurn").Actual() == false && visible(a).Key("atNextTurn").Actual() == true
}

// showsWrite checks the notes of the run that the reply names, whatever its files,
// and reports whether there are any.
func showsWrite(a host.SeamAnswer, j *scenarios.Judge) bool {
	seen := readNotes(a.Log)
	version := func(turn int, at string) wire.Found {
		return seen.Entries(host.Look{Turn: int64(turn), At: at}).Each("/version")
	}
	begin, end, next := version(a.WritesAt, host.AtBegin), version(a.WritesAt, host.AtEnd), version(a.WritesAt+1, host.AtBegin)
	if len(begin.Values) == 0 || len(end.Values) == 0 || len(next.Values) == 0 {
		return false
	}
	j.Check(openwop.OWP0061C6, end).To(check.SameAs(begin), "versions that turn %d of run %s, which writes, noted at its end",
		a.WritesAt, a.Log.RunID)
	j.Check(openwop.OWP0061C6, next).NotTo(check.SameAs(end), "versions that turn %d of run %s noted", a.WritesAt+1, a.Log.RunID)
	return true
}

// No turn follows the last one, so none can see its write. Refusing, false and
// absent are all honest answers; a claim is not.
var seamLastTurn = scenarios.Scenario{
	ID:      "openwop/workspace-snapshot/seam-last-turn",
	Title:   "the seam does not claim that anything was seen by a turn that cannot have been",
	Proves:  scenarios.IDs{openwop.OWP0061C6},
	Claim:   claims.LoopWorkspace,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(seamWritesLate, func(o host.SeamObservation, j *scenarios.Judge) {
		if len(o.Answers) == 0 {
			return
		}
		givenReport(o.Answers[0], j, o.Path)
		if !writeReported(o.Answers[0]) {
			const why = "setup failed: the seam does not report that only the next turn sees an earlier write"
			if seen := visible(o.Answers[0]); seen.Key("atWriteTurn").Actual() == true || seen.Key("atNextTurn").Actual() == false {
				j.Violates(openwop.OWP0061C6, seen, why)
			}
			j.Block(why, "have workspaceVisible carry atWriteTurn and atNextTurn (docs/seams.md)")
		}
		for _, a := range o.Answers[1:] {
			if !j.Check(openwop.OWP0061C6, a.Status).To(check.Status(2, 400, 422), "asked for a write in turn %d of %d", a.WritesAt, a.Turns) {
				continue
			}
			if status, _ := a.Status.Int(); status/100 != 2 {
				continue
			}
			j.Check(openwop.OWP0061C6, visible(a).Key("atWriteTurn")).To(check.OneOf(nil, false), "atWriteTurn when turn %d of %d writes",
				a.WritesAt, a.Turns)
			j.Check(openwop.OWP0061C6, visible(a).Key("atNextTurn")).To(check.OneOf(nil, false), "atNextTurn when turn %d of %d writes",
				a.WritesAt, a.Turns)
		}
	}),
}
