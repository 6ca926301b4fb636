package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// compare reports the differences between results.json and the derived results.
func (v *run) compare(r *scenarios.Report) {
	got := v.given
	stamp := reports.Stamp{Version: got.Assay.Version, Again: v.again(), Known: v.known(), Elsewhere: v.knownElsewhere(),
		Expectations: got.Expectations}
	stamp.ExitCode = stamp.ExitCodeOf(r)
	if got.ExitCode == scenarios.ExitInterrupted { // which may come after the last scenario
		stamp.ExitCode = scenarios.ExitInterrupted
	}
	want := reports.Results(r, stamp)
	if v.given.Depth == "" { // it was written by a program that is older than depths
		want.Depth = ""
		for i := range want.Requirements {
			want.Requirements[i].Reach, want.Requirements[i].Recognisable = nil, nil
		}
	}
	want.Pace, want.Load, want.Spent, want.WaysOut = got.Pace, got.Load, got.Spent, got.WaysOut // no transcript shows them
	v.Totals, v.Profiles, v.Partial, v.Sensitivity = want.Totals, want.Profiles, want.Partial, want.Sensitivity
	v.Known, v.Whole = excerpt.Known(want), r.ExitCode()
	told := len(v.Problems)
	v.scenarios(got.Scenarios, want.Scenarios)
	v.target(got.Target, want.Target)
	v.sensitivity(got, want)
	v.lists(got, want)
	v.totals(got.Totals, want.Totals)
	if got.ExitCode != want.ExitCode {
		v.tell("verdict", "results.json says that the certification ended with exit %d, and the transcripts give exit %d", got.ExitCode,
			want.ExitCode)
	}
	if len(v.Problems) == told {
		v.bytes(want)
	}
}

// bytes checks the rest of results.json: it must be byte for byte the derived document.
func (v *run) bytes(want results.Results) {
	encoded, err := reports.MarshalResults(want)
	if err == nil && bytes.Equal(encoded, v.bundle.Results) {
		return
	}
	line := 1
	for i := range min(len(encoded), len(v.bundle.Results)) {
		if encoded[i] != v.bundle.Results[i] {
			break
		}
		if encoded[i] == '\n' {
			line++
		}
	}
	v.tell("report", "results.json is not what follows from the transcripts: it differs from line %d on", line)
}

// again returns the recorded commands of failed scenarios, which depend on where Assay ran. It accepts only commands
// with the scenario and the seed of this certification.
func (v *run) again() func(scenarios.ScenarioID) string {
	said := map[string]string{}
	for _, s := range v.given.Scenarios {
		if s.Failure != nil {
			said[s.ID] = s.Failure.Again
		}
	}
	return func(id scenarios.ScenarioID) string {
		ends := fmt.Sprintf(" --scenario %s --seed %d", id, v.given.Seed)
		if command, is := said[string(id)]; is && strings.HasPrefix(command, "assay certify ") && strings.HasSuffix(command, ends) {
			return command
		}
		return "assay certify TARGET" + ends
	}
}

// known returns the expected failures from results.json, which no transcript contains. They change the exit code, but
// no verdict.
func (v *run) known() map[scenarios.ScenarioID]results.Known {
	said := map[scenarios.ScenarioID]results.Known{}
	for _, s := range v.given.Scenarios {
		if s.Known != nil {
			said[scenarios.ScenarioID(s.ID)] = *s.Known
		}
	}
	return said
}

// knownElsewhere returns those that results.json has beside the scenarios.
func (v *run) knownElsewhere() map[string]results.Known {
	said := map[string]results.Known{}
	for _, g := range v.given.Violations {
		if g.Known != nil && g.Signature != nil {
			said[*g.Signature] = *g.Known
		}
	}
	return said
}

func (v *run) scenarios(got, want []results.ScenarioResult) {
	said := map[string]results.ScenarioResult{}
	for _, s := range got {
		if _, twice := said[s.ID]; twice {
			v.problem(Problem{Kind: "verdict", Scenario: s.ID, Text: s.ID + ": results.json has it twice"})
		}
		said[s.ID] = s
	}
	for _, w := range want {
		g, there := said[w.ID]
		delete(said, w.ID)
		if !there {
			v.problem(Problem{Kind: "verdict", Scenario: w.ID, Drive: driveOf(w),
				Text: fmt.Sprintf("%s: results.json leaves it out, and %s", w.ID, derivation(w))})
			continue
		}
		v.scenario(g, w)
	}
	for _, s := range got {
		if _, more := said[s.ID]; more {
			v.problem(Problem{Kind: "verdict", Scenario: s.ID, Text: s.ID + ": results.json has it, and this certification does not ask for it"})
		}
	}
}

