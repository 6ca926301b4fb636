package memory_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/memory"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Two entries of one content are two entries, for who wrote them and for its parent.
func TestJudgeOfEntriesOfTheSameContent(t *testing.T) {
	entry := func(tag string) map[string]any {
		return map[string]any{"id": "id-" + tag, "content": "c", "tags": []any{"tag", tag}, "createdAt": "2026-01-02T03:04:05.678Z"}
	}
	both, one := []any{entry("one"), entry("two")}, []any{entry("one")}
	run := func(t *testing.T, id string, seen []any, told []string) host.RunLog {
		var looks []any
		for turn := 1; turn <= 2; turn++ {
			for _, at := range []string{"begin", "end"} {
				entries := seen
				if turn == 1 {
					entries = []any{}
				}
				looks = append(looks, map[string]any{"iteration": turn, "at": at, "memory": entries})
			}
		}
		l := rememberingRun(t, id, "completed", looks)
		l.Created = wiretest.Status(t, 200)
		s := hosttest.Story{Id: id}
		for i, tag := range told {
			s = s.Then(hosttest.Event{Kind: "memory.written", Payload: map[string]any{"memoryRef": "m", "memoryId": idOf(string(rune('a' + i))),
				"tags": []any{tag}}})
		}
		l.Events = append(l.Events, s.Log(t).Events...)
		return l
	}
	for name, c := range map[string]struct {
		loop, worker []any
		told         []string // tags of the memory.written events of the worker
		want         string
	}{
		"both are read":                           {both, both, []string{"tag", "tag"}, "passed"},
		"both are read, and none is told of":      {both, both, nil, "passed"},
		"the parent has one":                      {one, both, []string{"tag", "tag"}, openwop.OWPMEM2},
		"who wrote them has one":                  {one, one, []string{"tag", "tag"}, hosttest.BlockedOn(openwop.OWPMEM14)},
		"who wrote them told of one, has it":      {one, one, []string{"tag"}, hosttest.BlockedOn("")},
		"who wrote them told of one, and another": {one, one, []string{"tag", "more"}, hosttest.BlockedOn("")},
	} {
		t.Run(name, func(t *testing.T) {
			o := memory.MemoryTwins{Tag: "tag", Twins: []memory.Twin{{Content: "c", Tag: "one"}, {Content: "c", Tag: "two"}},
				Log: run(t, "r", c.loop, nil), Worker: run(t, "w", c.worker, c.told)}
			hosttest.Expect(t, "same-content-brought", o, c.want)
		})
	}
}
