package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// FileCondition is a write that was to happen on a condition, and the file after it.
type FileCondition struct {
	What    string    `json:"what"`
	Content string    `json:"content"` // of the write
	Put     FileReply `json:"put"`
	Got     FileReply `json:"got"`
	Listed  FileReply `json:"listed"` // where the file was not there
}

// FileConditions are conditional writes of one file, in this order.
type FileConditions struct {
	First   FileWrite       `json:"first"`
	Current FileCondition   `json:"current"` // with the etag of the first
	Stale   []FileCondition `json:"stale"`   // with it once more, and with one that nobody gave out
	Last    FileCondition   `json:"last"`    // with the etag that the file has then
}

// fileConditions writes a file with etags that it has, had, and never had.
var fileConditions = &scenarios.Drive[FileConditions]{
	ID:    "openwop/file-conditions",
	Title: "writes a workspace file with the etag that it has, with the one it had before and with one that nobody gave out, and reads it after each",
	Sends: []string{"PUT /v1/host/workspace/files/{path}", "PUT /v1/host/workspace/files/{path} with If-Match", "GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) (FileConditions, error) {
		path := f.path("contended")
		o := FileConditions{First: FileWrite{Path: path, Content: f.marker()}}
		reply, err := f.admitted(ctx, path, o.First.Content)
		if err != nil {
			return o, err
		}
		o.First.Put = fileReply(reply)
		first := etagOf(reply)
		if first == "" {
			return o, nil
		}
		second, err := f.conditional(ctx, path, first, "the etag that the file has", &o.Current)
		if err != nil || second == "" {
			return o, err
		}
		for _, stale := range []struct{ what, etag string }{
			{"the etag that the file had before", first},
			{"an etag that nobody gave out", f.inventedEtag()},
		} {
			var s FileCondition
			if _, err := f.conditional(ctx, path, stale.etag, stale.what, &s); err != nil {
				return o, err
			}
			o.Stale = append(o.Stale, s)
		}
		_, err = f.conditional(ctx, path, second, "the etag that the file has", &o.Last)
		return o, err
	}),
}

// conditional writes a file that has this etag, and reads it. It returns the etag of what was written.
func (f *files) conditional(ctx context.Context, path, etag, what string, o *FileCondition) (string, error) {
	o.What, o.Content = what, f.marker()
	reply, err := f.textIf(ctx, path, etag, o.Content)
	if err != nil {
		return "", err
	}
	o.Put = fileReply(reply)
	o.Got, err = f.look(ctx, path, "")
	return etagOf(reply), err
}

// FileAbsentConditions are conditional writes of files that are not there.
type FileAbsentConditions struct {
	Path    string        `json:"path"`
	Never   FileCondition `json:"never"` // of one that nobody has written
	Made    FileWrite     `json:"made"`  // the control: without a condition
	Deleted FileReply     `json:"deleted"`
	Left    FileReply     `json:"left"`   // the file then
	Listed  FileReply     `json:"listed"` // the list then
	Gone    FileCondition `json:"gone"`   // of one that was deleted, with the etag that it had
}

// filesAbsent writes on a condition what is not there.
var filesAbsent = &scenarios.Drive[FileAbsentConditions]{
	ID:    "openwop/files-absent",
	Title: "writes with If-Match a workspace file that was never there; makes it without, deletes it, and writes it with the etag that it had",
	Sends: []string{"PUT /v1/host/workspace/files/{path} with If-Match", "PUT, GET and DELETE /v1/host/workspace/files/{path}", "GET /v1/host/workspace/files?prefix="},
	Run: withFiles(func(ctx context.Context, f *files) (FileAbsentConditions, error) {
		o := FileAbsentConditions{Path: f.path("absent")}
		if err := f.absent(ctx, o.Path, f.inventedEtag(), "an etag of a file that was never there", &o.Never); err != nil {
			return o, err
		}
		o.Made = FileWrite{Path: o.Path, Content: f.marker()}
		reply, err := f.admitted(ctx, o.Path, o.Made.Content)
		if err != nil {
			return o, err
		}
		o.Made.Put = fileReply(reply)
		if o.Made.Got, err = f.look(ctx, o.Path, ""); err != nil {
			return o, err
		}
		if etagOf(reply) == "" {
			return o, nil
		}
		if o.Deleted, err = f.drop(ctx, o.Path); err != nil {
			return o, err
		}
		if o.Left, err = f.look(ctx, o.Path, ""); err != nil {
			return o, err
		}
		if o.Listed, err = f.list(ctx, f.prefix); err != nil {
			return o, err
		}
		return o, f.absent(ctx, o.Path, etagOf(reply), "the etag that the file had when it was deleted", &o.Gone)
	}),
}

// absent is conditional for a file that is not there: a list shows whether it is made.
func (f *files) absent(ctx context.Context, path, etag, what string, o *FileCondition) error {
	if _, err := f.conditional(ctx, path, etag, what, o); err != nil {
		return err
	}
	var err error
	o.Listed, err = f.list(ctx, f.prefix)
	return err
}

// FileRace is one round of several writers who come with the same etag.
type FileRace struct {
	Before   FileReply   `json:"before"` // the file that they all know
	Contents []string    `json:"contents"`
	Answers  []FileReply `json:"answers"` // of each writer
	After    FileReply   `json:"after"`
}

// filesRaced has writers come at once.
var filesRaced = &scenarios.Drive[[]FileRace]{
	ID:    "openwop/files-raced",
	Title: "has several writers come at once with the same etag of a workspace file, in several rounds, and reads the file after each",
	Sends: []string{"PUT /v1/host/workspace/files/{path}", "PUT /v1/host/workspace/files/{path} with If-Match, several at once", "GET /v1/host/workspace/files/{path}"},
	Run: withFiles(func(ctx context.Context, f *files) ([]FileRace, error) {
		path := f.path("raced")
		var rounds []FileRace
		for range 4 {
			reply, err := f.admitted(ctx, path, f.marker())
			if err != nil {
				return rounds, err
			}
			r, err := f.race(ctx, path, reply)
			rounds = append(rounds, r)
			if err != nil || len(r.Answers) == 0 {
				return rounds, err
			}
		}
		return rounds, nil
	}),
}

func (f *files) race(ctx context.Context, path string, before *wire.Reply) (FileRace, error) {
	r := FileRace{Before: fileReply(before)}
	known := etagOf(before)
	if !before.Success() || known == "" {
		return r, nil
	}
	n := f.between(2, 5)
	calls := make([]func(context.Context) error, n)
	r.Contents, r.Answers = make([]string, n), make([]FileReply, n)
	for i := range calls {
		r.Contents[i] = f.marker()
		body := openwopv1.WorkspaceFileCreate{Content: r.Contents[i]}
		calls[i] = func(ctx context.Context) error {
			reply, err := f.write(ctx, path, known, body)
			if err != nil {
				return err
			}
			r.Answers[i] = fileReply(reply)
			return nil
		}
	}
	if err := f.AtOnce(ctx, calls...); err != nil {
		return r, err
	}
	var err error
	r.After, err = f.look(ctx, path, "")
	return r, err
}
