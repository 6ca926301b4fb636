package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Stamp holds what a report does not know itself: the version of Assay, how the command ended, and how to run one
// scenario again.
type Stamp struct {
	Version  string // of Assay
	ExitCode int    // exit code of the command; [scenarios.Report.ExitCode] unless it was interrupted
	// Again returns the command line that runs one scenario alone with the same seed. nil derives it from the address.
	Again func(scenarios.ScenarioID) string
	// Known holds the failures that the operator expects, by scenario; Expectations describes their file, nil without
	// one.
	Known        map[scenarios.ScenarioID]results.Known
	Elsewhere    map[string]results.Known // what the operator expects besides, by [scenarios.Breach.Signature]
	Expectations *results.Expectations
}

// Results converts a report into the document of results.json.
func Results(r *scenarios.Report, stamp Stamp) results.Results {
	if stamp.Again == nil {
		stamp.Again = func(id scenarios.ScenarioID) string {
			return fmt.Sprintf("assay certify %s --scenario %s --seed %d", r.Address, id, r.Seed)
		}
	}
	return results.Results{
		Schema: results.ResultsSchemaAssayResults2,
		Assay:  results.Assay{Version: stamp.Version, SuiteDigest: r.SuiteDigest},
		Target: results.Target{
			Protocol: r.Protocol.ID, Address: r.Address, DiscoveryDigest: r.DiscoveryDigest,
			Second: r.Second, ExtraHeaders: r.ExtraHeaders, Name: label(r.Name), Version: label(r.Version),
			Certificate: label(r.Certificate), Nonce: nonce(r.Nonce),
		},
		Filter:       Filter(r.Select),
		Partial:      partial(r, stamp),
		StartedAt:    r.Started,
		Seconds:      seconds(r.Seconds),
		Seed:         r.Seed,
		Depth:        results.Depth(r.Depth.String()),
		Salt:         Salt(r),
		Run:          Run(r.RunID),
		Pace:         pace(r.Paced),
		Load:         load(r.Load),
		Spent:        spent(r.Spent),
		ExitCode:     int64(stamp.ExitCode),
		Claims:       each(r.Claims, claim),
		Requirements: each(r.Requirements, requirementIn(r.Protocol.Ledger)),
		Violations:   violations(r.Breaches, stamp.Elsewhere),
		Scenarios:    each(r.Outcomes, func(o scenarios.Outcome) results.ScenarioResult { return scenario(o, r.Protocol.Ledger, stamp) }),
		Findings:     each(r.DiscoveryFindings, finding),
		Totals:       totals(r.Totals()),
		Sensitivity:  sensitivity(r.Sensitivity),
		Repetitions:  some(r.Repetitions, repetition),
		Unprompted:   some(r.Unprompted, unprompted(r)),
		Profiles:     profiles(r, stamp),
		Leftovers:    each(r.Leftovers, func(s string) string { return s }),
		Fault:        r.Fault,
		NotClaimed:   some(r.Seen, sighting),
		Expectations: stamp.Expectations,
	}
}

// Run returns nil for a report that is of no certification.
func Run(id scenarios.RunID) *results.Run {
	if id.ID == "" {
		return nil
	}
	return &results.Run{ID: id.ID, Given: id.Given, At: id.At}
}

// Salt returns what the names of fixtures on the target were drawn from, nil for the published ones.
func Salt(r *scenarios.Report) *string {
	if r.Protocol.Salt == "" {
		return nil
	}
	return &r.Protocol.Salt
}

func pace(p *scenarios.Paced) *results.Pace {
	if p == nil {
		return nil
	}
	of := func(d time.Duration) float64 { return seconds(d.Seconds()) }
	return &results.Pace{Reply: of(p.Reply), Run: of(p.Run), Turn: of(p.Turn), Behind: of(p.Behind), Asked: of(p.Asked),
		Patience: of(p.Patience), MaxPatience: of(p.MaxPatience), Workers: new(int64(p.Workers))}
}

func spent(s wire.Spent) *results.Spent {
	if s == (wire.Spent{}) {
		return nil
	}
	return &results.Spent{Requests: int64(s.Requests), Runs: int64(s.Runs), Turns: int64(s.Turns)}
}

func load(l *wire.Load) *results.Load {
	if l == nil || l.Refused == 0 {
		return nil
	}
	return &results.Load{Refused: int64(l.Refused), Waited: seconds(l.Waited.Seconds()), Rate: seconds(l.Rate), AtOnce: int64(l.AtOnce)}
}

// RunID is the reverse of [Run].
func RunID(r *results.Run) scenarios.RunID {
	if r == nil {
		return scenarios.RunID{}
	}
	return scenarios.RunID{ID: r.ID, Given: r.Given, At: r.At}
}

// MarshalResults encodes the document. The bytes are the same for a terminal and a file: characters that could act on a
// terminal are written as JSON escapes, which mean the same to a program.
func MarshalResults(doc results.Results) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the results: %w", err)
	}
	return textsafe.JSON(b.Bytes()), nil
}

