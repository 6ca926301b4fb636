package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// FileReply is what the host answered to an operation on workspace files.
type FileReply struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func FileReplyOf(reply *wire.Reply) FileReply { return FileReply{reply.StatusValue(), reply.Value("")} }

// WithFiles is a drive that writes files and leaves none: there may not be room for those of all drives.
func WithFiles[O any](run func(context.Context, *Files) (O, error)) func(context.Context, *scenarios.Conn) (O, error) {
	return func(ctx context.Context, c *scenarios.Conn) (O, error) {
		f := Host{c}.Files()
		o, err := run(ctx, f)
		if err != nil {
			return o, err
		}
		return o, f.Tidy(ctx)
	}
}

// Tidy deletes what the clean-up would delete at the end.
func (f *Files) Tidy(ctx context.Context) error {
	for _, path := range slices.Sorted(maps.Keys(f.Left)) {
		reply, err := f.Drop(ctx, path)
		if err != nil {
			return err
		}
		if code, _ := reply.Status.Int(); Succeeded(reply.Status) || IsGone(int(code)) {
			f.Left[path]()
		}
	}
	return nil
}

// Write asks for a write, whatever comes of it: a refusal is an answer too.
func (f *Files) Write(ctx context.Context, path, ifMatch string, body any) (*wire.Reply, error) {
	call := wire.Call{Method: http.MethodPut, Path: FileURL(path), Body: body, Label: "write a workspace file"}
	if ifMatch != "" {
		call.Header = map[string]string{"If-Match": ifMatch}
	}
	reply, err := f.Do(ctx, call)
	if err != nil || reply.Success() { // what was not answered may have been done
		f.LeaveFile(path)
	}
	return reply, err
}

// Text writes a file whoever has written it before.
func (f *Files) Text(ctx context.Context, path, content string) (*wire.Reply, error) {
	return f.TextIf(ctx, path, "", content)
}

// TextIf writes a file that has this etag.
func (f *Files) TextIf(ctx context.Context, path, etag, content string) (*wire.Reply, error) {
	return f.Write(ctx, path, etag, openwopv1.WorkspaceFileCreate{Content: content})
}

// LookAt reads a file; version "" is the latest.
func (f *Files) LookAt(ctx context.Context, path, version string) (FileReply, error) {
	at := FileURL(path)
	if version != "" {
		at += "?version=" + url.QueryEscape(version)
	}
	return f.answer(ctx, wire.Call{Method: http.MethodGet, Path: at, Label: "read a workspace file"})
}

// Drop deletes a file.
func (f *Files) Drop(ctx context.Context, path string) (FileReply, error) {
	return f.answer(ctx, wire.Call{Method: http.MethodDelete, Path: FileURL(path), Label: "delete a workspace file"})
}

// List reads the list of the files whose path begins so.
func (f *Files) List(ctx context.Context, prefix string) (FileReply, error) {
	at := listURL
	if prefix != "" {
		at += "?prefix=" + url.QueryEscape(prefix)
	}
	return f.answer(ctx, wire.Call{Method: http.MethodGet, Path: at, Label: "list workspace files"})
}

const listURL = "/v1/host/workspace/files"

func (f *Files) answer(ctx context.Context, call wire.Call) (FileReply, error) {
	reply, err := f.Do(ctx, call)
	if err != nil {
		return FileReply{}, err
	}
	return FileReplyOf(reply), nil
}

// files are the workspace files of one drive. The workspace is its owner's, and
// others write there as well: the paths begin with a name of the drive's own.
type Files struct {
	Host
	Prefix string
	Left   map[string]func() // paths that the clean-up knows; call it when the file is gone
}

func (h Host) Files() *Files {
	return &Files{Host: h, Prefix: h.Name("assay"), Left: map[string]func(){}}
}

func (f *Files) Path(stem string) string { return f.Prefix + "/" + stem + ".md" }

const filesURL = "/v1/host/workspace/files/"

// FileURL encodes the slashes of a path as well: not every host takes them raw.
func FileURL(path string) string { return filesURL + url.PathEscape(path) }

// Call sends one operation that changes a file, and stops the drive where the host would not let us.
func (f *Files) Call(ctx context.Context, method, path string, body any) (*wire.Reply, error) {
	reply, err := f.send(ctx, method, path, body)
	if err == nil && Forbids(reply.Status) {
		return nil, ShutOut(method, reply.Status)
	}
	return reply, err
}

func (f *Files) send(ctx context.Context, method, path string, body any) (*wire.Reply, error) {
	return f.Do(ctx, wire.Call{Method: method, Path: FileURL(path), Body: body, Label: "workspace file"})
}

func Forbids(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func ShutOut(method string, status int) error {
	return scenarios.Block(fmt.Sprintf("%s %s answered HTTP %d: the host does not let this credential at the workspace", method, filesURL+"{path}", status),
		"give a key with the scopes workspace:read and workspace:write with --key, ASSAY_KEY or --key-file")
}

// Put writes a file and reads it back: what a turn does not see later on is
// then not the fault of a write that never was. It returns the file as it is read.
func (f *Files) Put(ctx context.Context, path, content string) (wire.Value, error) {
	reply, err := f.Call(ctx, http.MethodPut, path, openwopv1.WorkspaceFileCreate{Content: content})
	if err == nil && reply.Success() || errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		f.LeaveFile(path)
	}
	if err != nil {
		return wire.Value{}, err
	}
	if !reply.Success() {
		return wire.Value{}, Unserved(http.MethodPut, reply.Status)
	}
	read, err := f.Get(ctx, path)
	if err != nil {
		return wire.Value{}, err
	}
	if Forbids(read.Status) {
		return wire.Value{}, ShutOut(http.MethodGet, read.Status)
	}
	if !read.Success() || read.Text("/content") != content {
		return wire.Value{}, scenarios.Block(fmt.Sprintf("set-up: %s was written with content %q, and GET answers HTTP %d with content %s", path, content, read.Status, read.Value("/content").JSON()),
			"serve a workspace file as it was written last")
	}
	return read.Value(""), nil
}

func (f *Files) Get(ctx context.Context, path string) (*wire.Reply, error) {
	return f.send(ctx, http.MethodGet, path, nil)
}

// IsGone takes 403 as well: a host need not tell what is not there from what is not ours.
func IsGone(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone || status == http.StatusForbidden
}

// Unserved stops a drive whose files the host would not take: a set-up step
// that RFC 0059 promises wherever the workspace is claimed.
func Unserved(method string, status int) error {
	mend := "serve GET, PUT and DELETE /v1/host/workspace/files/{path} with the slashes of the path encoded, or claim no workspace"
	if status == http.StatusRequestEntityTooLarge {
		mend = "make room for a dozen small files in the workspace while the host is certified"
	}
	return scenarios.Block(fmt.Sprintf("set-up: the workspace is claimed, but %s %s answered HTTP %d", method, filesURL+"{path}", status), mend)
}

// LeaveFile notes that a file has to be deleted, whether we write it or a turn does.
func (f *Files) LeaveFile(path string) {
	if f.Left[path] != nil {
		return
	}
	f.Left[path] = f.Leave("workspace file "+path, func(ctx context.Context, c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Method: http.MethodDelete, Path: FileURL(path), Label: "clean up"})
		if err != nil {
			return err
		}
		if !reply.Success() && !IsGone(reply.Status) {
			return fmt.Errorf("delete answered HTTP %d", reply.Status)
		}
		return nil
	})
}
