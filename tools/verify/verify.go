// Package verify finds out whether a bundle of evidence is what it says: that nothing was changed after it was made, and that
// every verdict in it follows from its transcripts. It asks nobody: no network, no clock, no randomness.
package verify

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
)

// Options say what is known beforehand.
type Options struct {
	Key     ed25519.PublicKey // of whom the bundle has to be signed by, nil where that is open
	Version string            // of this Assay
}

// Report is what came of a verification. As JSON it is what assay verify --json prints.
type Report struct {
	Honest      bool                    `json:"honest"` // no problem was found
	Made        results.Maker           `json:"assay"`
	Target      results.BundleTarget    `json:"target"`
	StartedAt   string                  `json:"startedAt"` // RFC 3339
	Seed        string                  `json:"seed"`
	Root        string                  `json:"root"` // of the tree over the transcripts
	Signature   Signature               `json:"signature"`
	Judged      bool                    `json:"judged"`      // every verdict was derived again
	Transcripts int                     `json:"transcripts"` // how many there are,
	Exchanges   int                     `json:"exchanges"`   // with so many exchanges
	Scenarios   int                     `json:"scenarios"`   // how many were judged again
	ExitCode    int64                   `json:"exitCode"`    // of the certification, as the bundle says
	Totals      results.Totals          `json:"totals"`      // of the scenarios that were judged again
	Profiles    []results.ProfileResult `json:"profiles"`    // as they were derived again
	Problems    []Problem               `json:"problems"`
	NotProved   []string                `json:"notProved"` // what no bundle of this kind can prove, a sentence each
}

// Signature says who signed a bundle.
type Signature struct {
	Status string   `json:"status"` // unsigned, unchecked (no key was given), good or bad
	Keys   []string `json:"keys"`   // which keys the signatures say they are by; where the status is good, the one that it is by
}

// Statuses of a signature.
const (
	Unsigned  = "unsigned"
	Unchecked = "unchecked"
	Good      = "good"
	Bad       = "bad"
)

// Problem is one thing in a bundle that is not what it should be.
type Problem struct {
	Kind     string `json:"kind"` // digest, signature, manifest, version, transcript, seed, verdict, report
	Scenario string `json:"scenario,omitempty"`
	Drive    string `json:"drive,omitempty"`
	Exchange int64  `json:"exchange,omitempty"` // of the drive, from 1
	Text     string `json:"text"`               // one sentence; parts of it may be somebody else's words
}

// mostProblems are how many are told.
const mostProblems = 1000

// run is one verification.
type run struct {
	Report
	bundle *bundle.Bundle
	given  results.Results // results.json
	names  int             // how many names tell of the seed
	by     Options
}

// Bundle verifies a bundle.
func Bundle(b *bundle.Bundle, o Options) *Report {
	m := b.Manifest
	v := &run{bundle: b, by: o, Report: Report{
		Made: m.Assay, Target: m.Target, StartedAt: m.StartedAt.Format("2006-01-02T15:04:05Z07:00"), Seed: m.Seed, Root: m.Root,
		ExitCode:    m.ExitCode,
		Transcripts: len(b.Transcripts), Problems: []Problem{}, Profiles: []results.ProfileResult{},
	}}
	v.signature()
	v.digests()
	if v.document() {
		v.judge()
	}
	v.Honest = len(v.Problems) == 0
	v.notProved()
	return &v.Report
}

func (v *run) problem(p Problem) {
	if len(v.Problems) < mostProblems {
		v.Problems = append(v.Problems, p)
	}
}

func (v *run) tell(kind, format string, args ...any) {
	v.problem(Problem{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// document reads results.json and compares it with the manifest. ok is false where there is nothing to be judged.
func (v *run) document() (ok bool) {
	doc, err := reports.ParseResults(v.bundle.Results)
	if err != nil {
		v.tell("report", "results.json: %s", err)
		return false
	}
	v.given = doc
	m := v.bundle.Manifest
	for _, c := range []struct{ what, manifest, results string }{
		{"the version of Assay", m.Assay.Version, doc.Assay.Version},
		{"the digest of the suites", m.Assay.SuiteDigest, doc.Assay.SuiteDigest},
		{"the protocol", m.Target.Protocol, doc.Target.Protocol},
		{"the address of the target", m.Target.Address, doc.Target.Address},
		{"the digest of the discovery document", m.Target.DiscoveryDigest, doc.Target.DiscoveryDigest},
		{"the start", m.StartedAt.String(), doc.StartedAt.String()},
		{"the seed", m.Seed, strconv.FormatUint(doc.Seed, 10)},
		{"the exit code", strconv.FormatInt(m.ExitCode, 10), strconv.FormatInt(doc.ExitCode, 10)},
	} {
		if c.manifest != c.results {
			v.tell("manifest", "the manifest and results.json disagree about %s: %s and %s", c.what, c.manifest, c.results)
		}
	}
	return true
}

// judge derives all that results.json says from the transcripts, and compares.
func (v *run) judge() {
	selection, err := selectionOf(v.given.Filter)
	if err != nil {
		v.tell("report", "results.json: its filter cannot be read: %s", err)
		return
	}
	suites, ok := v.suites(selection)
	if !ok {
		return
	}
	given := v.given
	derived, err := scenarios.Derive(v.bundle.Transcripts, scenarios.Given{
		Address: given.Target.Address, Started: given.StartedAt, Seconds: given.Seconds, Seed: given.Seed, Select: selection,
		Leftovers: given.Leftovers,
	}, suites...)
	if err != nil {
		v.underivable(err)
		return
	}
	v.Judged, v.Scenarios = true, len(derived.Outcomes)
	v.drives(derived)
	v.compare(derived)
}

// underivable tells why the transcripts cannot be judged.
func (v *run) underivable(err error) {
	p := Problem{Kind: "transcript", Text: err.Error()}
	if missing, is := errors.AsType[*scenarios.MissingError](err); is {
		p.Scenario, p.Drive = string(missing.Scenario), missing.Drive
	}
	v.problem(p)
}
