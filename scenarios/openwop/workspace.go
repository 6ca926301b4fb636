package openwop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// files are the workspace files of one drive. The workspace is its owner's, and
// others write there as well: the paths begin with a name of the drive's own.
type files struct {
	host
	prefix string
	left   map[string]func() // paths that the clean-up knows; call it when the file is gone
}

func (h host) files() *files {
	return &files{host: h, prefix: h.Name("assay"), left: map[string]func(){}}
}

func (f *files) path(stem string) string { return f.prefix + "/" + stem + ".md" }

const filesURL = "/v1/host/workspace/files/"

// fileURL encodes the slashes of a path as well: not every host takes them raw.
func fileURL(path string) string { return filesURL + url.PathEscape(path) }

// call sends one operation that changes a file, and stops the drive where the host would not let us.
func (f *files) call(ctx context.Context, method, path string, body any) (*wire.Reply, error) {
	reply, err := f.send(ctx, method, path, body)
	if err == nil && forbids(reply.Status) {
		return nil, shutOut(method, reply.Status)
	}
	return reply, err
}

func (f *files) send(ctx context.Context, method, path string, body any) (*wire.Reply, error) {
	return f.Do(ctx, wire.Call{Method: method, Path: fileURL(path), Body: body, Label: "workspace file"})
}

func forbids(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func shutOut(method string, status int) error {
	return scenarios.Block(fmt.Sprintf("%s %s answered HTTP %d: the host does not let this credential at the workspace", method, filesURL+"{path}", status),
		"give a key with the scopes workspace:read and workspace:write with --key, ASSAY_KEY or --key-file")
}

// put writes a file and reads it back: what a turn does not see later on is
// then not the fault of a write that never was. It returns the file as it is read.
func (f *files) put(ctx context.Context, path, content string) (wire.Value, error) {
	reply, err := f.call(ctx, http.MethodPut, path, openwopv1.WorkspaceFileCreate{Content: content})
	if err == nil && reply.Success() || errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		f.leave(path)
	}
	if err != nil {
		return wire.Value{}, err
	}
	if !reply.Success() {
		return wire.Value{}, unserved(http.MethodPut, reply.Status)
	}
	read, err := f.get(ctx, path)
	if err != nil {
		return wire.Value{}, err
	}
	if forbids(read.Status) {
		return wire.Value{}, shutOut(http.MethodGet, read.Status)
	}
	if !read.Success() || read.Text("/content") != content {
		return wire.Value{}, scenarios.Block(fmt.Sprintf("set-up: %s was written with content %q, and GET answers HTTP %d with content %s", path, content, read.Status, read.Value("/content").JSON()),
			"serve a workspace file as it was written last")
	}
	return read.Value(""), nil
}

// remove deletes a file and sees that it is gone.
func (f *files) remove(ctx context.Context, path string) error {
	reply, err := f.call(ctx, http.MethodDelete, path, nil)
	if err != nil {
		return err
	}
	if !reply.Success() {
		return unserved(http.MethodDelete, reply.Status)
	}
	read, err := f.get(ctx, path)
	if err != nil {
		return err
	}
	if !isGone(read.Status) {
		return scenarios.Block(fmt.Sprintf("set-up: %s was deleted, and GET answers HTTP %d", path, read.Status), "answer 404 for a workspace file that was deleted")
	}
	return nil
}

func (f *files) get(ctx context.Context, path string) (*wire.Reply, error) {
	return f.send(ctx, http.MethodGet, path, nil)
}

// isGone takes 403 as well: a host need not tell what is not there from what is not ours.
func isGone(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone || status == http.StatusForbidden
}

// unserved stops a drive whose files the host would not take: a set-up step
// that RFC 0059 promises wherever the workspace is claimed.
func unserved(method string, status int) error {
	mend := "serve GET, PUT and DELETE /v1/host/workspace/files/{path} with the slashes of the path encoded, or claim no workspace"
	if status == http.StatusRequestEntityTooLarge {
		mend = "make room for a dozen small files in the workspace while the host is certified"
	}
	return scenarios.Block(fmt.Sprintf("set-up: the workspace is claimed, but %s %s answered HTTP %d", method, filesURL+"{path}", status), mend)
}

// leave notes that a file has to be deleted, whether we write it or a turn does.
func (f *files) leave(path string) {
	if f.left[path] != nil {
		return
	}
	f.left[path] = f.Leave("workspace file "+path, func(ctx context.Context, c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Method: http.MethodDelete, Path: fileURL(path), Label: "clean up"})
		if err != nil {
			return err
		}
		if !reply.Success() && !isGone(reply.Status) {
			return fmt.Errorf("delete answered HTTP %d", reply.Status)
		}
		return nil
	})
}
