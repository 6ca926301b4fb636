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
	run := func(t *testing.T, id string, seen []any, told int) host.RunLog {
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
		l := rememberingRun(t, id, "completed", looks, []string{"a", "b", "c"}[:told]...)
		l.Created = wiretest.Status(t, 200)
		return l
	}
	for name, c := range map[string]struct {
		loop, worker []any
		told         int
		want         string
	}{
		"both are read":                      {both, both, 2, "passed"},
		"the parent has one":                 {one, both, 2, openwop.OWPMEM2},
		"who wrote them has one":             {one, one, 2, hosttest.BlockedOn(openwop.OWPMEM14)},
		"who wrote them told of one, has it": {one, one, 1, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := memory.MemoryTwins{Tag: "tag", Twins: []memory.Twin{{Content: "c", Tag: "one"}, {Content: "c", Tag: "two"}},
				Log: run(t, "r", c.loop, 0), Worker: run(t, "w", c.worker, c.told)}
			hosttest.Expect(t, "same-content-brought", o, c.want)
		})
	}
}
