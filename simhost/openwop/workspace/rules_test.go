package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/rules"
)

// Every rule is asked: another one in its place shows.
func TestFilesGoByTheRules(t *testing.T) {
	own := Owner{Tenant: "a"}
	written := func(h *host, p Put) string {
		file, err := h.Put(h.t.Context(), own, p)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(file.Path, " ", file.Version, " ", file.Content, " ", *file.ContentType, " ", *file.Etag)
	}
	read := func(h *host, path string, version int64) string {
		file, err := h.Get(h.t.Context(), own, path, version)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(file.Version, " ", file.Content)
	}
	listed := func(h *host, prefix string) string {
		files, err := h.List(h.t.Context(), own, prefix)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, f := range files {
			out = append(out, fmt.Sprint(f.Path, " ", f.Version))
		}
		return strings.Join(out, ", ")
	}
	deleted := func(h *host, path string) string { return fmt.Sprint(h.Delete(h.t.Context(), own, path, "")) }
	for _, c := range []struct {
		rule            string
		replace         func(*rules.Files)
		do              func(*host) string
		honest, changed string // in what do returns
	}{
		{"Fits", func(f *rules.Files) { f.Fits = func(string) bool { return true } },
			func(h *host) string { return written(h, Put{Path: "-"}) }, "characters", "- 1"},
		{"Etag", func(f *rules.Files) { f.Etag = func(int64, string) string { return "e" } },
			func(h *host) string { return written(h, Put{Path: "p"}) }, `"3-`, " e"},
		{"Next", func(f *rules.Files) { f.Next = func(rules.FileWrite) (int64, bool) { return 1, true } },
			func(h *host) string { return deleted(h, "p") + written(h, Put{Path: "p"}) }, "p 4", "p 1"},
		{"Next, the same", func(f *rules.Files) {
			f.Next = func(w rules.FileWrite) (int64, bool) { return w.Latest + 1, !w.Same() }
		},
			func(h *host) string { return written(h, Put{Path: "p", Content: "two"}) }, "p 3", "p 2"},
		{"Holds, unconditional", func(f *rules.Files) { f.Holds = func(rules.FileCondition) bool { return false } },
			func(h *host) string { return written(h, Put{Path: "p"}) }, "p 3", "has changed"},
		{"Holds", func(f *rules.Files) { f.Holds = func(rules.FileCondition) bool { return true } },
			func(h *host) string { return written(h, Put{Path: "p", IfMatch: new("x")}) }, "has changed", "p 3"},
		{"Bytes", func(f *rules.Files) { f.Bytes = func(string) int { return 0 } },
			func(h *host) string { return written(h, Put{Path: "p", Content: "123456789"}) }, "within", "p 3"},
		{"Room", func(f *rules.Files) { f.Room = func(int, int, bool) bool { return true } },
			func(h *host) string { return written(h, Put{Path: "ab"}) + written(h, Put{Path: "c"}) }, "delete one first", "c 1"},
		{"Gone, read", func(f *rules.Files) {
			f.Gone = func(op rules.FileOperation, _ string) bool { return op != rules.ReadsFile }
		},
			func(h *host) string { return deleted(h, "p") + read(h, "p", 0) }, "there is no file", "3 "},
		{"Gone, deleted", func(f *rules.Files) {
			f.Gone = func(op rules.FileOperation, _ string) bool { return op != rules.DeletesFile }
		},
			func(h *host) string { return deleted(h, "p") + deleted(h, "p") }, "there is no file", "<nil><nil>"},
		{"Gone, listed", func(f *rules.Files) {
			f.Gone = func(op rules.FileOperation, _ string) bool { return op != rules.ListsFiles }
		},
			func(h *host) string { return deleted(h, "p") + listed(h, "p") }, "<nil>", "p 3"},
		{"Serves", func(f *rules.Files) { f.Serves = func(_, oldest, _ int64) (int64, bool) { return oldest, true } },
			func(h *host) string { return read(h, "p", 7) }, "is not kept", "1 one"},
	} {
		for _, changed := range []bool{false, true} {
			set, want := rules.Honest().Files, c.honest
			if changed {
				c.replace(&set)
				want = c.changed
			}
			h := startHost(t, Options{MaxFileBytes: 8, MaxFiles: 2})
			h.mustPut(t, own, "p", "one")
			h.mustPut(t, own, "p", "two")
			h.o.Rules = set
			h.reopen()
			if got := c.do(h); !strings.Contains(got, want) {
				t.Errorf("%s, changed %v: got %q, want %q in it", c.rule, changed, got, want)
			}
		}
	}
}
