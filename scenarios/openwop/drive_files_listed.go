package openwop

import (
	"context"

	"github.com/openassay/assay/scenarios"
)

// FileListing is what a list of the files below a prefix must show, and what it shows.
type FileListing struct {
	What   string      `json:"what"`
	Prefix string      `json:"prefix"`
	Shown  []FileWrite `json:"shown"` // the latest write of each file
	List   FileReply   `json:"list"`
}

// FilesListed are lists of files that were written before.
type FilesListed struct {
	Writes []FileWrite   `json:"writes"` // all of them, in order
	Lists  []FileListing `json:"lists"`
}

// filesListed lists files of several folders.
var filesListed = &scenarios.Drive[FilesListed]{
	ID:    "openwop/files-listed",
	Title: "writes workspace files in two folders and beside them, one of them twice, and lists each folder, all of them, and one that is empty; deletes one and lists again",
	Sends: []string{"PUT /v1/host/workspace/files/{path}", "GET /v1/host/workspace/files?prefix=", "DELETE /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) (FilesListed, error) {
		var o FilesListed
		for _, path := range []string{"a/one", "a/two", "a/deep/er", "b/one", "ab"} {
			w := FileWrite{Path: f.path(path), Content: f.marker()}
			reply, err := f.admitted(ctx, w.Path, w.Content)
			if err != nil {
				return o, err
			}
			if w.Put = fileReply(reply); path == "a/two" && reply.Success() {
				w.Content = f.marker()
				if reply, err = f.admitted(ctx, w.Path, w.Content); err != nil {
					return o, err
				}
				w.Put = fileReply(reply)
			}
			o.Writes = append(o.Writes, w)
			if !reply.Success() {
				return o, nil
			}
		}
		all := o.Writes
		for _, l := range []FileListing{
			{What: "one folder", Prefix: f.prefix + "/a/", Shown: all[:3]},
			{What: "the other folder", Prefix: f.prefix + "/b/", Shown: all[3:4]},
			{What: "what begins with a letter", Prefix: f.prefix + "/a", Shown: []FileWrite{all[0], all[1], all[2], all[4]}},
			{What: "all of them", Prefix: f.prefix, Shown: all},
			{What: "one file", Prefix: all[3].Path, Shown: all[3:4]},
			{What: "a folder that is not there", Prefix: f.prefix + "/" + f.marker() + "/"},
		} {
			if err := f.listing(ctx, &o, l); err != nil {
				return o, err
			}
		}
		if reply, err := f.drop(ctx, all[0].Path); err != nil || !succeeded(reply.Status) {
			return o, err
		}
		return o, f.listing(ctx, &o, FileListing{What: "one folder, after a delete", Prefix: f.prefix + "/a/", Shown: all[1:3]})
	}),
}

func (f *files) listing(ctx context.Context, o *FilesListed, l FileListing) error {
	var err error
	l.List, err = f.list(ctx, l.Prefix)
	o.Lists = append(o.Lists, l)
	return err
}

// FilesUnclaimed is a host that says it has no files, and what it answers to a list of them.
type FilesUnclaimed struct {
	List FileReply `json:"list"`
}

// filesUnclaimed asks for what was not promised.
var filesUnclaimed = &scenarios.Drive[FilesUnclaimed]{
	ID:    "openwop/files-unclaimed",
	Title: "lists the workspace files of a host that advertises none",
	Sends: []string{"GET /v1/host/workspace/files?prefix="},
	Run: withFiles(func(ctx context.Context, f *files) (FilesUnclaimed, error) {
		list, err := f.list(ctx, f.prefix)
		return FilesUnclaimed{list}, err
	}),
}
