package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// The simulated host stops cleanly while a client reads an open stream.
func TestSimhostStops(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			p := run(t, "simhost", "--listen", "127.0.0.1:0", "--key", "k-e-y")
			lines := bufio.NewReader(p.out)
			url := ""
			for url == "" {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("no address in the banner: %v", err)
				}
				if i := strings.Index(line, "http://"); i >= 0 {
					url = strings.TrimSpace(line[i:])
				}
			}
			stream := openStream(t, url, "k-e-y")
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, stream); err != nil {
				t.Errorf("the stream was cut, not ended: %v", err)
			}
			if _, err := io.Copy(io.Discard, lines); err != nil {
				t.Fatal(err)
			}
			if _, code := p.ended(t); code != 0 || p.errs.Len() > 0 {
				t.Errorf("exit code %d, stderr %q", code, p.errs)
			}
		})
	}
}

// openStream reads the start of the event stream of a run that waits for a person.
func openStream(t *testing.T, url, key string) io.Reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(20*time.Second))
	t.Cleanup(cancel)
	request := func(method, path, body string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		if method == http.MethodGet {
			r.Header.Set("Accept", "text/event-stream")
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { reply.Body.Close() })
		return reply
	}
	created := request(http.MethodPost, "/v1/runs", `{"workflowId":"assay-loop-ask-user"}`)
	raw, err := io.ReadAll(created.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, id, found := bytes.Cut(raw, []byte(`"runId":"`))
	if !found {
		t.Fatalf("create answered %d: %s", created.StatusCode, raw)
	}
	id, _, _ = bytes.Cut(id, []byte(`"`))
	stream := bufio.NewReader(request(http.MethodGet, fmt.Sprintf("/v1/runs/%s/events", id), "").Body)
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatalf("the run was never suspended: %v", err)
		}
		if strings.Contains(line, string(openwopv1.RunEventTypeNodeSuspended)) {
			return stream
		}
	}
}

// A certification that is interrupted writes what it knows; the rest is inconclusive.
func TestCertifyInterrupted(t *testing.T) {
	document, err := os.ReadFile("testdata/version5.json")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openwop" {
			w.Write(document)
			return
		}
		io.Copy(io.Discard, r.Body) // only then does the server notice that a client leaves
		asked <- struct{}{}
		<-r.Context().Done() // never an answer
	}))
	defer server.Close()

	p := run(t, "certify", server.URL, "--out", "out")
	select {
	case <-asked:
	case <-time.After(testenv.Patience(20 * time.Second)):
		t.Fatal("no drive ever asked anything")
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	out, code := p.ended(t)
	if code != scenarios.ExitInterrupted {
		t.Fatalf("exit code %d, stdout:\n%s\nstderr:\n%s", code, out, p.errs)
	}
	if !strings.Contains(out, "interrupted") {
		t.Errorf("the text does not say so:\n%s", out)
	}
	doc, err := reports.Load(filepath.Join(p.cmd.Dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if doc.ExitCode != scenarios.ExitInterrupted || doc.Totals.Passed == 0 || doc.Totals.Inconclusive == 0 || doc.Totals.Broken > 0 {
		t.Errorf("results.json has exit code %d and totals %+v", doc.ExitCode, doc.Totals)
	}
	for _, s := range doc.Scenarios {
		if s.Verdict == results.VerdictInconclusive && s.Reason != "interrupted" {
			t.Errorf("%s is inconclusive because: %s", s.ID, s.Reason)
		}
	}
}

// A target that never says what it claims is not waited for after an interrupt.
func TestCertifyInterruptedBeforeDiscovery(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	p := run(t, "certify", server.URL)
	select {
	case <-asked:
	case <-time.After(testenv.Patience(20 * time.Second)):
		t.Fatal("discovery was never asked for")
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if out, code := p.ended(t); code != scenarios.ExitInterrupted || out != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, p.errs)
	}
	if _, err := os.Stat(filepath.Join(p.cmd.Dir, "out")); !os.IsNotExist(err) {
		t.Error("a report was written although nothing is known")
	}
}
