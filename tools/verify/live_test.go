package verify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/verify"
)

// drawnAgain returns the scenarios of which a seed has the host asked again, and how many there were to draw from.
func drawnAgain(t *testing.T, b *bundle.Bundle, seed uint64) (ids []string, of int) {
	t.Helper()
	r := verify.Bundle(b, verify.Options{Version: "dev", Live: &verify.Asking{Seed: seed,
		Ask: func(s scenarios.Selection, _ []scenarios.Suite) (*scenarios.Report, error) {
			ids = s.Scenarios
			return nil, errors.New("not today")
		}}})
	if !r.Honest || r.Live.NotAsked != "not today" || r.Live.Agrees() {
		t.Errorf("honest %v, %+v", r.Honest, r.Live)
	}
	return ids, r.Live.Of
}

// A tenth of what passed or failed is drawn, in whole drives, by the seed alone.
func TestDrawAgain(t *testing.T) {
	raw, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	first, of := drawnAgain(t, b, 1)
	same, _ := drawnAgain(t, b, 1)
	other, _ := drawnAgain(t, b, 2)
	if len(first) < of/10 || len(first) > of/2 || !slices.Equal(first, same) || slices.Equal(first, other) {
		t.Errorf("of %d: %v, %v, %v", of, first, same, other)
	}
	var doc struct {
		Scenarios []struct {
			ID      string
			Verdict scenarios.Verdict
			Drives  []string
		}
	}
	if err := json.Unmarshal(b.Results, &doc); err != nil {
		t.Fatal(err)
	}
	drives := map[string]bool{}
	for _, s := range doc.Scenarios {
		if slices.Contains(first, s.ID) {
			drives[s.Drives[0]] = true
		}
	}
	for _, s := range doc.Scenarios {
		decided := s.Verdict == scenarios.Passed || s.Verdict == scenarios.Failed
		if len(s.Drives) > 0 && drives[s.Drives[0]] && decided != slices.Contains(first, s.ID) {
			t.Errorf("%s of the drive %s, %s, is asked again: %v", s.ID, s.Drives[0], s.Verdict, !decided)
		}
	}
}

// A bundle that does not hold is asked nothing about.
func TestNothingIsAskedOfABadBundle(t *testing.T) {
	f := forge(t, small)
	f.scenario(passed).Checks[0].Actual = "[9]"
	f.remake()
	b, err := bundle.Read(bytes.NewReader(f.pack()))
	if err != nil {
		t.Fatal(err)
	}
	r := verify.Bundle(b, verify.Options{Version: "dev", Live: &verify.Asking{
		Ask: func(scenarios.Selection, []scenarios.Suite) (*scenarios.Report, error) {
			t.Error("the host was asked")
			return nil, errors.New("never")
		}}})
	if r.Honest || r.Live.NotAsked == "" {
		t.Errorf("%+v", r.Live)
	}
}

// recorded plays the answers of a bundle: to each request the next that was given to its like.
type recorded struct {
	mu      sync.Mutex
	replies map[string][]*wire.Response
}

func record(t *testing.T, b *bundle.Bundle) *recorded {
	t.Helper()
	p := &recorded{replies: map[string][]*wire.Response{}}
	for _, raw := range b.Transcripts {
		var doc struct{ Entries []wire.Entry }
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		for _, e := range doc.Entries {
			if e.Request == nil || e.Response == nil {
				continue
			}
			u, err := url.Parse(e.Request.URL)
			if err != nil {
				t.Fatal(err)
			}
			like := e.Request.Method + " " + u.Path
			p.replies[like] = append(p.replies[like], e.Response)
		}
	}
	return p
}

func (p *recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	queue := p.replies[r.Method+" "+r.URL.Path]
	if len(queue) == 0 {
		http.NotFound(w, r)
		return
	}
	if len(queue) > 1 {
		p.replies[r.Method+" "+r.URL.Path] = queue[1:]
	}
	w.Header().Set("Content-Type", queue[0].Header["Content-Type"])
	w.WriteHeader(queue[0].Status)
	w.Write([]byte(queue[0].Body))
}

// Whoever plays the answers that he recorded does not answer what is asked now.
func TestRecordedAnswersAreTold(t *testing.T) {
	raw, err := again()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(record(t, b))
	defer host.Close()
	r := verify.Bundle(b, verify.Options{Version: "dev", Live: &verify.Asking{Address: host.URL, Seed: 9,
		Ask: func(s scenarios.Selection, suites []scenarios.Suite) (*scenarios.Report, error) {
			c, err := scenarios.Certify(t.Context(), wire.Target{URL: host.URL, Key: secret}, scenarios.Options{Seed: 9, Build: "dev",
				Select: s, Patience: 1e9}, suites...)
			if err != nil {
				return nil, err
			}
			return c.Finish(t.Context()), nil
		}}})
	if !r.Honest || r.Live.NotAsked != "" || r.Live.Agrees() || r.Live.Agree == r.Live.Asked {
		t.Errorf("honest %v, %s", r.Honest, r.Live.Sentence())
	}
	t.Log(r.Live.Sentence())
	if !slices.ContainsFunc(r.NotProved, func(s string) bool { return strings.Contains(s, "the host is the same today") }) {
		t.Errorf("%v", r.NotProved)
	}
}
