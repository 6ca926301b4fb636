package memory_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/memory"
)

func TestJudgeOfSecretsInEntries(t *testing.T) {
	tagged := func(content, tag string) map[string]any {
		e := remembered(content)
		e["tags"] = []any{"tag", tag}
		return e
	}
	kept := []any{remembered("control"), remembered("inside [REDACTED:7] more"), tagged("on top", "of-[REDACTED:7]")}
	wrote := func(told string, entries ...any) host.RunLog {
		return rememberingRun(t, "w", "completed", notesOf(2, entries...), told)
	}
	for _, c := range []struct {
		name  string
		spoil func(*memory.SecretMemory)
		want  string
	}{
		{"honest", func(*memory.SecretMemory) {}, "passed"},
		{"takes no entry with a secret", func(o *memory.SecretMemory) {
			o.Log, o.Reader = wrote("control", kept[0]), rememberingRun(t, "r", "completed", notesOf(1, kept[0]))
		}, "passed"},
		{"keeps it in the content", func(o *memory.SecretMemory) {
			o.Log = wrote("control", append(kept[:2:2], remembered("inside <secret:1>"))...)
		}, openwop.OWPMEM11},
		{"keeps it as a tag", func(o *memory.SecretMemory) {
			o.Log = wrote("control", append(kept[:2:2], tagged("on top", "<secret:1>"))...)
		},
			openwop.OWPMEM11},
		{"shows it to others", func(o *memory.SecretMemory) {
			o.Reader = rememberingRun(t, "r", "completed", notesOf(1, append(kept[:2:2], tagged("on top", "of-<secret:1>"))...))
		}, openwop.OWPMEM11},
		{"tells of it", func(o *memory.SecretMemory) {
			o.Log.Events = append(o.Log.Events, hosttest.Story{Id: "w", Status: "completed", Events: []hosttest.Event{
				{Kind: "memory.written", Payload: map[string]any{"memoryRef": "m", "memoryId": "x", "tags": []any{"<secret:1>"}}},
			}}.Log(t).Events...)
		}, openwop.OWPMEM11},
		{"reads as of its start", func(o *memory.SecretMemory) { o.Log = wrote("control") }, "passed"},
		{"keeps nothing for others", func(o *memory.SecretMemory) { o.Reader = rememberingRun(t, "r", "completed", notesOf(1)) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := memory.SecretMemory{Tag: "tag", Control: "control", Secret: map[string]string{"in the content": "inside", "as a tag": "on top"},
				Log: wrote("control", kept...), Reader: rememberingRun(t, "r", "completed", notesOf(1, kept...))}
			c.spoil(&o)
			hosttest.Expect(t, "secrets-kept-out", o, c.want)
		})
	}
}
