package workspace

import (
	"context"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileCondition is a conditional write, and the file after it.
type FileCondition struct {
	What    string         `json:"what"`
	Content string         `json:"content"` // of the write
	Put     host.FileReply `json:"put"`
	Got     host.FileReply `json:"got"`
	Listed  host.FileReply `json:"listed"`         // if there is no file
	Made    bool           `json:"made,omitempty"` // it must be made; else refused
	Free    bool           `json:"free,omitempty"` // it has no condition
	Weak    bool           `json:"weak,omitempty"` // its etag is a weak one, which never matches; no text says how that is refused
}

// FileConditions are conditional writes of one file, in this order.
type FileConditions struct {
	First   FileWrite       `json:"first"`
	Current FileCondition   `json:"current"` // with the etag of First
	Stale   []FileCondition `json:"stale"`   // with that etag again, with an invented one, and with the current one as a weak one
	Last    FileCondition   `json:"last"`    // with the file's current etag
	// Life is what comes then: the first content is written again, and the file is deleted and made again, a drawn number of times.
	Life []FileCondition `json:"life"`
}

// fileConditions writes a file with its current etag, a former one and an invented
// one.
var fileConditions = &scenarios.Drive[FileConditions]{
	ID: "openwop/file-conditions",
	Title: "writes a workspace file with the etag that it has, with the one it had before, with one that nobody gave " +
		"out and with its own marked as weak, and reads it after each; writes its first content again; deletes it and makes it again, and " +
		"writes with etags of all its lives, and with mixtures of them",
	Sends:      []string{"{write file}", "{write file} with If-Match", "{read file}", "{delete file}"},
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: []*scenarios.Dimension{lives, writesOfLife},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileConditions) {
		path := f.Path("contended")
		*o = FileConditions{First: FileWrite{Path: path, Content: f.Marker()}}
		reply := admitted(ctx, f, path, o.First.Content)
		o.First.Put = host.FileReplyOf(reply)
		first := etagOf(reply)
		if first == "" {
			return
		}
		second := conditional(ctx, f, path, first, "the etag that the file has", &o.Current)
		if second == "" {
			return
		}
		for _, stale := range []struct{ what, etag string }{
			{"the etag that the file had before", first},
			{"an etag that nobody gave out", inventedEtag(f.Host)},
			{"the etag that the file has, marked as weak", "W/" + second},
		} {
			s := FileCondition{Weak: strings.HasPrefix(stale.etag, "W/")}
			if s.Weak && (f.Depth == scenarios.Quick || strings.HasPrefix(second, "W/")) {
				continue
			}
			conditional(ctx, f, path, stale.etag, stale.what, &s)
			o.Stale = append(o.Stale, s)
		}
		last := conditional(ctx, f, path, second, "the etag that the file has", &o.Last)
		// The first content again: its etag is still that of another version.
		back, stale := FileCondition{Made: true, Free: true}, FileCondition{}
		now := conditionalTo(ctx, f, path, "", "no condition", o.First.Content, &back)
		if o.Life = []FileCondition{back}; now == "" {
			return
		}
		conditional(ctx, f, path, first, "the etag of an earlier version with the same content", &stale)
		o.Life = append(o.Life, stale)
		o.Life = append(o.Life, live(ctx, f, path, []string{first, second, last, now})...)
	}),
}

// What drives of files draw.
var (
	lives        = &scenarios.Dimension{Name: "times that a file is deleted and made again", Least: 1, Most: [3]int{1, 2, 8}}
	writesOfLife = &scenarios.Dimension{Name: "writes of a file until it is deleted", Least: 1, Most: [3]int{2, 4, 20}}
	writers      = &scenarios.Dimension{Name: "writers at once with one etag", Least: 2, Most: [3]int{5, 12, 40}}
)

// live deletes a file and makes it again. known are its etags so far, the last of them the one that it has.
func live(ctx context.Context, f *host.Files, path string, known []string) (all []FileCondition) {
	for range f.Draw(lives) {
		if last := known[len(known)-1]; last == "" || !host.Succeeded(f.Drop(ctx, path).Status) {
			return all
		}
		for i := range f.Draw(writesOfLife) {
			made := FileCondition{Made: true, Free: i == 0 || f.Rand.IntN(2) == 0}
			etag, what := known[len(known)-1], "the etag that the file has"
			if made.Free {
				etag, what = "", "no condition"
			}
			now := conditional(ctx, f, path, etag, what, &made)
			all = append(all, made)
			if now == "" {
				return all
			}
			for _, stale := range staleEtags(f, known, now) {
				var refused FileCondition
				conditional(ctx, f, path, stale, "another etag than the file has", &refused)
				all = append(all, refused)
			}
			known = append(known, now)
		}
	}
	return all
}

