package surface

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

const filesPath = "/v1/host/workspace/files"

func (c *client) putFile(path, content string, headers ...header) openwopv1.WorkspaceFile {
	c.t.Helper()
	body := map[string]any{"content": content}
	return decoded[openwopv1.WorkspaceFile](c.do("PUT", filesPath+"/"+path, body, headers...).want(http.StatusOK))
}

func (c *client) file(path string) openwopv1.WorkspaceFile {
	c.t.Helper()
	return decoded[openwopv1.WorkspaceFile](c.do("GET", filesPath+"/"+path, nil).want(http.StatusOK))
}

// listed are the paths of a list, which must be there even when it is empty.
func listed(r reply) []string {
	r.t.Helper()
	list := decoded[openwopv1.WorkspaceFileList](r.want(http.StatusOK))
	if list.Files == nil {
		r.t.Fatalf("a list without files is %s", r.body)
	}
	paths := []string{}
	for _, f := range list.Files {
		paths = append(paths, f.Path)
	}
	return paths
}

func (c *client) wantList(query string, want ...string) {
	c.t.Helper()
	r := c.do("GET", filesPath+query, nil)
	if got := listed(r); !slices.Equal(got, want) {
		c.t.Errorf("the list%s is %v, want %v", query, got, want)
	}
	if strings.Contains(string(r.body), `"content"`) {
		c.t.Errorf("the list has contents: %s", r.body)
	}
}

// wantConflict fails the test unless the reply refuses with this current version.
func (r reply) wantConflict(version float64) {
	r.t.Helper()
	if e := r.wantError(http.StatusConflict, "workspace_conflict"); e.Details["currentVersion"] != version {
		r.t.Errorf("the conflict has %v, want version %v", e.Details, version)
	}
}

func TestWorkspaceFiles(t *testing.T) {
	c := serve(t, Options{})
	c.wantList("")
	first := c.putFile("plan.md", "step 1")
	if first.Path != "plan.md" || first.Version != 1 || first.Content != "step 1" || *first.ContentType != "text/markdown" {
		t.Errorf("the first write is answered with %+v", first)
	}
	if second := c.putFile("plan.md", "step 2"); second.Version != 2 || *second.Etag == *first.Etag {
		t.Errorf("the second write is answered with %+v, %s", second, *second.Etag)
	}
	third := decoded[openwopv1.WorkspaceFile](c.do("PUT", filesPath+"/plan.md", map[string]any{"content": "",
		"contentType": "text/plain"}).want(http.StatusOK))
	if third.Version != 3 || third.Content != "" || *third.ContentType != "text/plain" {
		t.Errorf("the third write is answered with %+v", third)
	}
	if got := c.file("plan.md"); got.Version != 3 || *got.Etag != *third.Etag || !got.UpdatedAt.Equal(third.UpdatedAt) {
		t.Errorf("then it is %+v", got)
	}
	if got := c.file("plan.md?version=1"); got.Version != 1 || got.Content != "step 1" || *got.Etag != *first.Etag {
		t.Errorf("version 1 is %+v", got)
	}
	c.do("GET", filesPath+"/plan.md?version=4", nil).wantError(http.StatusNotFound, "not_found")
	for _, version := range []string{"0", "-1", "x", "1.5", "", "99999999999999999999"} {
		c.do("GET", filesPath+"/plan.md?version="+version, nil).wantError(http.StatusBadRequest, "validation_error")
	}
	c.do("DELETE", filesPath+"/plan.md", nil).want(http.StatusNoContent)
	for _, method := range []string{"GET", "DELETE"} {
		c.do(method, filesPath+"/plan.md", nil).wantError(http.StatusNotFound, "not_found")
	}
	c.wantList("")
	if again := c.putFile("plan.md", "again"); again.Version != 5 {
		t.Errorf("after the delete, which is version 4, it is %+v", again)
	}
}

