package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// SARIF writes the results as a log of SARIF 2.1.0, with a rule for each requirement. Each place where one is violated is an
// error, wherever it was seen; a known failure is one that is suppressed. A SHOULD that is not met is a note. What was left
// unproved is open, with its reason, and no error. What passed, or is not claimed, stands in no log.
func SARIF(w io.Writer, doc results.Results) error {
	r := &sarifRun{Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
		AutomationDetails: sarifID{"assay/" + doc.Target.Protocol + "/"},
		Tool: sarifTool{sarifDriver{Name: "assay", Version: doc.Assay.Version, InformationURI: "https://github.com/openassay/assay",
			Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{
			ExecutionSuccessful: doc.ExitCode != scenarios.ExitBroken && doc.ExitCode != scenarios.ExitInterrupted, ExitCode: doc.ExitCode,
			Start: sarifTime(doc.StartedAt), End: sarifTime(doc.StartedAt.Add(time.Duration(doc.Seconds * float64(time.Second)))),
		}},
		Properties: sarifProperties{Protocol: doc.Target.Protocol, Address: doc.Target.Address, Seed: fmt.Sprint(doc.Seed)},
	}
	if doc.Partial != nil {
		r.Properties.Partial = excerpt.Part(*doc.Partial)
	}
	r.Properties.Sensitivity = excerpt.Sensitivity(doc.Sensitivity)
	for _, s := range doc.Scenarios {
		r.scenario(s)
	}
	for _, v := range excerpt.Elsewhere(doc) {
		for _, p := range v.Places {
			out := r.result(v.Requirement, "fail", "error", fmt.Sprintf("%s, seen by %s", p.Actual, excerpt.SeenBy(p)))
			out.at(p.Drive, excerpt.PlaceOf(p))
			if v.Known {
				out.suppress("known failure")
			}
			r.Results = append(r.Results, out)
		}
	}
	return writeJSON(w, sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []*sarifRun{r}})
}

type sarifLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    []*sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool              sarifTool         `json:"tool"`
	AutomationDetails sarifID           `json:"automationDetails"`
	Invocations       []sarifInvocation `json:"invocations"`
	ColumnKind        string            `json:"columnKind"`
	Results           []sarifResult     `json:"results"`
	Properties        sarifProperties   `json:"properties"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool   `json:"executionSuccessful"`
	ExitCode            int64  `json:"exitCode"`
	Start               string `json:"startTimeUtc"`
	End                 string `json:"endTimeUtc"`
}

type sarifProperties struct {
	Protocol string `json:"protocol"`
	Address  string `json:"address"`
	Seed     string `json:"seed"`
	Partial  string `json:"partial,omitempty"` // how much was asked, of a run that judges no profile
	// Sensitivity is how many passes were shown able to fail.
	Sensitivity string `json:"sensitivity,omitempty"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Kind         string             `json:"kind"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
}

type sarifArtifact struct {
	URI string `json:"uri"` // relative to the folder of the report
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// scenario adds what one scenario has to tell.
func (r *sarifRun) scenario(s results.ScenarioResult) {
	drive := ""
	if len(s.Drives) > 0 {
		drive = s.Drives[0]
	}
	switch s.Verdict {
	case results.VerdictFailed:
		r.failures(s, drive)
	case results.VerdictBlocked, results.VerdictInconclusive, results.VerdictBroken:
		for _, id := range s.Requirements[:min(len(s.Requirements), 1)] {
			out := r.result(id, "open", "none", s.ID+": "+unproved(s))
			out.at(drive, s.ID)
			r.Results = append(r.Results, out)
		}
	}
	for _, f := range s.Findings {
		if f.Requirement == "" {
			continue // a note about what a reading accepts
		}
		out := r.result(f.Requirement, "fail", "note", s.ID+": "+f.Text)
		out.at(drive, s.ID)
		r.Results = append(r.Results, out)
	}
}

// failures adds the first violating check of each requirement, which is signed. Other checks may have failed of a SHOULD.
func (r *sarifRun) failures(s results.ScenarioResult, drive string) {
	told := false
	add := func(requirement, expected, actual, place string, signature *string) {
		told = told || requirement == s.Failure.Requirement
		out := r.result(requirement, "fail", "error", fmt.Sprintf("%s: expected %s, got %s. Again: %s", s.ID, expected, actual, s.Failure.Again))
		out.at(drive, place)
		if signature != nil {
			out.Fingerprints = map[string]string{"assay/v1": *signature}
		}
		if s.Known != nil {
			out.suppress(knownSkip(*s.Known))
		}
		r.Results = append(r.Results, out)
	}
	for _, c := range s.Checks {
		if !c.Ok && c.Signature != nil {
			add(c.Requirement, c.Expected, c.Actual, excerpt.Place(c), c.Signature)
		}
	}
	if !told {
		add(s.Failure.Requirement, s.Failure.Expected, s.Failure.Actual, s.ID, s.Failure.Signature)
	}
}

// result begins a result, and adds the rule that it is about.
func (r *sarifRun) result(requirement, kind, level, text string) sarifResult {
	rules := &r.Tool.Driver.Rules
	i := slices.IndexFunc(*rules, func(known sarifRule) bool { return known.ID == requirement })
	if i < 0 {
		i = len(*rules)
		*rules = append(*rules, sarifRule{requirement})
	}
	return sarifResult{RuleID: requirement, RuleIndex: i, Kind: kind, Level: level, Message: sarifText{textsafe.Line(text)}}
}

// at says where a result was seen: in a transcript, and where in it.
func (s *sarifResult) at(drive, place string) {
	if drive == "" {
		drive = "discovery" // judged without a drive of its own
	}
	uri := (&url.URL{Path: strings.ReplaceAll(transcriptPath(drive), "\\", "/")}).EscapedPath()
	s.Locations = []sarifLocation{{Physical: sarifPhysical{sarifArtifact{uri}}, Logical: []sarifLogical{{textsafe.Line(place)}}}}
}

func (s *sarifResult) suppress(why string) {
	s.Suppressions = []sarifSuppression{{"external", textsafe.Line(why)}}
}

func sarifTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// writeJSON encodes a document as [MarshalResults] does.
func writeJSON(w io.Writer, doc any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(textsafe.JSON(b.Bytes()))
	return err
}
