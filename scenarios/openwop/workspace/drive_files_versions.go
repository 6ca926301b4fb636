package workspace

import (
	"context"
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileHistory is a file written several times, and its versions as read
// afterwards.
type FileHistory struct {
	Writes []FileWrite   `json:"writes"`
	Kept   int           `json:"kept,omitempty"` // maxVersions, 0 if not advertised
	Older  []FileVersion `json:"older"`          // one for every write, in order
	Never  []FileVersion `json:"never"`          // that were never written
	Absurd []FileVersion `json:"absurd"`         // that are not version numbers
}

// FileVersion is the reply to ?version=.
type FileVersion struct {
	Version     string         `json:"version"` // as requested
	Content     string         `json:"content,omitempty"`
	ContentType string         `json:"contentType,omitempty"` // as it was written; "" = none sent
	Got         host.FileReply `json:"got"`
}

// fileRewritten writes a file repeatedly, once with its current content.
var fileRewritten = &scenarios.Drive[FileHistory]{
	ID: "openwop/file-rewritten",
	Title: "writes a workspace file several times, with different content types and once with unchanged content; reads it after each " +
		"write; then reads each version, a version that does not exist, and version numbers that are not valid",
	Sends: []string{"{write file}, several times", "{read file}", "{read file}?version="},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileHistory) {
		kept, _ := claims.Family(f.Discovery, "workspace").Key("maxVersions").Int()
		*o = FileHistory{Kept: int(min(max(kept, 0), mostVersions))}
		path, n := f.Path("rewritten"), f.Between(4, 6)
		again := f.Between(1, n-1) // repeats the previous content
		for i := range n {
			w := FileWrite{Path: path, Content: f.Marker(), ContentType: contentTypes[i%len(contentTypes)]}
			if i == again {
				w.Content, w.ContentType = o.Writes[i-1].Content, o.Writes[i-1].ContentType
			}
			roundTrip(ctx, f, &w)
			o.Writes = append(o.Writes, w)
			if !host.Succeeded(w.Put.Status) {
				return
			}
		}
		history(ctx, f, o, path)
	}),
}

// history reads the versions of a file written n times.
func history(ctx context.Context, f *host.Files, o *FileHistory, path string) {
	for i, w := range o.Writes {
		got := at(ctx, f, path, i+1)
		o.Older = append(o.Older, FileVersion{strconv.Itoa(i + 1), w.Content, w.ContentType, got})
	}
	n := len(o.Writes)
	for _, ask := range []struct {
		into    *[]FileVersion
		version string
	}{
		{&o.Never, strconv.Itoa(n + 1)}, {&o.Never, strconv.Itoa(n + f.Between(2, 1000))},
		{&o.Absurd, "0"}, {&o.Absurd, strconv.Itoa(-f.Between(1, n))}, {&o.Absurd, "latest"}, {&o.Absurd, "1.5"},
	} {
		got := f.LookAt(wire.Misfit(ctx, openwop.OWPWSP19), path, ask.version)
		*ask.into = append(*ask.into, FileVersion{Version: ask.version, Got: got})
	}
}

// mostVersions is the maximum number of writes that the drive spends on making the
// host drop its oldest version.
const mostVersions = 32

// FileHorizon is a file with more writes than the host keeps versions.
type FileHorizon struct {
	Kept    int            `json:"kept"`    // maxVersions
	Written int            `json:"written"` // how often
	Refused host.FileReply `json:"refused"` // the first refused write, if any
	Oldest  []FileVersion  `json:"oldest"`  // that the host must still keep
	Beyond  []FileVersion  `json:"beyond"`  // that the host may have dropped
}