// staleEtags draws one of the former etags of a file, and one that begins as the present one and ends as that.
func staleEtags(f *host.Files, former []string, now string) (stale []string) {
	old := former[f.Rand.IntN(len(former))]
	at := f.Between(2, max(2, min(len(old), len(now))-2))
	mixed := now[:min(at, len(now))] + old[min(at, len(old)):]
	for _, etag := range []string{old, mixed} {
		if ok, _ := strongEtag().Match(etag); ok && etag != now && !slices.Contains(stale, etag) {
			stale = append(stale, etag)
		}
	}
	return stale
}

// conditional writes a file if it has this etag, and reads it. It returns the etag
// after the write.
func conditional(ctx context.Context, f *host.Files, path, etag, what string, o *FileCondition) string {
	return conditionalTo(ctx, f, path, etag, what, f.Marker(), o)
}

func conditionalTo(ctx context.Context, f *host.Files, path, etag, what, content string, o *FileCondition) string {
	o.What, o.Content = what, content
	reply := f.TextIf(ctx, path, etag, o.Content)
	o.Put = host.FileReplyOf(reply)
	o.Got = f.LookAt(ctx, path, "")
	return etagOf(reply)
}

// FileAbsentConditions are conditional writes of missing files.
type FileAbsentConditions struct {
	Path    string         `json:"path"`
	Never   FileCondition  `json:"never"` // of a file never written
	Made    FileWrite      `json:"made"`  // the control: an unconditional write
	Deleted host.FileReply `json:"deleted"`
	Left    host.FileReply `json:"left"`   // the file then
	Listed  host.FileReply `json:"listed"` // the list then
	Gone    FileCondition  `json:"gone"`   // of a deleted file, with its last etag
}

// filesAbsent writes missing files conditionally.
var filesAbsent = &scenarios.Drive[FileAbsentConditions]{
	ID:    "openwop/files-absent",
	Title: "writes with If-Match a workspace file that was never there; makes it without, deletes it, and writes it with the etag that it had",
	Sends: []string{"{write file} with If-Match", "{write file}", "{read file}", "{delete file}", "{list files}?prefix="},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *FileAbsentConditions) {
		*o = FileAbsentConditions{Path: f.Path("absent")}
		absent(ctx, f, o.Path, inventedEtag(f.Host), "an etag of a file that was never there", &o.Never)
		o.Made = FileWrite{Path: o.Path, Content: f.Marker()}
		reply := admitted(ctx, f, o.Path, o.Made.Content)
		o.Made.Put = host.FileReplyOf(reply)
		o.Made.Got = f.LookAt(ctx, o.Path, "")
		if etagOf(reply) == "" {
			return
		}
		o.Deleted = f.Drop(ctx, o.Path)
		o.Left = f.LookAt(ctx, o.Path, "")
		o.Listed = f.List(ctx, f.Prefix)
		absent(ctx, f, o.Path, etagOf(reply), "the etag that the file had when it was deleted", &o.Gone)
	}),
}

// absent is like conditional for a missing file: a list shows whether the write
// made it.
func absent(ctx context.Context, f *host.Files, path, etag, what string, o *FileCondition) {
	conditional(ctx, f, path, etag, what, o)
	o.Listed = f.List(ctx, f.Prefix)
}

// FileRace is one round of several writers with the same etag.
type FileRace struct {
	Before   host.FileReply   `json:"before"` // the file that all writers know
	Contents []string         `json:"contents"`
	Answers  []host.FileReply `json:"answers"` // of each writer
	After    host.FileReply   `json:"after"`
}

// filesRaced lets several writers write at once.
var filesRaced = &scenarios.Drive[[]FileRace]{
	ID:         "openwop/files-raced",
	Title:      "has several writers come at once with the same etag of a workspace file, in several rounds, and reads the file after each",
	Sends:      []string{"{write file}", "{write file} with If-Match, several at once", "{read file}"},
	Uses:       []string{host.WorkspaceFiles},
	Dimensions: []*scenarios.Dimension{writers},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *[]FileRace) {
		path := f.Path("raced")
		var rounds []FileRace
		for range 4 {
			reply := admitted(ctx, f, path, f.Marker())
			r := race(ctx, f, path, reply)
			rounds = append(rounds, r)
			if len(r.Answers) == 0 {
				*o = rounds
				return
			}
		}
		*o = rounds
	}),
}

func race(ctx context.Context, f *host.Files, path string, before *wire.Reply) FileRace {
	r := FileRace{Before: host.FileReplyOf(before)}
	known := etagOf(before)
	if !before.Success() || known == "" {
		return r
	}
	n := f.Draw(writers)
	calls := make([]func(context.Context), n)
	r.Contents, r.Answers = make([]string, n), make([]host.FileReply, n)
	for i := range calls {
		r.Contents[i] = f.Marker()
		body := dialect.WorkspaceFileCreate{Content: r.Contents[i]}
		calls[i] = func(ctx context.Context) {
			reply := f.Write(ctx, path, known, body)
			r.Answers[i] = host.FileReplyOf(reply)
		}
	}
	f.AtOnce(ctx, calls...)
	r.After = f.LookAt(ctx, path, "")
	return r
}
