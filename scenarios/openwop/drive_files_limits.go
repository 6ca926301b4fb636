package openwop

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// FileSize is a write of a content that a judge can make again.
type FileSize struct {
	What  string    `json:"what"`
	Unit  string    `json:"unit"`  // repeated, and cut off at Bytes
	Bytes int       `json:"bytes"` // of the content
	Put   FileReply `json:"put"`
	Got   FileReply `json:"got"`
}

func (s FileSize) content() string {
	text := strings.Repeat(s.Unit, s.Bytes/len(s.Unit)+1)
	for cut := s.Bytes; ; cut-- { // not in the middle of a character
		if utf8.RuneStart(text[cut]) {
			return text[:cut]
		}
	}
}

// FileSizes are writes about the bound on the size of a file, each over the same small one.
type FileSizes struct {
	Limit int        `json:"limit"` // maxFileBytes
	First FileWrite  `json:"first"` // the file before
	Sizes []FileSize `json:"sizes"`
}

// What is sent and read of one file. A reply of more than 1 MiB is not read, so
// the largest file that can be compared with what was put is a little smaller.
const (
	mostSent = 2 << 20
	mostRead = 1<<20 - 4<<10
	// bodyBeside is what a request holds beside the content, and the few bytes that are too many.
	bodyBeside = 64
)

// filesTooLarge writes more than there may be in one file.
var filesTooLarge = &scenarios.Drive[FileSizes]{
	ID:    "openwop/files-too-large",
	Title: "overwrites a workspace file with one byte more than maxFileBytes, and with characters of two bytes that are too many bytes and not too many characters, and reads it after each",
	Sends: []string{"PUT and GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) (FileSizes, error) {
		return f.sized(ctx, mostSent, func(limit int) []FileSize {
			sizes := []FileSize{{What: "one byte more than maxFileBytes", Bytes: limit + 1}}
			if limit > 100 {
				sizes = append(sizes, FileSize{What: "more bytes than maxFileBytes and fewer characters", Unit: "é", Bytes: limit + 2 - limit%2})
			}
			return sizes
		})
	}),
}

// filesAtLimit writes as much as there may be in one file.
var filesAtLimit = &scenarios.Drive[FileSizes]{
	ID:    "openwop/files-at-limit",
	Title: "overwrites a workspace file with exactly maxFileBytes bytes, and reads it",
	Sends: []string{"PUT and GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) (FileSizes, error) {
		return f.sized(ctx, mostRead, func(limit int) []FileSize {
			return []FileSize{{What: "exactly maxFileBytes", Bytes: limit}}
		})
	}),
}

// sized writes files of these sizes over a small one.
func (f *files) sized(ctx context.Context, most int, sizes func(limit int) []FileSize) (FileSizes, error) {
	limit, err := f.fileLimit("maxFileBytes", most)
	if err != nil {
		return FileSizes{}, err
	}
	if body, ok := family(f.Discovery, "limits").Key("maxRequestBodyBytes").Int(); ok && body < int64(limit)+bodyBeside {
		return FileSizes{}, scenarios.Block(fmt.Sprintf("limits.maxRequestBodyBytes is %d, so that no file can have the %d bytes of workspace.maxFileBytes", body, limit),
			"advertise limits that leave room for the largest file in a request")
	}
	o := FileSizes{Limit: limit, First: FileWrite{Path: f.path("sized"), Content: f.marker()[:min(8, limit)]}}
	if _, err := f.admitted(ctx, o.First.Path, f.marker()[:min(8, limit)]); err != nil {
		return o, err
	}
	if err := f.roundTrip(ctx, &o.First); err != nil || !succeeded(o.First.Put.Status) { // the control: it can be overwritten
		return o, err
	}
	for _, s := range sizes(limit) {
		if s.Unit == "" {
			s.Unit = f.marker() + " "
		}
		reply, err := f.text(ctx, o.First.Path, s.content())
		if err != nil {
			return o, err
		}
		s.Put = fileReply(reply)
		if s.Got, err = f.look(ctx, o.First.Path, ""); err != nil {
			return o, err
		}
		o.Sizes = append(o.Sizes, s)
	}
	return o, nil
}

// fileLimit is a bound that the host advertises on its files, if we can reach it.
func (h host) fileLimit(name string, most int) (int, error) {
	v := family(h.Discovery, "workspace").Key(name)
	limit, ok := v.Int()
	if !ok || limit < 1 || limit > int64(most) {
		return 0, scenarios.Block(fmt.Sprintf("workspace.%s is %s, and one from 1 to %d can be looked at", name, v.JSON(), most),
			fmt.Sprintf("advertise and keep a workspace.%s of at most %d while the host is certified", name, most))
	}
	return int(limit), nil
}

