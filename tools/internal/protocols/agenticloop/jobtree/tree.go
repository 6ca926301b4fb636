// Package jobtree reports the work of a plugin gateway as it happens, in lines that grow into a tree of jobs, and then
// its outcome.
package jobtree

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
)

// maxIndent bounds the visible levels: a run of many steps is a deep tree.
const maxIndent = 20

// Tree writes events as they happen. It makes every word of a plugin safe to show.
type Tree struct {
	out    io.Writer
	config gateway.Config
	state  gateway.State
	levels map[string]int // by job id

	completed []completion // emitted since New
	escalated []agenticloopv2.EscalatedPayload
}

// completion is an agent.completed.
type completion struct {
	agenticloopv2.CompletedPayload
	job string // the job that emitted it
}

// New returns a tree that starts from the current state of the gateway's log.
func New(out io.Writer, config gateway.Config, state gateway.State) *Tree {
	t := &Tree{out: out, config: config, state: state.Clone(), levels: map[string]int{}}
	for _, j := range t.state.Jobs {
		t.place(j)
	}
	return t
}

func (t *Tree) place(j gateway.Job) {
	if j.Parent != "" {
		t.levels[j.ID] = t.levels[j.Parent] + 1
	}
}

// Take reports one record.
func (t *Tree) Take(r gateway.Record) {
	if err := t.state.Fold(r); err != nil {
		t.line(0, "a record does not fit: %v", err)
		return
	}
	if r.Claimed != nil {
		j := t.job(r.Claimed.Job)
		again := ""
		if j.Attempt > 1 {
			again = fmt.Sprintf("  (attempt %d)", j.Attempt)
		}
		t.line(t.levels[j.ID], "%s <- %s%s", t.name(j), word(j.Event.Type), again)
	}
	for _, j := range r.Enqueued {
		t.place(j)
		t.enqueued(j)
	}
	for _, d := range r.Dropped {
		t.line(t.levels[d.From]+1, "%s is not queued for %s: job %s has done that under the key %s", word(d.Plugin), word(d.Type),
			t.number(d.Done), word(d.Key))
	}
	for _, u := range r.Unrouted {
		t.unrouted(u)
	}
	if r.Ended != nil {
		t.ended(*r.Ended)
	}
	for _, back := range r.Recovered {
		j := t.job(back.Job)
		if back.Status == gateway.Dead {
			t.line(t.levels[j.ID], "%s was running when the gateway stopped, and has no attempt left: it is dead", t.name(j))
			continue
		}
		t.line(t.levels[j.ID], "%s was running when the gateway stopped: it is queued again", t.name(j))
	}
}

func (t *Tree) enqueued(j gateway.Job) {
	where := "handed over"
	if p := t.pipeline(j.Pipeline); p != nil {
		where = fmt.Sprintf("pipeline %s, step %s", word(p.Name), word(p.Steps[j.Step].ID))
	}
	level := 0
	if j.Parent != "" {
		level = t.levels[j.Parent] + 1
	}
	t.line(level, "+ %s <- %s  (%s)", t.name(j), word(j.Event.Type), where)
	t.end(j.Parent, j.Event)
}

// end keeps the event that ends a run, once: two pipelines may receive it.
func (t *Tree) end(from string, e agenticloopv2.Event) {
	completed := completion{job: from}
	var escalated agenticloopv2.EscalatedPayload
	switch e.Type {
	case gateway.TypeCompleted:
		_ = json.Unmarshal(e.Payload, &completed.CompletedPayload) // an unreadable event has no words
		if !slices.ContainsFunc(t.completed, func(c completion) bool { return c.RunID == completed.RunID && c.job == from }) {
			t.completed = append(t.completed, completed)
		}
	case gateway.TypeEscalated:
		_ = json.Unmarshal(e.Payload, &escalated)
		t.escalated = append(t.escalated, escalated)
	}
}

func (t *Tree) unrouted(u gateway.Unrouted) {
	t.end(u.From, u.Event)
	level := t.levels[u.From] + 1
	of := gateway.CorrelationOf(u.Event)
	switch {
	case u.Event.Type == gateway.TypeCompleted, u.Event.Type == gateway.TypeEscalated:
		t.line(level, "%s: run %s", u.Event.Type, word(of.RunID))
	case gateway.IsRequest(u.Event.Type):
		t.line(level, "! nobody takes %s: no pipeline is on it, so run %s waits for step %d of %s for ever. Add a pipeline with on: %s",
			word(u.Event.Type), word(of.RunID), of.Step, word(of.Tool), word(u.Event.Type))
	default:
		t.line(level, "! nobody takes %s: no step follows, and no pipeline is on it", word(u.Event.Type))
	}
}