func TestWorkspaceIfMatch(t *testing.T) {
	c := serve(t, Options{})
	body := map[string]any{"content": "x"}
	put := func(path, etag string) reply {
		return c.do("PUT", filesPath+"/"+path, body, header{"If-Match", etag})
	}
	put("plan.md", `"1-00000000"`).wantConflict(0)
	put("plan.md", "*").wantConflict(0)
	first := c.putFile("plan.md", "step 1")
	put("plan.md", *first.Etag).want(http.StatusOK)
	put("plan.md", *first.Etag).wantConflict(2)
	put("plan.md", "nonsense").wantConflict(2)
	put("plan.md", "*").want(http.StatusOK)
	c.do("PUT", filesPath+"/plan.md", body, header{"If-Match", "*"}, header{"If-Match", "*"}).wantError(http.StatusBadRequest,
		"validation_error")
	put("plan.md", strings.Repeat("x", 257)).wantError(http.StatusBadRequest, "validation_error")
	if got := c.file("plan.md"); got.Version != 3 {
		t.Errorf("after three writes it is %+v", got)
	}
	c.do("DELETE", filesPath+"/plan.md", nil).want(http.StatusNoContent)
	put("plan.md", *first.Etag).wantConflict(0)

	// Of writers that come together with one etag, one wins.
	etag := *c.putFile("plan.md", "step 1").Etag
	var (
		wg       sync.WaitGroup
		statuses [8]int
	)
	for i := range statuses {
		wg.Go(func() { statuses[i] = put("plan.md", etag).status })
	}
	wg.Wait()
	slices.Sort(statuses[:])
	if want := [...]int{200, 409, 409, 409, 409, 409, 409, 409}; statuses != want {
		t.Errorf("writers with one etag were answered %v", statuses)
	}
}

func TestWorkspacePaths(t *testing.T) {
	c := serve(t, Options{})
	// An escaped slash, an escaped one among others, and one as it is are the same path.
	c.putFile("notes%2F2026%2Fa.md", "escaped")
	for _, path := range []string{"notes/2026/a.md", "notes/2026%2Fa.md", "notes%2f2026/a.md", "%6eotes/2026/a%2Emd"} {
		if got := c.file(path); got.Path != "notes/2026/a.md" || got.Content != "escaped" {
			t.Errorf("%s is %+v", path, got)
		}
	}
	if got := c.putFile("notes/2026/a.md", "as it is"); got.Version != 2 {
		t.Errorf("the same path with slashes as they are is %+v", got)
	}
	c.putFile("notes.md", "")
	c.putFile("b..md", "")
	c.wantList("", "b..md", "notes.md", "notes/2026/a.md")
	c.wantList("?prefix=notes%2F", "notes/2026/a.md")
	c.wantList("?prefix=notes", "notes.md", "notes/2026/a.md")
	c.wantList("?prefix=nothing")
	c.do("GET", filesPath+"?prefix="+strings.Repeat("x", 257), nil).wantError(http.StatusBadRequest, "validation_error")
	c.do("DELETE", filesPath+"/notes/2026/a.md", nil).want(http.StatusNoContent)
	c.wantList("", "b..md", "notes.md")
}

func TestWorkspacePathsThatAreRefused(t *testing.T) {
	c := serve(t, Options{})
	c.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		t.Errorf("redirected to %s", r.URL)
		return http.ErrUseLastResponse
	}
	c.putFile("a", "inside")
	for _, path := range []string{
		"..%2Fescape", "../escape", "..", "%2E%2E", "%2e%2e/escape", "%2e%2e%2fescape", "..%252Fescape",
		"a/../b", "a%2F..%2Fb", "a/%2e%2e/b", "a/..", "a%2F..", "x/../a", "x%2F..%2Fa", "./a", "%2E/a", "a/./b", "a%2F.%2Fb",
		"a//b", "a%2F%2Fb", "/a", "%2Fa", "//a", "a/", "a%2F", "a//", "", "a/%2F",
		".hidden", "-a", "a%20b", "a%5Cb", "a%00b", "a%0Ab", "a:b", "a:fork", "a,b", "a;b", "%C3%A4", "%FF",
		strings.Repeat("a", 257), strings.Repeat("a/", 600) + "a",
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			var body any
			if method == "PUT" {
				body = map[string]any{"content": "outside"}
			}
			r := c.do(method, filesPath+"/"+path, body)
			var e openwopv1.ErrorEnvelope
			if err := json.Unmarshal(r.body, &e); err != nil {
				t.Fatalf("%s %s: %s", method, path, r.body)
			}
			if got := fmt.Sprint(r.status, " ", e.Error); got != "400 validation_error" && got != "404 not_found" || e.Message == "" {
				t.Errorf("%s %s was answered %s: %s", method, path, got, r.body)
			}
		}
	}
	c.wantList("", "a")
	for _, path := range []string{"/a:b", "/a/b:c"} { // a verb that nobody knows
		c.do("POST", filesPath+path, nil).wantError(http.StatusNotFound, "not_found")
	}
	// The folder is the list, and nothing else.
	for _, method := range []string{"PUT", "DELETE", "POST", "PATCH"} {
		if r := c.do(method, filesPath, nil); r.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s allows %q", method, r.header.Get("Allow"))
		} else {
			r.wantError(http.StatusMethodNotAllowed, "method_not_allowed")
		}
	}
	for _, path := range []string{"/a", "/a/b", "/a%2Fb"} {
		if r := c.do("POST", filesPath+path, nil); r.header.Get("Allow") != "GET, HEAD, PUT, DELETE" {
			t.Errorf("POST %s allows %q", path, r.header.Get("Allow"))
		} else {
			r.wantError(http.StatusMethodNotAllowed, "method_not_allowed")
		}
	}
}

