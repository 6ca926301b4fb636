// Package workspace keeps the files that the runs of an owner share (RFC 0059). Every write and every delete is one entry
// in the log of the owner, so a version that was once written can be read for ever: a run reads the files as they were
// when it, or its turn, began. In memory there is an index of the log; contents are read from the log.
//
// What a caller can mend is refused with a refusal.Error: not_found, validation_error, workspace_conflict (whose details
// have currentVersion, 0 where there is no file) and workspace_too_large.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/folded"
	"github.com/openassay/assay/simhost/internal/redact"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The bounds that count where Options leaves them open.
const (
	DefaultMaxFileBytes = 65536
	DefaultMaxFiles     = 64
	DefaultMaxVersions  = 10
)

// Owner of files. Two owners that differ in anything share nothing.
type Owner struct {
	Tenant    string
	Workspace string // "" is the tenant's own
}

// Log is what this package needs of the event log.
type Log interface {
	folded.Log
	Get(ctx context.Context, log string, revision uint64) (eventlog.Entry, error)
}

// Options of the files. Of the bounds, 0 means the default.
type Options struct {
	Log   Log
	Clock clock.Clock
	// MaxFileBytes bounds the content of a file, in bytes, MaxFiles the files of one owner.
	MaxFileBytes, MaxFiles int
	// MaxVersions is how many versions of a file Get serves. Content has no such bound.
	MaxVersions int
	// Secrets are stored as [REDACTED:n], where n is the place in this list, from 1. Those of less than 8 characters are
	// not looked for.
	Secrets []string
	// Rules say how files are written and found; the zero value is the honest ones.
	Rules rules.Files
}

// Files are the files of all owners. The methods may be called concurrently.
type Files struct {
	o        Options
	owners   *folded.States[index]
	redactor *redact.Redactor
}

// Open returns the files that are on a log. What an owner has is read when it is first asked for.
func Open(o Options) (*Files, error) {
	if o.Log == nil || o.Clock == nil {
		return nil, errors.New("open the workspace: it needs a log and a clock")
	}
	for _, bound := range []struct {
		what     string
		value    *int
		standard int
	}{
		{"MaxFileBytes", &o.MaxFileBytes, DefaultMaxFileBytes},
		{"MaxFiles", &o.MaxFiles, DefaultMaxFiles},
		{"MaxVersions", &o.MaxVersions, DefaultMaxVersions},
	} {
		if *bound.value < 0 {
			return nil, fmt.Errorf("open the workspace: %s %d: must not be negative", bound.what, *bound.value)
		}
		if *bound.value == 0 {
			*bound.value = bound.standard
		}
	}
	if o.Rules.Fits == nil {
		o.Rules = rules.Honest().Files
	}
	return &Files{o: o, owners: folded.New(o.Log, (*index).fold), redactor: redact.New(o.Secrets)}, nil
}

// LogName is the name of the log that the files of an owner are.
func LogName(owner Owner) string { return folded.Name("ws", owner.Tenant, owner.Workspace) }

// List returns the files whose path begins with prefix, by path.
func (f *Files) List(ctx context.Context, owner Owner, prefix string) ([]openwopv1.WorkspaceFileInfo, error) {
	files := []openwopv1.WorkspaceFileInfo{}
	err := f.owners.View(ctx, LogName(owner), func(x *index) error {
		refs := x.refs()
		if !f.o.Rules.Gone(rules.ListsFiles, prefix) {
			refs = refsOf(x.files)
		}
		for _, ref := range refs {
			if strings.HasPrefix(ref.Path, prefix) {
				files = append(files, x.files[ref.Path].latest().info(ref))
			}
		}
		return nil
	})
	return files, err
}

// Get returns a file at its latest version, or at one of the last MaxVersions; version 0 is the latest. A delete ends
// what there was: versions before it are not found, also when the file is there again.
func (f *Files) Get(ctx context.Context, owner Owner, path string, version int64) (openwopv1.WorkspaceFile, error) {
	if err := f.checkPath(path); err != nil {
		return openwopv1.WorkspaceFile{}, err
	}
	if version < 0 {
		return openwopv1.WorkspaceFile{}, invalid("version", "give one from 1, or leave it off for the latest")
	}
	var revision uint64
	err := f.owners.View(ctx, LogName(owner), func(x *index) error {
		file := x.files[path]
		if !f.finds(file, rules.ReadsFile, path) {
			return notFound(path)
		}
		latest := file.version()
		oldest := max(file.deleted, latest-int64(f.o.MaxVersions)) + 1
		served, ok := latest, true
		if version > 0 {
			served, ok = f.o.Rules.Serves(version, oldest, latest)
		}
		if !ok {
			return versionNotFound(path, version, oldest, latest)
		}
		revision = file.versions[served-1].revision
		return nil
	})
	if err != nil {
		return openwopv1.WorkspaceFile{}, err
	}
	return f.load(ctx, owner, revision)
}

// finds tells whether a file is there for an operation.
func (f *Files) finds(file *file, op rules.FileOperation, asked string) bool {
	return file.exists() || file.version() > 0 && !f.o.Rules.Gone(op, asked)
}

// Snapshot returns the path and the version of every file there is, by path. The slice is shared and must not be changed;
// while nothing is written, every call returns the same one.
func (f *Files) Snapshot(ctx context.Context, owner Owner) (refs []openwopv1.WorkspaceFileRef, err error) {
	err = f.owners.View(ctx, LogName(owner), func(x *index) error {
		refs = x.refs()
		return nil
	})
	return refs, err
}

// Content returns what a version of a file holds, of any version that was ever written: a run that began with it may
// still read it when the file has long been overwritten or deleted.
func (f *Files) Content(ctx context.Context, owner Owner, ref openwopv1.WorkspaceFileRef) (string, error) {
	var revision uint64
	err := f.owners.View(ctx, LogName(owner), func(x *index) error {
		file := x.files[ref.Path]
		if ref.Version < 1 || ref.Version > file.version() || file.versions[ref.Version-1].deletes() {
			return refuse(codeNotFound, fmt.Sprintf("no version %d of file %q was ever written", ref.Version, ref.Path))
		}
		revision = file.versions[ref.Version-1].revision
		return nil
	})
	if err != nil {
		return "", err
	}
	file, err := f.load(ctx, owner, revision)
	return file.Content, err
}

// load reads from the log what was written there.
func (f *Files) load(ctx context.Context, owner Owner, revision uint64) (openwopv1.WorkspaceFile, error) {
	entry, err := f.o.Log.Get(ctx, LogName(owner), revision)
	if err != nil {
		return openwopv1.WorkspaceFile{}, err
	}
	r, err := decode(entry)
	if err != nil {
		return openwopv1.WorkspaceFile{}, err
	}
	return r.file(), nil
}

// now is the time as it is stored: what is answered at once and what is read later must not differ.
func (f *Files) now() time.Time { return f.o.Clock.Now().UTC().Truncate(time.Microsecond) }
