package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileSize is a write with content that a judge can reproduce.
type FileSize struct {
	What  string         `json:"what"`
	Head  string         `json:"head,omitempty"` // of the content
	Unit  string         `json:"unit"`           // repeated behind it, and truncated at Bytes
	Bytes int            `json:"bytes"`          // of the content
	Put   host.FileReply `json:"put"`
	Got   host.FileReply `json:"got"`
}

func (s FileSize) content() string {
	text := s.Head + strings.Repeat(s.Unit, s.Bytes/len(s.Unit)+1)
	for cut := s.Bytes; ; cut-- { // not inside a character
		if utf8.RuneStart(text[cut]) {
			return text[:cut]
		}
	}
}

// FileSizes are writes around the bound on file size, each over the same small
// file.
type FileSizes struct {
	Limit int        `json:"limit"` // maxFileBytes
	First FileWrite  `json:"first"` // the file before
	Sizes []FileSize `json:"sizes"`
}

// Sizes of requests and replies. Replies above 1 MiB are not read, so the largest
// comparable file is a little smaller.
const (
	mostSent = 2 << 20
	mostRead = 1<<20 - 4<<10
	// bodyBeside is room in a request beside the content, and the excess that
	// makes a file too large.
	bodyBeside = 64
)

// filesTooLarge writes files above the bound on size.
var filesTooLarge = &scenarios.Drive[FileSizes]{
	ID: "openwop/files-too-large",
	Title: "overwrites a workspace file with one byte more than maxFileBytes, and with characters of two bytes that are too " +
		"many bytes and not too many characters, and reads it after each",
	Sends: []string{"{write file}", "{read file}"},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileSizes) {
		sized(ctx, f, mostSent, o, func(limit int) []FileSize {
			sizes := []FileSize{{What: "one byte more than maxFileBytes", Bytes: limit + 1}}
			if limit > 100 {
				sizes = append(sizes, FileSize{What: "more bytes than maxFileBytes and fewer characters", Unit: "é", Bytes: limit + 2 - limit%2})
			}
			return sizes
		})
	}),
}

// escaped is what JSON writes with more bytes than it has: few enough of them for a request to have room for.
const escaped = "\"\\\n\t<&>"

// filesAtLimit writes files as large as the bound on size allows.
var filesAtLimit = &scenarios.Drive[FileSizes]{
	ID:    "openwop/files-at-limit",
	Title: "overwrites a workspace file with exactly maxFileBytes bytes, beyond quick also with some that JSON escapes, and reads it",
	Sends: []string{"{write file}", "{read file}"},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileSizes) {
		sized(ctx, f, mostRead, o, func(limit int) []FileSize {
			sizes := []FileSize{{What: "exactly maxFileBytes", Bytes: limit}}
			if f.Depth > scenarios.Quick && limit > 100 {
				sizes = append(sizes, FileSize{What: "exactly maxFileBytes, with characters that JSON escapes", Head: escaped, Bytes: limit})
			}
			return sizes
		})
	}),
}

// sized writes files of these sizes over a small one.
func sized(ctx context.Context, f *host.Files, most int, o *FileSizes, sizes func(limit int) []FileSize) {
	limit := fileLimit(f.Host, "maxFileBytes", most)
	if body, ok := claims.Family(f.Discovery, "limits").Key("maxRequestBodyBytes").Int(); ok && body < int64(limit)+bodyBeside {
		scenarios.End(scenarios.Block(fmt.Sprintf("limits.maxRequestBodyBytes is %d, so no file can have the %d bytes of "+
			"workspace.maxFileBytes", body, limit),
			"advertise limits that leave room for the largest file in a request"))
	}
	*o = FileSizes{Limit: limit, First: FileWrite{Path: f.Path("sized"), Content: f.Marker()[:min(8, limit)]}}
	admitted(ctx, f, o.First.Path, f.Marker()[:min(8, limit)])
	roundTrip(ctx, f, &o.First)
	if !host.Succeeded(o.First.Put.Status) { // the control: the small file can be overwritten
		return
	}
	for _, s := range sizes(limit) {
		if s.Unit == "" {
			s.Unit = f.Marker() + " "
		}
		reply := f.Text(ctx, o.First.Path, s.content())
		s.Put = host.FileReplyOf(reply)
		s.Got = f.LookAt(ctx, o.First.Path, "")
		o.Sizes = append(o.Sizes, s)
	}
}

// fileLimit returns an advertised bound on files, provided we can reach it.
func fileLimit(h host.Host, name string, most int) int {
	v := claims.Family(h.Discovery, "workspace").Key(name)
	limit, ok := v.Int()
	if !ok || limit < 1 || limit > int64(most) {
		scenarios.End(scenarios.Block(fmt.Sprintf("workspace.%s is %s, and only one from 1 to %d can be tested", name, v.JSON(), most),
			fmt.Sprintf("advertise and keep a workspace.%s of at most %d while the host is certified", name, most)))
	}
	return int(limit)
}

