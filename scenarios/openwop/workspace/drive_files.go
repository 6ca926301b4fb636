package workspace

import (
	"context"
	"net/http"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileWrite is one write of a file, and the file as it was read after it.
type FileWrite struct {
	Path        string         `json:"path"`
	Content     string         `json:"content"`
	ContentType string         `json:"contentType,omitempty"` // "" = none sent
	Put         host.FileReply `json:"put"`
	Got         host.FileReply `json:"got"`
}

// admitted writes a first file. It ends the drive if the credential may not write.
func admitted(ctx context.Context, f *host.Files, path, content string) *wire.Reply {
	reply := f.Text(ctx, path, content)
	scenarios.End(barred(reply))
	return reply
}

// barred returns why a drive cannot begin: the credential may not write, or the
// workspace is full.
func barred(reply *wire.Reply) error {
	switch {
	case host.Forbids(reply.Status):
		return host.ShutOut(dialect.WriteFile, reply.Status)
	case reply.Status == http.StatusRequestEntityTooLarge:
		return host.Unserved(dialect.WriteFile, reply.Status)
	}
	return nil
}

// at reads a version by number.
func at(ctx context.Context, f *host.Files, path string, version int) host.FileReply {
	return f.LookAt(ctx, path, strconv.Itoa(version))
}

// etagOf returns the If-Match value for a file that was just served.
func etagOf(reply *wire.Reply) string { return reply.Text("/etag") }

// inventedEtag returns a well-formed etag that no file has.
func inventedEtag(h host.Host) string { return `"` + h.Marker() + `"` }

// filesWritten writes files of several kinds and reads them back.
var filesWritten = &scenarios.Drive[[]FileWrite]{
	ID: "openwop/files-written",
	Title: "puts workspace files with random text of many scripts, with nothing, with and without a content type, below the " +
		"longest path there can be, and reads each; writes them again with other texts and types",
	Sends:      []string{"{write file}", "{read file}"},
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: []*scenarios.Dimension{rewrites, kindOfContent},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *[]FileWrite) {
		writes := []FileWrite{
			{Path: f.Path("plain"), Content: f.Marker()},
			{Path: f.Path("scripts"), Content: scripts(f.Host), ContentType: "text/plain"},
			{Path: f.Path("empty"), ContentType: "application/json"},
			{Path: longest(f), Content: scripts(f.Host)},
		}
		for range f.Draw(rewrites) {
			w := FileWrite{Path: writes[f.Rand.IntN(len(writes))].Path, Content: contents[f.Draw(kindOfContent)]}
			if f.Rand.IntN(2) == 0 {
				w.ContentType = contentTypes[f.Rand.IntN(len(contentTypes))]
			}
			writes = append(writes, w)
		}
		if f.Depth != scenarios.Quick { // each text that looks like another value
			for _, kind := range f.Rand.Perm(len(contents)) {
				writes = append(writes, FileWrite{Path: writes[1].Path, Content: contents[kind], ContentType: "text/plain"})
			}
		}
		// One that had a type is written without.
		writes = append(writes, FileWrite{Path: writes[1].Path, Content: f.Marker(), ContentType: "text/csv"},
			FileWrite{Path: writes[1].Path, Content: f.Marker()})
		for i := range writes {
			roundTrip(ctx, f, &writes[i])
		}
		*o = writes
	}),
}

// contents are texts that a careless host takes for something else, or for nothing.
var contents = []string{"", "0", "null", "false", "{}", "[]", `"quoted"`, "undefined", " ", "\n", "%2e%2e", "a\\nb", "1e3", "\ufeffbom"}

// contentTypes are such as files have.
var contentTypes = []string{"text/plain", "application/json", "application/x-yaml"}

var (
	rewrites      = &scenarios.Dimension{Name: "writes over files with other texts", Least: 2, Most: [3]int{3, 12, 60}}
	kindOfContent = &scenarios.Dimension{Name: "text of a file that looks like another value", Least: 0,
		Most: [3]int{len(contents) - 1, len(contents) - 1, len(contents) - 1}}
)

// scripts is a text that careless storage changes: line ends, a combining accent,
// quotes, and four-byte characters.
func scripts(h host.Host) string {
	return "\t# Straße " + h.Marker() + "\r\n“naïve” e\u0301 \"\\/\" &lt; %2F {{x}} ${y}\n工作区 مرحبا 🧪\u2028\n\n "
}

// longest is a path of 256 characters with every kind of character allowed in a
// path.
func longest(f *host.Files) string {
	const most = 256
	path := f.Prefix + "/Deep_er/v1.0/"
	for len(path) < most-len(".md") {
		path += "x"
	}
	return path + ".md"
}

// roundTrip writes a file and reads it back.
func roundTrip(ctx context.Context, f *host.Files, w *FileWrite) {
	body := dialect.WorkspaceFileCreate{Content: w.Content}
	if w.ContentType != "" {
		body.ContentType = &w.ContentType
	}
	reply := f.Write(ctx, w.Path, "", body)
	scenarios.End(barred(reply))
	w.Put = host.FileReplyOf(reply)
	w.Got = f.LookAt(ctx, w.Path, "")
}

// FileBodies are writes without content for a file.
type FileBodies struct {
	First  FileWrite      `json:"first"` // the control: the same path with a valid body
	Bodies []FileRefuse   `json:"bodies"`
	After  host.FileReply `json:"after"`
}

// FileRefuse is a write that must be refused.
type FileRefuse struct {
	What string         `json:"what"`
	Put  host.FileReply `json:"put"`
}

// filesUnwritable sends bodies without content.
var filesUnwritable = &scenarios.Drive[FileBodies]{
	ID:    "openwop/files-unwritable",
	Title: "puts a workspace file, then bodies without content or with one that is no text on the same path, and reads the file",
	Sends: []string{"{write file} {}", "{write file} {content: a number, null, an object}", "{read file}"},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileBodies) {
		*o = FileBodies{First: FileWrite{Path: f.Path("kept"), Content: f.Marker()}}
		roundTrip(ctx, f, &o.First)
		for _, bad := range []struct {
			what string
			body any
		}{
			{"a body without content", map[string]any{}},
			{"a number for the content", map[string]any{"content": f.Rand.IntN(1000)}},
			{"a null for the content", map[string]any{"content": nil}},
			{"an object for the content", map[string]any{"content": map[string]any{"text": f.Marker()}}},
		} {
			reply := f.Write(wire.Misfit(ctx, openwop.OWPWSP3), o.First.Path, "", bad.body)
			o.Bodies = append(o.Bodies, FileRefuse{bad.what, host.FileReplyOf(reply)})
		}
		o.After = f.LookAt(ctx, o.First.Path, "")
	}),
}