// FilesFull is a workspace that was filled up to its bound.
type FilesFull struct {
	Limit   int         `json:"limit"` // maxFiles
	Gone    string      `json:"gone"`  // the path of a file that was made and deleted before the first list
	Before  FileReply   `json:"before"`
	Filled  []FileReply `json:"filled"` // writes of new files, as many as there was room for
	Again   FileReply   `json:"again"`  // the control: another write of the first of them, while there was room
	Full    FileReply   `json:"full"`   // the list then
	Over    FileReply   `json:"over"`   // one more
	Got     FileReply   `json:"got"`
	Rewrite FileReply   `json:"rewrite"` // of one that is there
	After   FileReply   `json:"after"`   // the list then
	Deleted FileReply   `json:"deleted"`
	Room    FileReply   `json:"room"` // a new one, when another was deleted
}

// mostFiles is how many files are made to fill a workspace.
const mostFiles = 100

// filesFull fills the workspace. Nothing else that writes files may run beside it.
var filesFull = &scenarios.Drive[FilesFull]{
	ID:        "openwop/files-full",
	Title:     "fills the workspace up to maxFiles, writes one file more, one that is there, and a new one when another was deleted; then deletes them all",
	Sends:     []string{"GET /v1/host/workspace/files", "PUT, GET and DELETE /v1/host/workspace/files/{path}, as many as maxFiles"},
	Exclusive: true,
	Run: withFiles(func(ctx context.Context, f *files) (FilesFull, error) {
		limit, err := f.fileLimit("maxFiles", mostFiles)
		if err != nil {
			return FilesFull{}, err
		}
		o := FilesFull{Limit: limit, Gone: f.path("gone")}
		if _, err := f.text(ctx, o.Gone, f.marker()); err != nil {
			return o, err
		}
		if _, err := f.drop(ctx, o.Gone); err != nil {
			return o, err
		}
		if o.Before, err = f.list(ctx, ""); err != nil {
			return o, err
		}
		if status, _ := o.Before.Status.Int(); forbids(int(status)) {
			return o, shutOut(http.MethodGet, int(status))
		}
		if !succeeded(o.Before.Status) {
			return o, nil
		}
		there := len(o.Before.listed())
		if there >= limit {
			return o, scenarios.Block(fmt.Sprintf("the workspace holds %d files of %d already", there, limit), "make room for a dozen small files in the workspace while the host is certified")
		}
		return o, f.fill(ctx, &o, limit-there)
	}),
}

// fill makes files until there should be no room, and tries what is possible then.
func (f *files) fill(ctx context.Context, o *FilesFull, room int) error {
	for i := range room {
		if i == 1 {
			reply, err := f.text(ctx, f.numbered(0), f.marker())
			if err != nil {
				return err
			}
			o.Again = fileReply(reply)
		}
		reply, err := f.text(ctx, f.numbered(i), f.marker())
		if err != nil {
			return err
		}
		if forbids(reply.Status) {
			return shutOut(http.MethodPut, reply.Status)
		}
		o.Filled = append(o.Filled, fileReply(reply))
		if !reply.Success() {
			break
		}
	}
	write := func(path string) func() (FileReply, error) {
		return func() (FileReply, error) {
			reply, err := f.text(ctx, path, f.marker())
			if err != nil {
				return FileReply{}, err
			}
			return fileReply(reply), nil
		}
	}
	list := func() (FileReply, error) { return f.list(ctx, "") }
	for _, step := range []struct {
		into *FileReply
		do   func() (FileReply, error)
	}{
		{&o.Full, list},
		{&o.Over, write(f.numbered(room))},
		{&o.Got, func() (FileReply, error) { return f.look(ctx, f.numbered(room), "") }},
		{&o.Rewrite, write(f.numbered(0))},
		{&o.After, list},
		{&o.Deleted, func() (FileReply, error) { return f.drop(ctx, f.numbered(0)) }},
		{&o.Room, write(f.path("room"))},
	} {
		var err error
		if *step.into, err = step.do(); err != nil {
			return err
		}
	}
	return nil
}

func (f *files) numbered(i int) string { return f.path(fmt.Sprint("n", i)) }

// listed are the entries of a list.
func (r FileReply) listed() wire.Values { return r.Body.Key("files").Items() }
