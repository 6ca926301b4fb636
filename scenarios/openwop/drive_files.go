package openwop

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// FileReply is what the host answered to an operation on workspace files.
type FileReply struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func fileReply(reply *wire.Reply) FileReply { return FileReply{reply.StatusValue(), reply.Value("")} }

// FileWrite is one write of a file, and the file as it was read after it.
type FileWrite struct {
	Path        string    `json:"path"`
	Content     string    `json:"content"`
	ContentType string    `json:"contentType,omitempty"` // "" = none was sent
	Put         FileReply `json:"put"`
	Got         FileReply `json:"got"`
}

// withFiles is a drive that writes files and leaves none: there may not be room for those of all drives.
func withFiles[O any](run func(context.Context, *files) (O, error)) func(context.Context, *scenarios.Conn) (O, error) {
	return func(ctx context.Context, c *scenarios.Conn) (O, error) {
		f := host{c}.files()
		o, err := run(ctx, f)
		if err != nil {
			return o, err
		}
		return o, f.tidy(ctx)
	}
}

// tidy deletes what the clean-up would delete at the end.
func (f *files) tidy(ctx context.Context) error {
	for _, path := range slices.Sorted(maps.Keys(f.left)) {
		reply, err := f.drop(ctx, path)
		if err != nil {
			return err
		}
		if code, _ := reply.Status.Int(); succeeded(reply.Status) || isGone(int(code)) {
			f.left[path]()
		}
	}
	return nil
}

// write asks for a write, whatever comes of it: a refusal is an answer too.
func (f *files) write(ctx context.Context, path, ifMatch string, body any) (*wire.Reply, error) {
	call := wire.Call{Method: http.MethodPut, Path: fileURL(path), Body: body, Label: "write a workspace file"}
	if ifMatch != "" {
		call.Header = map[string]string{"If-Match": ifMatch}
	}
	reply, err := f.Do(ctx, call)
	if err != nil || reply.Success() { // what was not answered may have been done
		f.leave(path)
	}
	return reply, err
}

// text writes a file whoever has written it before.
func (f *files) text(ctx context.Context, path, content string) (*wire.Reply, error) {
	return f.textIf(ctx, path, "", content)
}

// textIf writes a file that has this etag.
func (f *files) textIf(ctx context.Context, path, etag, content string) (*wire.Reply, error) {
	return f.write(ctx, path, etag, openwopv1.WorkspaceFileCreate{Content: content})
}

// admitted is text for a drive that cannot begin without: one whose credential
// may not write has nothing to look at.
func (f *files) admitted(ctx context.Context, path, content string) (*wire.Reply, error) {
	reply, err := f.text(ctx, path, content)
	if err != nil {
		return nil, err
	}
	return reply, barred(reply)
}

// barred is why a drive cannot begin: the credential may not write, or there is no room.
func barred(reply *wire.Reply) error {
	switch {
	case forbids(reply.Status):
		return shutOut(http.MethodPut, reply.Status)
	case reply.Status == http.StatusRequestEntityTooLarge:
		return unserved(http.MethodPut, reply.Status)
	}
	return nil
}

// look reads a file; version "" is the latest.
func (f *files) look(ctx context.Context, path, version string) (FileReply, error) {
	at := fileURL(path)
	if version != "" {
		at += "?version=" + url.QueryEscape(version)
	}
	return f.answer(ctx, wire.Call{Method: http.MethodGet, Path: at, Label: "read a workspace file"})
}

// at is look at a version that is a number.
func (f *files) at(ctx context.Context, path string, version int) (FileReply, error) {
	return f.look(ctx, path, strconv.Itoa(version))
}

// drop deletes a file.
func (f *files) drop(ctx context.Context, path string) (FileReply, error) {
	return f.answer(ctx, wire.Call{Method: http.MethodDelete, Path: fileURL(path), Label: "delete a workspace file"})
}

// list reads the list of the files whose path begins so.
func (f *files) list(ctx context.Context, prefix string) (FileReply, error) {
	at := listURL
	if prefix != "" {
		at += "?prefix=" + url.QueryEscape(prefix)
	}
	return f.answer(ctx, wire.Call{Method: http.MethodGet, Path: at, Label: "list workspace files"})
}

const listURL = "/v1/host/workspace/files"

