package engine

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// reading is what a turn reads, by what its script names.
type reading struct {
	Memory    []rules.MemoryEntry `json:"memory,omitzero"`
	Workspace []fileSeen          `json:"workspace,omitzero"`

	refused *openwopv1.EventError `json:"-"`
}

// fileSeen is a file at the version that the turn sees, 0 and without content where it is not there.
type fileSeen struct {
	Content *string `json:"content,omitempty"`
	Path    string  `json:"path"`
	Version int64   `json:"version"`
}

func seenEntry(e memory.Entry) rules.MemoryEntry {
	return rules.MemoryEntry{Content: e.Content, CreatedAt: e.CreatedAt, ExpiresAt: e.ExpiresAt, ID: e.ID, Tags: e.Tags}
}

// looks is what the turn under way is about to do with a store.
func (s *State) looks(at rules.Store, names int) rules.Reading {
	l := &s.loop
	return rules.Reading{Store: at, First: s.turn() == 0, Several: names > 1, End: l.begun, Wrote: l.wrote > 0, Resumed: l.resumed,
		Forked: s.created.Fork != nil}
}

// sight is what the turn of a run sees of a store: what stood there when the turn began.
func (e *Engine) sight(ctx context.Context, s *State, at rules.Store, names int) (View, error) {
	switch sees := e.o.Rules.Reads.Sees(s.looks(at, names)); {
	case sees == rules.AsIs:
		return e.view(ctx, s.viewer(), e.now())
	case sees == rules.AsRunBegan && s.created.View != nil:
		return *s.created.View, nil
	case sees == rules.Never:
		return View{}, nil
	default:
		return s.view, nil
	}
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
	if e.o.Files == nil && len(paths) > 0 {
		return lacks(s.program.supervisor(), CapabilityWorkspace)
	}
	view, err := e.sight(ctx, s, rules.Workspace, len(paths))
	if err != nil {
		return err
	}
	into.Workspace = make([]fileSeen, len(paths))
	owner, bytes := s.viewer().owner, 0
	for i, path := range paths {
		ref := view.file(path)
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
	if e.o.Memory == nil && len(tags) > 0 {
		return lacks(s.program.supervisor(), CapabilityMemory)
	}
	view, err := e.sight(ctx, s, rules.Memories, len(tags))
	if err != nil {
		return err
	}
	into.Memory = []rules.MemoryEntry{}
	seen, bytes := map[string]bool{}, 0
	for _, tag := range tags {
		entries, err := e.o.Memory.Read(ctx, s.viewer().line, view.mark(), tag, view.At)
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
			into.Memory = append(into.Memory, e.o.Rules.Memory.Shown(seenEntry(entry)))
		}
	}
	return nil
}

// mark is how much of the memory the run sees.
func (s *State) mark() int64 { return s.view.mark() }

func (v View) mark() int64 {
	if v.Mark == nil {
		return 0
	}
	return *v.Mark
}