// FilesFull is a workspace that was filled to its bound.
type FilesFull struct {
	Limit   int              `json:"limit"` // maxFiles
	Gone    string           `json:"gone"`  // the path of a file made and deleted before the first list
	Before  host.FileReply   `json:"before"`
	Filled  []host.FileReply `json:"filled"` // writes of new files, up to the bound
	Paths   []string         `json:"paths"`  // of these files
	Again   host.FileReply   `json:"again"`  // the control: the first of them written again before the workspace is full
	Full    host.FileReply   `json:"full"`   // the list then
	Over    host.FileReply   `json:"over"`   // one more
	Got     host.FileReply   `json:"got"`
	Rewrite host.FileReply   `json:"rewrite"` // of an existing file
	After   host.FileReply   `json:"after"`   // the list then
	Deleted host.FileReply   `json:"deleted"`
	Room    host.FileReply   `json:"room"` // a new file after another was deleted
	Back    host.FileReply   `json:"back"` // of the deleted one, whose room is taken
}

// mostFiles is the largest workspace that the drive fills.
const mostFiles = 256

// filesFull fills the workspace. No other drive may write files meanwhile.
var filesFull = &scenarios.Drive[FilesFull]{
	ID: "openwop/files-full",
	Title: "fills the workspace up to maxFiles, writes one file more, one that is there, and a new one when another was " +
		"deleted, and the deleted one again; then deletes them all",
	Sends:    []string{"{list files}", "{write file}, as many as maxFiles", "{read file}", "{delete file}"},
	Excludes: host.WorkspaceFiles,
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FilesFull) {
		limit := fileLimit(f.Host, "maxFiles", mostFiles)
		*o = FilesFull{Limit: limit, Gone: f.Path("gone")}
		f.Text(ctx, o.Gone, f.Marker())
		f.Drop(ctx, o.Gone)
		o.Before = f.List(ctx, "")
		if status, _ := o.Before.Status.Int(); host.Forbids(int(status)) {
			scenarios.End(host.ShutOut(dialect.ReadFile, int(status)))
		}
		if !host.Succeeded(o.Before.Status) {
			return
		}
		there := len(listed(o.Before))
		if there >= limit {
			scenarios.End(scenarios.Block(fmt.Sprintf("the workspace holds %d files of %d already", there, limit),
				"make room for a dozen small files in the workspace while the host is certified"))
		}
		fill(ctx, f, o, limit-there)
	}),
}

// fill makes files until the workspace should be full, and then tries further
// writes.
func fill(ctx context.Context, f *host.Files, o *FilesFull, room int) {
	for i := 0; i < room; {
		batch := make([]host.FileReply, min(room-i, batchOf(i)))
		calls := make([]func(context.Context), len(batch))
		for n := range batch {
			path, content := numbered(f, i+n), f.Marker()
			f.LeaveFile(path)
			o.Paths = append(o.Paths, path)
			calls[n] = func(ctx context.Context) { batch[n] = host.FileReplyOf(f.Text(ctx, path, content)) }
		}
		f.AtOnce(ctx, calls...)
		o.Filled = append(o.Filled, batch...)
		if slices.ContainsFunc(batch, func(r host.FileReply) bool { return !host.Succeeded(r.Status) }) {
			break
		}
		if i == 0 {
			o.Again = host.FileReplyOf(f.Text(ctx, numbered(f, 0), f.Marker()))
		}
		i += len(batch)
	}
	for _, r := range o.Filled {
		if status, _ := r.Status.Int(); host.Forbids(int(status)) {
			scenarios.End(host.ShutOut(dialect.WriteFile, int(status)))
		}
	}
	write := func(path string) func() host.FileReply {
		return func() host.FileReply { return host.FileReplyOf(f.Text(ctx, path, f.Marker())) }
	}
	list := func() host.FileReply { return f.List(ctx, "") }
	for _, step := range []struct {
		into *host.FileReply
		do   func() host.FileReply
	}{
		{&o.Full, list},
		{&o.Over, write(numbered(f, room))},
		{&o.Got, func() host.FileReply { return f.LookAt(ctx, numbered(f, room), "") }},
		{&o.Rewrite, write(numbered(f, 0))},
		{&o.After, list},
		{&o.Deleted, func() host.FileReply { return f.Drop(ctx, numbered(f, 0)) }},
		{&o.Room, write(f.Path("room"))},
	} {
		*step.into = step.do()
	}
	if f.Depth != scenarios.Quick && host.Succeeded(o.Deleted.Status) && host.Succeeded(o.Room.Status) {
		o.Back = write(numbered(f, 0))()
	}
}

// batchOf returns how many files are written at once when i are there. The first is written alone, since it is written again.
func batchOf(i int) int {
	if i == 0 {
		return 1
	}
	return host.FilesAtOnce
}

func numbered(f *host.Files, i int) string { return f.Path(fmt.Sprint("n", i)) }

func listed(r host.FileReply) wire.Values { return r.Body.Key("files").Items() }
