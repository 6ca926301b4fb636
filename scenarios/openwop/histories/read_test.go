package histories_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/histories"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type sent = wiretest.Sent

// compare holds what a transcript tells of the first object of a kind against the model.
func compare(t *testing.T, kind string, all []sent, steps int, want scenarios.IDs) {
	t.Helper()
	for i := range all {
		if all[i].At == 0 {
			all[i].At = 10 * i
		}
	}
	told := histories.Read(dialect.V1, scenarios.Discovery{}, wiretest.Record("d", all...))
	i := slices.IndexFunc(told, func(o explore.Told) bool { return o.Kind == kind })
	switch {
	case i < 0 && steps > 0:
		t.Error("nothing is told")
	case i < 0:
	case len(told[i].Exchanges) != steps || !slices.Equal(told[i].Violates, want):
		t.Errorf("%d steps are judged and violate %v, want %d and %v\n%s", len(told[i].Exchanges), told[i].Violates, steps, want, told[i].Picture)
	}
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	const file = "/v1/host/workspace/files/n%2Fa.md"
	shows := func(content string, version int) string {
		return fmt.Sprintf(`{"path":"n/a.md","content":%q,"contentType":"text/markdown","version":%d,"etag":"\"e%[2]d\""}`, content, version)
	}
	put := func(content string, version int) sent {
		return sent{Request: "PUT " + file, Body: fmt.Sprintf(`{"content":%q}`, content), Status: 200, Reply: shows(content, version)}
	}
	get := func(content string, version int) sent {
		return sent{Request: "GET " + file, Status: 200, Reply: shows(content, version)}
	}
	with := func(s sent, header, value string) sent {
		s.Header = map[string]string{header: value}
		return s
	}
	lost := sent{Request: "PUT " + file, Body: `{"content":"b"}`}
	refused := sent{Request: "PUT " + file, Body: `{"content":"b"}`, Status: 429, Reply: "{}"}
	drop := sent{Request: "DELETE " + file, Status: 204}
	gone := sent{Request: "GET " + file, Status: 404, Reply: "{}"}
	list := func(reply string) sent {
		return sent{Request: "GET /v1/host/workspace/files?prefix=n", Status: 200, Reply: reply}
	}
	for name, c := range map[string]struct {
		all   []sent
		steps int
		want  scenarios.IDs
	}{
		"written, read and deleted": {[]sent{put("a", 1), get("a", 1), drop, gone}, 4, nil},
		"another content":           {[]sent{put("a", 1), get("b", 1)}, 2, scenarios.IDs{"OWP-WSP-1"}},
		"there before":              {[]sent{put("a", 7), get("a", 7)}, 2, nil},
		"read first":                {[]sent{get("a", 7), put("b", 8), get("a", 8)}, 2, scenarios.IDs{"OWP-WSP-1"}},
		"never written":             {[]sent{gone, drop}, 0, nil},
		"a lost write comes late":   {[]sent{put("a", 1), lost, get("a", 1), get("b", 2)}, 4, nil},
		"a lost write is undone": {[]sent{put("a", 1), lost, get("b", 2), get("a", 1)}, 4,
			scenarios.IDs{"OWP-WSP-1", "OWP-WSP-9", "OWP-WSP-10"}},
		"a lost write at first": {[]sent{lost, put("a", 1), get("b", 2)}, 0, nil},
		"refused for load":      {[]sent{put("a", 1), refused, get("a", 1)}, 3, nil},
		"at once": {[]sent{put("a", 1), {At: 10, Took: 8, Request: "PUT " + file, Body: `{"content":"b"}`, Status: 200, Reply: shows("b", 3)},
			{At: 12, Took: 8, Request: "PUT " + file, Body: `{"content":"c"}`, Status: 200, Reply: shows("c", 2)}, get("b", 3)}, 4, nil},
		"one after the other": {[]sent{put("a", 1), put("b", 3)}, 2, scenarios.IDs{"OWP-WSP-9"}},
		"by another way":      {[]sent{put("a", 1), with(put("b", 2), "Idempotency-Key", "k"), get("c", 9)}, 1, nil},
		"by somebody else":    {[]sent{put("a", 1), with(put("b", 2), "Authorization", "<secret of voter 1>"), get("c", 9)}, 1, nil},
		"of another tenant":   {[]sent{put("a", 1), with(get("a", 1), "Authorization", wire.OtherTenant)}, 2, scenarios.IDs{"OWP-ISO-10"}},
		"named by a run": {[]sent{put("a", 1), {Request: "POST /v1/runs", Body: `{"inputs":{"path":"n/a.md"}}`, Status: 201, Reply: "{}"},
			get("b", 2)}, 0, nil},
		"a list without it":    {[]sent{put("a", 1), list(`{"files":[]}`)}, 2, scenarios.IDs{"OWP-WSP-4"}},
		"a page without it":    {[]sent{put("a", 1), list(`{"files":[],"nextCursor":"c"}`)}, 1, nil},
		"a list under a write": {[]sent{put("a", 1), {At: 10, Took: 30, Request: "DELETE " + file, Status: 204}, list(`{"files":[]}`)}, 2, nil},
		"a form that means something else": {[]sent{put("a", 1),
			{Request: "PUT " + file, Header: map[string]string{"Content-Type": "text/plain"}, Body: `{"content":"b"}`, Status: 400, Reply: "{}"},
			{Request: "PUT " + file, Body: `{"content":"b","content":"c"}`, Status: 400, Reply: "{}"}, get("a", 1)}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, "files", c.all, c.steps, c.want)
		})
	}
}

