package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/attest"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/reports/timestamp"
	"github.com/openassay/assay/reports/timestamp/tsatest"
	"github.com/openassay/assay/tools/verify"
)

// clock is an authority that whoever verifies believes, and stranger one that nobody does.
var (
	clock    = sync.OnceValues(func() (*tsatest.Authority, error) { return tsatest.New() })
	stranger = sync.OnceValues(func() (*tsatest.Authority, error) { return tsatest.New() })
)

// statements are signed by somebody, after change edited them.
func statements(t *testing.T, b *bundle.Bundle, key ed25519.PrivateKey, change func([]attest.Statement) []attest.Statement,
) []attest.Signed {
	t.Helper()
	doc, err := reports.ParseResults(b.Results)
	if err != nil {
		t.Fatal(err)
	}
	said, err := attest.Of(b, doc)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		said = change(said)
	}
	raw, err := attest.Sign(said, key)
	if err != nil {
		t.Fatal(err)
	}
	out, err := attest.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// saying has verify read statements that somebody made of the bundle.
func saying(key ed25519.PrivateKey, change func([]attest.Statement) []attest.Statement) func(*forgery, *bundle.Bundle, *verify.Options) {
	return func(f *forgery, b *bundle.Bundle, o *verify.Options) {
		o.Attestation = &verify.Attestation{File: "said.jsonl", Key: public(ours), Statements: statements(f.t, b, key, change)}
	}
}

// each edits every test result.
func each(change func(*attest.TestResult)) func([]attest.Statement) []attest.Statement {
	return func(said []attest.Statement) []attest.Statement {
		for _, s := range said {
			if s.TestResult != nil {
				change(s.TestResult)
			}
		}
		return said
	}
}

// stamped is a timestamp by an authority. believed has verify believe it.
func stamped(t *testing.T, a func() (*tsatest.Authority, error), digest string, at time.Time) *timestamp.Timestamp {
	t.Helper()
	authority, err := a()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := authority.Stamp(digest, at)
	if err != nil {
		t.Fatal(err)
	}
	got, err := timestamp.Read(reply)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func believed(t *testing.T) *x509.CertPool {
	t.Helper()
	a, err := clock()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(a.Roots) {
		t.Fatal("no root")
	}
	return pool
}

// at has verify read a timestamp of the bundle.
func at(a func() (*tsatest.Authority, error), digest func(*bundle.Bundle) string, when func(*forgery) time.Time,
) func(*forgery, *bundle.Bundle, *verify.Options) {
	return func(f *forgery, b *bundle.Bundle, o *verify.Options) {
		o.Clock = verify.Clock{Timestamp: stamped(f.t, a, digest(b), when(f)), Roots: believed(f.t), RootsFile: "tsa.pem"}
	}
}

func itself(b *bundle.Bundle) string { return b.Digest }

// over is when a certification is over.
func over(f *forgery) time.Time {
	return f.results.StartedAt.Add(time.Duration(f.results.Seconds*float64(time.Second)) + time.Second)
}

// registered makes a register with the plan of the bundle, and a timestamp of a digest in it.
func registered(f *forgery, digest func(line string) string, when time.Time) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), "register.ndjson")
	check := func(err error) {
		if err != nil {
			f.t.Helper()
			f.t.Fatal(err)
		}
	}
	line, err := register.Begin(path, f.results.StartedAt, results.RegisteredPlan{Target: f.results.Target.Address, Seed: f.manifest.Seed,
		Assay: f.manifest.Assay.Version, Binary: *f.manifest.Assay.Binary, Run: f.manifest.Run,
		Filter: f.results.Filter})
	check(err)
	check(register.Stamp(path, f.results.StartedAt, line, stamped(f.t, clock, digest(line.Digest), when).Reply))
	check(register.End(path, over(f), line, int(f.results.ExitCode), f.manifest.Root))
	f.manifest.Registered = &line
	return path
}

// planned has verify read the register.
func planned(path *string) func(*forgery, *bundle.Bundle, *verify.Options) {
	return func(f *forgery, _ *bundle.Bundle, o *verify.Options) {
		r, err := register.Read(*path)
		if err != nil {
			f.t.Fatal(err)
		}
		o.Register, o.RegisterFile = r, "register.ndjson"
		o.Clock = verify.Clock{Roots: believed(f.t), RootsFile: "tsa.pem"}
	}
}

func same(s string) string { return s }

