package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// shoutingHost counts and shouts, whether or not it claims to be loud. asked returns the paths of all requests.
func shoutingHost(t *testing.T, discovery string, shout string) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		switch r.URL.Path {
		case "/hello":
			fmt.Fprint(w, discovery)
		case "/count":
			fmt.Fprint(w, `{"n":3,"log":[{"type":"said"},{"type":"shouted"}]}`)
		default:
			if shout == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			fmt.Fprint(w, shout)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(paths)
	}
}

// shouting is the toy protocol with two signs of being loud: an event in what is counted, and an endpoint.
func shouting() *scenarios.Protocol {
	p := *protocol
	p.SeamPrefix = "/seams"
	p.Signs = []scenarios.Sign{{
		What: "shouts", Claim: loud, Method: "GET", Path: regexp.MustCompile(`^/count$`), Word: "shouted",
		Find: func(reply wire.Value) wire.Value {
			for _, e := range reply.Key("log").Items() {
				if e.Key("type").String() == "shouted" {
					return e.Key("type")
				}
			}
			return wire.Value{}
		},
	}, {
		What: "a megaphone", Claim: loud, Method: "GET", Path: regexp.MustCompile(`/megaphone$`),
		Find:  func(reply wire.Value) wire.Value { return reply.Key("volume") },
		Probe: func(prefix, _ string) string { return prefix + "/megaphone" },
	}}
	return &p
}

func TestSeenWithoutClaim(t *testing.T) {
	type sight struct {
		What, Claim, Drive, Where string
		Replies                   int
	}
	shouts := sight{"shouts", "loud", "toy/a", "#1 /log/1/type", 2}
	megaphone := sight{"a megaphone", "loud", "not-claimed", "#1 /volume", 1}
	for name, c := range map[string]struct {
		discovery, shout string
		options          scenarios.Options
		want             []sight
		probed           string // path that must have been asked, "" for none
	}{
		"not claimed":           {`{"counts":true}`, `{"volume":11}`, scenarios.Options{}, []sight{shouts, megaphone}, "/seams/megaphone"},
		"claimed":               {`{"counts":true,"loud":true}`, `{"volume":11}`, scenarios.Options{}, nil, ""},
		"not there":             {`{"counts":true}`, "", scenarios.Options{}, []sight{shouts}, "/seams/megaphone"},
		"a page for everything": {`{"counts":true}`, "<html>volume", scenarios.Options{}, []sight{shouts}, "/seams/megaphone"},
		"another prefix": {`{"counts":true}`, `{"volume":11}`, scenarios.Options{SeamPrefixes: []string{"/else"}},
			[]sight{shouts, megaphone}, "/else/megaphone"},
		"a part of the questions": {`{"counts":true}`, `{"volume":11}`,
			scenarios.Options{Select: scenarios.Selection{Suites: []string{"counting"}}}, []sight{shouts}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url, asked := shoutingHost(t, c.discovery, c.shout)
			s := suite(one("a", counts, scenarios.Ask(countDrive("toy/a"), is(3, "TOY-1")), "TOY-1"),
				one("b", counts, scenarios.Ask(countDrive("toy/b"), is(3, "TOY-1")), "TOY-1"))
			s.Protocol = shouting()
			certification, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, c.options, s)
			if err != nil {
				t.Fatal(err)
			}
			r := certification.Finish(context.Background())
			var got []sight
			for _, s := range r.Seen {
				got = append(got, sight{s.What, s.Claim.ID, s.Drive, s.Where.String(), s.Replies})
				if !slices.ContainsFunc(r.Drives, func(d scenarios.DriveRecord) bool { return d.ID == s.Drive }) {
					t.Errorf("no drive %s is kept, which shows %s", s.Drive, s.What)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("what was seen (-want +got):\n%s", diff)
			}
			probes := slices.DeleteFunc(asked(), func(p string) bool { return !strings.HasSuffix(p, "/megaphone") })
			if want := slices.DeleteFunc([]string{c.probed}, func(p string) bool { return p == "" }); !slices.Equal(probes, want) {
				t.Errorf("probed %q, want %q", probes, want)
			}
			for _, o := range r.Outcomes {
				if o.Verdict != scenarios.Passed {
					t.Errorf("%s is %s: what is seen without a claim is no verdict", o.Scenario.ID, o.Verdict)
				}
			}
		})
	}
}

// An interrupted certification only sends the clean-up.
func TestSeenAfterInterrupt(t *testing.T) {
	url, asked := shoutingHost(t, `{"counts":true}`, `{"volume":11}`)
	s := suite(one("a", counts, scenarios.Ask(countDrive("toy/a"), is(3, "TOY-1")), "TOY-1"))
	s.Protocol = shouting()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, scenarios.Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	c.Interrupt()
	c.Finish(context.Background())
	if slices.Contains(asked(), "/seams/megaphone") {
		t.Error("a probe was sent after the interrupt")
	}
}

// Who leaves the probes out of the evidence leaves out what they saw; only an interrupted certification need not have sent them.
func TestProbesAreMissed(t *testing.T) {
	url, _ := shoutingHost(t, `{"counts":true}`, `{"volume":11}`)
	s := suite(one("a", counts, scenarios.Ask(countDrive("toy/a"), is(3, "TOY-1")), "TOY-1"))
	s.Protocol = shouting()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, scenarios.Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	files := transcripts(t, r)
	g := given(r)
	if _, err := scenarios.Derive(files, g, s); err != nil {
		t.Fatal(err)
	}
	delete(files, "not-claimed.json")
	_, err = scenarios.Derive(files, g, s)
	if missing, is := errors.AsType[*scenarios.MissingError](err); !is || missing.Drive != "not-claimed" {
		t.Errorf("%v", err)
	}
	g.Interrupted = true
	if _, err := scenarios.Derive(files, g, s); err != nil {
		t.Error(err)
	}
}
