package agenticloop

import (
	"encoding/json"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// drawTimeline reads the loops out of the turns of an agent in a transcript: a turn for each step that it asked for.
func drawTimeline(t *wire.Transcript) []timeline.Loop {
	var l timeline.Loops
	for n := 1; n <= t.Len(); n++ {
		if p := t.Entry(n).Process; p != nil {
			drawTurn(&l, p)
		}
	}
	return l.Drawn()
}

// mostOfATurn is how long the input and output of a turn may be to be taken into a picture, in bytes.
const mostOfATurn = 64 << 10

// drawTurn reads a turn of an agent: the step that it asked for, or how it ended its run.
func drawTurn(l *timeline.Loops, p *wire.Spawned) {
	if len(p.Input)+len(p.Output) > mostOfATurn {
		return
	}
	type correlated struct {
		RunID string          `json:"run_id"`
		Step  json.RawMessage `json:"step"`
		Tool  json.RawMessage `json:"tool"`
	}
	var in struct {
		Event struct {
			Type    string     `json:"type"`
			Payload correlated `json:"payload"`
			Context correlated `json:"context"`
		} `json:"event"`
	}
	var out struct {
		Status string `json:"status"`
		Events []struct {
			Type    string     `json:"type"`
			Payload correlated `json:"payload"`
		} `json:"events"`
	}
	if json.Unmarshal([]byte(p.Input), &in) != nil || json.Unmarshal([]byte(p.Output), &out) != nil {
		return
	}
	for _, e := range out.Events {
		r := l.Of(e.Payload.RunID)
		switch {
		case strings.HasPrefix(e.Type, "agentic.tool_request"):
			r.Turn(e.Payload.Step, "asks "+timeline.Word(e.Payload.Tool), true)
		case e.Type == "agentic.completed":
			r.End = "completed"
		case e.Type == "agentic.escalated":
			r.Below("trouble", "escalated")
			r.End = "escalated"
		}
	}
	if in.Event.Payload.RunID != "" && len(out.Events) == 0 {
		r := l.Of(in.Event.Payload.RunID)
		r.Below("child", "result "+timeline.Word(in.Event.Payload.Step)+": "+textsafe.Clip(out.Status, timeline.MostWord))
	}
}