func init() {
	nothing := func(*forgery) {}
	var late, other string
	maps.Copy(tamperings, map[string]tampering{
		"a statement is of another bundle": {stale: true, do: nothing, beside: func(f *forgery, _ *bundle.Bundle, o *verify.Options) {
			raw, err := small()
			if err != nil {
				f.t.Fatal(err)
			}
			b, err := bundle.Read(bytes.NewReader(raw))
			if err != nil {
				f.t.Fatal(err)
			}
			o.Attestation = &verify.Attestation{File: "said.jsonl", Key: public(ours), Statements: statements(f.t, b, ours, nil)}
		}},
		"a statement certifies a profile more": {stale: true, whole: true, do: nothing, beside: saying(ours,
			func(said []attest.Statement) []attest.Statement {
				said[1].SVR.Properties = append(said[1].SVR.Properties, attest.PropertyPrefix+"best-of-all")
				return said
			})},
		"a statement certifies a part": {stale: true, do: nothing, beside: saying(ours, func(said []attest.Statement) []attest.Statement {
			certified := &attest.SVR{Properties: []string{attest.PropertyPrefix + "loop-v5@2"}}
			return append(said, attest.Statement{Subject: said[0].Subject, SVR: certified})
		})},
		"a statement is about another version of a profile": {stale: true, whole: true, do: nothing, beside: saying(ours,
			func(said []attest.Statement) []attest.Statement {
				said[1].SVR.Verifier.Policies[0].Digest = map[string]string{"sha256": bundle.Digest(nil)}
				return said
			})},
		"a statement says that a failed scenario passed": {stale: true, do: nothing, beside: saying(ours, each(func(r *attest.TestResult) {
			r.FailedTests = slices.DeleteFunc(r.FailedTests, func(id string) bool { return id == failed })
			r.PassedTests = append(r.PassedTests, failed)
		}))},
		"the result of a statement is raised": {stale: true, do: nothing, beside: saying(ours,
			each(func(r *attest.TestResult) { r.Result = attest.Passed }))},
		"a statement names another target": {stale: true, do: nothing, beside: saying(ours, func(said []attest.Statement) []attest.Statement {
			said[0].Subject.Annotations["target"] = "https://bank.example"
			return said
		})},
		"a statement is signed by another key": {stale: true, do: nothing, beside: saying(theirs, nil)},
		"a statement is edited under its signature": {stale: true, do: nothing, beside: func(f *forgery, b *bundle.Bundle, o *verify.Options) {
			saying(ours, nil)(f, b, o)
			s := &o.Attestation.Statements[0]
			s.Payload = bytes.Replace(s.Payload, []byte(attest.Failed), []byte(attest.Passed), 1)
			s.Envelope.Payload = base64.StdEncoding.EncodeToString(s.Payload)
		}},
		"a statement is about a bundle that is none": {do: func(f *forgery) { f.results.ExitCode = 0 }, beside: saying(ours, nil)},
		"the timestamp is of another bundle": {stale: true, do: nothing,
			beside: at(clock, func(*bundle.Bundle) string { return bundle.Digest(nil) }, over)},
		"the timestamp is of before the end": {stale: true, do: nothing,
			beside: at(clock, itself, func(f *forgery) time.Time { return f.results.StartedAt.Add(-time.Hour) })},
		"the timestamp is by a stranger": {stale: true, do: nothing, beside: at(stranger, itself, over)},
		"the plan was time-stamped after the start": {stale: true,
			do: func(f *forgery) { late = registered(f, same, over(f).Add(time.Hour)) }, beside: planned(&late)},
		"the timestamp of the plan is of another line": {stale: true,
			do: func(f *forgery) {
				other = registered(f, func(string) string { return bundle.Digest(nil) }, f.results.StartedAt)
			},
			beside: planned(&other)},
	})
}

// What a bundle gives is confirmed, with who signed it.
func TestStatements(t *testing.T) {
	for name, c := range map[string]struct {
		from  func() ([]byte, error)
		key   ed25519.PublicKey
		types []string
	}{
		"a part, with its violations": {fetched, public(ours), []string{attest.TestResultType}},
		"all of it":                   {whole, nil, []string{attest.TestResultType, attest.SVRType}},
	} {
		t.Run(name, func(t *testing.T) {
			b := made(t, c.from)
			said := statements(t, b, ours, nil)
			r := verify.Bundle(b, verify.Options{Version: "dev", Attestation: &verify.Attestation{File: "said.jsonl", Statements: said, Key: c.key}})
			if !r.Honest || len(r.Attested) != len(c.types) {
				t.Fatalf("%d statements, problems %+v", len(r.Attested), r.Problems)
			}
			for i, s := range r.Attested {
				status := verify.Unchecked
				if c.key != nil {
					status = verify.Good
				}
				if s.Type != c.types[i] || !s.Derived || s.Signature.Status != status {
					t.Errorf("statement %d: %+v", i, s)
				}
			}
		})
	}
}

func made(t *testing.T, from func() ([]byte, error)) *bundle.Bundle {
	t.Helper()
	raw, err := from()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A timestamp shrinks what is not known of the time, and only if its authority is believed.
func TestWhen(t *testing.T) {
	when := func(r *verify.Report) string {
		i := slices.IndexFunc(r.NotProved, func(s string) bool { return strings.Contains(s, "and that the host is the same today") })
		if i < 0 {
			t.Fatalf("nothing is said of the time: %q", r.NotProved)
		}
		return r.NotProved[i]
	}
	f := forge(t, small)
	path := registered(f, same, f.results.StartedAt)
	b, err := bundle.Read(bytes.NewReader(f.pack()))
	if err != nil {
		t.Fatal(err)
	}
	of := stamped(t, clock, b.Digest, over(f))
	for _, c := range []struct {
		name     string
		register bool
		clock    verify.Clock
		want     string
	}{
		{"none", false, verify.Clock{}, "that it is recent, "},
		{"unchecked", false, verify.Clock{Timestamp: of}, "who signed its timestamp was not checked"},
		{"after", false, verify.Clock{Timestamp: of, Roots: believed(t)}, "how long before 20"},
		{"before", true, verify.Clock{Roots: believed(t)}, "how long after 20"},
		{"both", true, verify.Clock{Timestamp: of, Roots: believed(t)}, "when exactly it was, between the timestamps of 20"},
	} {
		o := verify.Options{Version: "dev", Clock: c.clock}
		if c.register {
			planned(&path)(f, b, &o)
			o.Clock = c.clock
		}
		r := verify.Bundle(b, o)
		if !r.Honest || !strings.Contains(when(r), c.want) {
			t.Errorf("%s: %q, problems %+v", c.name, when(r), r.Problems)
		}
		if got := r.Registered; c.register && !strings.Contains(got, "time-stamped at 20") {
			t.Errorf("%s: registered %q", c.name, got)
		}
		if encoded, err := json.Marshal(r); err != nil || bytes.Contains(encoded, []byte(`"timestamp"`)) != (c.clock.Timestamp != nil) {
			t.Errorf("%s: %s, %v", c.name, encoded, err)
		}
	}
}
