package workspace

import (
	"context"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// FilePath is a write to a forbidden path, and later reads: of that path, and of
// the place where a careless host would have stored the file.
type FilePath struct {
	What    string         `json:"what"`
	Path    string         `json:"path"`
	Leads   string         `json:"leads,omitempty"` // the path it resolves to
	Content string         `json:"content"`
	Put     host.FileReply `json:"put"`
	Got     host.FileReply `json:"got"`
	There   host.FileReply `json:"there"` // the read of Leads
}

// FilePaths are writes to paths of every kind.
type FilePaths struct {
	Good   []FileWrite    `json:"good"`   // the control
	Climbs []FilePath     `json:"climbs"` // with a segment ".."
	Others []FilePath     `json:"others"` // that the pattern rejects
	Prefix string         `json:"prefix"`
	List   host.FileReply `json:"list"` // of all our files
}

// filesAstray writes to forbidden paths.
var filesAstray = &scenarios.Drive[FilePaths]{
	ID: "openwop/files-astray",
	Title: "writes workspace files below paths that leave the workspace or that no file can have, and looks for them there, " +
		"where they lead, and in the list",
	Sends:   []string{"{write file}, the slashes of the path encoded", "{read file}", "{list files}?prefix="},
	Replies: 45,
	Uses:    []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FilePaths) {
		*o = FilePaths{Prefix: f.Prefix}
		for _, stem := range []string{"a/inside", "dots-and_more.v1"} {
			w := FileWrite{Path: f.Path(stem), Content: f.Marker()}
			roundTrip(ctx, f, &w)
			o.Good = append(o.Good, w)
		}
		for _, climb := range climbs(f) {
			stray(ctx, f, &climb)
			o.Climbs = append(o.Climbs, climb)
		}
		for _, other := range others(f) {
			stray(ctx, f, &other)
			o.Others = append(o.Others, other)
		}
		o.List = f.List(ctx, f.Prefix)
	}),
}

// climbs returns paths that lead out of a folder or out of the workspace.
func climbs(f *host.Files) []FilePath {
	p := f.Prefix
	return []FilePath{
		{What: "up and down inside", Path: p + "/a/../climbed", Leads: p + "/climbed"},
		{What: "up and down further inside", Path: p + "/a/b/../../climbed2", Leads: p + "/climbed2"},
		{What: "up from the first folder", Path: p + "/../" + p + "-up", Leads: p + "-up"},
		{What: "out of the workspace", Path: "../" + p + "-out", Leads: p + "-out"},
		{What: "far out of the workspace", Path: "../../../../../../tmp/" + p + "-far", Leads: "tmp/" + p + "-far"},
		{What: "two dots at the end", Path: p + "/a/..", Leads: p},
	}
}

// others returns paths with forbidden parts. It leaves out empty segments and
// segments of one dot: the pattern accepts them, and no text says more.
func others(f *host.Files) []FilePath {
	p := f.Prefix
	const most = 256
	return []FilePath{
		{What: "a leading slash", Path: "/" + p + "-slash", Leads: p + "-slash"},
		{What: "a leading dot", Path: "." + p + "-hidden"},
		{What: "a leading hyphen", Path: "-" + p + "-option"},
		{What: "a leading low line", Path: "_" + p + "-low"},
		{What: "a backslash", Path: p + `\back`, Leads: p + "/back"},
		{What: "backslashes that lead out", Path: `..\` + p + "-back", Leads: p + "-back"},
		{What: "an encoding within the encoding", Path: "..%2F" + p + "-twice", Leads: p + "-twice"},
		{What: "a space", Path: p + "/a b"},
		{What: "a letter of another script", Path: p + "/é"},
		{What: "257 characters", Path: p + "/" + strings.Repeat("x", most-len(p))},
	}
}

// stray writes to a forbidden path and reads the result.
func stray(ctx context.Context, f *host.Files, o *FilePath) {
	o.Content = f.Marker()
	reply := f.Text(ctx, o.Path, o.Content)
	o.Put = host.FileReplyOf(reply)
	if o.Got = f.LookAt(ctx, o.Path, ""); o.Leads == "" {
		return
	}
	if host.Succeeded(o.Put.Status) {
		f.LeaveFile(o.Leads)
	}
	o.There = f.LookAt(ctx, o.Leads, "")
}
