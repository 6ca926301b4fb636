package openwop

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// named is what names a run, in events and in replies.
type named struct {
	RunID string `json:"runId"`
}

// eventLog says how a run's log is polled. An event without a runId is of no log.
func eventLog(d *dialect.Dialect) *scenarios.EventLog {
	of := func(id string) string { return d.Path(dialect.PollLog, id) }
	return &scenarios.EventLog{Before: `{"events":[`, After: `]}`, Of: of, Path: func(event []byte) string {
		var e named
		if json.Unmarshal(event, &e) != nil || e.RunID == "" {
			return ""
		}
		return of(e.RunID)
	}}
}

// topics returns the run, goal or file that a path names, and the run that a reply says was made.
func topics(known func() paths, d *dialect.Dialect) func(*wire.Entry) []string {
	return func(e *wire.Entry) (all []string) {
		if e.Request == nil {
			return nil
		}
		at, err := url.Parse(e.Request.URL)
		if err != nil {
			return nil
		}
		path, paths := pathBelow(d, at), known()
		switch rest, below := strings.CutPrefix(path, paths.runs); {
		case paths.fork.MatchString(path):
			all = append(all, d.One(path, dialect.ForkRun))
		case below:
			id, _, _ := strings.Cut(rest, "/")
			if paths.acts.MatchString(path) {
				id = id[:strings.LastIndex(id, ":")]
			}
			if plain, err := url.PathUnescape(id); err == nil {
				id = plain
			}
			all = append(all, id)
		case paths.goal.MatchString(path), paths.file.MatchString(path):
			return []string{path}
		}
		if e.Request.Method == http.MethodPost && e.Response != nil && (paths.create.MatchString(path) || paths.fork.MatchString(path)) {
			var made named
			if json.Unmarshal([]byte(e.Response.Body), &made) == nil && made.RunID != "" {
				all = append(all, made.RunID)
			}
		}
		return all
	}
}
