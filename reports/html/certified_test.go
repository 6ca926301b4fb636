package html_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	questions "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// key is the credential of the hosts in these tests. No report may hold it.
const key = "a-key-that-nobody-may-see"

// simulated is a simulated host that commits these faults.
func simulated(t testing.TB, faults ...string) http.Handler {
	t.Helper()
	host, err := faulty.New(t.Context(), faulty.Options{Options: surface.Options{Key: key}, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(5*time.Second))
		defer cancel()
		host.Close(ctx)
	})
	return host.Handler()
}

// served is the address of a host.
func served(t testing.TB, host http.Handler) string {
	t.Helper()
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return server.URL
}

// certified certifies a host and leaves the reports in a folder, which it returns.
func certified(t testing.TB, url string, o scenarios.Options) (dir string, report *scenarios.Report) {
	t.Helper()
	o.Seed = 7
	certification, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: key}, o, questions.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	report = certification.Finish(t.Context())
	dir = t.TempDir()
	if err := reports.Write(dir, report, reports.Results(report, reports.Stamp{Version: "v0.0.1", ExitCode: report.ExitCode()})); err != nil {
		t.Fatal(err)
	}
	return dir, report
}

// resetting certifies a host whose loops count from 1 again when they are resumed.
func resetting(t testing.TB, select_ scenarios.Selection) (dir, url string, report *scenarios.Report) {
	t.Helper()
	url = served(t, simulated(t, "loop.iteration-resets-on-resume"))
	dir, report = certified(t, url, scenarios.Options{Select: select_})
	return dir, url, report
}

// page is the content of a report.
func page(t testing.TB, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, reports.ReportName))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// nasty is what a hostile host puts into every string that it sends.
const nasty = `<script>alert(1)</script>"><img src=x onerror="alert(2)"><svg onload=alert(3)>javascript:alert(4)//]]></script>--></style><base href=http://127.0.0.1:9/>` +
	"\x1b[31m\u202e\u2066\u009b1m`${alert(5)}`'\u2028{{.}}"

// hostile speaks well enough that many questions are put to it: it is a simulated host whose every string, but those that lead
// on, is spoilt.
func hostile(t testing.TB) http.Handler {
	honest := simulated(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") { // a stream stays what it is: the report shows what comes of it
			honest.ServeHTTP(w, r)
			return
		}
		reply := httptest.NewRecorder()
		honest.ServeHTTP(reply, r)
		var document any
		body := reply.Body.Bytes()
		if json.Unmarshal(body, &document) == nil {
			spoilt, err := json.Marshal(spoil(document, "", r.URL.Path == "/.well-known/openwop"))
			if err != nil {
				t.Error(err)
			}
			body = spoilt
		}
		w.Header().Set("Content-Type", reply.Header().Get("Content-Type"))
		w.Header().Set("X-Evil", "<script>alert(6)</script>")
		w.WriteHeader(reply.Code)
		_, _ = w.Write(body)
	})
}

// kept are members that a client has to understand to get any further.
var kept = map[string]bool{"runId": true, "eventsUrl": true, "statusUrl": true, "eventId": true, "status": true, "goalId": true,
	"protocolVersion": true}

func spoil(v any, name string, discovery bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{"<img src=x onerror=alert(7)>": nasty}
		for k, member := range v {
			out[k] = spoil(member, k, discovery)
		}
		return out
	case []any:
		for i := range v {
			v[i] = spoil(v[i], name, discovery)
		}
		return v
	case string:
		if kept[name] || discovery && name != "name" && name != "version" && name != "vendor" { // its claims are what is asked about
			return v
		}
		if name == "type" { // some events are known, some are not
			return v + map[bool]string{true: "", false: nasty}[strings.HasPrefix(v, "runOrchestrator") || strings.HasPrefix(v, "run.")]
		}
		return v + nasty
	}
	return v
}
