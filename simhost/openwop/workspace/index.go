package workspace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
)

// record is one entry in the log of an owner: a write, or a delete.
type record struct {
	Path        string    `json:"path"`
	Version     int64     `json:"version"`
	UpdatedAt   time.Time `json:"updatedAt"`
	Deleted     bool      `json:"deleted,omitempty"`
	Content     string    `json:"content,omitempty"`
	ContentType string    `json:"contentType,omitempty"`
	Etag        string    `json:"etag,omitempty"`
	Origin      string    `json:"origin,omitempty"`
}

func decode(entry eventlog.Entry) (r record, err error) {
	if err := json.Unmarshal(entry.Data, &r); err != nil {
		return r, fmt.Errorf("decode a workspace file: %w", err)
	}
	return r, nil
}

func (r record) file() openwopv1.WorkspaceFile {
	return openwopv1.WorkspaceFile{
		Path: r.Path, Content: r.Content, ContentType: &r.ContentType, Version: r.Version, Etag: &r.Etag, UpdatedAt: r.UpdatedAt,
	}
}

// index is the fold of an owner's log, without the contents.
type index struct {
	files    map[string]*file             // also of paths whose file was deleted
	live     map[string]*file             // of the files there are
	origins  map[string]uint64            // revision of what an origin wrote
	snapshot []openwopv1.WorkspaceFileRef // nil while nobody has asked since the last change
}

// file is the history of a path. A nil one is the history of a path that was never written.
type file struct {
	versions []version // version n is at n-1
	deleted  int64     // the version that is the last delete, 0 without one
}

type version struct {
	revision          uint64
	etag, contentType string // empty of a delete
	updatedAt         time.Time
}

// version is the latest, 0 where there is none.
func (f *file) version() int64 {
	if f == nil {
		return 0
	}
	return int64(len(f.versions))
}

func (f *file) exists() bool { return f.version() > 0 && f.deleted < f.version() }

// latest is what exists; it must.
func (f *file) latest() version { return f.versions[len(f.versions)-1] }

func (v version) deletes() bool { return v.etag == "" }

func (v version) info(ref openwopv1.WorkspaceFileRef) openwopv1.WorkspaceFileInfo {
	return openwopv1.WorkspaceFileInfo{
		Path: ref.Path, Version: ref.Version, ContentType: &v.contentType, Etag: &v.etag, UpdatedAt: v.updatedAt,
	}
}

// refs are the files there are, by path.
func (x *index) refs() []openwopv1.WorkspaceFileRef {
	if x.snapshot == nil {
		x.snapshot = refsOf(x.live)
	}
	return x.snapshot
}

// refsOf are files at their latest versions, by path.
func refsOf(files map[string]*file) []openwopv1.WorkspaceFileRef {
	refs := make([]openwopv1.WorkspaceFileRef, 0, len(files))
	for path, f := range files {
		refs = append(refs, openwopv1.WorkspaceFileRef{Path: path, Version: f.version()})
	}
	slices.SortFunc(refs, func(a, b openwopv1.WorkspaceFileRef) int { return strings.Compare(a.Path, b.Path) })
	return refs
}

// fold takes in one entry.
func (x *index) fold(entry eventlog.Entry) error {
	r, err := decode(entry)
	if err != nil {
		return err
	}
	f := x.files[r.Path]
	if r.Version == 1 && !f.exists() { // what was deleted may count anew
		f = nil
	}
	if want := f.version() + 1; r.Version != want {
		return fmt.Errorf("has version %d of %q, where %d comes next", r.Version, r.Path, want)
	}
	if f == nil {
		f = &file{}
		if x.files == nil {
			x.files, x.live, x.origins = map[string]*file{}, map[string]*file{}, map[string]uint64{}
		}
		x.files[r.Path] = f
	}
	if r.Deleted {
		f.deleted = r.Version
		delete(x.live, r.Path)
	} else {
		x.live[r.Path] = f
	}
	f.versions = append(f.versions, version{revision: entry.Revision, etag: r.Etag, contentType: r.ContentType, updatedAt: r.UpdatedAt})
	if r.Origin != "" {
		x.origins[r.Origin] = entry.Revision
	}
	x.snapshot = nil
	return nil
}
