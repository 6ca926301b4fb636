package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
)

// TestModel compares the files with maps and slices, over random sequences of what callers can do and of what can happen
// to the host.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHost(t, Options{MaxFileBytes: 40, MaxFiles: 2, MaxVersions: 3, Secrets: []string{secret}})
		defer h.close()
		m := &model{host: h, files: map[key]history{}, origins: map[Owner]map[string]openwopv1.WorkspaceFile{}, refs: map[seen]string{}}
		rt.Repeat(map[string]func(*rapid.T){
			"put":      m.put,
			"crash":    m.crash,
			"delete":   m.delete,
			"get":      m.get,
			"snapshot": m.snapshot,
			"reopen":   func(*rapid.T) { h.reopen() },
			"wait":     func(*rapid.T) { h.clock.Advance(time.Millisecond) },
			"":         m.agree,
		})
		m.readAll(rt)
	})
}

type key struct {
	owner Owner
	path  string
}

// history is what became of a path: a file for each write, nil for each delete.
type history []*openwopv1.WorkspaceFile

// current is the file as it is, nil where there is none.
func (h history) current() *openwopv1.WorkspaceFile {
	if len(h) == 0 {
		return nil
	}
	return h[len(h)-1]
}

// lastDelete is the version that is the last delete, 0 without one.
func (h history) lastDelete() int64 {
	for i := len(h); i > 0; i-- {
		if h[i-1] == nil {
			return int64(i)
		}
	}
	return 0
}

type seen struct {
	owner Owner
	ref   openwopv1.WorkspaceFileRef
}

type model struct {
	*host
	files   map[key]history
	origins map[Owner]map[string]openwopv1.WorkspaceFile
	refs    map[seen]string // of every snapshot ever taken, with the content
}

// Owners that look alike, and paths of which one begins with another.
var (
	owners = []Owner{{Tenant: "t1"}, {Tenant: "t1", Workspace: "w1"}, {Tenant: "t1 w1"}}
	paths  = []string{"a", "a/b", "a.md"}
)

func anyKey(rt *rapid.T) key {
	return key{rapid.SampledFrom(owners).Draw(rt, "owner"), rapid.SampledFrom(paths).Draw(rt, "path")}
}

// live counts the files of an owner.
func (m *model) live(owner Owner) (n int) {
	for k, h := range m.files {
		if k.owner == owner && h.current() != nil {
			n++
		}
	}
	return n
}

func (m *model) anyPut(rt *rapid.T, k key) Put {
	p := Put{Path: k.path, Content: anyContent().Draw(rt, "content"),
		ContentType: rapid.SampledFrom([]string{"", "text/plain"}).Draw(rt, "type")}
	if rapid.Bool().Draw(rt, "conditional") {
		matches := []string{"*", `"0-00000000"`, "1"}
		for _, f := range m.files[k] {
			if f != nil {
				matches = append(matches, *f.Etag)
			}
		}
		p.IfMatch = new(rapid.SampledFrom(matches).Draw(rt, "ifMatch"))
	}
	return p
}

func anyContent() *rapid.Generator[string] {
	return rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"step 1\n", "<ä\u2028>", secret, "\x00"}), 0, 5).Draw(rt, "parts"), "")
	})
}

// want is what a write should come to: a file, or the code of a refusal with the current version.
func (m *model) want(k key, p Put) (want openwopv1.WorkspaceFile, code string, current int64) {
	if f, ok := m.origins[k.owner][p.Origin]; ok {
		return f, "", 0
	}
	content := strings.ReplaceAll(p.Content, secret, "[REDACTED:1]")
	now := m.files[k].current()
	switch {
	case len(p.Content) > 40 || len(content) > 40:
		return want, codeTooLarge, 0
	case p.IfMatch != nil && now == nil:
		return want, codeConflict, 0
	case p.IfMatch != nil && *p.IfMatch != "*" && *p.IfMatch != *now.Etag:
		return want, codeConflict, now.Version
	case now == nil && m.live(k.owner) == 2:
		return want, codeTooLarge, 0
	}
	return openwopv1.WorkspaceFile{
		Path: k.path, Content: content, ContentType: new(cmp.Or(p.ContentType, "text/markdown")),
		Version: int64(len(m.files[k])) + 1, UpdatedAt: m.clock.Now().UTC(),
	}, "", 0
}

func (m *model) put(rt *rapid.T) {
	k := anyKey(rt)
	p := m.anyPut(rt, k)
	p.Origin = rapid.SampledFrom([]string{"", "", "o1", "o2", "o3"}).Draw(rt, "origin")
	m.putAndCompare(rt, k, p)
}

