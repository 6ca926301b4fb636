package state

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// LargeObservation is turns that would make the state too large, and a large result.
type LargeObservation struct {
	host.Turns
	Start   host.Turn    `json:"start"`   // with a state of ordinary size
	Goal    host.Turn    `json:"goal"`    // a start whose goal is larger than any state
	Wordy   host.Turn    `json:"wordy"`   // a start with a goal of 4 KiB
	Crowded host.Turn    `json:"crowded"` // the same in a state of 200 finished runs
	Busy    host.Turn    `json:"busy"`    // the same in a state that is as full of runs that are on
	Wide    host.Turn    `json:"wide"`    // the same, of goals whose characters are longer than a byte
	Result  host.Turn    `json:"result"`  // a result of 20 MiB
	Pending host.Pending `json:"pending"`
}

// LargeThings hands the plugin more than it can keep. It runs alone because it takes much memory.
var LargeThings = &scenarios.Drive[LargeObservation]{
	ID:    "agenticloop/large-things",
	Title: "starts a run with a goal of 2 MiB, one in a state of 200 finished runs, and delivers a result of 20 MiB",
	Sends: []string{"four turns: agentic.start", "from depth standard on, two turns: agentic.start in a state of 200 runs that are on",
		"one turn: agentic.tool_result of 20 MiB"},
	Excludes: scenarios.Everything,
	Timeout:  5 * time.Minute, // reading 20 MiB may take a plugin a minute
	Once:     "what it hands over takes much memory",
	Run: func(ctx context.Context, c *scenarios.Conn, o *LargeObservation) {
		p := host.Open(ctx, c, &o.Turns)
		s, ok := p.Begin(ctx, host.Job{Name: "the start"})
		o.Start, o.Pending = s.Turn, s.Pending
		if !ok {
			return
		}
		huge := p.Start(strings.Repeat("and then some ", 150_000), nil)
		o.Goal, _ = p.Turn(ctx, host.Job{Name: "a start with a goal of 2 MiB", Event: huge})
		crowd := crowded(p, s, "finished", manyWords, host.Object{"status": "done", "pending_step": nil, "pending_tool": nil})
		start := p.Start("goal "+manyWords, nil)
		o.Wordy, _ = p.Turn(ctx, host.Job{Name: "a start with a goal of 4 KiB", Event: start})
		o.Crowded, _ = p.Turn(ctx,
			host.Job{Name: "a start in a state of 200 finished runs", State: crowd, Event: start})
		if c.Depth > scenarios.Quick {
			o.Busy, _ = p.Turn(ctx, host.Job{
				Name: "a start in a state of 200 runs that are on", State: crowded(p, s, "running", manyWords, nil), Event: start,
			})
			o.Wide, _ = p.Turn(ctx, host.Job{
				Name: "a start in a state of 200 runs that are on, with goals in Cyrillic", State: crowded(p, s, "wide", wideWords, nil),
				Event: p.Start("цель "+wideWords, nil),
			})
		}
		text := strings.Repeat("a sentence of twenty-two ", 20<<20/25)
		body := host.Object{"content_type": "text/plain", "text": text}
		o.Result, _ = p.Turn(ctx, host.Job{
			Name: "a result of 20 MiB", State: s.State, Event: p.Result(s.Pending, body),
			Timeout: max(p.Deadline(), time.Minute), Heavy: "20 MiB",
		})
	},
}

// The row of the state is measured in bytes: wideWords has half as many characters.
var (
	manyWords = strings.Repeat("of many words ", 290)
	wideWords = strings.Repeat("много слов ", 213)
)

// crowded returns a state that is full of runs like the one that was started, but for their goals, which end in words, and these fields:
// it has no room for one more of their size.
func crowded(p *host.Plugin, s host.Started, name, words string, fields host.Object) host.Object {
	crowd := host.Clone(s.State)
	one, _ := host.RunsOf(crowd)[s.Run].(host.Object)
	maps.Copy(one, fields)
	for i := range 200 {
		run := host.Clone(one)
		run["goal"] = fmt.Sprintf("goal %d %s", i, words)
		host.RunsOf(crowd)[fmt.Sprintf("%s-%d-%s", name, i, p.NewID())] = run
	}
	if filler := host.MostState - host.SizeOf(crowd) - 2000; filler > 0 {
		run := host.Clone(one)
		run["goal"] = strings.Repeat("x", filler)
		host.RunsOf(crowd)[name+"-filler"] = run
	}
	return crowd
}
