package prove_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
	"github.com/openassay/assay/tools/prove/manners"
)

func certifiedIntents(t *testing.T, o openintent.Options) *scenarios.Report {
	t.Helper()
	h := prove.Host{Name: t.Name(), Specimen: protocols.OpenIntent{Options: o}}
	r, err := certifiedOnce(context.WithoutCancel(t.Context()), h, scenarios.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The OpenIntent server keeps what it promises, with every feature and with each left off, and nothing is left to be proved.
func TestEveryHonestIntentServer(t *testing.T) {
	many(t)
	t.Parallel()
	for _, h := range prove.Honest(protocols.Named("openintent")) {
		o := h.Specimen.(protocols.OpenIntent).Options
		if len(o.Vary) > 0 {
			continue
		}
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			r := certifiedIntents(t, o)
			nothingWrong(t, r)
			// What hangs on a feature is not asked without it. Without a clock what takes little time is waited for instead.
			if left := byVerdict(r)[scenarios.Inapplicable]; (len(left) > 0) != (len(o.Without) > 0) {
				t.Errorf("inapplicable: %v", left)
			}
			for _, outcome := range r.Outcomes {
				if outcome.Verdict == scenarios.Inapplicable && o.Without[0] == "clock" &&
					!strings.Contains(outcome.Reason, "a clock that a drive can move") {
					t.Errorf("%s is inapplicable: %s", outcome.Scenario.ID, outcome.Reason)
				}
			}
		})
	}
}

// A policy in the configuration applies to every record that says less. Nobody is accused for what it does, whether a seam
// moves the clock or the events come in real time.
func TestAPolicyOfThePlatformAccusesNobody(t *testing.T) {
	many(t)
	t.Parallel()
	for name, server := range map[string]struct {
		policy  string
		without []string
	}{
		"reminds for hours":     {"{max_attempts: 4, interval_seconds: 3600, final_fallback_policy: complete_with_fallback}", nil},
		"says the attempts":     {"{max_attempts: 2}", []string{"clock"}},
		"reminds and escalates": {"{max_attempts: 3, interval_seconds: 120, escalation_ladder: [{attempt: 2, channel_hint: email}]}", nil},
		"asks once":             {"{max_attempts: 1, interval_seconds: 300, final_fallback_policy: fail}", []string{"clock"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "openintent.yaml")
			if err := os.WriteFile(file, []byte("suspension: {default_retry_policy: "+server.policy+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := certifiedIntents(t, openintent.Options{Config: file, Without: server.without})
			nothingWrong(t, r)
			for _, id := range []string{"no-policy", "real-time-single"} { // what asks about records without a policy
				if o := outcome(t, r, id); o.Verdict != scenarios.Inapplicable {
					t.Errorf("%s is %s, although every record has a policy here", id, o.Verdict)
				}
			}
		})
	}
}

// Each way to differ alone, and all at once, is certified as the plain server is.
func TestEveryHonestIntentVariation(t *testing.T) {
	many(t)
	t.Parallel()
	for _, v := range variation.List() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			r := certifiedIntents(t, openintent.Options{Vary: []string{v.ID}})
			nothingWrong(t, r)
			found := slipped(r)
			for _, requirement := range v.Slips {
				if _, ok := found[requirement]; !ok {
					t.Errorf("no finding for %s, of which the variation is known to have one", requirement)
				}
			}
		})
	}
	t.Run(variation.All, func(t *testing.T) {
		t.Parallel()
		plain, all := byVerdict(certifiedIntents(t, openintent.Options{})),
			byVerdict(certifiedIntents(t, openintent.Options{Vary: []string{variation.All}}))
		delete(plain, scenarios.Passed)
		delete(all, scenarios.Passed)
		delete(all, scenarios.Inapplicable) // what is told elsewhere may be asked nowhere
		if diff := cmp.Diff(plain, all); diff != "" {
			t.Error(diff)
		}
	})
}

// A stream that breaks off is opened again, and is not blamed for what was sent meanwhile.
func TestIntentStreamsThatBreakOff(t *testing.T) {
	t.Parallel()
	host := protocols.OpenIntent{}
	m := manners.Manners{Cut: 400, Seed: 3}
	target := lab.Target(host.Protocol())
	s, err := host.Serve(t.Context(), target, protocols.Place{}, m.Wrap(routesOf["openintent/v1"]))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	target.URL = s.URL
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 3,
		Select: scenarios.Selection{Suites: []string{"streams"}}}, protocols.Of(host.Protocol()).Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	opened := 0
	for _, d := range r.Drives {
		for n := 1; d.ID == "openintent/streamed" && n <= d.Transcript.Len(); n++ {
			if d.Transcript.Entry(n).Kind == "stream" {
				opened++
			}
		}
	}
	if opened < 2 {
		t.Errorf("the stream was opened %d times: nothing broke off", opened)
	}
	for _, o := range r.Outcomes {
		if o.Verdict != scenarios.Passed && o.Verdict != scenarios.Blocked || len(o.Findings) > 0 {
			t.Errorf("%s is %s (%s), findings %v", o.Scenario.ID, o.Verdict, o.Reason, o.Findings)
		}
	}
}

// staleAfterSuspending answers the first reads of an intent that was suspended with what it was before.
func staleAfterSuspending(next http.Handler) http.Handler {
	var mu sync.Mutex
	shown, late := map[string][]byte{}, map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, isStatus := strings.CutSuffix(r.URL.Path, "/status")
		if !routesOf["openintent/v1"].Snapshot.MatchString(path) || r.Method != http.MethodGet && !isStatus {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !isStatus && late[path] > 0 {
			late[path]--
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(shown[path])
			return
		}
		reply := httptest.NewRecorder()
		next.ServeHTTP(reply, r)
		switch body := reply.Body.Bytes(); {
		case !isStatus:
			shown[path] = body
		case bytes.Contains(body, []byte(`"status":"suspended_awaiting_input"`)) && bytes.Contains(shown[path], []byte("_suspension")):
			late[path] = 3
		}
		maps.Copy(w.Header(), reply.Header())
		w.WriteHeader(reply.Code)
		_, _ = w.Write(reply.Body.Bytes())
	})
}

// A suspended intent may be read late: it is asked about when it shows its suspension.
func TestSuspendedIntentsThatAreReadLate(t *testing.T) {
	t.Parallel()
	host := protocols.OpenIntent{}
	target := lab.Target(host.Protocol())
	s, err := host.Serve(t.Context(), target, protocols.Place{}, staleAfterSuspending)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	target.URL = s.URL
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 3,
		Select: scenarios.Selection{Suites: []string{"respond"}}}, protocols.Of(host.Protocol()).Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Finish(context.Background()).Outcomes {
		if o.Verdict != scenarios.Passed {
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}
