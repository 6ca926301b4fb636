package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openintent"
)

// intents [-vary ID] [FEATURE...] starts a simulated OpenIntent server with the keys dev and bob at $URL, without these
// features.
func intents(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: intents [-vary ID | -config FILE] [FEATURE...]")
	}
	var o openintent.Options
	if o.Without = args; len(args) > 1 && args[0] == "-vary" {
		o.Vary, o.Without = args[1:2], args[2:]
	} else if len(args) > 1 && args[0] == "-config" {
		o.Config, o.Without = ts.MkAbs(args[1]), args[2:]
	}
	server, stop, err := intentServer(o)
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("URL", server)
}

func intentServer(o openintent.Options) (url string, stop func(), err error) {
	o.Key, o.Callers = "dev", map[string]string{"bob": "bob"}
	host, err := openintent.New(context.Background(), o)
	if err != nil {
		return "", nil, err
	}
	server := httptest.NewServer(host.Handler())
	return server.URL, func() {
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(5*time.Second))
		defer cancel()
		_ = host.Close(ctx) // streams end with it
		server.Close()
	}, nil
}

// small starts the server of testdata/small, which suspends intents and has no containers, at $URL.
func small(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: small")
	}
	program := filepath.Join(ts.Getenv("WORK"), "small-server")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./testdata/small")
	build.Dir = filepath.Join(ts.Getenv("ROOT"), "tools", "assay")
	if out, err := build.CombinedOutput(); err != nil {
		ts.Fatalf("build the small server: %v\n%s", err, out)
	}
	server := exec.Command(program)
	out, err := server.StdoutPipe()
	ts.Check(err)
	ts.Check(server.Start())
	ts.Defer(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv("URL", line[:len(line)-1])
}

// A server that takes its time is not accused of what is over by then: leases and windows are longer where answers are slow.
func TestASlowIntentServerIsNotAccused(t *testing.T) {
	t.Parallel()
	host, err := openintent.New(t.Context(), openintent.Options{Key: "dev", Callers: map[string]string{"bob": "bob"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(350 * time.Millisecond)
		host.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		_ = host.Close(context.Background()) // streams end with it
		server.Close()
	})
	o := scenarios.Options{Seed: 1, Select: scenarios.Selection{Scenarios: []string{"lifecycle/lease-kept", "retry/real-time-single"}}}
	target := wire.Target{URL: server.URL, Key: "dev", VoterKeys: []string{"bob"}}
	certification, err := scenarios.Certify(t.Context(), target, o, suites.ServerSuites()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range certification.Finish(t.Context()).Outcomes {
		if o.Verdict != scenarios.Passed {
			t.Errorf("%s: %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}