func TestReadKeys(t *testing.T) {
	t.Parallel()
	ask := func(body string, status int, reply string) sent {
		return sent{Request: "POST /v1/runs", Header: map[string]string{"Idempotency-Key": "k"}, Body: body, Status: status, Reply: reply}
	}
	const a, b, run1, run2 = `{"workflowId":"w","n":1}`, `{"workflowId":"w","n":2}`, `{"runId":"r1"}`, `{"runId":"r2"}`
	fork := ask(`{}`, 201, run2)
	fork.Request = "POST /v1/runs/r1:fork"
	for name, c := range map[string]struct {
		all   []sent
		steps int
		want  scenarios.IDs
	}{
		"done once":         {[]sent{ask(a, 201, run1), ask(a, 201, run1), ask(b, 409, `{"error":"e","message":"m"}`)}, 3, nil},
		"done twice":        {[]sent{ask(a, 201, run1), ask(a, 201, run2)}, 2, scenarios.IDs{"OWP-ERR-18"}},
		"another body":      {[]sent{ask(a, 201, run1), ask(b, 201, run2)}, 2, scenarios.IDs{"OWP-ERR-19"}},
		"reordered":         {[]sent{ask(a, 201, run1), ask(`{"n":1.0,"workflowId":"w"}`, 201, run1)}, 2, nil},
		"reordered, twice":  {[]sent{ask(a, 201, run1), ask(`{"n":1,"workflowId":"w"}`, 201, run2)}, 2, scenarios.IDs{"OWP-ERR-18"}},
		"refused for form":  {[]sent{ask(a, 201, run1), ask(`{"workflowId":7}`, 400, "{}"), ask(a, 201, run1)}, 2, nil},
		"refused at first":  {[]sent{ask(a, 404, "{}"), ask(b, 201, run2)}, 0, nil},
		"of something else": {[]sent{ask(a, 201, run1), fork}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, "keys", c.all, c.steps, c.want)
		})
	}
}

func TestReadGoals(t *testing.T) {
	t.Parallel()
	const goals, asked = "/v1/host/sample/goals", `"objective":"o","completion":{"check":"host"},"continuation":{"mode":"manual"}`
	make := func(bounds string) sent {
		return sent{Request: "POST " + goals, Body: `{` + asked + `,"bounds":` + bounds + `}`, Status: 200, Reply: `{"id":"g"}`}
	}
	tick := func(run string) sent {
		return sent{Request: "POST " + goals + "/g/tick", Body: `{"verdict":{"satisfied":false}}`, Status: 200, Reply: `{"runId":"` + run + `"}`}
	}
	edit := func(objective string) sent {
		return sent{Request: "PATCH " + goals + "/g", Body: `{"objective":"` + objective + `"}`, Status: 400, Reply: "{}"}
	}
	read := func(state, more string) sent {
		return sent{Request: "GET " + goals + "/g", Status: 200, Reply: `{"id":"g","state":"` + state + `","bounds":{"maxLoopIterations":1},` +
			asked[:len(asked)-1] + `},"owner":{"tenant":"t"}` + more + `}`}
	}
	const once = `,"progress":{"contributingRunIds":["r1"]},"completion":{"check":"host","lastVerdict":{"runId":"r1","satisfied":false}}`
	for name, c := range map[string]struct {
		all   []sent
		steps int
		want  scenarios.IDs
	}{
		"over its bound":   {[]sent{make(`{"maxLoopIterations":1}`), read("active", ""), tick("r1"), read("bound-exceeded", once)}, 3, nil},
		"beyond its bound": {[]sent{make(`{"maxLoopIterations":1}`), tick("r1"), read("active", once)}, 2, scenarios.IDs{"OWP-0097-E4"}},
		"not shown yet":    {[]sent{make(`{"maxLoopIterations":1}`), tick("r1"), read("active", "")}, 1, nil},
		"ends by itself":   {[]sent{make(`{"maxLoopIterations":1,"runTimeoutMs":9}`), tick("r1"), read("active", once)}, 0, nil},
		"a tick that was lost": {[]sent{make(`{"maxLoopIterations":1}`), read("active", ""), {Request: "POST " + goals + "/g/tick"},
			read("x", "")}, 1, nil},
		"an edit that is refused": {[]sent{make(`{"maxLoopIterations":1}`), edit("another"), read("active", "")}, 2, scenarios.IDs{"OWP-0097-C4"}},
		"an objective that may be too long": {[]sent{make(`{"maxLoopIterations":1}`), edit(strings.Repeat("x", 2000)), read("active", "")},
			1, nil},
		"satisfied by a client": {[]sent{make(`{"maxLoopIterations":1}`), {Request: "PATCH " + goals + "/g", Body: `{"state":"satisfied"}`,
			Status: 200, Reply: "{}"}}, 1, scenarios.IDs{"OWP-0097-E2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, "goals", c.all, c.steps, c.want)
		})
	}
}