func (f *files) answer(ctx context.Context, call wire.Call) (FileReply, error) {
	reply, err := f.Do(ctx, call)
	if err != nil {
		return FileReply{}, err
	}
	return fileReply(reply), nil
}

// etagOf is what If-Match takes of a file that was just served.
func etagOf(reply *wire.Reply) string { return reply.Text("/etag") }

// inventedEtag looks like one and is no file's.
func (h host) inventedEtag() string { return `"assay-` + h.marker() + `"` }

// filesWritten puts files of several kinds and reads them.
var filesWritten = &scenarios.Drive[[]FileWrite]{
	ID:    "openwop/files-written",
	Title: "puts workspace files with random text of many scripts, with nothing, with and without a content type, below the longest path there can be, and reads each",
	Sends: []string{"PUT /v1/host/workspace/files/{path}", "GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) ([]FileWrite, error) {
		writes := []FileWrite{
			{Path: f.path("plain"), Content: f.marker()},
			{Path: f.path("scripts"), Content: f.scripts(), ContentType: "text/plain"},
			{Path: f.path("empty"), ContentType: "application/json"},
			{Path: f.longest(), Content: f.scripts()},
		}
		for i := range writes {
			if err := f.roundTrip(ctx, &writes[i]); err != nil {
				return nil, err
			}
		}
		return writes, nil
	}),
}

// scripts is a text that comes back changed from whoever does not keep it as
// it is: line ends, a combining accent, quotes, and characters of four bytes.
func (h host) scripts() string {
	return "\t# Straße " + h.marker() + "\r\n“naïve” e\u0301 \"\\/\" &lt; %2F {{x}} ${y}\n工作区 مرحبا 🧪\u2028\n\n "
}

// longest is a path of 256 characters, of every kind that a path may have.
func (f *files) longest() string {
	const most = 256
	path := f.prefix + "/Deep_er/v1.0/"
	for len(path) < most-len(".md") {
		path += "x"
	}
	return path + ".md"
}

// roundTrip writes a file and reads it.
func (f *files) roundTrip(ctx context.Context, w *FileWrite) error {
	body := openwopv1.WorkspaceFileCreate{Content: w.Content}
	if w.ContentType != "" {
		body.ContentType = &w.ContentType
	}
	reply, err := f.write(ctx, w.Path, "", body)
	if err != nil {
		return err
	}
	if err := barred(reply); err != nil {
		return err
	}
	w.Put = fileReply(reply)
	w.Got, err = f.look(ctx, w.Path, "")
	return err
}

// FileBodies are writes that say nothing that a file could hold.
type FileBodies struct {
	First  FileWrite    `json:"first"` // the control: the same path, and a proper body
	Bodies []FileRefuse `json:"bodies"`
	After  FileReply    `json:"after"`
}

// FileRefuse is a write that has to be refused.
type FileRefuse struct {
	What string    `json:"what"`
	Put  FileReply `json:"put"`
}

// filesUnwritable sends bodies without content.
var filesUnwritable = &scenarios.Drive[FileBodies]{
	ID:    "openwop/files-unwritable",
	Title: "puts a workspace file, then bodies without content or with one that is no text on the same path, and reads the file",
	Sends: []string{"PUT /v1/host/workspace/files/{path} {}", "PUT /v1/host/workspace/files/{path} {content: a number, null, an object}", "GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) (FileBodies, error) {
		o := FileBodies{First: FileWrite{Path: f.path("kept"), Content: f.marker()}}
		if err := f.roundTrip(ctx, &o.First); err != nil {
			return o, err
		}
		for _, bad := range []struct {
			what string
			body any
		}{
			{"a body without content", map[string]any{}},
			{"a number for the content", map[string]any{"content": f.Rand.IntN(1000)}},
			{"a null for the content", map[string]any{"content": nil}},
			{"an object for the content", map[string]any{"content": map[string]any{"text": f.marker()}}},
		} {
			reply, err := f.write(ctx, o.First.Path, "", bad.body)
			if err != nil {
				return o, err
			}
			o.Bodies = append(o.Bodies, FileRefuse{bad.what, fileReply(reply)})
		}
		var err error
		o.After, err = f.look(ctx, o.First.Path, "")
		return o, err
	}),
}
