package gateway

import (
	"context"
	"encoding/json"
	"testing"
)

// Whatever a plugin writes, its job ends, the log can be read again, and the rows are objects.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"status":"ok","state_updates":{"runs":{}},"events":[{"type":"agentic.tool_request.jina-reader","payload":{"run_id":"R","step":1,"tool":"t"}}]}`,
		`{"status":"ok","state_updates":null,"events":[{"type":"a","payload":{"run_id":{},"step":1e30,"tool":null}}]}`,
		`{"status":"error","error":"no","retry":false,"logs":[{"level":"warn","message":"\u0000"}]}`,
		`{"status":"ok","events":[{"type":"agentic.tool_request.fabric","payload":{"run_id":"\ud800"}}]}`,
		`{"status":"ok","status":"error"}`, `[]`, ``, "\xff", `{"status":"ok"} {}`,
	} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 78)
	}
	f.Fuzz(func(t *testing.T, answer []byte, code int) {
		r := newRig(t)
		r.o.Results, r.o.OnFailure, r.o.ExitCode = Both, Synthesise, ExitIgnored
		for name := range r.plugins {
			r.plugins[name] = func(context.Context, []byte) ([]byte, int) { return answer, code }
		}
		r.o.MaxTurns = 20
		g := r.open()
		if _, err := g.Start(t.Context(), "agentic-loop", start("goal")); err != nil {
			t.Fatal(err)
		}
		_ = g.Drain(t.Context()) // an answer that asks again and again is stopped
		s, err := Look(t.Context(), r.o.Log)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range s.Jobs {
			if j.Status == Running || s.Turns < 20 && !j.Status.Ended() {
				t.Errorf("job %s is %s", j.ID, j.Status)
			}
		}
		for plugin, row := range s.Rows {
			var keys map[string]any
			if err := json.Unmarshal(row, &keys); err != nil || keys == nil {
				t.Errorf("the row of %s is %q", plugin, row)
			}
		}
	})
}
