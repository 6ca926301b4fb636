package openwop

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// eventLog says how a run's log is polled. An event without a runId is of no log.
func eventLog(d *dialect.Dialect) *scenarios.EventLog {
	of := func(id string) string { return d.Path(dialect.PollLog, id) }
	return &scenarios.EventLog{Before: `{"events":[`, After: `]}`, Of: of, Path: func(event []byte) string {
		var e struct {
			RunID string `json:"runId"`
		}
		if json.Unmarshal(event, &e) != nil || e.RunID == "" {
			return ""
		}
		return of(e.RunID)
	}}
}

// topics returns what the rules of this package put together: runs with their children, forks and diffs, requests under one key, all
// goals, and all files.
func topics(known func() paths, d *dialect.Dialect) func(*wire.Entry) []string {
	return func(e *wire.Entry) (all []string) {
		if e.Request == nil {
			return nil
		}
		at, err := url.Parse(e.Request.URL)
		if err != nil {
			return nil
		}
		path, paths := d.Below(at.EscapedPath()), known()
		switch rest, below := strings.CutPrefix(path, paths.runs); {
		case below:
			id, _, _ := strings.Cut(rest, "/")
			if paths.acts.MatchString(path) || paths.fork.MatchString(path) {
				id = id[:strings.LastIndex(id, ":")]
			}
			if plain, err := url.PathUnescape(id); err == nil {
				id = plain
			}
			all = append(append(all, id), at.Query()["against"]...)
		case strings.HasPrefix(path, paths.files):
			return []string{"files"}
		case strings.Contains(path, "/goals"):
			all = append(all, "goals")
		case paths.list.MatchString(path) && e.Request.Method == http.MethodGet: // it names runs that have nothing to do with each other
			return nil
		}
		for name, value := range e.Request.Header {
			if strings.EqualFold(name, dialect.IdempotencyKey) {
				all = append(all, "key "+value)
			}
		}
		if e.Response != nil {
			all = named(all, e.Response.Body)
		}
		for _, c := range e.Chunks {
			all = named(all, c.Text)
		}
		return all
	}
}

// named adds the runs that JSON names in members such as runId and childRunId.
func named(all []string, text string) []string {
	for {
		_, rest, found := strings.Cut(text, `unId"`)
		if !found {
			return all
		}
		text = rest
		value, is := strings.CutPrefix(strings.TrimLeft(rest, " :\n"), `"`)
		if id, _, whole := strings.Cut(value, `"`); is && whole && len(id) < mostID && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
}

// mostID is the length in bytes of the longest id of a run.
const mostID = 512
