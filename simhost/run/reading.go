package run

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/memory"
	"github.com/openassay/assay/simhost/refusal"
)

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

// memorySeen is an entry as the protocol has it.
type memorySeen struct {
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	ID        string    `json:"id"`
	Tags      []string  `json:"tags"`
}

func seenEntry(e memory.Entry) memorySeen {
	return memorySeen{Content: e.Content, CreatedAt: e.CreatedAt, ExpiresAt: e.ExpiresAt, ID: e.ID, Tags: e.Tags}
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
	if e.o.Memory == nil && len(tags) > 0 {
		return lacks(s.program.supervisor(), CapabilityMemory)
	}
	into.Memory = []memorySeen{}
	seen, bytes := map[string]bool{}, 0
	for _, tag := range tags {
		entries, err := e.o.Memory.Read(ctx, s.viewer().line, s.mark(), tag, s.view.At)
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
			into.Memory = append(into.Memory, seenEntry(entry))
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
