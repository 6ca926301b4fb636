package workspace

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// FileListing is the expected and the actual list of files under a prefix.
type FileListing struct {
	What   string         `json:"what"`
	Prefix string         `json:"prefix"`
	Shown  []FileWrite    `json:"shown"` // the latest write of each file
	List   host.FileReply `json:"list"`
}

// FilesListed holds lists of files written before.
type FilesListed struct {
	Writes []FileWrite   `json:"writes"` // all of them, in order
	Lists  []FileListing `json:"lists"`
}

// filesListed lists files of several folders.
var filesListed = &scenarios.Drive[FilesListed]{
	ID: "openwop/files-listed",
	Title: "writes workspace files in two folders and beside them, one of them twice, some that differ in a sign, and lists each folder, " +
		"all of them, and one that is empty; deletes one, and one with the path of a folder, and lists again",
	Sends: []string{"{write file}", "{list files}?prefix=", "{delete file}"},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FilesListed) {
		for _, path := range []string{"a/one", "a/two", "a/deep/er", "b/one", "ab", "c_d.e", "c-d.e", "c_d-e"} {
			w := FileWrite{Path: f.Path(path), Content: f.Marker()}
			reply := admitted(ctx, f, w.Path, w.Content)
			if w.Put = host.FileReplyOf(reply); path == "a/two" && reply.Success() {
				w.Content = f.Marker()
				reply = admitted(ctx, f, w.Path, w.Content)
				w.Put = host.FileReplyOf(reply)
			}
			o.Writes = append(o.Writes, w)
			if !reply.Success() {
				return
			}
		}
		all := o.Writes
		for _, l := range []FileListing{
			{What: "one folder", Prefix: f.Prefix + "/a/", Shown: all[:3]},
			{What: "the other folder", Prefix: f.Prefix + "/b/", Shown: all[3:4]},
			{What: "what begins with a letter", Prefix: f.Prefix + "/a", Shown: []FileWrite{all[0], all[1], all[2], all[4]}},
			{What: "all of them", Prefix: f.Prefix, Shown: all},
			{What: "one file", Prefix: all[3].Path, Shown: all[3:4]},
			{What: "what begins with signs that patterns have", Prefix: f.Prefix + "/c_d.", Shown: all[5:6]},
			{What: "a folder that is not there", Prefix: f.Prefix + "/" + f.Marker() + "/"},
		} {
			listFiles(ctx, f, o, l)
		}
		if reply := f.Drop(ctx, all[0].Path); !host.Succeeded(reply.Status) {
			return
		}
		listFiles(ctx, f, o, FileListing{What: "one folder, after a delete", Prefix: f.Prefix + "/a/", Shown: all[1:3]})
		if f.Depth != scenarios.Quick {
			dropFolder(ctx, f, o, all)
		}
	}),
}

// dropFolder writes and deletes a file whose path is the beginning of other paths. Some hosts cannot keep such a file.
func dropFolder(ctx context.Context, f *host.Files, o *FilesListed, all []FileWrite) {
	path := f.Prefix + "/a"
	if !f.Text(ctx, path, f.Marker()).Success() || !host.Succeeded(f.Drop(ctx, path).Status) {
		return
	}
	listFiles(ctx, f, o, FileListing{What: "what begins with the path of a deleted file", Prefix: path,
		Shown: []FileWrite{all[1], all[2], all[4]}})
}

func listFiles(ctx context.Context, f *host.Files, o *FilesListed, l FileListing) {
	l.List = f.List(ctx, l.Prefix)
	o.Lists = append(o.Lists, l)
}

// FilesUnclaimed is a host that claims no workspace files, and its reply to a list
// request.
type FilesUnclaimed struct {
	List host.FileReply `json:"list"`
}

// filesUnclaimed requests a list the host does not promise.
var filesUnclaimed = &scenarios.Drive[FilesUnclaimed]{
	ID:    "openwop/files-unclaimed",
	Title: "lists the workspace files of a host that advertises none",
	Sends: []string{"{list files}?prefix="},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FilesUnclaimed) {
		list := f.List(ctx, f.Prefix)
		*o = FilesUnclaimed{list}
	}),
}
