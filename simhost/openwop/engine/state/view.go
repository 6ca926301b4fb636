package state

import (
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// View is what a run sees of the stores around it, as of one moment. It holds no content; whatever it names can be read
// later as it was then.
type View struct {
	// Files are those of the workspace, by path; nil where there is no workspace. Shared, and not to be changed.
	Files []openwopv1.WorkspaceFileRef `json:"files,omitzero"`
	// Mark is how many entries the memory had taken; nil where there is no memory.
	Mark *int64 `json:"mark,omitempty"`
	// At is that moment, where there is a memory: what had expired by then is not seen.
	At time.Time `json:"at,omitzero"`
}

// Empty tells whether a view is of no store, or says nothing new of any.
func (v View) Empty() bool { return v.Files == nil && v.Mark == nil && v.At.IsZero() }

// News is what a newer view has to say beyond this one; nil where that is nothing. A store that was not there when the run
// began is not there for it later.
func (v View) News(newer View) *View {
	if v.Files == nil || slices.Equal(v.Files, newer.Files) {
		newer.Files = nil
	}
	switch {
	case v.Mark == nil:
		newer.Mark, newer.At = nil, time.Time{}
	case newer.Mark != nil && *v.Mark == *newer.Mark:
		newer.Mark = nil
	}
	if newer.Empty() {
		return nil
	}
	return &newer
}

// update takes over the news.
func (v *View) update(news *View) {
	if news == nil {
		return
	}
	if news.Files != nil {
		v.Files = news.Files
	}
	if news.Mark != nil {
		v.Mark = news.Mark
	}
	if !news.At.IsZero() {
		v.At = news.At
	}
}

// File is the file at a path; its version is 0 where there is none.
func (v View) File(path string) openwopv1.WorkspaceFileRef {
	at, found := slices.BinarySearchFunc(v.Files, path, func(f openwopv1.WorkspaceFileRef, path string) int {
		return strings.Compare(f.Path, path)
	})
	if !found {
		return openwopv1.WorkspaceFileRef{Path: path}
	}
	return v.Files[at]
}

func (s *State) Viewer() workflow.Viewer { return s.Program.Viewer(s.Owner, s.Created.Memory) }
