package attest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/openassay/assay/reports/bundle"
)

// Limits of a file with statements.
const (
	mostBytes      = 8 << 20
	mostStatements = 16
)

// Signed is a statement as somebody handed it out. Nothing in it has been checked.
type Signed struct {
	Envelope *bundle.Envelope
	Payload  []byte
}

// Sign puts statements into envelopes, one a line.
func Sign(statements []Statement, key ed25519.PrivateKey) ([]byte, error) {
	var out []byte
	for _, s := range statements {
		payload, err := s.Encode()
		if err != nil {
			return nil, err
		}
		envelope, err := bundle.Seal(PayloadType, payload, key)
		if err != nil {
			return nil, err
		}
		line, err := envelope.Encode()
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	return out, nil
}

// ReadFile reads the statements at path, an envelope a line.
func ReadFile(path string) ([]Signed, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, err
	}
	read, err := Read(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return read, nil
}

// Read reads statements, an envelope a line.
func Read(content []byte) (out []Signed, err error) {
	if len(content) > mostBytes {
		return nil, fmt.Errorf("it has more than %d bytes", mostBytes)
	}
	n := 0
	for line := range bytes.Lines(content) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(out) == mostStatements {
			return nil, fmt.Errorf("it has more than %d statements", mostStatements)
		}
		var s Signed
		if s.Envelope, s.Payload, err = bundle.OpenEnvelope(PayloadType, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("it has no statement: give what assay attest wrote")
	}
	return out, nil
}

// Type returns the type of what a statement says, as it says itself.
func (s Signed) Type() string {
	var said encoded
	if json.Unmarshal(s.Payload, &said) != nil {
		return ""
	}
	return said.PredicateType
}

// Against returns in what a statement differs from those that a bundle gives, a sentence each: none, if it is one of them to the
// byte. A sentence begins after the name of the statement.
func (s Signed) Against(given []Statement) []string {
	var said encoded
	if err := json.Unmarshal(s.Payload, &said); err != nil || said.Type != StatementType {
		return []string{fmt.Sprintf("is no statement of the type %s", StatementType)}
	}
	i := slices.IndexFunc(given, func(g Statement) bool { return g.PredicateType() == said.PredicateType })
	var want Statement
	switch {
	case i >= 0:
		want = given[i]
	case said.PredicateType == SVRType:
		want = Statement{Subject: given[0].Subject, SVR: &SVR{}} // no profile is certified
	default:
		return []string{fmt.Sprintf("says something of the type %q, which no bundle shows", said.PredicateType)}
	}
	exact, err := want.Encode()
	if err == nil && i >= 0 && bytes.Equal(exact, s.Payload) {
		return nil
	}
	c := &comparison{}
	if !c.subject(said.Subject, want.Subject) {
		return c.problems
	}
	if want.SVR != nil {
		c.summary(said.Predicate, *want.SVR)
	} else {
		c.tests(said.Predicate, *want.TestResult)
	}
	if len(c.problems) == 0 {
		c.tell("is not written as this bundle gives it: it was edited, or another version of Assay made it")
	}
	return c.problems
}

// comparison collects the differences of a statement.
type comparison struct{ problems []string }

func (c *comparison) tell(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// subject reports whether a statement is about this bundle.
func (c *comparison) subject(said []Resource, want Resource) bool {
	digest := want.Digest["sha256"]
	if len(said) == 1 && said[0].Digest["sha256"] == digest {
		for _, name := range slices.Sorted(maps.Keys(want.Annotations)) {
			if got := said[0].Annotations[name]; got != want.Annotations[name] {
				c.tell("says of the %s: %s, and the bundle says %s", name, clipped(got), clipped(want.Annotations[name]))
			}
		}
		return true
	}
	var of []string
	for _, s := range said {
		of = append(of, short(s.Digest["sha256"]))
	}
	c.tell("is about another bundle: about %s, and this one has the SHA-256 %s", strings.Join(of, ", "), short(digest))
	return false
}

func (c *comparison) summary(predicate json.RawMessage, want SVR) {
	var said SVR
	if err := json.Unmarshal(predicate, &said); err != nil {
		c.tell("has no summary that can be read: %s", err)
		return
	}
	extra, left := differences(said.Properties, want.Properties)
	for _, p := range extra {
		c.tell("says %s, and the bundle does not certify that", clipped(p))
	}
	for _, p := range left {
		c.tell("leaves out %s, which the bundle certifies", p)
	}
	if said.Verifier.ID != want.Verifier.ID && want.Verifier.ID != "" {
		c.tell("names another verifier: %s, and the bundle was made by %s", clipped(said.Verifier.ID), want.Verifier.ID)
	}
	if said.TimeCreated != want.TimeCreated && want.TimeCreated != "" {
		c.tell("was made at another time than the certification ended: at %s, and that was at %s", clipped(said.TimeCreated), want.TimeCreated)
	}
	for i, p := range want.Verifier.Policies {
		if i < len(said.Verifier.Policies) && said.Verifier.Policies[i].Digest["sha256"] != p.Digest["sha256"] {
			c.tell("has another digest of the profile %s than the bundle", p.Name)
		}
	}
}

func (c *comparison) tests(predicate json.RawMessage, want TestResult) {
	var said TestResult
	if err := json.Unmarshal(predicate, &said); err != nil {
		c.tell("has no result that can be read: %s", err)
		return
	}
	if said.Result != want.Result {
		c.tell("says %s, and the bundle shows %s", clipped(said.Result), want.Result)
	}
	for _, l := range []struct {
		how        string
		said, want []string
	}{{"passed", said.PassedTests, want.PassedTests}, {"passed with warnings", said.WarnedTests, want.WarnedTests},
		{"failed", said.FailedTests, want.FailedTests}} {
		extra, left := differences(l.said, l.want)
		for _, name := range extra {
			c.tell("says that %s %s, and the bundle shows no such thing", clipped(name), l.how)
		}
		for _, name := range left {
			c.tell("leaves out that %s %s", name, l.how)
		}
	}
	for i, r := range want.Configuration {
		if i >= len(said.Configuration) || said.Configuration[i].Digest["sha256"] != r.Digest["sha256"] {
			c.tell("has another digest of %s than the bundle", r.Name)
		}
	}
}

// differences returns what stands in one list alone.
func differences(said, want []string) (extra, left []string) {
	only := func(a, b []string) []string {
		there := map[string]bool{}
		for _, s := range b {
			there[s] = true
		}
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return there[s] })
	}
	return only(said, want), only(want, said)
}

// clipped returns the start of a foreign text.
func clipped(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// short returns the start of a digest, enough for people to distinguish it.
func short(digest string) string {
	const shown = 12
	if len(digest) <= shown {
		return fmt.Sprintf("%q", digest)
	}
	return clipped(digest[:shown]) + "…"
}