func TestWorkspaceBounds(t *testing.T) {
	c := serve(t, Options{MaxFileBytes: 100, MaxFiles: 2, MaxVersions: 2})
	put := func(path, content string) reply {
		return c.do("PUT", filesPath+"/"+path, map[string]any{"content": content})
	}
	put("a", strings.Repeat("x", 100)).want(http.StatusOK)
	put("a", strings.Repeat("x", 101)).wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	put("a", strings.Repeat("ä", 51)).wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	put("b", "").want(http.StatusOK)
	put("c", "").wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	put("a", strings.Repeat("x", 2<<20)).wantError(http.StatusRequestEntityTooLarge, "payload_too_large")
	put("b", "2").want(http.StatusOK)
	put("b", "3").want(http.StatusOK)
	c.do("GET", filesPath+"/b?version=2", nil).want(http.StatusOK)
	c.do("GET", filesPath+"/b?version=1", nil).wantError(http.StatusNotFound, "not_found")
	c.do("DELETE", filesPath+"/a", nil).want(http.StatusNoContent)
	put("c", "").want(http.StatusOK)
	put("a", "").wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	for _, body := range []any{`{}`, `{"content":1}`, `{"content":"x","version":7}`, `{"content":"x","contentType":"a\nb"}`, `[]`, `{`} {
		c.do("PUT", filesPath+"/c", body).wantError(http.StatusBadRequest, "validation_error")
	}
	c.do("PUT", filesPath+"/c", nil).wantError(http.StatusBadRequest, "validation_error")
}

// The largest file that the bounds allow fits into a body, however it is escaped.
func TestTheLargestFileFits(t *testing.T) {
	c := serve(t, Options{MaxFileBytes: highestMaxFileBytes})
	content := strings.Repeat("\x01", highestMaxFileBytes)
	c.putFile("a", content)
	if got := c.file("a"); got.Content != content {
		t.Errorf("it came back with %d bytes", len(got.Content))
	}
}

func TestWorkspaceKeepsTheKeyOut(t *testing.T) {
	c := serve(t, Options{Key: "a-secret-key"})
	if got := c.putFile("a", "Bearer a-secret-key."); got.Content != "Bearer [REDACTED:1]." {
		t.Errorf("stored %q", got.Content)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		c.do(method, filesPath+"/a", nil, header{"Authorization", ""}).wantError(http.StatusUnauthorized, "unauthenticated")
	}
	c.do("GET", filesPath, nil, header{"Authorization", ""}).wantError(http.StatusUnauthorized, "unauthenticated")
}

func TestWorkspaceOutlivesTheHost(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	c.putFile("notes/a.md", "one")
	two := c.putFile("notes/a.md", "two")
	c.stop()
	c = serve(t, Options{DataDir: dir})
	if got := c.file("notes/a.md"); got.Version != 2 || *got.Etag != *two.Etag || got.Content != "two" {
		t.Errorf("after a restart it is %+v", got)
	}
	if got := c.file("notes/a.md?version=1"); got.Content != "one" {
		t.Errorf("after a restart version 1 is %+v", got)
	}
	if got := c.putFile("notes/a.md", "three"); got.Version != 3 {
		t.Errorf("after a restart it counts on with %+v", got)
	}
}

