// Package verify checks a bundle of evidence: nothing was changed after it was made, and every verdict in it follows
// from its transcripts. It uses no network, no clock and no randomness, unless it is given a way to ask the host again.
package verify

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
)

// Options holds the facts known beforehand.
type Options struct {
	Key     ed25519.PublicKey // the required signer, nil for any
	Version string            // version of this Assay
	// Register is the register that has to hold the plan, nil for none; RegisterFile is its name.
	Register     *register.Register
	RegisterFile string
	Clock        Clock        // its timestamp, and whom to believe
	Attestation  *Attestation // statements that have to be those that it gives, nil for none
	// Challenge has each pass shown able to fail, also where the certification left it out. It is the seed that draws places
	// and values.
	Challenge *uint64
	Watch     challenge.Watch // follows each challenge, and ends it
	Live      *Asking         // asks the host again, nil for not at all
}

// Report is the result of a verification, and the output of assay verify --json.
type Report struct {
	// Interrupted: it was, before all passes were challenged, and the report is not whole.
	Interrupted bool                 `json:"-"`
	Honest      bool                 `json:"honest"` // no problem was found
	Made        results.Maker        `json:"assay"`
	Target      results.BundleTarget `json:"target"`
	Certificate string               `json:"certificate,omitempty"` // SHA-256 of the host's certificate, as certify saw it
	Nonce       *results.Nonce       `json:"nonce,omitempty"`       // that the operator published
	// ExtraHeaders are the names of headers that whoever ran Assay had added to every request, as the transcripts show them.
	ExtraHeaders []string                `json:"extraHeaders,omitempty"`
	StartedAt    string                  `json:"startedAt"` // RFC 3339
	Seed         string                  `json:"seed"`
	Run          *results.Run            `json:"run,omitempty"` // what names the certification in what it sent
	Root         string                  `json:"root"`          // root of the tree over the transcripts
	Signature    Signature               `json:"signature"`
	Judged       bool                    `json:"judged"`      // every verdict was derived again
	Transcripts  int                     `json:"transcripts"` // number of transcripts
	Exchanges    int                     `json:"exchanges"`   // number of exchanges in them
	Scenarios    int                     `json:"scenarios"`   // number of scenarios judged again
	ExitCode     int64                   `json:"exitCode"`    // of the certification, as the bundle says
	Totals       results.Totals          `json:"totals"`      // of the scenarios judged again
	Profiles     []results.ProfileResult `json:"profiles"`    // as derived again
	// Sensitivity is what changes to the target's replies have shown, as derived again; nil if the certification made none.
	Sensitivity *results.Sensitivity `json:"sensitivity,omitempty"`
	Partial     *results.Partial     `json:"partial,omitempty"` // a selection was asked, or it was interrupted: it certifies nothing
	Known       int                  `json:"known,omitempty"`   // failures that the operator calls known, which the exit code does not count
	Whole       int                  `json:"-"`                 // the exit code that counts them
	LeftOut     []string             `json:"leftOut,omitempty"` // suites of which scenarios were left out, with their number
	Problems    []Problem            `json:"problems"`
	Registered  string               `json:"registered,omitempty"` // what the register says of this and other certifications
	// Others are the other certifications of the register, those of this target first.
	Others    []Planned  `json:"others,omitempty"`
	Timestamp *Timestamp `json:"timestamp,omitempty"`
	// PlanTimestamp is that of the plan in the register.
	PlanTimestamp *Timestamp        `json:"planTimestamp,omitempty"`
	Attested      []Statement       `json:"attested,omitempty"`
	NotProved     []string          `json:"notProved"` // sentences about what no bundle of this kind can prove
	Challenge     *challenge.Result `json:"challenge,omitempty"`
	Live          *Live             `json:"live,omitempty"` // nil if it was not to be asked again
}

// Sensitive reports whether no requirement rests on passes alone that no change could turn. It is true if nothing was
// challenged.
func (r *Report) Sensitive() bool { return r.Challenge == nil || len(r.Challenge.Unproved) == 0 }

// Signature describes the signature of a bundle.
type Signature struct {
	Status string   `json:"status"` // unsigned, unchecked (no key was given), good or bad
	Keys   []string `json:"keys"`   // keys that the signatures claim; if the status is good, the verified one
}

// Statuses of a signature.
const (
	Unsigned  = "unsigned"
	Unchecked = "unchecked"
	Good      = "good"
	Bad       = "bad"
)

// Problem is one mistake in a bundle.
type Problem struct {
	// Kind is digest, signature, manifest, version, transcript, run, seed, verdict, report, challenge, register, timestamp or
	// attestation.
	Kind     string `json:"kind"`
	Scenario string `json:"scenario,omitempty"`
	Drive    string `json:"drive,omitempty"`
	Exchange int64  `json:"exchange,omitempty"` // number in the drive, from 1
	Text     string `json:"text"`               // one sentence; parts of it may be foreign text
}

