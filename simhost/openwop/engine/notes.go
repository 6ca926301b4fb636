package engine

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// maxNotes bounds the variable that holds a run's notes, in bytes of JSON. Every note is an event with all of them in it,
// and so is every snapshot: clients take no more of either than a mebibyte.
const maxNotes = 512 << 10

// When a turn takes a note.
const (
	turnBegins = "begin"
	turnEnds   = "end"
)

// note is what a turn notes about what it sees.
type note struct {
	At        string `json:"at"`
	Iteration int    `json:"iteration"`
	reading
}

// readNotes reads which variable the turns note in what they see.
func (p *program) readNotes(supervisor *node) error {
	value, set := supervisor.Config[keyNotes]
	if !set {
		return nil
	}
	name, _ := value.(string)
	switch v, declared := p.variables[name]; {
	case !declared || v.Type != openwopv1.WorkflowVariableTypeArray:
		return refusedNode(supervisor.ID, "config.%s must name a variable of type array", keyNotes)
	case name == answerVariable:
		return refusedNode(supervisor.ID, "config.%s: variable %q takes the answers of people", keyNotes, answerVariable)
	}
	p.notes = name
	return nil
}

// prepare does the next thing that comes before a turn's decision: the first note, then what the turn writes. ready is
// true where nothing is left of that.
func (m *move) prepare() (w wait, ready bool) {
	l, p := &m.s.loop, m.s.program
	if p.notes == "" && l.reads == nil && l.writes == nil {
		return goesOn, true
	}
	id := p.supervisor().ID
	r, wrong := parseReads(l.reads)
	if wrong != nil {
		return m.failNode(id, failure(codeScript, "%s%s: %s", keyReads, wrong.at, wrong.says)), false
	}
	writes, wrong := m.s.writes()
	switch {
	case wrong != nil:
		return m.failNode(id, failure(codeScript, "%s%s: %s", keyWrites, wrong.at, wrong.says)), false
	case len(r.files) > 0 && m.s.view.Files == nil:
		return m.failNode(id, failure(CodeCapability, "%s names files, and this run has no workspace", keyReads)), false
	case len(r.tags) > 0 && m.s.view.Mark == nil:
		return m.failNode(id, failure(CodeCapability, "%s names tags, and this run has no memory", keyReads)), false
	case p.notes != "" && !l.begun:
		taken, refused := m.takeNote(turnBegins, l.startedID)
		if refused != nil {
			return m.failNode(id, refused), false
		}
		return taken, false
	case l.wrote < len(writes):
		return m.write(), false
	}
	return goesOn, true
}

// concludes tells whether the turn is over but for its last note.
func (m *move) concludes() bool { return m.s.loop.begun && !m.s.loop.concluded }

// conclude takes the last note of a turn. Its node has ended, so that what cannot be noted ends the run.
func (m *move) conclude() wait {
	w, refused := m.takeNote(turnEnds, m.s.loop.decidedID)
	if refused != nil {
		return m.learn(Fact{Stop: &Stop{Why: stopBroken, Error: refused}})
	}
	return w
}

// takeNote adds a note to the variable that holds them, or says why it cannot. A variable that no longer holds notes begins
// anew.
func (m *move) takeNote(at, cause string) (wait, *openwopv1.EventError) {
	name, id := m.s.program.notes, m.s.program.supervisor().ID
	again := m.rules.Reads.Again()
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
	case m.reading == nil:
		return waitsToRead, nil
	case m.reading.refused != nil:
		return goesOn, m.reading.refused
	}
	notes, _ := m.s.variables[name].([]any)
	next := m.encode(append(slices.Clip(notes), note{at, m.s.loop.iteration, *m.reading}))
	m.reading = nil
	if len(next) > maxNotes {
		return goesOn, notesTooLarge(name)
	}
	return m.setVariable(name, id, cause, next), nil
}

func notesTooLarge(name string) *openwopv1.EventError {
	return failure(codeNotes, "variable %q would hold more than %d bytes of notes: read less, or take fewer turns", name, maxNotes)
}
