package step

import (
	"slices"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// prepare does the next thing that comes before a turn's decision: the first note, then what the turn writes. ready is
// true where nothing is left of that.
func (m stores) prepare() (w Wait, ready bool) {
	l, p := m.loop, m.S.Program
	if p.Notes == "" && l.Reads == nil && l.Writes == nil {
		return goesOn, true
	}
	id := p.Supervisor().ID
	r, wrong := workflow.ParseReads(l.Reads)
	if wrong != nil {
		return m.failNode(id, codes.Failure(codes.Script, "%s%s: %s", workflow.KeyReads, wrong.At, wrong.Says)), false
	}
	writes, wrong := m.S.Writes()
	switch {
	case wrong != nil:
		return m.failNode(id, codes.Failure(codes.Script, "%s%s: %s", workflow.KeyWrites, wrong.At, wrong.Says)), false
	case len(r.Files) > 0 && m.S.View.Files == nil:
		return m.failNode(id, codes.Failure(codes.Capability, "%s names files, and this run has no workspace", workflow.KeyReads)), false
	case len(r.Tags) > 0 && m.S.View.Mark == nil:
		return m.failNode(id, codes.Failure(codes.Capability, "%s names tags, and this run has no memory", workflow.KeyReads)), false
	case p.Notes != "" && !l.Begun:
		taken, refused := m.takeNote(state.TurnBegins, l.StartedID)
		if refused != nil {
			return m.failNode(id, refused), false
		}
		return taken, false
	case l.Wrote < len(writes):
		return m.write(), false
	}
	return goesOn, true
}

// concludes tells whether the turn is over but for its last note.
func (m stores) concludes() bool { return m.loop.Begun && !m.loop.Concluded }

// conclude takes the last note of a turn. Its node has ended, so that what cannot be noted ends the run.
func (m stores) conclude() Wait {
	w, refused := m.takeNote(state.TurnEnds, m.loop.DecidedID)
	if refused != nil {
		return m.learn(state.Fact{Stop: &state.Stop{Why: state.StopBroken, Error: refused}})
	}
	return w
}

// takeNote adds a note to the variable that holds them, or says why it cannot. A variable that no longer holds notes begins
// anew.
func (m stores) takeNote(at, cause string) (Wait, *event.Error) {
	name, id := m.S.Program.Notes, m.S.Program.Supervisor().ID
	again := m.readsAgain()
	var (
		taken  event.VariableChangedPayload
		failed event.NodeFailedPayload
	)
	switch {
	case !again && m.read(event.VariableChanged, &taken) && taken.Name == name:
		return m.setVariable(name, id, cause, taken.Next), nil
	case m.read(event.NodeFailed, &failed):
		return goesOn, &failed.Error
	case !again && m.replaying():
		return m.diverge(), nil
	case m.Reading == nil:
		return WaitsToRead, nil
	case m.Reading.Refused != nil:
		return goesOn, m.Reading.Refused
	}
	notes, _ := m.S.Variables[name].([]any)
	next := m.encode(append(slices.Clip(notes), state.Note{At: at, Iteration: m.loop.Iteration, Reading: *m.Reading}))
	m.Reading = nil
	if len(next) > state.MaxNotes {
		return goesOn, state.NotesTooLarge(name)
	}
	return m.setVariable(name, id, cause, next), nil
}

// readsAgain tells whether a replay reads anew what its source has noted.
func (m stores) readsAgain() bool {
	sees := func(at rules.Store) rules.Sight {
		look := m.S.Looks(at, 0)
		look.Noted = true
		return m.Rules.Reads.Sees(look)
	}
	return m.replaying() && (sees(rules.Workspace) != rules.AsNoted || sees(rules.Memories) != rules.AsNoted)
}

// writing tells whether a write was announced and nothing has come of it yet. One that was must not be left at that, not
// even by a run that is to stop.
func (m stores) writing() bool {
	_, recorded := m.recordedWrite()
	return m.loop.Write != nil || recorded
}

// write does the next thing about the writes of a turn, one after the other: it announces the next, or goes on with what
// came of it.
func (m stores) write() Wait {
	wrote, recorded := m.recordedWrite()
	switch {
	case recorded:
	case m.replaying():
		return m.diverge()
	case m.loop.Write == nil:
		m.Wrote = nil // that was the one before
		return m.learn(state.Fact{Write: &state.Write{Position: m.loop.Wrote, Origin: workflow.EventID(m.S.RunID,
			m.S.Next) + workflow.Index(m.loop.Wrote)}})
	case m.Wrote == nil:
		return waitsToWrite
	default:
		wrote = m.Wrote
	}
	m.learn(state.Fact{Wrote: wrote})
	id := m.S.Program.Supervisor().ID
	switch {
	case wrote.Error != nil && m.S.Stop != nil:
		return goesOn
	case wrote.Error != nil:
		return m.failNode(id, wrote.Error)
	case wrote.EntryID != "":
		return m.tellOfEntry(id, wrote)
	default:
		return m.tellOfFile(id, wrote)
	}
}

// tellOfFile puts on the log that a file was written.
func (m stores) tellOfFile(nodeID string, wrote *state.Wrote) Wait {
	return m.emit(event.WorkspaceUpdated, nodeID, m.loop.StartedID,
		&event.WorkspaceUpdatedPayload{Path: wrote.Path, Version: wrote.Version})
}

// tellOfEntry puts on the log that an entry was written.
func (m stores) tellOfEntry(nodeID string, wrote *state.Wrote) Wait {
	return m.emit(event.MemoryWritten, nodeID, m.loop.StartedID, &event.MemoryWrittenPayload{
		MemoryRef: m.S.Viewer().Line.Own().Ref,
		MemoryID:  wrote.EntryID,
		NodeID:    nodeID,
		AgentID:   m.S.Program.Agent.AgentID,
		Tags:      wrote.Tags,
	})
}

// turnsLookAnew is the version of the execution model from which a turn sees the workspace and the memory as they are when it
// begins, and not as they were when the run began (RFC 0061 C, RFC 0059 D).
const turnsLookAnew = 5

// refresh is what a turn that begins sees other than what was seen before. seen is false where somebody must look first.
func (m stores) refresh() (news *state.View, seen bool) {
	view := m.S.View
	switch {
	case m.replaying():
		turn, ok := m.recordedTurn()
		if !ok {
			return nil, true // and the next event differs as well
		}
		return turn.View, true
	case view.Empty():
		return nil, true
	case m.S.Created.Version < turnsLookAnew:
		return m.brought(), true
	case m.View == nil:
		return nil, false
	}
	looked := *m.View
	if !m.Rules.Reads.Refreshes(rules.Workspace, m.loop.Resumed) {
		looked.Files = view.Files
	}
	if !m.Rules.Reads.Refreshes(rules.Memories, m.loop.Resumed) {
		looked.Mark, looked.At = view.Mark, view.At
	}
	news = view.News(looked)
	m.View = nil
	return news, true
}

// brought is what a turn sees anew where turns do not take everything as it is when they begin: what children have brought.
func (m stores) brought() *state.View {
	s := m.S
	if s.View.Mark == nil || !s.Created.HandsDown() || s.Brought <= *s.View.Mark {
		return nil
	}
	return &state.View{Mark: new(s.Brought), At: m.Now}
}
