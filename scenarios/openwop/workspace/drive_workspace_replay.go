package workspace

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ReplayedNotes is a loop that wrote files, and a replay made after the files
// changed again.
type ReplayedNotes struct {
	Source   NotedLoop   `json:"source"`
	Replayed host.RunLog `json:"replayed"`
	Before   []FileRead  `json:"before"` // the files before the replay
	After    []FileRead  `json:"after"`  // the files after the replay ended
}

// FileRead is a file as served.
type FileRead struct {
	Path   string     `json:"path"`
	Status wire.Value `json:"status"`
	File   wire.Value `json:"file"`
}

// replayedNotes replays a loop that wrote files from its first event.
var replayedNotes = &scenarios.Drive[ReplayedNotes]{
	ID:    "openwop/replayed-notes",
	Title: "runs a loop that writes workspace files, changes the files from outside, and replays the loop from the first event",
	Sends: []string{
		"{write file}", "{read file}", "{delete file}", "{create run} (assay-loop-workspace with a random plan)", "{fork run} {mode: replay}",
		"{read run}", "{poll log}",
	},
	Uses: []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *ReplayedNotes) {
		source, r := writingLoop(ctx, f.Host, f)
		*o = ReplayedNotes{Source: source}
		if !source.Log.Ended.Reached {
			return
		}
		f.Put(ctx, source.Files[0].Path, f.Marker())
		remove(ctx, f, source.Files[1].Path)
		o.Before = readAll(ctx, f, source.Files)
		fork := f.Fork(ctx, r)
		o.Replayed = fork.Finish(ctx, "log of the replay")
		o.After = readAll(ctx, f, source.Files)
	}),
}

func readAll(ctx context.Context, f *host.Files, changes []FileChange) []FileRead {
	out := make([]FileRead, 0, len(changes))
	for _, c := range changes {
		reply := f.Get(ctx, c.Path)
		out = append(out, FileRead{c.Path, reply.StatusValue(), reply.Value("")})
	}
	return out
}
