package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// memoryBytes is how much of a result stands in memory.md.
const memoryBytes = 2 << 10

// writeFiles leaves the paper trail of a turn. The gateway keeps the run whether or not that works.
func (t *turn) writeFiles(r *run) {
	if t.files == nil {
		return
	}
	opened := t.opened
	if opened == "" {
		opened = opening(r.Goal, membersOf(r.Context))
	}
	remembered := ""
	if t.kept.Step > 0 {
		remembered = fmt.Sprintf("\n## Step %d: %s\n\n%s", t.kept.Step, t.kept.Tool, indented(rules.Cut(t.found.text, memoryBytes)))
		if t.kept.Artifact != "" {
			remembered += fmt.Sprintf("\nAll of it: %s\n", t.kept.Artifact)
		}
	}
	var trace []byte
	for _, did := range t.did {
		did.At, did.Job, did.Event, did.Run = t.at.Format(time.RFC3339Nano), t.request.jobID, rules.Cut(t.cause, 128), t.id
		trace = append(trace, did.line()...)
	}
	err := errors.Join(
		t.files.folder(artifacts),
		t.files.ensure(contextFile, opened),
		t.files.ensure(memoryFile, "# Memory\n"),
		t.files.replace(planFile, []byte(t.planned(r))),
		t.files.ensure(traceFile, ""),
	)
	if err == nil && remembered != "" {
		err = t.files.extend(memoryFile, []byte(remembered))
	}
	if err == nil {
		err = t.files.extend(traceFile, trace)
	}
	if err != nil {
		t.warn("the files of the workspace are not complete: is there room, and may the agent write?")
	}
}

// opening is context.md.
func opening(goal string, given object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Goal\n\n%s", indented(goal))
	if len(given) > 0 {
		b.WriteString("\n# Context\n\n")
		for _, name := range slices.Sorted(maps.Keys(given)) {
			value, err := json.Marshal(given[name])
			if err == nil {
				b.WriteString(indented(name + ": " + string(value)))
			}
		}
	}
	return b.String()
}

// planned is plan.md.
func (t *turn) planned(r *run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Plan\n\nRun %s, %d of at most %d steps, %d of at most %d plans given up.\n\n", t.id, r.Step, r.MaxSteps,
		r.Reframes, r.MaxReframes)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- step %d: %s, done\n", n.Step, n.Tool)
	}
	fmt.Fprintf(&b, "- next: %s\n", t.plan)
	return b.String()
}

// indented is a text that comes from outside as Markdown that shows it as it is: nothing in it is a heading, or a link.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