// each maps a list. It never returns nil, because the schema wants an empty list, not null.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// some is like each, for a member that an empty list leaves out.
func some[A, B any](list []A, f func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	return each(list, f)
}

func nonce(n *scenarios.Nonce) *results.Nonce {
	if n == nil {
		return nil
	}
	return &results.Nonce{Value: n.Value, In: results.NonceIn(n.In)}
}

func scenario(o scenarios.Outcome, ledger *scenarios.Ledger, stamp Stamp) results.ScenarioResult {
	out := results.ScenarioResult{
		ID:           string(o.Scenario.ID),
		Suite:        o.Suite,
		Title:        o.Scenario.Title,
		Requirements: each(o.Scenario.Proves, func(id scenarios.RequirementID) string { return string(id) }),
		Claim:        o.Scenario.Claim.ID,
		Level:        results.Level(o.Level),
		Verdict:      results.Verdict(o.Verdict),
		Evidence:     results.Evidence(o.Evidence.String()),
		Seconds:      seconds(o.Seconds),
		Drives:       []string{},
		Reason:       o.Reason,
		Unblock:      o.Unblock,
		Labels:       each(o.Labels, func(s string) string { return s }),
		Checks:       each(o.Checks, checked),
		Findings:     each(o.Findings, finding),
	}
	if o.Drive != "" {
		out.Drives = []string{o.Drive}
	}
	if f := o.Failure; f != nil {
		out.Failure = &results.Failure{Requirement: string(f.Requirement), Expected: f.Expected, Actual: f.Actual,
			Again: stamp.Again(o.Scenario.ID)}
		sign(&out, o.Failures(ledger))
	}
	if known, is := stamp.Known[o.Scenario.ID]; is && o.Verdict == scenarios.Failed {
		out.Known = &known
	}
	return out
}

// sign sets the signature of the first violating check of each requirement, and of the failure itself.
func sign(s *results.ScenarioResult, failures []check.Result) {
	for _, f := range failures {
		signature := scenarios.Signature(scenarios.ScenarioID(s.ID), f)
		i := slices.IndexFunc(s.Checks, func(c results.Check) bool { return !c.Ok && c.Requirement == f.Requirement })
		s.Checks[i].Signature = &signature
		if f.Requirement == s.Failure.Requirement {
			s.Failure.Signature = &signature
		}
	}
}

func checked(c check.Result) results.Check {
	return results.Check{
		Requirement: c.Requirement, Expected: c.Expected, Actual: c.Actual, Ok: c.OK,
		Exchange: int64(c.Where.Exchange), Pointer: c.Where.Pointer, Part: c.Where.Part,
	}
}

func claim(c scenarios.ClaimStatus) results.Claim {
	value, err := json.Marshal(c.Value.Actual())
	if err == nil && len(value) > mostValue {
		value, err = json.Marshal(wire.Compact(c.Value.Actual()))
	}
	if err != nil { // decoded JSON always encodes
		value = []byte("null")
	}
	return results.Claim{ID: c.ID, Pointer: c.Pointer, Value: value, Status: results.ClaimStatus(c.Status)}
}

// mostValue bounds the bytes of a claim's value. A claim is a flag, a number or a block of them; of a longer value the
// document keeps the beginning, as a string.
const mostValue = 16 << 10

func requirementIn(ledger *scenarios.Ledger) func(scenarios.RequirementStatus) results.RequirementResult {
	return func(s scenarios.RequirementStatus) results.RequirementResult {
		row, _ := ledger.Find(s.ID)
		out := results.RequirementResult{
			ID: string(s.ID), Verdict: results.RequirementVerdict(s.Verdict),
			Evidence: results.Evidence(s.Evidence.String()), Stimulus: results.Stimulus(row.Stimulus),
		}
		if s.Contradicted {
			out.Contradicted = new(true)
		}
		if s.Reach.Recognisable && s.Verdict == scenarios.Passed {
			out.Recognisable = new(true)
		}
		if s.Reach.Asked > 0 {
			out.Reach = &results.Reach{Asked: int64(s.Reach.Asked), Made: int64(s.Reach.Made), Drawn: some(s.Reach.Drawn, drawn)}
		}
		return out
	}
}

func drawn(r scenarios.Range) results.Drawn {
	return results.Drawn{Name: r.Name, Least: int64(r.Least), Most: int64(r.Most), Times: int64(r.Times), Narrowed: r.Narrowed}
}

func sensitivity(s *scenarios.Sensitivity) *results.Sensitivity {
	if s == nil {
		return nil
	}
	return &results.Sensitivity{Passes: int64(s.Passes), Sensitive: int64(s.Sensitive),
		Insensitive: each(s.Insensitive, func(p scenarios.InsensitivePass) results.InsensitivePass {
			return results.InsensitivePass{Scenario: string(p.Scenario), Requirement: string(p.Requirement), Drive: p.Drive, ByRow: p.ByRow,
				Cause: results.InsensitiveCause(p.Cause), Why: p.Why}
		})}
}

