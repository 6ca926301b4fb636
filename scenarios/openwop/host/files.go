package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// FileReply is the reply to an operation on workspace files.
type FileReply struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func FileReplyOf(reply *wire.Reply) FileReply { return FileReply{reply.StatusValue(), reply.Value("")} }

// WithFiles wraps a drive that writes files, and deletes them when it ends: the workspace may be too small for the
// files of all drives.
func WithFiles[O any](run func(context.Context, *Files, *O)) func(context.Context, *scenarios.Conn, *O) {
	return func(ctx context.Context, c *scenarios.Conn, o *O) {
		f := Host{c}.Files()
		run(ctx, f, o)
		f.Tidy(ctx)
	}
}

// Tidy deletes the files now instead of in the clean-up.
func (f *Files) Tidy(ctx context.Context) {
	for paths := range slices.Chunk(slices.Sorted(maps.Keys(f.Left)), FilesAtOnce) {
		calls := make([]func(context.Context), len(paths))
		for i, path := range paths {
			calls[i] = func(ctx context.Context) {
				reply := f.Drop(ctx, path)
				if code, _ := reply.Status.Int(); Succeeded(reply.Status) || IsGone(int(code)) {
					f.Left[path]()
				}
			}
		}
		f.AtOnce(ctx, calls...)
	}
}

// FilesAtOnce is how many files are written or deleted side by side.
const FilesAtOnce = 16

// WorkspaceFiles is what drives use that write files into the workspace, whether they or a run does.
const WorkspaceFiles = "workspace files"

// ModelAnswers are what the model answers to a node of some id in any run. A run of a workflow with such a node takes an answer that was
// programmed for another one.
const ModelAnswers = "the answers of the model"

// Write sends a write and returns the reply, refusals included.
func (f *Files) Write(ctx context.Context, path, ifMatch string, body any) *wire.Reply {
	call := wire.Call{Operation: dialect.WriteFile.Of(path), Body: body, Label: "write a workspace file"}
	if ifMatch != "" {
		call.Header = map[string]string{"If-Match": ifMatch}
	}
	reply, err := scenarios.Attempt(func() *wire.Reply { return f.Do(ctx, call) })
	if err != nil || reply.Success() { // an unanswered write may have happened
		f.LeaveFile(path)
	}
	scenarios.End(err)
	return reply
}

// Text writes a file unconditionally.
func (f *Files) Text(ctx context.Context, path, content string) *wire.Reply {
	return f.TextIf(ctx, path, "", content)
}

// TextIf writes a file if its etag matches.
func (f *Files) TextIf(ctx context.Context, path, etag, content string) *wire.Reply {
	return f.Write(ctx, path, etag, dialect.WorkspaceFileCreate{Content: content})
}

// LookAt reads a version of a file; "" is the latest.
func (f *Files) LookAt(ctx context.Context, path, version string) FileReply {
	read := dialect.ReadFile.Of(path)
	if version != "" {
		read = read.With("version", version)
	}
	return f.answer(ctx, wire.Call{Operation: read, Label: "read a workspace file"})
}

// Drop deletes a file.
func (f *Files) Drop(ctx context.Context, path string) FileReply {
	return f.answer(ctx, wire.Call{Operation: dialect.DeleteFile.Of(path), Label: "delete a workspace file"})
}

// List lists the files under a path prefix.
func (f *Files) List(ctx context.Context, prefix string) FileReply {
	list := dialect.ListFiles.Of()
	if prefix != "" {
		list = list.With("prefix", prefix)
	}
	return f.answer(ctx, wire.Call{Operation: list, Label: "list workspace files"})
}

func (f *Files) answer(ctx context.Context, call wire.Call) FileReply {
	reply := f.Do(ctx, call)
	return FileReplyOf(reply)
}

// Files gives one drive its workspace files. Other drives write to the same workspace, so all paths start with a
// prefix unique to the drive.
type Files struct {
	Host
	Prefix string
	Left   map[string]func() // path -> call when deleted, to release it from the clean-up
}

func (h Host) Files() *Files {
	return &Files{Host: h, Prefix: h.Name("notes"), Left: map[string]func(){}}
}

func (f *Files) Path(stem string) string { return f.Prefix + "/" + stem + ".md" }

// Call sends an operation that changes a file. It blocks the drive if the host denies access.
func (f *Files) Call(ctx context.Context, op dialect.Operation, path string, body any) *wire.Reply {
	reply := f.send(ctx, op, path, body)
	if Forbids(reply.Status) {
		scenarios.End(ShutOut(op, reply.Status))
	}
	return reply
}

func (f *Files) send(ctx context.Context, op dialect.Operation, path string, body any) *wire.Reply {
	return f.Do(ctx, wire.Call{Operation: op.Of(path), Body: body, Label: "workspace file"})
}

func Forbids(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func ShutOut(op dialect.Operation, status int) error {
	return scenarios.Block(fmt.Sprintf("%s answered HTTP %d: the host denies this credential access to the workspace", op, status),
		"give a key with the scopes workspace:read and workspace:write with --key, ASSAY_KEY or --key-file")
}

// Put writes a file, reads it back and returns it as read. A later read by a turn therefore cannot fail because of
// a lost write.
func (f *Files) Put(ctx context.Context, path, content string) wire.Value {
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return f.Call(ctx, dialect.WriteFile, path, dialect.WorkspaceFileCreate{Content: content})
	})
	if err == nil && reply.Success() || errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		f.LeaveFile(path)
	}
	scenarios.End(err)
	if !reply.Success() {
		scenarios.End(Unserved(dialect.WriteFile, reply.Status))
		return wire.Value{}
	}
	read := f.Get(ctx, path)
	if Forbids(read.Status) {
		scenarios.End(ShutOut(dialect.ReadFile, read.Status))
	}
	if !read.Success() || read.Text("/content") != content {
		scenarios.End(scenarios.Block(fmt.Sprintf("setup failed: %s was written with content %q, and GET answers HTTP %d with content %s",
			path, content, read.Status, read.Value("/content").JSON()),
			"serve the last written content of a workspace file"))
	}
	return read.Value("")
}

func (f *Files) Get(ctx context.Context, path string) *wire.Reply {
	return f.send(ctx, dialect.ReadFile, path, nil)
}

// IsGone accepts 403 too: a host may hide whether a file is missing or belongs to somebody else.
func IsGone(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone || status == http.StatusForbidden
}

// Unserved blocks a drive whose files the host did not take. RFC 0059 promises this setup step to every client if
// the host claims a workspace.
func Unserved(op dialect.Operation, status int) error {
	mend := "serve {read file}, {write file} and {delete file} with the slashes of the path encoded, or claim no workspace"
	if status == http.StatusRequestEntityTooLarge {
		mend = "make room for a dozen small files in the workspace while the host is certified"
	}
	return scenarios.Block(fmt.Sprintf("setup failed: the workspace is claimed, but %s answered HTTP %d", op, status), mend)
}

// LeaveFile registers a file for deletion, whether we or a turn will write it.
func (f *Files) LeaveFile(path string) {
	if f.Left[path] != nil {
		return
	}
	f.Left[path] = f.Leave("workspace file "+path, func(ctx context.Context, c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Operation: dialect.DeleteFile.Of(path), Label: "clean up"})
		if err != nil || IsGone(reply.Status) {
			return err
		}
		return scenarios.Undone(reply)
	})
}