func TestWorkspaceNotClaimed(t *testing.T) {
	c := serve(t, Options{Without: []string{"workspace"}})
	c.do("GET", filesPath, nil).wantError(http.StatusNotImplemented, "capability_not_provided")
	c.do("GET", filesPath+"/a", nil).wantError(http.StatusNotImplemented, "capability_not_provided")
	c.do("PUT", filesPath+"/a/b", map[string]any{"content": ""}).wantError(http.StatusNotImplemented, "capability_not_provided")
	c.do("DELETE", filesPath+"/a", nil).wantError(http.StatusNotImplemented, "capability_not_provided")
	list := map[string]any{"tenant": "t1", "op": "list"}
	c.do("POST", seamPath, list).wantError(http.StatusNotFound, "not_found")

	c = serve(t, Options{Without: []string{"workspaceSeam"}})
	c.do("POST", seamPath, list).wantError(http.StatusNotFound, "not_found")
	c.wantList("")
}

// What the surface tells of files goes by the rules too.
func TestWorkspaceWithFaults(t *testing.T) {
	c := serve(t, committing(t, Options{Without: []string{"workspace"}}, "file.unclaimed-is-forbidden"))
	c.do("GET", filesPath, nil).wantError(http.StatusForbidden, "forbidden")
	c = serve(t, committing(t, Options{}, "file.missing-content-empties"))
	c.do("PUT", filesPath+"/a", map[string]any{}).want(http.StatusOK)
	c.do("PUT", filesPath+"/a", map[string]any{"content": 7}).wantError(http.StatusBadRequest, "validation_error")
}

// Of two who write at once with one etag both are let through, and of two who come after each other one.
func TestWritersJudgedAtOnce(t *testing.T) {
	c := serve(t, committing(t, Options{}, "file.judged-at-once"))
	etag := *c.putFile("raced", "before").Etag
	statuses := make([]int, 2)
	var writers sync.WaitGroup
	for i := range statuses {
		writers.Go(func() {
			statuses[i] = c.do("PUT", filesPath+"/raced", map[string]any{"content": fmt.Sprint(i)}, header{"If-Match", etag}).status
		})
	}
	writers.Wait()
	if !slices.Equal(statuses, []int{http.StatusOK, http.StatusOK}) {
		t.Errorf("writers at once are answered with %v", statuses)
	}
	c.do("PUT", filesPath+"/raced", map[string]any{"content": "late"}, header{"If-Match", etag}).wantConflict(3)
}

const seamPath = "/v1/host/sample/workspace/op"

