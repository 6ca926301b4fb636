package step

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// prepare does the next thing that comes before a turn's decision: the first note, then what the turn writes. ready is
// true where nothing is left of that.
func (m *Move) prepare() (w Wait, ready bool) {
	l, p := &m.S.Loop, m.S.Program
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
func (m *Move) concludes() bool { return m.S.Loop.Begun && !m.S.Loop.Concluded }

// conclude takes the last note of a turn. Its node has ended, so that what cannot be noted ends the run.
func (m *Move) conclude() Wait {
	w, refused := m.takeNote(state.TurnEnds, m.S.Loop.DecidedID)
	if refused != nil {
		return m.learn(state.Fact{Stop: &state.Stop{Why: state.StopBroken, Error: refused}})
	}
	return w
}

// takeNote adds a note to the variable that holds them, or says why it cannot. A variable that no longer holds notes begins
// anew.
func (m *Move) takeNote(at, cause string) (Wait, *openwopv1.EventError) {
	name, id := m.S.Program.Notes, m.S.Program.Supervisor().ID
	again := m.Rules.Reads.Again()
	var (
		taken  openwopv1.VariableChangedPayload
		failed openwopv1.NodeFailedPayload
	)
	switch {
	case !again && m.read(openwopv1.RunEventTypeVariableChanged, &taken) && taken.Name == name:
		return m.setVariable(name, id, cause, taken.Next), nil
	case m.read(openwopv1.RunEventTypeNodeFailed, &failed):
		return goesOn, &failed.Error
	case !again && m.replaying():
		return m.diverge(), nil
	case m.Reading == nil:
		return WaitsToRead, nil
	case m.Reading.Refused != nil:
		return goesOn, m.Reading.Refused
	}
	notes, _ := m.S.Variables[name].([]any)
	next := m.encode(append(slices.Clip(notes), state.Note{At: at, Iteration: m.S.Loop.Iteration, Reading: *m.Reading}))
	m.Reading = nil
	if len(next) > state.MaxNotes {
		return goesOn, state.NotesTooLarge(name)
	}
	return m.setVariable(name, id, cause, next), nil
}