// driveOf returns the drive that a scenario was judged from.
func driveOf(s results.ScenarioResult) string {
	if len(s.Drives) == 0 {
		return ""
	}
	return s.Drives[0]
}

// derivation describes the derived verdict of a scenario and its source.
func derivation(s results.ScenarioResult) string {
	from := "its transcript gives"
	if d := driveOf(s); d != "" {
		from = "the transcript of " + d + " gives"
	}
	if s.Reason == "" {
		return fmt.Sprintf("%s %s", from, s.Verdict)
	}
	return fmt.Sprintf("%s %s: %s", from, s.Verdict, s.Reason)
}

// scenario reports the most important difference between two results of one scenario.
func (v *run) scenario(got, want results.ScenarioResult) {
	p := Problem{Kind: "verdict", Scenario: want.ID, Drive: driveOf(want)}
	if i := firstDifference(got.Checks, want.Checks); i < len(want.Checks) {
		p.Exchange = want.Checks[i].Exchange
	}
	switch {
	case got.Verdict != want.Verdict:
		p.Text = fmt.Sprintf("%s: results.json says %s, and %s", want.ID, got.Verdict, derivation(want)) + place(p)
	case got.Evidence != want.Evidence:
		p.Text = fmt.Sprintf("%s: results.json says it was %s, and the transcript of %s shows it %s", want.ID, seen(got.Evidence),
			p.Drive, seen(want.Evidence))
	case !equalJSON(got.Checks, want.Checks):
		p.Text = want.ID + ": " + checksDiffer(got.Checks, want.Checks, p)
	case !equalJSON(got.Findings, want.Findings):
		p.Text = want.ID + ": " + findingsDiffer(got.Findings, want.Findings)
	default:
		member := differingMember(got, want)
		if member == "" {
			return
		}
		p.Text = fmt.Sprintf("%s: results.json gives another %s than what follows from the transcript of %s", want.ID, member, p.Drive)
	}
	v.problem(p)
}

// place names the exchange of a problem.
func place(p Problem) string {
	if p.Exchange == 0 || p.Drive == "" {
		return ""
	}
	return fmt.Sprintf(" (exchange %d of %s)", p.Exchange, p.Drive)
}

func seen(e results.Evidence) string {
	if e == "" {
		return "not seen"
	}
	return string(e)
}

func checksDiffer(got, want []results.Check, p Problem) string {
	i := firstDifference(got, want)
	if i >= len(got) || i >= len(want) {
		return fmt.Sprintf("results.json has %d checks, and the transcript of %s gives %d", len(got), p.Drive, len(want))
	}
	g, w := got[i], want[i]
	if g.Actual == w.Actual && g.Ok == w.Ok {
		return fmt.Sprintf("check %d, of %s, is not the one that the transcript of %s gives", i+1, w.Requirement, p.Drive)
	}
	return fmt.Sprintf("check %d, of %s: results.json says %s, and exchange %d of %s gives %s", i+1, w.Requirement, clip(g.Actual),
		w.Exchange, p.Drive, clip(w.Actual))
}

func findingsDiffer(got, want []results.Finding) string {
	i := firstDifference(got, want)
	if i >= len(want) {
		return fmt.Sprintf("results.json has the finding %q, which does not follow from its transcript", clip(got[i].Text))
	}
	return fmt.Sprintf("results.json leaves out the finding %q", clip(want[i].Text))
}

// firstDifference returns the index of the first elements that differ.
func firstDifference[T any](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if !equalJSON(a[i], b[i]) {
			return i
		}
	}
	return min(len(a), len(b))
}

// equalJSON compares two values by their JSON encoding.
func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// differingMember returns the first differing member of two objects by name, or "".
func differingMember(a, b any) string {
	x, y := members(a), members(b)
	var names []string
	for name := range x {
		names = append(names, name)
	}
	for name := range y {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !bytes.Equal(x[name], y[name]) {
			return name
		}
	}
	return ""
}

func members(v any) (out map[string]json.RawMessage) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil { // decoded values always encode
		return nil
	}
	return out
}

// clip returns the start of a foreign text.
func clip(text string) string {
	const most = 120
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