func (m *model) putAndCompare(rt *rapid.T, k key, p Put) {
	want, code, current := m.want(k, p)
	got, err := m.Put(rt.Context(), k.owner, p)
	if code != "" {
		e := wantRefusal(rt, err, code)
		if code == codeConflict && e.Details["currentVersion"] != current {
			rt.Fatalf("the refusal has %v, want version %d", e.Details, current)
		}
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	if _, known := m.origins[k.owner][p.Origin]; !known {
		want.Etag = got.Etag // any, as long as no other version has it
		m.written(rt, k, p.Origin, want)
	}
	wantFile(rt, got, want)
}

// written takes a new file into the model.
func (m *model) written(rt *rapid.T, k key, origin string, f openwopv1.WorkspaceFile) {
	for _, before := range m.files[k] {
		if before != nil && *before.Etag == *f.Etag {
			rt.Fatalf("versions %d and %d have the etag %s", before.Version, f.Version, *f.Etag)
		}
	}
	m.files[k] = append(m.files[k], &f)
	if origin != "" {
		if m.origins[k.owner] == nil {
			m.origins[k.owner] = map[string]openwopv1.WorkspaceFile{}
		}
		m.origins[k.owner][origin] = f
	}
}

// crash writes, loses the answer, and does the same again, after a restart or without one.
func (m *model) crash(rt *rapid.T) {
	k := anyKey(rt)
	p := m.anyPut(rt, k)
	p.Origin = fmt.Sprintf("crash-%d", m.crashes)
	m.crashes++
	_, code, _ := m.want(k, p)
	m.log.deaf = eventlog.ErrUnwritable
	_, err := m.Put(rt.Context(), k.owner, p)
	m.log.deaf = nil
	if code != "" {
		wantRefusal(rt, err, code)
		return
	}
	if !errors.Is(err, eventlog.ErrUnwritable) {
		rt.Fatalf("the answer was lost: got error %v", err)
	}
	if rapid.Bool().Draw(rt, "restart") {
		m.reopen()
	}
	m.putAndCompare(rt, k, p)
}

func (m *model) delete(rt *rapid.T) {
	k := anyKey(rt)
	err := m.Delete(rt.Context(), k.owner, k.path, "")
	if m.files[k].current() == nil {
		wantRefusal(rt, err, codeNotFound)
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	m.files[k] = append(m.files[k], nil)
}

func (m *model) get(rt *rapid.T) {
	k := anyKey(rt)
	version := rapid.Int64Range(0, 8).Draw(rt, "version")
	got, err := m.Get(rt.Context(), k.owner, k.path, version)
	want := m.files[k].current()
	if want != nil && version > 0 {
		h := m.files[k]
		if version > int64(len(h)) || version <= h.lastDelete() || version <= int64(len(h))-3 {
			want = nil
		} else {
			want = h[version-1]
		}
	}
	if want == nil {
		wantRefusal(rt, err, codeNotFound)
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	wantFile(rt, got, *want)
}

func (m *model) snapshot(rt *rapid.T) {
	owner := rapid.SampledFrom(owners).Draw(rt, "owner")
	refs, err := m.Snapshot(rt.Context(), owner)
	if err != nil {
		rt.Fatal(err)
	}
	for _, ref := range refs {
		m.refs[seen{owner, ref}] = m.files[key{owner, ref.Path}][ref.Version-1].Content
	}
}

// agree holds after every step.
func (m *model) agree(rt *rapid.T) {
	for _, owner := range owners {
		var (
			infos = []openwopv1.WorkspaceFileInfo{}
			refs  = []openwopv1.WorkspaceFileRef{}
		)
		for _, path := range slices.Sorted(slices.Values(paths)) {
			if f := m.files[key{owner, path}].current(); f != nil {
				infos = append(infos, openwopv1.WorkspaceFileInfo{Path: path, Version: f.Version, ContentType: f.ContentType, Etag: f.Etag,
					UpdatedAt: f.UpdatedAt})
				refs = append(refs, openwopv1.WorkspaceFileRef{Path: path, Version: f.Version})
			}
		}
		listed, err := m.List(rt.Context(), owner, "")
		if err != nil || !reflect.DeepEqual(listed, infos) {
			rt.Fatalf("%v has %+v, error %v; want %+v", owner, listed, err, infos)
		}
		taken, err := m.Snapshot(rt.Context(), owner)
		if err != nil || !slices.Equal(taken, refs) {
			rt.Fatalf("the snapshot of %v is %+v, error %v; want %+v", owner, taken, err, refs)
		}
	}
}

// readAll reads what every snapshot ever showed.
func (m *model) readAll(rt *rapid.T) {
	for _, s := range slices.SortedFunc(maps.Keys(m.refs), func(a, b seen) int {
		return cmp.Or(cmp.Compare(a.owner.Tenant, b.owner.Tenant), cmp.Compare(a.ref.Path, b.ref.Path), cmp.Compare(a.ref.Version, b.ref.Version))
	}) {
		got, err := m.Content(rt.Context(), s.owner, s.ref)
		if err != nil || got != m.refs[s] {
			rt.Fatalf("%v: %v reads %q, error %v; want %q", s.owner, s.ref, got, err, m.refs[s])
		}
	}
}
