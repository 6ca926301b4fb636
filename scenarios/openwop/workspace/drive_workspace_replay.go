package workspace

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ReplayedNotes is a loop that wrote files, and a replay of it that was made
// after somebody else had changed the files again.
type ReplayedNotes struct {
	Source   NotedLoop   `json:"source"`
	Replayed host.RunLog `json:"replayed"`
	Before   []FileRead  `json:"before"` // the files when the replay was asked for
	After    []FileRead  `json:"after"`  // the files when it had ended
}

// FileRead is a file as it is served.
type FileRead struct {
	Path   string     `json:"path"`
	Status wire.Value `json:"status"`
	File   wire.Value `json:"file"`
}

// replayedNotes forks a loop that wrote files, in mode replay from its first event.
var replayedNotes = &scenarios.Drive[ReplayedNotes]{
	ID:    "openwop/replayed-notes",
	Title: "runs a loop that writes workspace files, changes the files from outside, and replays the loop from the first event",
	Sends: []string{
		"PUT, GET and DELETE /v1/host/workspace/files/{path}", "POST /v1/runs (assay-loop-workspace with a random plan)", "POST /v1/runs/{runId}:fork {mode: replay}",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (ReplayedNotes, error) {
		h := host.Host{Conn: c}
		f := h.Files()
		source, r, err := writingLoop(ctx, h, f)
		o := ReplayedNotes{Source: source}
		if err != nil || !source.Log.Ended.Reached {
			return o, err
		}
		if _, err := f.Put(ctx, source.Files[0].Path, h.Marker()); err != nil {
			return o, err
		}
		if err := remove(ctx, f, source.Files[1].Path); err != nil {
			return o, err
		}
		if o.Before, err = readAll(ctx, f, source.Files); err != nil {
			return o, err
		}
		fork, err := h.Fork(ctx, r)
		if err != nil {
			return o, err
		}
		if o.Replayed, err = fork.Finish(ctx, "log of the replay"); err != nil {
			return o, err
		}
		o.After, err = readAll(ctx, f, source.Files)
		return o, err
	},
}

func readAll(ctx context.Context, f *host.Files, changes []FileChange) ([]FileRead, error) {
	out := make([]FileRead, 0, len(changes))
	for _, c := range changes {
		reply, err := f.Get(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, FileRead{c.Path, reply.StatusValue(), reply.Value("")})
	}
	return out, nil
}
