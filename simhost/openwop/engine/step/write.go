package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// writing tells whether a write was announced and nothing has come of it yet. One that was must not be left at that, not
// even by a run that is to stop.
func (m *Move) writing() bool {
	_, recorded := m.recordedWrite()
	return m.S.Loop.Write != nil || recorded
}

// write does the next thing about the writes of a turn, one after the other: it announces the next, or goes on with what
// came of it.
func (m *Move) write() Wait {
	l := &m.S.Loop
	wrote, recorded := m.recordedWrite()
	switch {
	case recorded:
	case m.replaying():
		return m.diverge()
	case l.Write == nil:
		m.Wrote = nil // that was the one before
		return m.learn(state.Fact{Write: &state.Write{Position: l.Wrote, Origin: workflow.EventID(m.S.RunID, m.S.Next) + workflow.Index(l.Wrote)}})
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
func (m *Move) tellOfFile(nodeID string, wrote *state.Wrote) Wait {
	told, tells := m.Rules.Files.Told(openwopv1.WorkspaceUpdatedPayload{Path: wrote.Path, Version: wrote.Version}, m.contentOf(wrote))
	if !tells {
		return goesOn
	}
	return m.emitAs(openwopv1.RunEventTypeWorkspaceUpdated, nodeID, m.S.Loop.StartedID, told, &told.WorkspaceUpdatedPayload)
}

// contentOf is what the script says that a write has put.
func (m *Move) contentOf(wrote *state.Wrote) string {
	if writes, wrong := m.S.Writes(); wrong == nil && wrote.Position < len(writes) {
		return writes[wrote.Position].Content
	}
	return ""
}

// tellOfEntry puts on the log that an entry was written.
func (m *Move) tellOfEntry(nodeID string, wrote *state.Wrote) Wait {
	told, tells := m.Rules.Memory.Told(openwopv1.MemoryWrittenPayload{
		MemoryRef: m.S.Viewer().Line.Own().Ref,
		MemoryID:  wrote.EntryID,
		NodeID:    nodeID,
		AgentID:   m.S.Program.Agent.AgentID,
		Tags:      wrote.Tags,
	}, m.contentOf(wrote))
	if !tells {
		return goesOn
	}
	return m.emitAs(openwopv1.RunEventTypeMemoryWritten, nodeID, m.S.Loop.StartedID, told, &told.MemoryWrittenPayload)
}