func (t *Tree) ended(e gateway.Ended) {
	j := t.job(e.Job)
	level, whose := t.levels[j.ID]+1, t.whose(j)
	for _, l := range e.Logs {
		if l.Level == agenticloopv2.LogLevelWarn || l.Level == agenticloopv2.LogLevelError {
			t.line(level, "%s%s: %s", whose, l.Level, word(l.Message))
		}
	}
	switch e.Status {
	case gateway.Succeeded:
		said := ""
		if e.Result != "" {
			said = ": " + word(e.Result)
		}
		t.line(level, "%sok%s", whose, said)
		if next := t.following(j); next != "" && !t.hasChild(j) {
			t.line(level, "! %sit emitted nothing, so step %s is never reached%s", whose, word(next), t.waiting(j))
		}
	case gateway.Queued:
		t.line(level, "%sfailed: %s. It is tried again at %s", whose, word(e.Error), e.RetryAt.Format("15:04:05"))
	default:
		t.line(level, "! %s%s: %s%s", whose, strings.ReplaceAll(string(e.Status), "_", " "), word(e.Error), t.unheard(j))
	}
}

// whose names a job if others run beside it; otherwise the line above names it.
func (t *Tree) whose(j gateway.Job) string {
	if slices.ContainsFunc(t.state.Jobs, func(o gateway.Job) bool { return o.Status == gateway.Running && o.ID != j.ID }) {
		return t.name(j) + ": "
	}
	return ""
}

// unheard warns that nobody learns of a job that failed for good.
func (t *Tree) unheard(j gateway.Job) string {
	next := t.following(j)
	switch {
	case next == "":
		return ""
	case t.hasChild(j):
		return ""
	}
	return fmt.Sprintf(". A failed job routes nothing, so step %s is never reached%s. With --on-failure synthesise it is told",
		word(next), t.waiting(j))
}

// waiting names the run that waits for a job in vain.
func (t *Tree) waiting(j gateway.Job) string {
	of := gateway.CorrelationOf(j.Event)
	if of.RunID == "" {
		return ""
	}
	return fmt.Sprintf(", and run %s waits for step %d of %s for ever", word(of.RunID), of.Step, word(of.Tool))
}

// following returns the step after a job's, or "".
func (t *Tree) following(j gateway.Job) string {
	if p := t.pipeline(j.Pipeline); p != nil && j.Step+1 < len(p.Steps) {
		return p.Steps[j.Step+1].ID
	}
	return ""
}

func (t *Tree) hasChild(j gateway.Job) bool {
	for _, o := range t.state.Jobs {
		if o.Parent == j.ID {
			return true
		}
	}
	for _, d := range t.state.Dropped {
		if d.From == j.ID {
			return true
		}
	}
	return false
}

func (t *Tree) pipeline(name string) *gateway.Pipeline {
	for i := range t.config.Pipelines {
		if t.config.Pipelines[i].Name == name {
			return &t.config.Pipelines[i]
		}
	}
	return nil
}

func (t *Tree) job(id string) gateway.Job {
	j, _ := t.state.Job(id)
	return j
}

// name returns a job's number and plugin.
func (t *Tree) name(j gateway.Job) string { return t.number(j.ID) + " " + word(j.Plugin) }

// number counts jobs in order of arrival, from 1.
func (t *Tree) number(id string) string {
	for i, j := range t.state.Jobs {
		if j.ID == id {
			return fmt.Sprintf("#%d", i+1)
		}
	}
	return "#?"
}

// Crashed reports a planned crash of the gateway; another gateway continues.
func (t *Tree) Crashed(e *gateway.CrashError) {
	t.line(0, "! the gateway crashed as asked, %s, in the turn of %s; another one takes over", e.Crash, t.name(t.job(e.Job)))
}

func (t *Tree) say(format string, args ...any) { t.line(0, format, args...) }

func (t *Tree) line(level int, format string, args ...any) {
	fmt.Fprintf(t.out, strings.Repeat("  ", min(level, maxIndent))+format+"\n", args...)
}

// word returns a plugin's text, clipped and safe to show.
func word(s string) string { return textsafe.Clip(s, 300) }
