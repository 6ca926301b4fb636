package run

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

// maxNotes bounds the variable that holds a run's notes, in bytes of JSON. Every note is an event with all of them in it,
// and with what an append may hold beside it that must stay below what the log takes at once.
const maxNotes = 4 << 20

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

// reading is what a turn reads, by what its script names.
type reading struct {
	Memory    []memorySeen `json:"memory,omitzero"`
	Workspace []fileSeen   `json:"workspace,omitzero"`

	refused *openwopv1.EventError
}

// fileSeen is a file at the version that the turn sees, 0 and without content where it is not there.
type fileSeen struct {
	Content *string `json:"content,omitempty"`
	Path    string  `json:"path"`
	Version int64   `json:"version"`
}

type memorySeen struct {
	Content string   `json:"content"`
	Tags    []string `json:"tags"`
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
		w, refused := m.takeNote(turnBegins, l.startedID)
		if refused != nil {
			return m.failNode(id, refused), false
		}
		return w, false
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

// takeNote adds a note to the variable that holds them. A variable that no longer holds notes begins anew.
func (m *move) takeNote(at, cause string) (wait, *openwopv1.EventError) {
	name, id := m.s.program.notes, m.s.program.supervisor().ID
	var recorded openwopv1.VariableChangedPayload
	if m.read(openwopv1.RunEventTypeVariableChanged, &recorded) {
		return m.setVariable(name, id, cause, recorded.Next), nil
	}
	switch {
	case m.replaying():
		return m.diverge(), nil
	case m.reading == nil:
		return waitsToRead, nil
	case m.reading.refused != nil:
		return goesOn, m.reading.refused
	}
	notes, _ := m.s.variables[name].([]any)
	next := m.encode(append(notes[:len(notes):len(notes)], note{at, m.s.loop.iteration, *m.reading}))
	m.reading = nil
	if len(next) > maxNotes {
		return goesOn, notesTooLarge(name)
	}
	return m.setVariable(name, id, cause, next), nil
}

func notesTooLarge(name string) *openwopv1.EventError {
	return failure(codeNotes, "variable %q would hold more than %d bytes of notes: read less, or take fewer turns", name, maxNotes)
}

// readFor reads what the turn of a run sees: what its script named when it began, in the view that its log holds. It may be
// done any number of times, and gives the same.
func (e *Engine) readFor(ctx context.Context, s *State) (*reading, error) {
	r, wrong := parseReads(s.loop.reads)
	if wrong != nil {
		return &reading{refused: failure(codeScript, "%s%s: %s", keyReads, wrong.at, wrong.says)}, nil
	}
	got := &reading{}
	err := e.readFiles(ctx, s, r.files, got)
	if err == nil {
		err = e.readMemory(ctx, s, r.tags, got)
	}
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return &reading{refused: &openwopv1.EventError{Code: refused.Code, Message: refused.Message, Details: refused.Details}}, nil
	}
	return got, err
}

func (e *Engine) readFiles(ctx context.Context, s *State, paths []string, into *reading) error {
	if paths == nil {
		return nil
	}
	if e.o.Files == nil {
		return lacks(s.program.supervisor(), CapabilityWorkspace)
	}
	into.Workspace = make([]fileSeen, len(paths))
	owner, bytes := s.viewer().owner, 0
	for i, path := range paths {
		ref := s.view.file(path)
		into.Workspace[i] = fileSeen{Path: path, Version: ref.Version}
		if ref.Version == 0 {
			continue
		}
		content, err := e.o.Files.Content(ctx, owner, ref)
		if err != nil {
			return err
		}
		if bytes += len(content); bytes > maxNotes {
			return refuse(codeNotes, notesTooLarge(s.program.notes).Message)
		}
		into.Workspace[i].Content = &content
	}
	return nil
}

// readMemory reads the entries that have one of the tags: by tag, then by age, each once.
func (e *Engine) readMemory(ctx context.Context, s *State, tags []string, into *reading) error {
	if tags == nil {
		return nil
	}
	if e.o.Memory == nil {
		return lacks(s.program.supervisor(), CapabilityMemory)
	}
	into.Memory = []memorySeen{}
	seen, bytes := map[string]bool{}, 0
	for _, tag := range tags {
		entries, err := e.o.Memory.Entries(ctx, s.viewer().scope, s.mark(), tag, s.view.At)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if seen[entry.ID] {
				continue
			}
			seen[entry.ID] = true
			if bytes += len(entry.Content); bytes > maxNotes {
				return refuse(codeNotes, notesTooLarge(s.program.notes).Message)
			}
			into.Memory = append(into.Memory, memorySeen{entry.Content, entry.Tags})
		}
	}
	return nil
}

// mark is how much of the memory the run sees.
func (s *State) mark() int64 {
	if s.view.Mark == nil {
		return 0
	}
	return *s.view.Mark
}
