// Package attest says what a bundle of evidence shows in statements of in-toto (https://in-toto.io/Statement/v1), which
// other people's policy engines read. A statement follows from the bundle alone: the same bundle gives the same bytes.
//
// The statements are written as JSON by structs of ours: the library of in-toto would link protobuf for them. Its parser and
// validator read them in a test.
package attest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/excerpt"
)

// Types of in-toto.
const (
	PayloadType    = "application/vnd.in-toto+json"
	StatementType  = "https://in-toto.io/Statement/v1"
	SVRType        = "https://in-toto.io/attestation/svr/v0.1"
	TestResultType = "https://in-toto.io/attestation/test-result/v0.1"
)

// Suffix is appended to a bundle's file name to name the file with the statements about it.
const Suffix = ".intoto.jsonl"

const (
	home = "https://github.com/openassay/assay"
	// PropertyPrefix stands before the id of a profile in a property of a summary.
	PropertyPrefix = "ASSAY_PROFILE_"
)

// Results of a test run, as a test result has them.
const (
	Passed = "PASSED"
	Warned = "WARNED"
	Failed = "FAILED"
)

// Statement says something about a bundle. One of the two predicates is set.
type Statement struct {
	Subject    Resource
	SVR        *SVR
	TestResult *TestResult
}

// Resource describes a file, or something else that has a digest.
type Resource struct {
	Name      string            `json:"name,omitempty"`
	URI       string            `json:"uri,omitempty"`
	Digest    map[string]string `json:"digest,omitempty"`
	Content   []byte            `json:"content,omitempty"`
	MediaType string            `json:"mediaType,omitempty"`
	// Annotations of the subject name the target, its protocol, how far it was asked, and the headers that whoever ran Assay
	// added.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// SVR is a Simple Verification Result: a property for each profile that is certified.
type SVR struct {
	Verifier    Verifier `json:"verifier"`
	TimeCreated string   `json:"timeCreated"` // RFC 3339: the end of the certification, since which nothing was verified
	Properties  []string `json:"properties"`
}

// Verifier says who verified the properties, and what each of them means.
type Verifier struct {
	ID       string     `json:"id"`       // names the suites by their digest: others would have asked something else
	Policies []Resource `json:"policies"` // the profiles, one a property, in the same order: an extension
}

// TestResult is the result of a run of tests.
type TestResult struct {
	Result        string     `json:"result"`
	Configuration []Resource `json:"configuration"` // the plan, the suites, the spec and the program
	PassedTests   []string   `json:"passedTests"`   // scenarios that passed
	WarnedTests   []string   `json:"warnedTests"`   // scenarios that passed, with findings about what a target SHOULD do
	// Scenarios that failed, and requirements that were seen violated elsewhere, by the names that JUnit has for them.
	FailedTests []string `json:"failedTests"`
}

// encoded is a statement as in-toto has it.
type encoded struct {
	Type          string          `json:"_type"`
	Subject       []Resource      `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// Of returns the statements that a bundle gives, where doc is what its transcripts give: the result of its tests and, if it
// certifies any profile, a summary. A part never does.
func Of(b *bundle.Bundle, doc results.Results) ([]Statement, error) {
	tests, err := testResult(b, doc)
	if err != nil {
		return nil, err
	}
	about := Resource{Name: "bundle", Digest: map[string]string{"sha256": b.Digest},
		Annotations: map[string]string{"target": doc.Target.Address, "protocol": doc.Target.Protocol}}
	if reach := excerpt.Reached(doc); reach != "" {
		about.Annotations["reach"] = reach
	}
	if names := doc.Target.ExtraHeaders; len(names) > 0 {
		about.Annotations["extraHeaders"] = strings.Join(names, ", ")
	}
	out := []Statement{{Subject: about, TestResult: tests}}
	if summary := svr(doc); summary != nil {
		out = append(out, Statement{Subject: about, SVR: summary})
	}
	return out, nil
}

// PredicateType returns the type of what it says.
func (s Statement) PredicateType() string {
	if s.SVR != nil {
		return SVRType
	}
	return TestResultType
}

// Encode returns the statement in canonical JSON (RFC 8785).
func (s Statement) Encode() ([]byte, error) {
	var predicate any = s.TestResult
	if s.SVR != nil {
		predicate = s.SVR
	}
	inner, err := json.Marshal(predicate)
	if err != nil {
		return nil, err
	}
	whole, err := json.Marshal(encoded{StatementType, []Resource{s.Subject}, s.PredicateType(), inner})
	if err != nil {
		return nil, err
	}
	return jcs.Transform(whole)
}

func svr(doc results.Results) *SVR {
	if doc.Partial != nil {
		return nil
	}
	ended := doc.StartedAt.Add(time.Duration(doc.Seconds * float64(time.Second))).UTC().Truncate(time.Millisecond)
	out := &SVR{Verifier: Verifier{ID: home + "/suites/" + doc.Assay.SuiteDigest}, TimeCreated: ended.Format(time.RFC3339Nano)}
	for _, p := range doc.Profiles {
		if p.Status != results.ProfileStatusCertified || p.Digest == nil {
			continue
		}
		out.Properties = append(out.Properties, PropertyPrefix+p.ID)
		out.Verifier.Policies = append(out.Verifier.Policies, Resource{Name: p.ID,
			URI: fmt.Sprintf("%s/blob/main/spec/assay/profiles/%s.yaml", home, p.ID), Digest: map[string]string{"sha256": *p.Digest}})
	}
	if len(out.Properties) == 0 {
		return nil
	}
	return out
}

func testResult(b *bundle.Bundle, doc results.Results) (*TestResult, error) {
	plan, err := planOf(b, doc)
	if err != nil {
		return nil, err
	}
	m := b.Manifest
	out := &TestResult{PassedTests: []string{}, WarnedTests: []string{}, FailedTests: []string{}, Configuration: []Resource{plan,
		{Name: "suites", Digest: map[string]string{"sha256": m.Assay.SuiteDigest}},
		{Name: "spec", Digest: map[string]string{"sha256": m.Assay.SpecDigest}},
	}}
	if m.Assay.Binary != nil {
		out.Configuration = append(out.Configuration, Resource{Name: "assay", Digest: map[string]string{"sha256": *m.Assay.Binary}})
	}
	broken := false
	for _, s := range doc.Scenarios {
		switch {
		case s.Verdict == results.VerdictFailed:
			out.FailedTests = append(out.FailedTests, s.ID)
		case s.Verdict == results.VerdictPassed && len(s.Findings) > 0:
			out.WarnedTests = append(out.WarnedTests, s.ID)
		case s.Verdict == results.VerdictPassed:
			out.PassedTests = append(out.PassedTests, s.ID)
		case s.Verdict == results.VerdictBroken:
			broken = true
		}
	}
	for _, v := range excerpt.Elsewhere(doc) {
		out.FailedTests = append(out.FailedTests, excerpt.AllThatWasRead+"/"+v.Requirement)
	}
	switch {
	case len(out.FailedTests) > 0 || broken:
		out.Result = Failed
	case doc.ExitCode != 0 || doc.Partial != nil:
		out.Result = Warned // something that is claimed was not asked, or not proved
	default:
		out.Result = Passed
	}
	return out, nil
}

// planOf returns what was asked of whom, as a register has it.
func planOf(b *bundle.Bundle, doc results.Results) (Resource, error) {
	m := b.Manifest
	plan := results.RegisteredPlan{Target: m.Target.Address, Seed: m.Seed, Assay: m.Assay.Version, Filter: doc.Filter}
	if m.Assay.Binary != nil {
		plan.Binary = *m.Assay.Binary
	}
	content, err := json.Marshal(plan)
	if err != nil {
		return Resource{}, err
	}
	if content, err = jcs.Transform(content); err != nil {
		return Resource{}, err
	}
	return Resource{Name: "plan", MediaType: "application/json", Content: content,
		Digest: map[string]string{"sha256": bundle.Digest(content)}}, nil
}
