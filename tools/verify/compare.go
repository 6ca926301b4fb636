package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// compare tells where results.json says something else than what was derived.
func (v *run) compare(r *scenarios.Report) {
	got := v.given
	stamp := reports.Stamp{Version: got.Assay.Version, Again: v.again(), Known: v.known(), Expectations: got.Expectations}
	stamp.ExitCode = stamp.ExitCodeOf(r)
	if got.ExitCode == scenarios.ExitInterrupted { // which may come when all is over
		stamp.ExitCode = scenarios.ExitInterrupted
	}
	want := reports.Results(r, stamp)
	v.Totals, v.Profiles = want.Totals, want.Profiles
	told := len(v.Problems)
	v.scenarios(got.Scenarios, want.Scenarios)
	v.target(got.Target, want.Target)
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

// bytes is the last word: whatever else results.json says, it has to say as it was derived.
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

// again repeats the commands that results.json gives for what failed: what they were depends on where it ran. Each runs its
// scenario with the seed of this certification.
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

// known repeats which failures the operator expected, which no transcript tells. They change the exit code, and no verdict.
func (v *run) known() map[scenarios.ScenarioID]results.Known {
	said := map[scenarios.ScenarioID]results.Known{}
	for _, s := range v.given.Scenarios {
		if s.Known != nil {
			said[scenarios.ScenarioID(s.ID)] = *s.Known
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
				Text: fmt.Sprintf("%s: results.json leaves it out, and %s", w.ID, gives(w))})
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

// driveOf is the drive that a scenario was judged from.
func driveOf(s results.ScenarioResult) string {
	if len(s.Drives) == 0 {
		return ""
	}
	return s.Drives[0]
}

// gives says what was derived of a scenario, and from what.
func gives(s results.ScenarioResult) string {
	from := "its transcript gives"
	if d := driveOf(s); d != "" {
		from = "the transcript of " + d + " gives"
	}
	if s.Reason == "" {
		return fmt.Sprintf("%s %s", from, s.Verdict)
	}
	return fmt.Sprintf("%s %s: %s", from, s.Verdict, s.Reason)
}

// scenario tells the weightiest thing in which two results of one scenario differ.
func (v *run) scenario(got, want results.ScenarioResult) {
	p := Problem{Kind: "verdict", Scenario: want.ID, Drive: driveOf(want)}
	if i := firstDifference(got.Checks, want.Checks); i < len(want.Checks) {
		p.Exchange = want.Checks[i].Exchange
	}
	switch {
	case got.Verdict != want.Verdict:
		p.Text = fmt.Sprintf("%s: results.json says %s, and %s", want.ID, got.Verdict, gives(want)) + place(p)
	case got.Evidence != want.Evidence:
		p.Text = fmt.Sprintf("%s: results.json says it was %s, and the transcript of %s shows it %s", want.ID, seen(got.Evidence),
			p.Drive, seen(want.Evidence))
	case !same(got.Checks, want.Checks):
		p.Text = want.ID + ": " + checksDiffer(got.Checks, want.Checks, p)
	case !same(got.Findings, want.Findings):
		p.Text = want.ID + ": " + findingsDiffer(got.Findings, want.Findings)
	default:
		member := differs(got, want)
		if member == "" {
			return
		}
		p.Text = fmt.Sprintf("%s: results.json gives another %s than what follows from the transcript of %s", want.ID, member, p.Drive)
	}
	v.problem(p)
}

// place is where a problem shows.
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

// firstDifference is the index of the first elements that differ.
func firstDifference[T any](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if !same(a[i], b[i]) {
			return i
		}
	}
	return min(len(a), len(b))
}

// same compares two values as JSON has them: an empty list is one whether or not it was made.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// differs is the first member by name in which two objects differ, "" where none does.
func differs(a, b any) string {
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
	if err != nil { // what was decoded encodes
		return nil
	}
	return out
}

// clip is the start of what somebody else wrote.
func clip(text string) string {
	const most = 120
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
