package verify_test

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/tools/verify"
)

// unknown is a row of the table in docs/verify.md of what is not known.
var unknown = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\|$")

// live answers as the bundle says.
func live(t *testing.T, b *bundle.Bundle, address string) *verify.Asking {
	return &verify.Asking{Address: address, Ask: func(scenarios.Selection, []scenarios.Suite) (*scenarios.Report, error) {
		doc, err := reports.ParseResults(b.Results)
		if err != nil {
			t.Fatal(err)
		}
		return scenarios.Derive(b.Transcripts, scenarios.Given{Address: doc.Target.Address, Started: doc.StartedAt, Seconds: doc.Seconds,
			Seed: doc.Seed, Select: reports.Selection(doc.Filter)}, suites.Suites()...)
	}}
}

// The page lists what is not known, and verify says nothing else of the kind.
func TestWhatIsNotKnownIsOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*regexp.Regexp{}
	for _, m := range unknown.FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(m[1]), "…", ".*") + "$")
	}
	unseen := maps.Clone(rows)
	judge := func(name string, b *bundle.Bundle, o verify.Options) {
		for _, said := range verify.Bundle(b, o).NotProved {
			n := 0
			for row, is := range rows {
				if is.MatchString(said) {
					n++
					delete(unseen, row)
				}
			}
			if n != 1 {
				t.Errorf("%s: docs/verify.md has %d rows for %q", name, n, said)
			}
			if strings.Contains(said, ". ") {
				t.Errorf("%s: more than one sentence: %q", name, said)
			}
		}
	}
	packed := func(from func() ([]byte, error), do func(*forgery)) (*forgery, *bundle.Bundle) {
		f := forge(t, from)
		do(f)
		b, err := bundle.Read(bytes.NewReader(f.pack()))
		if err != nil {
			t.Fatal(err)
		}
		return f, b
	}
	judge("signed", made(t, fetched), verify.Options{Key: public(ours), Version: "dev"})
	judge("of another version", made(t, fetched), verify.Options{Version: "1.2.3"})
	judge("not challenged", made(t, whole), verify.Options{Version: "dev"})
	_, b := packed(fetched, func(f *forgery) {
		f.results.Run.Given, f.results.ExitCode, f.results.Target.Nonce = true, scenarios.ExitInterrupted, nil
		f.scenario(failed).Known = &results.Known{Reason: "it is known", Issue: "https://example.org/1"}
		f.swap("discovery", regexp.MustCompile(`(?s),\s*"nonce": \{.*?\}`), "")
		f.remake()
	})
	judge("of nobody, interrupted, with a failure that is known", b, verify.Options{Version: "dev"})
	_, b = packed(fetched, func(f *forgery) {
		f.encoded, f.results.Repetitions = nil, []results.Repetition{{Asked: []string{failed}, Differences: []results.OtherVerdict{}, Run: "once"}}
		f.remake()
	})
	judge("asked again by the certification", b, verify.Options{Version: "dev"})
	judge("with a certificate", made(t, secure), verify.Options{Version: "dev"})
	_, b = packed(fetched, func(f *forgery) { inDNS(f); f.remake() })
	judge("with a nonce in DNS", b, verify.Options{Version: "dev"})

	b = made(t, small)
	judge("asked elsewhere", b, verify.Options{Version: "dev", Live: live(t, b, "https://elsewhere.example")})
	doc, err := reports.ParseResults(b.Results)
	if err != nil {
		t.Fatal(err)
	}
	r := verify.Bundle(b, verify.Options{Version: "dev", Live: live(t, b, doc.Target.Address)})
	if slices.ContainsFunc(r.NotProved, func(s string) bool { return strings.Contains(s, "that the host") }) || r.Live.Asked != 2 || !r.Live.Agrees() {
		t.Errorf("asked again: %+v, and not known: %q", r.Live, r.NotProved)
	}

	var path string
	f, b := packed(small, func(f *forgery) { path = registered(f, same, f.results.StartedAt) })
	of := stamped(t, clock, b.Digest, over(f))
	for name, c := range map[string]verify.Clock{
		"a register": {}, "a plan": {Roots: believed(t)}, "both": {Timestamp: of, Roots: believed(t)},
	} {
		o := verify.Options{Version: "dev"}
		planned(&path)(f, b, &o)
		o.Clock = c
		judge("stamped: "+name, b, o)
	}
	judge("stamped", b, verify.Options{Version: "dev", Clock: verify.Clock{Timestamp: of, Roots: believed(t)}})
	judge("stamped by somebody", b, verify.Options{Version: "dev", Clock: verify.Clock{Timestamp: of}})
	for row := range unseen {
		t.Errorf("docs/verify.md has a row %q, and nothing says it", row)
	}
}

// What was interrupted says nothing: neither that the bundle is honest, nor how many of its passes could have failed.
func TestInterrupted(t *testing.T) {
	interrupted := make(chan struct{})
	close(interrupted)
	seed := uint64(7)
	r := verify.Bundle(made(t, small), verify.Options{Version: "dev", Challenge: &seed, Watch: challenge.Watch{Interrupted: interrupted}})
	if r.Honest || !r.Interrupted || r.Challenge != nil {
		t.Errorf("honest %v, interrupted %v, %+v: %+v", r.Honest, r.Interrupted, r.Challenge, r.Problems)
	}
}
