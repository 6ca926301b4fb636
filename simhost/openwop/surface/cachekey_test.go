package surface

import (
	"net/http"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

const keySeam = "/v1/host/sample/test/llm-cache-key"

func (c *client) cacheKey(request string) string {
	c.t.Helper()
	return decoded[openwopv1.LlmCacheKeyReply](c.do("POST", keySeam, request).want(http.StatusOK)).CacheKey
}

func TestCacheKeyIsThatOfWhatCounts(t *testing.T) {
	c := serve(t, Options{})
	base := c.cacheKey(`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"a"},{"name":"b","x":{"y":1,"z":2}}],"temperature":0.5}`)
	for _, same := range []string{
		`{"temperature":5e-1,"tools":[{"x":{"z":2,"y":1},"name":"b"},{"name":"a"}],"messages":[{"content":"hi","role":"user"}],"model":"m","provider":"p"}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi","id":7}],"tools":[{"name":"a"},{"name":"b","x":{"y":1,"z":2}}],"temperature":0.5,"stream":true,"user":"u","seed":1}`,
	} {
		if got := c.cacheKey(same); got != base {
			t.Errorf("%s has another key", same)
		}
	}
	seen := map[string]string{base: "the request itself"}
	for _, other := range []string{
		`{"provider":"q","model":"m","messages":[{"role":"user","content":"hi"}]}`,
		`{"provider":"p","model":"n","messages":[{"role":"user","content":"hi"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"ho"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"tool","content":"hi"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi","name":"n"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi","toolCallId":"n"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"},{"role":"user","content":"hi"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"a"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"a","description":"d"}]}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"topP":0.5}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"topK":5}`,
		`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"responseFormat":{"type":"json"}}`,
	} {
		got := c.cacheKey(other)
		if what, taken := seen[got]; taken {
			t.Errorf("%s has the key of %s", other, what)
		}
		seen[got] = other
	}
	if got := c.cacheKey(`{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}],"tools":[]}`); seen[got] != `{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}]}` {
		t.Error("no tools and an empty list of tools are two keys")
	}
	for _, bad := range []string{`{"model":"m","messages":[]}`, `{"provider":"p","messages":[]}`, `{"provider":"p","model":"m"}`} {
		c.do("POST", keySeam, bad).wantError(http.StatusBadRequest, "validation_error")
	}
	for _, o := range []Options{{Version: 3}, {Without: []string{"cacheKeySeam"}}, {Without: []string{"executionModel"}}} {
		serve(t, o).do("POST", keySeam, `{"provider":"p","model":"m","messages":[]}`).wantError(http.StatusNotFound, "not_found")
	}
}
