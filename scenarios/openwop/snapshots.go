package openwop

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// snapshots is what a drive saw of one run in its snapshots.
type snapshots struct {
	workflow wire.Value // the first
	end      wire.Value // the first terminal status
	ended    time.Time  // when the reply with end was there
}

// snapshot holds a snapshot of the run to what holds for each, and to those before it.
func (r *reading) snapshot(e *wire.Entry, body wire.Value) {
	s := &r.snapshots
	status, workflow, cost := body.Key("status"), body.Key("workflowId"), body.At("/metrics/openwopCost")
	see := func(id scenarios.RequirementID, held bool, at wire.Value, expected string) {
		if held {
			r.held(id, at.Ref())
		} else {
			r.not(id, at.Ref(), expected, at.JSON())
		}
	}
	see(openwop.OWPCTL1, body.Key("runId").String() == r.id, body.Key("runId"), "the run that was asked for, "+r.id)
	if s.workflow.Present() {
		see(openwop.OWPCTL1, workflow.JSON() == s.workflow.JSON(), workflow, "the workflow that it had before, "+s.workflow.JSON())
	} else {
		s.workflow = workflow
	}
	see(openwop.OWPCTL2, control.IsStatus(status.String()), status, "a status that the protocol has")
	if cost.Actual() != nil {
		_, isObject := cost.Actual().(map[string]any)
		see(openwop.OWPCTL8, isObject, cost, "an object")
	}
	switch {
	case !host.IsTerminal(status.String()) && !s.end.Present():
		return
	case !s.end.Present():
		s.end, s.ended = status, e.Ended()
	case !e.At.Before(s.ended):
		see(openwop.OWPCTL3, status.String() == s.end.String(), status,
			"the status that it ended with, "+s.end.JSON()+" at "+s.end.Ref().String())
	}
	if status.String() == "failed" {
		for _, member := range []string{"/error/code", "/error/message"} {
			v := body.At(member)
			see(openwop.OWPCTL4, v.String() != "", v, "a text, for the run has failed")
		}
	}
}

// copying is a fork, as it was asked for.
type copying struct {
	source string
	from   int64
	mode   dialect.ForkMode
}

// fork takes note of a fork that was made. A replay that says no place is none of this.
func (r *reader) fork(e *wire.Entry, source string, body wire.Value) {
	id := body.Key("runId").String()
	if id == "" {
		return
	}
	fork := r.of(id)
	fork.forked = true
	var asked struct {
		FromSeq *int64           `json:"fromSeq"`
		Mode    dialect.ForkMode `json:"mode"`
	}
	if json.Unmarshal([]byte(e.Request.Body), &asked) == nil && asked.FromSeq != nil {
		fork.copies = &copying{source, *asked.FromSeq, asked.Mode}
	}
	if id == source {
		fork.violated(openwop.OWPRPL1, body.Key("runId").Ref(), "a run of its own, and not its source", body.Key("runId").JSON())
		return
	}
	fork.held(openwop.OWPRPL1, body.Key("runId").Ref())
}

// judgeCopy compares a fork with its source, if the log of both was read from its start to behind the place of the fork.
func (r *reader) judgeCopy(fork *reading) {
	c := fork.copies
	if c == nil || c.from <= 0 || r.runs[c.source] == nil || c.source == fork.id {
		return
	}
	source := r.runs[c.source]
	s := Standing{Log: fork.last, Source: source.last, FromSeq: c.from, Branch: c.mode == dialect.ForkModeBranch}
	if source.forked || !reaches(source.last, c.from) || !reaches(fork.last, c.from) && len(fork.last.Terminals().Values) == 0 {
		return
	}
	fork.judgeBy(copied, s)
}

// reaches reports whether a log was read as far as to the event before this one.
func reaches(l host.RunLog, from int64) bool {
	return len(l.Events) > 0 && host.Sequence(l.Events[0]) == 0 && host.Sequence(l.Last()) >= from-1 && !l.HasGap()
}

// goal is what a drive saw of a goal.
type goal struct {
	end   wire.Value
	ended time.Time
}

// goal holds what is read of a goal to its end: what is closed stays so.
func (r *reader) goal(path string, e *wire.Entry, body wire.Value) {
	state := body.Key("state")
	g := r.goals[path]
	switch {
	case g == nil && state.String() != "satisfied" && state.String() != "abandoned":
	case g == nil:
		r.goals[path] = &goal{state, e.Ended()}
	case !e.At.Before(g.ended):
		id := scenarios.RequirementID(openwop.OWP0097G1)
		if g.end.String() == "abandoned" {
			id = openwop.OWP0097C6
		}
		of := r.about(path)
		if state.String() == g.end.String() {
			of.held(id, state.Ref())
			return
		}
		of.violated(id, state.Ref(), "the state in which it was closed, "+g.end.JSON()+" at "+g.end.Ref().String(), state.JSON())
		g.ended = e.At.AddDate(100, 0, 0) // once is enough
	}
}

// file is what a drive saw of a file of the workspace.
type file struct {
	version int64
	etag    wire.Value
	at      time.Time
	key     string // that the write came under
}

// file holds the writes of a file to its versions: each one has a higher version than the one before, and an etag of its own. Others
// may write between them.
func (r *reader) file(method, path string, e *wire.Entry, body wire.Value) {
	whose := path
	for _, name := range slices.Sorted(maps.Keys(e.Request.Header)) { // the same path may be another file for another caller
		if name != "If-Match" && name != "Content-Type" && name != "Accept" && name != dialect.IdempotencyKey {
			path += "\n" + name + ": " + e.Request.Header[name]
		}
	}
	if method == http.MethodDelete {
		delete(r.files, path)
		return
	}
	version, known := body.Key("version").Int()
	if method != http.MethodPut || !known {
		return
	}
	before, now := r.files[path], &file{version, body.Key("etag"), e.Ended(),
		e.Request.Header[dialect.IdempotencyKey]}
	r.files[path] = now
	if before == nil || e.At.Before(before.at) || now.key != "" && now.key == before.key { // the same reply again
		return
	}
	of := r.about(whose)
	of.alone = true // others may delete it between them
	if version <= before.version {
		of.violated(openwop.OWPWSP9, body.Key("version").Ref(),
			fmt.Sprintf("a version over %d, that of the write before", before.version), fmt.Sprint(version))
		return
	}
	of.held(openwop.OWPWSP9, body.Key("version").Ref())
	switch now.etag.String() {
	case "":
	case before.etag.String():
		of.violated(openwop.OWPWSP10, now.etag.Ref(), "another etag than that of the write before", now.etag.JSON())
	default:
		of.held(openwop.OWPWSP10, now.etag.Ref())
	}
}
