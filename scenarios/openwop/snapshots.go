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
	breaches []scenarios.Breach
}

// snapshot holds a snapshot of the run to what holds for each, and to those before it.
func (r *reading) snapshot(e *wire.Entry, body wire.Value) {
	s := &r.snapshots
	status, workflow, cost := body.Key("status"), body.Key("workflowId"), body.At("/metrics/openwopCost")
	see := func(id scenarios.RequirementID, at wire.Value, expected string) {
		if !slices.ContainsFunc(s.breaches, func(b scenarios.Breach) bool { return b.Requirement == id }) {
			s.breaches = append(s.breaches, scenarios.Breach{Requirement: id, Where: at.Ref(), Expected: expected, Actual: at.JSON()})
		}
	}
	if body.Key("runId").String() != r.id {
		see(openwop.OWPCTL1, body.Key("runId"), "the run that was asked for, "+r.id)
	}
	switch {
	case !s.workflow.Present():
		s.workflow = workflow
	case workflow.JSON() != s.workflow.JSON():
		see(openwop.OWPCTL1, workflow, "the workflow that it had before, "+s.workflow.JSON())
	}
	if !control.IsStatus(status.String()) {
		see(openwop.OWPCTL2, status, "a status that the protocol has")
	}
	if _, isObject := cost.Actual().(map[string]any); cost.Actual() != nil && !isObject {
		see(openwop.OWPCTL8, cost, "an object")
	}
	switch {
	case !host.IsTerminal(status.String()) && !s.end.Present():
		return
	case !s.end.Present():
		s.end, s.ended = status, e.Ended()
	case status.String() != s.end.String() && !e.At.Before(s.ended):
		see(openwop.OWPCTL3, status, "the status that it ended with, "+s.end.JSON()+" at "+s.end.Ref().String())
	}
	if status.String() == "failed" {
		for _, member := range []string{"/error/code", "/error/message"} {
			if v := body.At(member); v.String() == "" {
				see(openwop.OWPCTL4, v, "a text, for the run has failed")
			}
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
		r.breaches = append(r.breaches, scenarios.Breach{Requirement: openwop.OWPRPL1, Where: body.Key("runId").Ref(),
			Expected: "a run of its own, and not its source", Actual: body.Key("runId").JSON()})
	}
}

// judgeCopy compares a fork with its source, if the log of both was read from its start to behind the place of the fork.
func (r *reader) judgeCopy(fork *reading, drive string) []scenarios.Breach {
	c := fork.copies
	if c == nil || c.from <= 0 || r.runs[c.source] == nil || c.source == fork.id {
		return nil
	}
	source := r.runs[c.source]
	s := Standing{Log: fork.last, Source: source.last, FromSeq: c.from, Branch: c.mode == dialect.ForkModeBranch}
	if source.forked || !reaches(source.last, c.from) || !reaches(fork.last, c.from) && len(fork.last.Terminals().Values) == 0 {
		return nil
	}
	return violations(copied, s, drive)
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
	case state.String() != g.end.String() && !e.At.Before(g.ended):
		id := scenarios.RequirementID(openwop.OWP0097G1)
		if g.end.String() == "abandoned" {
			id = openwop.OWP0097C6
		}
		r.breaches = append(r.breaches, scenarios.Breach{Requirement: id, Where: state.Ref(),
			Expected: "the state in which it was closed, " + g.end.JSON() + " at " + g.end.Ref().String(), Actual: state.JSON()})
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
	switch {
	case version <= before.version:
		r.breaches = append(r.breaches, scenarios.Breach{Requirement: openwop.OWPWSP9, Where: body.Key("version").Ref(),
			Expected: fmt.Sprintf("a version over %d, that of the write before", before.version), Actual: fmt.Sprint(version)})
	case now.etag.String() != "" && now.etag.String() == before.etag.String():
		r.breaches = append(r.breaches, scenarios.Breach{Requirement: openwop.OWPWSP10, Where: now.etag.Ref(),
			Expected: "another etag than that of the write before", Actual: now.etag.JSON()})
	}
}
