package live

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

// ledger keeps book of what is written to the stores, whoever writes it, and when: by the log's revision. It lives longer
// than any process.
type ledger struct {
	mu      sync.Mutex
	files   []bookedFile
	entries []bookedEntry
	origins map[string]int // how often each origin wrote anew
}

type bookedFile struct {
	revision uint64
	ref      openwopv1.WorkspaceFileRef
	content  string
	deleted  bool
}

type bookedEntry struct {
	revision uint64
	scope    memory.Scope
	entry    memory.Entry
}

// fileAsOf is what there was at a path before a revision.
func (l *ledger) fileAsOf(revision uint64, path string) bookedFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range slices.Backward(l.files) {
		if f.revision < revision && f.ref.Path == path {
			if f.deleted {
				break
			}
			return f
		}
	}
	return bookedFile{ref: openwopv1.WorkspaceFileRef{Path: path}}
}

// remembered are the entries of a line that have the tag, as of a revision and a time.
func (l *ledger) remembered(line memory.Line, revision uint64, tag string, now time.Time) (found []memory.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, layer := range line {
		mark := layer.From
		for _, e := range l.entries {
			if e.scope != layer.Scope || e.revision >= revision || i+1 < len(line) && mark == line[i+1].From {
				continue
			}
			mark++
			if gone := !e.entry.ExpiresAt.IsZero() && !now.Before(e.entry.ExpiresAt); !gone && slices.Contains(e.entry.Tags, tag) {
				found = append(found, e.entry)
			}
		}
	}
	return found
}

// bookedFiles are files of which book is kept.
type bookedFiles struct {
	*workspace.Files
	log *memoryLog
	*ledger
}

func (b bookedFiles) Put(ctx context.Context, o workspace.Owner, p workspace.Put) (openwopv1.WorkspaceFile, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.log.latest("ws-")
	file, err := b.Files.Put(ctx, o, p)
	if revision := b.log.latest("ws-"); revision != before {
		b.files = append(b.files, bookedFile{revision: revision, ref: openwopv1.WorkspaceFileRef{Path: file.Path,
			Version: file.Version}, content: p.Content})
		b.origins[p.Origin]++
	}
	return file, err
}

func (b bookedFiles) delete(ctx context.Context, o workspace.Owner, path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.Delete(ctx, o, path, "")
	if err == nil {
		b.files = append(b.files, bookedFile{revision: b.log.latest("ws-"), ref: openwopv1.WorkspaceFileRef{Path: path}, deleted: true})
	}
	return err
}

// bookedMemory is a memory of which book is kept.
type bookedMemory struct {
	*memory.Store
	log *memoryLog
	*ledger
}

func (b bookedMemory) Add(ctx context.Context, l memory.Line, w memory.Write) (memory.Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.log.latest("mem-")
	entry, err := b.Store.Add(ctx, l, w)
	if revision := b.log.latest("mem-"); revision != before {
		b.entries = append(b.entries, bookedEntry{revision, l.Own(), entry})
		b.origins[w.Origin]++
	}
	return entry, err
}

// latest is the last revision in the logs of a kind.
func (l *memoryLog) latest(kind string) (revision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, entries := range l.logs {
		if strings.HasPrefix(name, kind) {
			revision = max(revision, entries[len(entries)-1].Revision)
		}
	}
	return revision
}