// fileHorizon writes a file until the host must drop versions.
var fileHorizon = &scenarios.Drive[FileHorizon]{
	ID:    "openwop/file-horizon",
	Title: "writes a workspace file a few times more than the host keeps versions, and reads those at either side of the bound",
	Sends: []string{"{write file}, maxVersions times and a few", "{read file}?version="},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileHorizon) {
		kept, ok := claims.Family(f.Discovery, "workspace").Key("maxVersions").Int()
		if !ok || kept < 1 || kept > mostVersions {
			scenarios.End(scenarios.Block(fmt.Sprintf("workspace.maxVersions is %s: a file is written at most %d times",
				claims.Family(f.Discovery, "workspace").Key("maxVersions").JSON(), mostVersions),
				fmt.Sprintf("advertise and keep at most %d versions while the host is certified", mostVersions)))
			*o = FileHorizon{}
			return
		}
		*o = FileHorizon{Kept: int(kept), Written: int(kept) + f.Between(2, 4)}
		path := f.Path("kept")
		contents := make([]string, o.Written)
		for i := range contents {
			contents[i] = f.Marker()
			reply := admitted(ctx, f, path, contents[i])
			if !reply.Success() {
				o.Refused = host.FileReplyOf(reply)
				return
			}
		}
		oldest := o.Written - o.Kept + 1
		for version := 1; version <= o.Written; version++ {
			if version > oldest && version < o.Written || version == oldest-1 { // it is left open whether the latest is one of them
				continue
			}
			got := at(ctx, f, path, version)
			v := FileVersion{Version: strconv.Itoa(version), Content: contents[version-1], Got: got}
			if version < oldest {
				o.Beyond = append(o.Beyond, v)
			} else {
				o.Oldest = append(o.Oldest, v)
			}
		}
	}),
}

// FileDeleted is a file that was deleted and written again.
type FileDeleted struct {
	First    FileWrite        `json:"first"`
	Listed   host.FileReply   `json:"listed"` // before the delete
	Deleted  host.FileReply   `json:"deleted"`
	Gone     host.FileReply   `json:"gone"`
	Unlisted host.FileReply   `json:"unlisted"` // after it
	Twice    host.FileReply   `json:"twice"`    // deleted again
	Never    []host.FileReply `json:"never"`    // read and deleted: a path never written
	Again    FileWrite        `json:"again"`
	Between  []FileVersion    `json:"between"` // versions that no write made, if there are some
}

var fileDeleted = &scenarios.Drive[FileDeleted]{
	ID: "openwop/file-deleted",
	Title: "writes a workspace file twice, deletes it, looks for it, deletes it again, writes it again and reads the versions between; and " +
		"does the same to a path that was never written",
	Sends: []string{"{write file}", "{read file}", "{read file}?version=", "{delete file}", "{list files}?prefix="},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileDeleted) {
		*o = FileDeleted{First: FileWrite{Path: f.Path("doomed"), Content: f.Marker()}}
		o.Again = FileWrite{Path: o.First.Path, Content: f.Marker()}
		admitted(ctx, f, o.First.Path, f.Marker())
		roundTrip(ctx, f, &o.First)
		if !host.Succeeded(o.First.Put.Status) {
			return
		}
		path, never := o.First.Path, f.Path("never-"+f.Marker())
		for _, step := range []struct {
			into *host.FileReply
			do   func() host.FileReply
		}{
			{&o.Listed, func() host.FileReply { return f.List(ctx, f.Prefix) }},
			{&o.Deleted, func() host.FileReply { return f.Drop(ctx, path) }},
			{&o.Gone, func() host.FileReply { return f.LookAt(ctx, path, "") }},
			{&o.Unlisted, func() host.FileReply { return f.List(ctx, f.Prefix) }},
			{&o.Twice, func() host.FileReply { return f.Drop(ctx, path) }},
		} {
			*step.into = step.do()
		}
		for _, ask := range []func() host.FileReply{
			func() host.FileReply { return f.LookAt(ctx, never, "") },
			func() host.FileReply { return f.Drop(ctx, never) },
		} {
			o.Never = append(o.Never, ask())
		}
		roundTrip(ctx, f, &o.Again)
		deleted, _ := o.First.Put.Body.Key("version").Int()
		again, ok := o.Again.Put.Body.Key("version").Int()
		for v := deleted + 1; ok && deleted > 0 && v < min(again, deleted+mostVersions); v++ {
			o.Between = append(o.Between, FileVersion{Version: strconv.FormatInt(v, 10), Got: at(ctx, f, path, int(v))})
		}
	}),
}