// mostProblems bounds the reported problems.
const mostProblems = 1000

// run is one verification.
type run struct {
	Report
	bundle *bundle.Bundle
	given  results.Results // results.json
	by     Options
	// settled is the result of challenging the passes as the certification did, nil if it did not.
	settled *challenge.Result
	// nameless are the drives that sent no name of the run.
	nameless []string
	derived  *scenarios.Report // nil if nothing was judged
	asked    []scenarios.Suite // suites of derived
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
		v.planned()
		v.judge()
	}
	v.attested()
	v.stamped()
	v.Honest = len(v.Problems) == 0
	v.live()
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

// document reads results.json and compares it with the manifest. ok is false if there is nothing to judge.
func (v *run) document() (ok bool) {
	doc, err := reports.ParseResults(v.bundle.Results)
	if err != nil {
		v.tell("report", "results.json: %s", err)
		return false
	}
	v.given, v.Run = doc, doc.Run
	m := v.bundle.Manifest
	for _, c := range []struct{ what, manifest, results string }{
		{"the version of Assay", m.Assay.Version, doc.Assay.Version},
		{"the digest of the suites", m.Assay.SuiteDigest, doc.Assay.SuiteDigest},
		{"the protocol", m.Target.Protocol, doc.Target.Protocol},
		{"the address of the target", m.Target.Address, doc.Target.Address},
		{"the digest of the discovery document", m.Target.DiscoveryDigest, doc.Target.DiscoveryDigest},
		{"the start", m.StartedAt.String(), doc.StartedAt.String()},
		{"the seed", m.Seed, strconv.FormatUint(doc.Seed, 10)},
		{"the run id", runText(m.Run), runText(doc.Run)},
		{"the exit code", strconv.FormatInt(m.ExitCode, 10), strconv.FormatInt(doc.ExitCode, 10)},
	} {
		if c.manifest != c.results {
			v.tell("manifest", "the manifest and results.json disagree about %s: %s and %s", c.what, c.manifest, c.results)
		}
	}
	return true
}

// judge derives everything in results.json from the transcripts, and compares.
func (v *run) judge() {
	selection, err := selectionOf(v.given.Filter)
	if err != nil {
		v.tell("report", "results.json: its filter cannot be read: %s", err)
		return
	}
	given := v.given
	if given.Schema == results.ResultsSchemaAssayResults1 {
		v.tell("version", "it is of format 1, which does not list violations that were seen outside the scenarios that name them: "+
			"its verdicts stand as they are, and were not derived again: certify anew")
		return
	}
	suites, ok := v.suites(selection)
	if !ok {
		return
	}
	depth, err := scenarios.ParseDepth(string(given.Depth))
	if err != nil { // it is older than depths
		depth = scenarios.Quick
	}
	derived, err := scenarios.Derive(v.bundle.Transcripts, scenarios.Given{
		Address: given.Target.Address, Second: given.Target.Second, Started: given.StartedAt, Seconds: given.Seconds,
		Seed: given.Seed, Depth: depth, RunID: reports.RunID(given.Run), Select: selection,
		Repetitions: reports.Repetitions(given), Unprompted: reports.Unprompted(given), Leftovers: given.Leftovers, Fault: given.Fault,
		Interrupted: given.ExitCode == scenarios.ExitInterrupted,
	}, suites...)
	if err != nil {
		v.underivable(err)
		return
	}
	v.Judged, v.Scenarios, v.derived, v.asked = true, len(derived.Outcomes), derived, suites
	v.ExtraHeaders = derived.ExtraHeaders
	v.part(suites, derived)
	v.drives(derived)
	v.host(derived)
	v.contradicted(derived)
	if v.settle(derived); v.Interrupted {
		return
	}
	v.compare(derived)
	v.challenge(derived)
}

// settle has the derived report say which passes could have failed, if results.json does. A part never does.
func (v *run) settle(derived *scenarios.Report) {
	if v.given.Sensitivity == nil || v.given.ExitCode == scenarios.ExitInterrupted || derived.Select.Narrows() {
		return
	}
	var err error
	if v.settled, err = v.by.Watch.Settle(derived); err != nil {
		v.unchallenged(err)
	}
}

// unchallenged notes why the passes were not challenged.
func (v *run) unchallenged(err error) {
	v.Interrupted = errors.Is(err, challenge.ErrInterrupted)
	v.tell("challenge", "the passes cannot be challenged: %s", err)
}

// challenge changes what the target sent, and judges again.
func (v *run) challenge(derived *scenarios.Report) {
	if v.by.Challenge == nil {
		return
	}
	if v.settled != nil && v.settled.Seed == *v.by.Challenge {
		v.Challenge = v.settled
		return
	}
	result, err := v.by.Watch.Report(derived, *v.by.Challenge)
	if err != nil {
		v.unchallenged(err)
		return
	}
	v.Challenge = result
}