// partial returns how much was asked of a run that was narrowed, or interrupted.
func partial(r *scenarios.Report, stamp Stamp) *results.Partial {
	interrupted := stamp.ExitCode == scenarios.ExitInterrupted
	if !r.Select.Narrows() && !interrupted {
		return nil
	}
	asked := len(r.Outcomes)
	if interrupted {
		asked -= r.Totals()[scenarios.Inconclusive]
	}
	return &results.Partial{Asked: int64(asked), Of: int64(r.Scenarios)}
}

// profiles returns none of a part: it may have left out what would cost one.
func profiles(r *scenarios.Report, stamp Stamp) []results.ProfileResult {
	if partial(r, stamp) != nil {
		return []results.ProfileResult{}
	}
	return each(r.Profiles, profile)
}

// mostViolations bounds the places that are told.
const mostViolations = 1000

func violations(breaches []scenarios.Breach, expected map[string]results.Known) []results.Violation {
	return each(breaches[:min(len(breaches), mostViolations)], func(b scenarios.Breach) results.Violation {
		out := results.Violation{
			Requirement: string(b.Requirement), By: results.ViolationBy(b.By), Scenario: string(b.Scenario), Drive: b.Drive,
			Exchange: int64(b.Where.Exchange), Pointer: b.Where.Pointer, Part: b.Where.Part, Expected: b.Expected, Actual: b.Actual,
		}
		if b.By == scenarios.ByJudge {
			return out
		}
		out.Signature = new(b.Signature())
		if known, is := expected[*out.Signature]; is {
			out.Known = &known
		}
		return out
	})
}

func finding(f scenarios.Finding) results.Finding {
	return results.Finding{Requirement: string(f.Requirement), Text: f.Text}
}

func sighting(s scenarios.Sighting) results.Sighting {
	return results.Sighting{
		What: s.What, Claim: s.Claim.ID, ClaimPointer: s.Claim.Pointer,
		Drive: s.Drive, Exchange: int64(s.Where.Exchange), Pointer: s.Where.Pointer, Replies: int64(s.Replies),
	}
}

func leftOut(p scenarios.Part) results.LeftOut {
	return results.LeftOut{Claims: p.Claims, Requirements: some(p.Requirements, func(id scenarios.RequirementID) string { return string(id) })}
}

func profile(p scenarios.ProfileStatus) results.ProfileResult {
	out := results.ProfileResult{
		ID: p.ID, Status: results.ProfileStatus(p.Status),
		Proved: int64(p.Proved), Required: int64(p.Required), ThroughSeam: int64(p.ThroughSeam),
		Superseded: p.Superseded, Provisional: some(p.Provisional, func(id scenarios.ScenarioID) string { return string(id) }),
	}
	if p.Shallow > 0 {
		out.Shallow = new(int64(p.Shallow))
	}
	if p.Depth > scenarios.Quick {
		out.Depth = results.Depth(p.Depth.String())
	}
	if p.NotClaimed > 0 {
		out.NotClaimed = new(int64(p.NotClaimed))
		out.LeftOut = some(p.LeftOut, leftOut)
	}
	if digest := p.Digest; digest != "" {
		out.Digest = &digest
	}
	return out
}

func totals(n map[scenarios.Verdict]int) results.Totals {
	return results.Totals{
		Passed:       int64(n[scenarios.Passed]),
		Failed:       int64(n[scenarios.Failed]),
		Inapplicable: int64(n[scenarios.Inapplicable]),
		Blocked:      int64(n[scenarios.Blocked]),
		Inconclusive: int64(n[scenarios.Inconclusive]),
		Broken:       int64(n[scenarios.Broken]),
	}
}

// Filter returns what a certification was narrowed to, nil for a whole one.
func Filter(s scenarios.Selection) *results.Filter {
	f := results.Filter{Suites: s.Suites, Scenarios: s.Scenarios, Requirements: s.Requirements, Filter: s.Filter, ExpectClaims: s.ExpectClaims}
	if len(f.Suites)+len(f.Scenarios)+len(f.Requirements)+len(f.Filter)+len(f.ExpectClaims) == 0 {
		return nil
	}
	return &f
}

// Selection is the reverse of [Filter]. It has the expression over labels and not the function that it stands for.
func Selection(f *results.Filter) scenarios.Selection {
	if f == nil {
		return scenarios.Selection{}
	}
	return scenarios.Selection{Suites: f.Suites, Scenarios: f.Scenarios, Requirements: f.Requirements, Filter: f.Filter,
		ExpectClaims: f.ExpectClaims}
}

// mostLabel bounds the characters of a target's own name, which may be a megabyte long.
const mostLabel = 200

func label(s string) *string {
	if s == "" {
		return nil
	}
	if runes := []rune(s); len(runes) > mostLabel {
		s = string(runes[:mostLabel-1]) + "…"
	}
	return &s
}

// seconds drops the digits beyond microseconds.
func seconds(s float64) float64 { return math.Round(s*1e6) / 1e6 }
