package fault

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var fileFaults = []Fault{
	{
		ID:     "file.line-ends-changed",
		Title:  "the line ends of a file are made those of the host",
		Looks:  "a carriage return that was put is not in the content that is read",
		Breaks: []string{openwop.OWPWSP1},
		Request: puts(func(_ string, put map[string]any) {
			if content, ok := put["content"].(string); ok {
				put["content"] = strings.ReplaceAll(content, "\r\n", "\n")
			}
		}),
	},
	{
		ID:     "file.type-by-name",
		Title:  "the content type of a file goes by the end of its path, and not by what was said",
		Looks:  "a file that was put as text/plain is read as text/markdown",
		Breaks: []string{openwop.OWPWSP1, openwop.OWPWSP18},
		Twin:   "the text is kept, and what kind of text it is not",
		Request: puts(func(file string, put map[string]any) {
			if _, said := put["contentType"].(string); said && path.Ext(file) == ".md" {
				delete(put, "contentType")
			}
		}),
	},
	{
		ID:     "file.plain-by-default",
		Title:  "a file that was put without a content type is plain text",
		Looks:  "its contentType is text/plain",
		Breaks: []string{openwop.OWPWSP2},
		Request: puts(func(_ string, put map[string]any) {
			if said, there := put["contentType"]; !there || said == "" {
				put["contentType"] = "text/plain"
			}
		}),
	},
	{
		ID:     "file.missing-content-empties",
		Title:  "a write without content empties the file",
		Looks:  "a body without content is HTTP 200, and the file is empty",
		Breaks: []string{openwop.OWPWSP3, openwop.OWPERR26}, // a body that is null makes it fall over
		Replace: func(s *rules.Set) {
			minds := s.Requests.Minds
			s.Requests.Minds = func(operation, member string) bool {
				return (operation != "putWorkspaceFile" || member != "") && minds(operation, member)
			}
		},
	},
	{
		ID:     "file.prefix-is-folder",
		Title:  "a list takes its prefix for the name of a folder or of a file",
		Looks:  "a file whose path begins with the prefix in the middle of a name is not listed",
		Breaks: []string{openwop.OWPWSP4},
		Reply: mutate.On("GET "+theFiles, func(r *mutate.Reply) {
			prefix := r.Request.URL.Query().Get("prefix")
			mutate.At("", func(list *openwopv1.WorkspaceFileList) {
				list.Files = slices.DeleteFunc(list.Files, func(f openwopv1.WorkspaceFileInfo) bool {
					rest, below := strings.CutPrefix(f.Path, prefix)
					return !below || rest != "" && prefix != "" && !strings.HasSuffix(prefix, "/") && !strings.HasPrefix(rest, "/")
				})
			})(r)
		}),
	},
	{
		ID:     "file.list-keeps-first-version",
		Title:  "a list shows a file as it was when it was made",
		Looks:  "a file that was written twice is listed at version 1",
		Breaks: []string{openwop.OWPWSP4},
		Twin:   "the right files are listed, and not as they are",
		Reply:  listsFiles(func(file map[string]any) { file["version"] = 1 }),
	},
	{
		ID:     "file.list-has-contents",
		Title:  "a list holds the contents of the files",
		Looks:  "its entries have a content",
		Breaks: []string{openwop.OWPWSP5},
		Remembers: func() mutate.Changes {
			var contents sync.Map // of files that were shown, by etag: a list does not say what is in a file
			return replies(learnsContents(&contents), mutate.On("GET "+theFiles, listsFiles(func(file map[string]any) {
				if content, known := contents.Load(file["etag"]); known {
					file["content"] = content
				}
			})))
		},
	},
	{
		ID:     "file.deleted-is-listed",
		Title:  "the list of a prefix shows files that were deleted",
		Looks:  "a deleted file is not found, and listed",
		Breaks: []string{openwop.OWPWSP6, openwop.OWPWSP4},
		Replace: undeleted(func(op rules.FileOperation, asked string) bool {
			return op == rules.ListsFiles && asked != ""
		}),
	},
	{
		ID:      "file.deleted-is-empty",
		Title:   "a file that was deleted is read as an empty one",
		Looks:   "GET of a deleted file is HTTP 200 with no content",
		Breaks:  []string{openwop.OWPWSP6},
		Replace: undeleted(func(op rules.FileOperation, _ string) bool { return op == rules.ReadsFile }),
	},
	{
		ID:      "file.deleted-twice",
		Title:   "a file that was deleted can be deleted again",
		Looks:   "the second DELETE is HTTP 204",
		Breaks:  []string{openwop.OWPWSP7},
		Replace: undeleted(func(op rules.FileOperation, _ string) bool { return op == rules.DeletesFile }),
	},
	{
		ID:     "file.unclaimed-is-forbidden",
		Title:  "a host without files forbids its callers to list them",
		Looks:  "the list of files is HTTP 403 where discovery has no workspace",
		Breaks: []string{openwop.OWPWSP8},
		Under:  Under{Without: []string{"workspace"}},
		Reply: ofFiles(func(r *mutate.Reply) {
			if r.Status == http.StatusNotImplemented {
				r.Status = http.StatusForbidden
				mutate.At("", func(e *openwopv1.ErrorEnvelope) {
					e.Error = forbidden
					delete(e.Details, "correlationId") // which refusals from 500 on have
				})(r)
			}
		}),
	},
	{
		ID:     "file.climbs",
		Title:  "a path with two dots in its middle is a path like any other",
		Looks:  "a write to a/../b is HTTP 200",
		Breaks: []string{openwop.OWPWSP21},
		Replace: func(s *rules.Set) {
			fits := s.Files.Fits
			s.Files.Fits = func(file string) bool {
				first := min(len(file), 1)
				return fits(file[:first] + strings.ReplaceAll(file[first:], "..", "up"))
			}
		},
	},
	{
		ID:     "file.climbs-are-resolved",
		Title:  "two dots in a path are resolved before it is judged",
		Looks:  "a write to a/../b is HTTP 200, and b is there",
		Breaks: []string{openwop.OWPWSP21},
		Twin:   "one host keeps a name that leads elsewhere, this one follows it",
		Request: asksFor(func(asked string) string {
			if file := path.Clean(asked); strings.Contains(asked, "..") && file[0] != '.' {
				return file
			}
			return asked
		}),
	},
	{
		ID:      "file.backslash-is-slash",
		Title:   "a backslash in a path is taken for a slash",
		Looks:   `a write to a\b is HTTP 200, and a/b is there`,
		Breaks:  []string{openwop.OWPWSP22},
		Request: asksFor(func(asked string) string { return strings.ReplaceAll(asked, `\`, "/") }),
	},
	{
		ID:     "file.path-of-any-length",
		Title:  "a path may be of any length",
		Looks:  "a write to a path of 257 characters is HTTP 200",
		Breaks: []string{openwop.OWPWSP22},
		Twin:   "what a path is made of is judged, and how long it is not",
		Replace: func(s *rules.Set) {
			fits := s.Files.Fits
			const within = 200
			s.Files.Fits = func(file string) bool { return fits(file[:min(len(file), within)]) }
		},
	},
	{
		ID:     "file.size-in-characters",
		Title:  "the size of a file is that of its characters",
		Looks:  "content of more bytes than maxFileBytes is HTTP 200 where its characters are fewer",
		Breaks: []string{openwop.OWPWSP23},
		Replace: func(s *rules.Set) {
			s.Files.Bytes = utf8.RuneCountInString
		},
	},
	{
		ID:     "file.largest-refused",
		Title:  "a line end that no content has counts for its size",
		Looks:  "content of exactly maxFileBytes bytes is HTTP 413",
		Breaks: []string{openwop.OWPWSP24},
		Replace: func(s *rules.Set) {
			size := s.Files.Bytes
			s.Files.Bytes = func(content string) int { return size(content) + len("\n") }
		},
	},
	{
		ID:     "file.one-too-many",
		Title:  "the files are counted before the new one is there",
		Looks:  "a workspace takes one file more than maxFiles",
		Breaks: []string{openwop.OWPWSP25},
		Replace: func(s *rules.Set) {
			room := s.Files.Room
			s.Files.Room = func(there, most int, exists bool) bool { return room(there, most+1, exists) }
		},
	},
	{
		ID:     "file.one-too-few",
		Title:  "a workspace is full when one file is missing",
		Looks:  "the write of the last file of maxFiles is HTTP 413",
		Breaks: []string{openwop.OWPWSP26},
		Replace: func(s *rules.Set) {
			room := s.Files.Room
			s.Files.Room = func(there, most int, exists bool) bool { return room(there, most-1, exists) }
		},
	},
	{
		ID:     "file.full-stands-still",
		Title:  "a full workspace takes no write at all",
		Looks:  "a file that is there cannot be written when there are maxFiles",
		Breaks: []string{openwop.OWPWSP26},
		Twin:   "there is room for every file, and none to write it again",
		Replace: func(s *rules.Set) {
			room := s.Files.Room
			s.Files.Room = func(there, most int, _ bool) bool { return room(there, most, false) }
		},
	},
	{
		ID:     "file.overwrite-untold",
		Title:  "the log of a run tells the files that it made, and not those that it overwrote",
		Looks:  "no workspace.updated names a file that was there before the run",
		Breaks: []string{openwop.OWPWSP27},
		Replace: untold(func(e event.Event) bool {
			var p event.WorkspaceUpdatedPayload
			return e.Type == event.WorkspaceUpdated && json.Unmarshal(e.Payload, &p) == nil && p.Version > 1
		}),
	},
	{
		ID:     "file.content-told",
		Title:  "the log of a run repeats the content of the files that it wrote",
		Looks:  "workspace.updated holds the content of the file",
		Breaks: []string{openwop.OWPWSP28},
		Remembers: repeating(event.WorkspaceUpdated, func(write, told map[string]any) bool {
			return write["path"] == told["path"]
		}),
	},
	{
		ID:     "file.read-as-they-are",
		Title:  "below version 5 of the execution model a run reads the files as they are when it does",
		Looks:  "what is written while the run waits is in what its turns note",
		Breaks: []string{openwop.OWPWSP29},
		Spots:  []int{5},
		Under:  Under{Version: 4},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && !r.Forked
		}),
	},
	{
		ID:     "file.owners-run-together",
		Title:  "owners are told apart by the names of tenant and workspace in one, with nothing between",
		Looks:  "tenant ab without a workspace has the files of workspace b of tenant a",
		Breaks: []string{openwop.OWPWSP31},
		Request: owning(func(ask *openwopv1.WorkspaceOpRequest) {
			if ask.Workspace != nil {
				ask.Tenant += *ask.Workspace
			}
			ask.Workspace = nil
		}),
	},
	{
		ID:      "file.workspaces-shared",
		Title:   "the files of a tenant are one, whatever the workspace",
		Looks:   "two workspaces of a tenant have the same files",
		Breaks:  []string{openwop.OWPWSP31},
		Twin:    "nobody's names run together: a workspace means nothing",
		Request: owning(func(ask *openwopv1.WorkspaceOpRequest) { ask.Workspace = nil }),
	},
}

// undeleted has what was deleted still be there for the operations that are meant.
func undeleted(meant func(op rules.FileOperation, asked string) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		gone := s.Files.Gone
		s.Files.Gone = func(op rules.FileOperation, asked string) bool { return !meant(op, asked) && gone(op, asked) }
	}
}
