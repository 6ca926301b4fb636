package engine

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

// Write announces a write of a turn: it may have happened, and shall. Wrote is what came of it.
type Write struct {
	Position int    `json:"position"` // among the writes of the turn
	Origin   string `json:"origin"`   // names the write to the store, so that doing it again does nothing
}

// Wrote is what came of a write: a version of a file, an entry of the memory, or a refusal.
type Wrote struct {
	Position int                   `json:"position"`
	Path     string                `json:"path,omitzero"`
	Version  int64                 `json:"version,omitzero"`
	EntryID  string                `json:"entryId,omitzero"`
	Tags     []string              `json:"tags,omitempty"` // of the entry, as the store has them
	Mark     int64                 `json:"mark,omitzero"`  // of the memory, once the entry was in it
	Error    *openwopv1.EventError `json:"error,omitempty"`
}

// turn counts the turns before the one under way; not even a fault lets it count otherwise.
func (s *State) turn() int { return s.nodes[s.program.loop].starts - 1 }

// writes are those of the turn under way.
func (s *State) writes() ([]write, *misfit) { return parseWrites(s.loop.writes, s.turn()) }

// writing tells whether a write was announced and nothing has come of it yet. One that was must not be left at that, not
// even by a run that is to stop.
func (m *move) writing() bool {
	_, recorded := m.recordedWrite()
	return m.s.loop.write != nil || recorded
}

// write does the next thing about the writes of a turn, one after the other: it announces the next, or goes on with what
// came of it.
func (m *move) write() wait {
	l := &m.s.loop
	wrote, recorded := m.recordedWrite()
	switch {
	case recorded:
	case m.replaying():
		return m.diverge()
	case l.write == nil:
		m.wrote = nil // that was the one before
		return m.learn(Fact{Write: &Write{Position: l.wrote, Origin: eventID(m.s.runID, m.s.next) + index(l.wrote)}})
	case m.wrote == nil:
		return waitsToWrite
	default:
		wrote = m.wrote
	}
	m.learn(Fact{Wrote: wrote})
	id := m.s.program.supervisor().ID
	switch {
	case wrote.Error != nil && m.s.stop != nil:
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
func (m *move) tellOfFile(nodeID string, wrote *Wrote) wait {
	told, tells := m.rules.Files.Told(openwopv1.WorkspaceUpdatedPayload{Path: wrote.Path, Version: wrote.Version}, m.contentOf(wrote))
	if !tells {
		return goesOn
	}
	return m.emitAs(openwopv1.RunEventTypeWorkspaceUpdated, nodeID, m.s.loop.startedID, told, &told.WorkspaceUpdatedPayload)
}

// contentOf is what the script says that a write has put.
func (m *move) contentOf(wrote *Wrote) string {
	if writes, wrong := m.s.writes(); wrong == nil && wrote.Position < len(writes) {
		return writes[wrote.Position].content
	}
	return ""
}

// tellOfEntry puts on the log that an entry was written.
func (m *move) tellOfEntry(nodeID string, wrote *Wrote) wait {
	told, tells := m.rules.Memory.Told(openwopv1.MemoryWrittenPayload{
		MemoryRef: m.s.viewer().line.Own().Ref,
		MemoryID:  wrote.EntryID,
		NodeID:    nodeID,
		AgentID:   m.s.program.agent.AgentID,
		Tags:      wrote.Tags,
	}, m.contentOf(wrote))
	if !tells {
		return goesOn
	}
	return m.emitAs(openwopv1.RunEventTypeMemoryWritten, nodeID, m.s.loop.startedID, told, &told.MemoryWrittenPayload)
}

// carryOut does the write that the log of a run announces, unless that has been done before. nil means that there is none.
// The caller has the run's lock.
func (e *Engine) carryOut(ctx context.Context, r *liveRun) (*Wrote, error) {
	announced := r.state.loop.write
	if announced == nil || r.tape.covers(&r.state) {
		return nil, nil
	}
	wrote, err := e.put(ctx, &r.state, announced)
	if refused := (*refusal.Error)(nil); errors.As(tooLarge(err), &refused) {
		place := keyWrites + index(r.state.turn()) + index(announced.Position)
		wrote, err = Wrote{Error: &openwopv1.EventError{Code: refused.Code, Message: place + ": " + refused.Message,
			Details: refused.Details}}, nil
	}
	if err != nil {
		return nil, err
	}
	wrote.Position = announced.Position
	return &wrote, nil
}

// put writes to the store that an announced write is for.
func (e *Engine) put(ctx context.Context, s *State, announced *Write) (Wrote, error) {
	writes, wrong := s.writes()
	if wrong != nil || announced.Position >= len(writes) {
		return Wrote{}, refuse(codeScript, "the script does not have this write any more")
	}
	w, v := writes[announced.Position], s.viewer()
	switch {
	case w.path == "" && e.o.Memory == nil:
		return Wrote{}, lacks(s.program.supervisor(), CapabilityMemory)
	case w.path == "":
		return e.remember(ctx, v.line, memory.Write{Content: w.content, Tags: w.tags, TTL: w.ttl, Origin: announced.Origin})
	case e.o.Files == nil:
		return Wrote{}, lacks(s.program.supervisor(), CapabilityWorkspace)
	default:
		file, err := e.o.Files.Put(ctx, v.owner, workspace.Put{Path: w.path, Content: w.content, Origin: announced.Origin})
		return Wrote{Path: file.Path, Version: file.Version}, err
	}
}

func (e *Engine) remember(ctx context.Context, l memory.Line, w memory.Write) (Wrote, error) {
	entry, err := e.o.Memory.Add(ctx, l, w)
	if err != nil {
		return Wrote{}, err
	}
	mark, err := e.o.Memory.Reach(ctx, l)
	return Wrote{EntryID: entry.ID, Tags: entry.Tags, Mark: mark}, err
}