func TestWorkspaceSeam(t *testing.T) {
	c := serve(t, Options{MaxFileBytes: 100})
	type ask map[string]any
	op := func(a ask) reply {
		t.Helper()
		if a["tenant"] == nil {
			a["tenant"], a["workspace"] = "t1", "w1"
		}
		return c.do("POST", seamPath, a)
	}
	if got := listed(op(ask{"op": "list"})); len(got) != 0 {
		t.Errorf("a new owner has %v", got)
	}
	first := decoded[openwopv1.WorkspaceFile](op(ask{"op": "put", "path": "notes/a.md", "content": "",
		"contentType": "text/plain"}).want(http.StatusOK))
	if first.Version != 1 || first.Content != "" || *first.ContentType != "text/plain" {
		t.Errorf("a write is answered with %+v", first)
	}
	op(ask{"op": "put", "path": "notes/a.md", "content": "two", "ifMatch": *first.Etag}).want(http.StatusOK)
	op(ask{"op": "put", "path": "notes/a.md", "content": "two", "ifMatch": *first.Etag}).wantConflict(2)
	op(ask{"op": "put", "path": "b", "content": strings.Repeat("x", 101)}).wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	if got := decoded[openwopv1.WorkspaceFile](op(ask{"op": "get",
		"path": "notes/a.md"}).want(http.StatusOK)); got.Content != "two" || got.Version != 2 {
		t.Errorf("then it is %+v", got)
	}
	if got := decoded[openwopv1.WorkspaceFile](op(ask{"op": "get", "path": "notes/a.md",
		"version": 1}).want(http.StatusOK)); got.Version != 1 {
		t.Errorf("version 1 is %+v", got)
	}
	op(ask{"op": "get", "path": "notes/a.md", "version": 3}).wantError(http.StatusNotFound, "not_found")
	if got := listed(op(ask{"op": "list", "prefix": "notes/"})); !slices.Equal(got, []string{"notes/a.md"}) {
		t.Errorf("the list is %v", got)
	}
	if got := listed(op(ask{"op": "list", "prefix": "x"})); len(got) != 0 {
		t.Errorf("the list of nothing is %v", got)
	}
	for _, bad := range []ask{
		{"op": "get"}, {"op": "put", "content": "x"}, {"op": "put", "path": "a"}, {"op": "delete"}, {"op": "rename", "path": "a"}, {},
		{"op": "get", "path": "../a"}, {"op": "put", "path": "a/../b", "content": ""}, {"op": "delete", "path": strings.Repeat("a", 100_000)},
		{"op": "get", "path": "a", "version": 0}, {"op": "list", "tenant": ""}, {"op": "list", "more": true},
	} {
		op(bad).wantError(http.StatusBadRequest, "validation_error")
	}
	op(ask{"op": "delete", "path": "notes/a.md"}).want(http.StatusNoContent)
	op(ask{"op": "delete", "path": "notes/a.md"}).wantError(http.StatusNotFound, "not_found")
	op(ask{"op": "get", "path": "notes/a.md"}).wantError(http.StatusNotFound, "not_found")
	c.do("POST", seamPath, ask{"tenant": "t1", "op": "list"}, header{"Authorization", ""}).wantError(http.StatusUnauthorized,
		"unauthenticated")
}

// Owners that look alike, the one behind the public endpoints among them, see nothing of each other.
func TestWorkspaceOwnersThatLookAlike(t *testing.T) {
	c := serve(t, Options{})
	owners := []map[string]any{
		{"tenant": "t1", "workspace": "w1"}, {"tenant": "t1 w1", "workspace": ""}, {"tenant": "t1"}, {"tenant": "t1/w1"}, {"tenant": "t1w1"},
		{"tenant": "w1", "workspace": "t1"}, {"tenant": DefaultTenant, "workspace": "w1"}, {"tenant": "t1\u0000w1"},
	}
	ask := func(owner map[string]any, op string, more ...string) reply {
		t.Helper()
		body := map[string]any{"op": op}
		for i := 0; i+1 < len(more); i += 2 {
			body[more[i]] = more[i+1]
		}
		maps.Copy(body, owner)
		return c.do("POST", seamPath, body)
	}
	c.putFile("plan.md", "public")
	for i, owner := range owners {
		if got := listed(ask(owner, "list")); len(got) != 0 {
			t.Errorf("%v already has %v", owner, got)
		}
		ask(owner, "get", "path", "plan.md").wantError(http.StatusNotFound, "not_found")
		ask(owner, "delete", "path", "plan.md").wantError(http.StatusNotFound, "not_found")
		ask(owner, "put", "path", "plan.md", "content", fmt.Sprint(i)).want(http.StatusOK)
	}
	for i, owner := range owners {
		got := decoded[openwopv1.WorkspaceFile](ask(owner, "get", "path", "plan.md").want(http.StatusOK))
		if got.Version != 1 || got.Content != fmt.Sprint(i) {
			t.Errorf("%v has %+v", owner, got)
		}
	}
	if got := c.file("plan.md"); got.Version != 1 || got.Content != "public" {
		t.Errorf("the public file is %+v", got)
	}
	// The tenant's own workspace is named by an empty one, or by none.
	for _, owner := range []map[string]any{{"tenant": DefaultTenant}, {"tenant": DefaultTenant, "workspace": ""}} {
		got := decoded[openwopv1.WorkspaceFile](ask(owner, "get", "path", "plan.md").want(http.StatusOK))
		if got.Content != "public" {
			t.Errorf("%v has %+v", owner, got)
		}
	}
}
