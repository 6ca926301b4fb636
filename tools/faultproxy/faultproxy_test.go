package faultproxy

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/mutate"
)

func TestProxyCommitsTheFault(t *testing.T) {
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"path":"`+r.URL.Path+`","key":"`+r.Header.Get("Authorization")+`"}`)
	}))
	defer host.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	handler, err := New(Options{Target: host.URL + "/base", CAFile: ca, Changes: mutate.Changes{Replies: []mutate.ReplyFunc{
		mutate.On("GET /thing", mutate.JSON(func(o map[string]any) { o["lie"] = true })),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	for path, want := range map[string]string{
		"/thing": `{"key":"Bearer k","lie":true,"path":"/base/thing"}`,
		"/other": `{"path":"/base/other","key":"Bearer k"}`,
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", proxy.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer k")
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s: %s, %v", path, body, err)
		}
	}
	host.Close()
	reply, err := http.Get(proxy.URL + "/thing")
	if err != nil || reply.StatusCode != http.StatusBadGateway {
		t.Errorf("a host that is gone: %v, %v", reply, err)
	} else {
		_ = reply.Body.Close()
	}
}

func TestMistakesInOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for says, o := range map[string]Options{
		"give the base URL":    {Target: "localhost:3000"},
		"holds no certificate": {Target: "https://localhost", CAFile: empty},
		"read certificates":    {Target: "https://localhost", CAFile: filepath.Join(t.TempDir(), "none.pem")},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %s", o, err, says)
		}
	}
}
