package catalogue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/internal/protocols"
)

// small is a catalogue with one thing of each kind, and one without what the others have.
func small() *catalogue.Catalogue {
	claim := scenarios.Claim{ID: "model>=5", Title: "the loop", Pointer: "/model/version >= 5"}
	protocol := &scenarios.Protocol{
		ID: "demo/v1", Claims: []scenarios.Claim{claim},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{
			{ID: "D-A1", Level: scenarios.Must, Source: "RFC-1", Section: "A", Claim: claim.ID, Text: "Turns are counted.",
				Aliases: []string{"D-A0"}, Accepts: "3.0 for 3"},
			{ID: "D-A2", Level: scenarios.May, Source: "RFC-1", Section: "B", Evidence: "survived", Text: "Turns rest.", Reason: "planned",
				Why: "later", Issue: 3},
			{ID: "D-A3", Level: scenarios.Must, Source: "RFC-1", Section: "C", Claim: claim.ID, Stimulus: scenarios.SeamStimulus,
				Text: "Turns are judged."},
		}),
		Readings: []scenarios.Reading{
			{ID: "D-R1", Title: "where counting begins", Sentences: []string{"D-A1"}, Open: "No text says it.", Accept: "0 and 1.",
				Refuse: "2.", Why: "Both are in use.",
				Scenarios: []string{"demo/turns/counted"}},
			{ID: "D-R2", Title: "rest", Sentences: []string{"D-A2"}, Open: "How long.", Accept: "Any time.", Refuse: "nothing more",
				Why: "Nobody waits.", Unused: "It cannot be seen."},
		},
		Profiles: []scenarios.Profile{{ID: "loop", Title: "loops", Claims: []string{claim.ID}, Digest: "0123456789abcdef",
			Requires: []scenarios.Required{
				{ID: "D-A1", Evidence: scenarios.Observed, Scenarios: []scenarios.ScenarioID{"demo/turns/counted", "demo/turns/gone"}},
				{ID: "D-A3", Evidence: scenarios.Attested},
			}}, {ID: "turning@2", Title: "turns", Claims: []string{claim.ID}, Digest: "f123456789abcdef",
			Scope: []scenarios.Section{{Source: "RFC-1", Sections: []string{"A", "C"}}, {Source: "RFC-2"}},
			Requires: []scenarios.Required{
				{ID: "D-A1", Evidence: scenarios.Observed, Claims: []string{"model>=5", "late"},
					Scenarios: []scenarios.ScenarioID{"demo/turns/counted"}},
			}}, {ID: "turning", Superseded: "turning@2", Title: "turns", Claims: []string{claim.ID}, Digest: "e123456789abcdef"}},
	}
	drive := &scenarios.Drive[struct{}]{ID: "demo/run", Title: "runs a loop", Sends: []string{"POST /runs", "GET /runs/{id}"},
		Excludes: "the lamp"}
	return &catalogue.Catalogue{
		Suites: []scenarios.Suite{{ID: "turns", Title: "turns of a loop", Protocol: protocol, Scenarios: []scenarios.Scenario{
			{ID: "demo/turns/counted", Title: "turns are counted", Proves: []scenarios.RequirementID{"D-A1"}, Claim: claim,
				Ask: scenarios.Ask(drive, func(struct{}, *scenarios.Judge) {})},
			{ID: "demo/turns/told", Title: "turns are told", Proves: []scenarios.RequirementID{"D-A1"}, Claim: claim,
				Ask: scenarios.Advertised(nil), Reaches: scenarios.Attested},
		}}},
		Faults: []protocols.Fault{{
			ID: "turns.lost", Title: "a turn is lost", Looks: "a number is missing", Breaks: []string{"D-A1"}, Spots: []int{7}, Of: "simulated host",
			Run: "assay simhost --fault turns.lost --version 4", Params: []param.Param{param.From},
		}},
		Variations: []protocols.Variation{
			{ID: "late", Title: "turns are told late", About: "when turns are told", Of: "simulated host", Run: "assay simhost --vary late"},
			{ID: "odd", Title: "turns are odd", About: "how turns are numbered", Slips: []string{"D-A2"}, Of: "simulated host",
				Run: "assay simhost --vary odd"},
		},
		Models: []catalogue.Model{{Protocol: protocol, Objects: []history.Object{{Name: "lamps", About: "Lamps of a host", Rules: []history.Line{{
			Rule: "a lamp is lit", Of: scenarios.IDs{"D-A1"}, Readings: []string{"D-R1"},
			Ways: []history.WayLine{{Way: "at once", Must: true}, {Way: "later"}},
		}}}}}},
	}
}

func TestJSONShapes(t *testing.T) {
	for kind, want := range map[string]string{
		"scenarios": `[{"id":"demo/turns/counted","suite":"turns","title":"turns are counted","requirements":["D-A1"],"level":"MUST","claim":"model>=5","reaches":"observed","labels":["suite:turns","claim:model>=5","level:MUST","source:RFC-1"]},` +
			`{"id":"demo/turns/told","suite":"turns","title":"turns are told","requirements":["D-A1"],"level":"MUST","claim":"model>=5","reaches":"attested","labels":["suite:turns","claim:model>=5","level:MUST","source:RFC-1"]}]`,
		"suites": `[{"id":"turns","protocol":"demo/v1","title":"turns of a loop","scenarios":2}]`,
		"requirements": `[{"id":"D-A1","level":"MUST","source":"RFC-1","section":"A","claim":"model>=5","evidence":"observed","text":"Turns are counted.","scenarios":["demo/turns/counted","demo/turns/told"],"reaches":"observed","reason":"","stimulus":"","recorded":false},` +
			`{"id":"D-A2","level":"MAY","source":"RFC-1","section":"B","claim":"","evidence":"survived","text":"Turns rest.","scenarios":[],"reaches":"","reason":"planned","stimulus":"","recorded":false},` +
			`{"id":"D-A3","level":"MUST","source":"RFC-1","section":"C","claim":"model>=5","evidence":"observed","text":"Turns are judged.","scenarios":[],"reaches":"","reason":"","stimulus":"assay-seam","recorded":false}]`,
		"readings": `[{"id":"D-R1","protocol":"demo/v1","title":"where counting begins","requirements":["D-A1"],"open":"No text says it.","accept":"0 and 1.","refuse":"2.","why":"Both are in use.","scenarios":["demo/turns/counted"]},` +
			`{"id":"D-R2","protocol":"demo/v1","title":"rest","requirements":["D-A2"],"open":"How long.","accept":"Any time.","refuse":"nothing more","why":"Nobody waits.","scenarios":[]}]`,
		"claims": `[{"id":"model>=5","protocol":"demo/v1","title":"the loop","pointer":"/model/version >= 5"}]`,
		"faults": `[{"id":"turns.lost","title":"a turn is lost","looks":"a number is missing","breaks":["D-A1"],"blindSpots":[7],"run":"assay simhost --fault turns.lost --version 4","parameters":[{"name":"from","about":"the chance to show from which on it does","takes":"1 to 5"}]}]`,
		"variations": `[{"id":"late","title":"turns are told late","about":"when turns are told","slips":[],"run":"assay simhost --vary late"},` +
			`{"id":"odd","title":"turns are odd","about":"how turns are numbered","slips":["D-A2"],"run":"assay simhost --vary odd"}]`,
		"models": `[{"protocol":"demo/v1","objects":"lamps","rule":"a lamp is lit","requirements":["D-A1"],"readings":["D-R1"],` +
			`"ways":[{"way":"at once","demanded":true},{"way":"later","demanded":false}]}]`,
		"profiles": `[{"id":"loop","superseded":"","protocol":"demo/v1","title":"loops","claims":["model>=5"],"digest":"0123456789abcdef","scope":[],` +
			`"requirements":["D-A1","D-A3"],"evidence":{"D-A1":"observed","D-A3":"attested"},"optional":{},"notCovered":[],` +
			`"scenarios":["demo/turns/counted"],"provisional":["demo/turns/told"],"throughSeam":1},` +
			`{"id":"turning@2","superseded":"","protocol":"demo/v1","title":"turns","claims":["model>=5"],"digest":"f123456789abcdef",` +
			`"scope":[{"source":"RFC-1","sections":["A","C"]},{"source":"RFC-2","sections":[]}],` +
			`"requirements":["D-A1"],"evidence":{"D-A1":"observed"},"optional":{"D-A1":["model>=5","late"]},` +
			`"notCovered":[{"id":"D-A3","reason":"later","why":"A scenario proves it that is newer than the profile."}],` +
			`"scenarios":["demo/turns/counted"],"provisional":["demo/turns/told"],"throughSeam":0},` +
			`{"id":"turning","superseded":"turning@2","protocol":"demo/v1","title":"turns","claims":["model>=5"],"digest":"e123456789abcdef","scope":[],` +
			`"requirements":[],"evidence":{},"optional":{},"notCovered":[],"scenarios":[],"provisional":[],"throughSeam":0}]`,
	} {
		list, err := small().List(kind)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		if err := e.Encode(list); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.TrimSpace(got.String())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// A protocol without suites has its ledger in every list, once, and none of it counts as proved.
func TestALedgerWithoutSuitesIsListed(t *testing.T) {
	later := &scenarios.Protocol{
		ID: "later/v1", Claims: []scenarios.Claim{{ID: "wings", Title: "it flies", Pointer: "/wings"}},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "L-A1", Level: scenarios.Must, Source: "RFC-2", Section: "A",
			Claim: "wings", Text: "It flies.", Reason: "planned", Why: "later", Issue: 9}}),
	}
	c := small()
	c.Protocols = []*scenarios.Protocol{later, c.Suites[0].Protocol}
	list, err := c.List("requirements")
	if err != nil {
		t.Fatal(err)
	}
	rows := list.([]catalogue.Requirement)
	want := catalogue.Requirement{ID: "L-A1", Level: "MUST", Source: "RFC-2", Section: "A", Claim: "wings", Evidence: "observed",
		Text: "It flies.", Scenarios: []string{}, Reason: "planned"}
	if diff := cmp.Diff(want, rows[len(rows)-1]); diff != "" || len(rows) != 4 {
		t.Errorf("%d requirements, want 4; the last (-want +got):\n%s", len(rows), diff)
	}
	if list, err := c.List("claims"); err != nil || len(list.([]catalogue.Claim)) != 2 {
		t.Errorf("claims: %v, %v", list, err)
	}
	if list, err := c.List("suites"); err != nil || len(list.([]catalogue.Suite)) != 1 {
		t.Errorf("suites: %v, %v", list, err)
	}
	var page, explained bytes.Buffer
	if err := c.Coverage(&page); err != nil {
		t.Fatal(err)
	}
	if row := "\n| L-A1 | MUST | planned | later |\n"; !strings.Contains(page.String(), row) {
		t.Errorf("the page has no row %q:\n%s", row, &page)
	}
	if err := c.Explain(&explained, "L-A1"); err != nil || !strings.Contains(explained.String(), "planned: later (milestone 9)") {
		t.Errorf("explained as (%v):\n%s", err, &explained)
	}
}

func TestEmptyListsAreArrays(t *testing.T) {
	for _, kind := range catalogue.Kinds {
		list, err := (&catalogue.Catalogue{}).List(kind)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(list); err != nil || string(got) != "[]" {
			t.Errorf("an empty list of %s is %s (%v)", kind, got, err)
		}
	}
}

func TestTable(t *testing.T) {
	const legend = `
† only a test seam that Assay defines brings it about or shows it (docs/seams.md); a target that has not wired the seam cannot prove it
`
	for kind, want := range map[string]string{
		"requirements": `REQUIREMENT  LEVEL  SOURCE   SCENARIOS  REACH     WHAT IT ASKS
D-A1         MUST   RFC-1 A  2          observed  Turns are counted.
D-A2         MAY    RFC-1 B  planned              Turns rest.
D-A3         MUST   RFC-1 C  0†                   Turns are judged.
` + legend,
		"profiles": `PROFILE    CLAIMS    REQUIREMENTS  NOT COVERED  DIGEST        WHAT IT CERTIFIES
loop       model>=5  2 (1†)                     0123456789ab  loops
turning@2  model>=5  1             1            f123456789ab  turns
turning    model>=5  0                          e123456789ab  turns (superseded by turning@2)
` + legend,
		"variations": `VARIATION  FINDINGS  HOW IT LOOKS FROM OUTSIDE
late                 turns are told late
odd        D-A2      turns are odd
`,
		"suites": `SUITE  PROTOCOL  SCENARIOS  ABOUT
turns  demo/v1   2          turns of a loop
`,
	} {
		var got bytes.Buffer
		if err := small().Table(&got, kind); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// A row counts once, by the best that is said of it: what a scenario can see, or why there is none.
func TestCoverage(t *testing.T) {
	c := small()
	c.Suites[0].Protocol.Ledger = scenarios.NewLedger(append(c.Suites[0].Protocol.Ledger.Rows,
		scenarios.Requirement{ID: "D-A4", Level: scenarios.Should, Source: "RFC-1", Section: "C", Text: "Turns are told."},
		scenarios.Requirement{ID: "D-A5", Level: scenarios.Must, Source: "RFC-1", Section: "C", Stimulus: scenarios.SeamStimulus,
			Text: "Turns are fired."},
		scenarios.Requirement{ID: "D-B1", Level: scenarios.Must, Source: "RFC-2", Section: "A", Text: "Turns are | cut.",
			Reason: "unobservable", Why: "No wire shows a | cut."}))
	c.Suites[0].Scenarios[1].Proves = []scenarios.RequirementID{"D-A4"}
	c.Suites[0].Scenarios[0].Proves = append(c.Suites[0].Scenarios[0].Proves, "D-A5")
	c.Suites[0].Protocol.Watched = func() scenarios.IDs { return scenarios.IDs{"D-A1", "D-B1"} }
	var got bytes.Buffer
	if err := c.Coverage(&got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| MUST | 4 | 1 | 0 | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |\n| SHOULD | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n| MAY | 1 | 0 | " +
			"0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 0 |\n| all | 6 |",
		"| demo/v1 | 3 | 2 |\n", // D-A1 and D-B1 by rules, D-A4 by a scenario about the discovery document
		"## RFC-1\n\n| level | rows | observed | attested | our seams | unobservable | needs-host-control | " +
			"not-addressed-to-hosts | spec-gap | restated | planned | open |\n",
		"| MUST | 3 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |\n",
		"Attested: D-A4\n\nThrough our seams: D-A5\n",
		"| D-A2 | MAY | planned | later |\n| D-A3 | MUST | open | |\n",
		"## RFC-2\n",
		"| D-B1 | MUST | unobservable | No wire shows a \\| cut. |\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("there is no %q in\n%s", want, got.String())
		}
	}
}

func TestExplain(t *testing.T) {
	for id, want := range map[string]string{
		"D-A0": `D-A1  requirement, MUST
  asks         Turns are counted.
  source       RFC-1 A
  formerly     D-A0
  claim        model>=5: /model/version >= 5
  accepts      3.0 for 3
  readings     D-R1: where counting begins
  evidence     observed or stronger proves it
  asked by     demo/turns/counted: turns are counted
               demo/turns/told: turns are told
  broken by    the fault turns.lost: a turn is lost
  run          assay certify TARGET --requirement D-A1
`,
		"D-A2": `D-A2  requirement, MAY
  asks         Turns rest.
  source       RFC-1 B
  claim        none: every target is asked
  readings     D-R2: rest
  evidence     survived or stronger proves it
  not tested   planned: later (milestone 3)
`,
		"D-A3": `D-A3  requirement, MUST
  asks         Turns are judged.
  source       RFC-1 C
  claim        model>=5: /model/version >= 5
  evidence     observed or stronger proves it
  stimulus     assay-seam: only a test seam that Assay defines brings it about or shows it (docs/seams.md); a target that has not wired the seam cannot prove it
`,
		"turns/counted": `demo/turns/counted  scenario, MUST
  asks         whether turns are counted
  claim        model>=5: /model/version >= 5
  proves       D-A1 (MUST, RFC-1 A): Turns are counted.
  looks at     the drive demo/run, which runs a loop; beside no drive that uses the lamp
  sends        POST /runs
               GET /runs/{id}
  labels       suite:turns claim:model>=5 level:MUST source:RFC-1
  run          assay certify TARGET --scenario demo/turns/counted
`,
		"turns/told": `demo/turns/told  scenario, MUST
  asks         whether turns are told
  claim        model>=5: /model/version >= 5
  proves       D-A1 (MUST, RFC-1 A): Turns are counted.
  evidence     attested at most, whatever the target offers
  looks at     the discovery document alone
  labels       suite:turns claim:model>=5 level:MUST source:RFC-1
  run          assay certify TARGET --scenario demo/turns/told
`,
		"turns.lost": `turns.lost  fault of the simulated host
  does         a turn is lost
  looks        a number is missing
  breaks       D-A1 (MUST, RFC-1 A): Turns are counted.
  looked at by demo/turns/counted
               demo/turns/told
  takes        from=1 to 5: the chance to show from which on it does
  run          assay simhost --fault turns.lost --version 4
`,
		"model>=5": `model>=5  claim of demo/v1
  says         the loop
  made where   /model/version >= 5
  promises     D-A1 (MUST, RFC-1 A): Turns are counted.
               D-A3 (MUST, RFC-1 C, assay-seam): Turns are judged.
  asked by     demo/turns/counted: turns are counted
               demo/turns/told: turns are told
  run          assay certify TARGET --expect-claim 'model>=5' asks a target that does not make it, too
`,
		"loop": `loop  profile of demo/v1
  certifies    loops
  claims       model>=5: /model/version >= 5
  digest       0123456789abcdef
  rests on     seams of Assay's own for 1 of 2 requirements
  counts       the scenarios that it was frozen with, 1 of those that there are
  provisional  demo/turns/told: it came later and does not count
  requires     D-A1 (MUST, RFC-1 A): Turns are counted. [observed]
               D-A3 (MUST, RFC-1 C, assay-seam): Turns are judged. [attested]
`,
		"turning@2": `turning@2  profile of demo/v1
  certifies    turns
  about        RFC-1: A; C
               RFC-2
  claims       model>=5: /model/version >= 5
  digest       f123456789abcdef
  counts       the scenarios that it was frozen with, 1 of those that there are
  provisional  demo/turns/told: it came later and does not count
  requires     D-A1 (MUST, RFC-1 A): Turns are counted. [observed, of targets that claim model>=5 or late]
  not covered  D-A3, later: A scenario proves it that is newer than the profile.
`,
		"turning": `turning  profile of demo/v1
  certifies    turns
  superseded   by turning@2; a certification judges a target by both
  claims       model>=5: /model/version >= 5
  digest       e123456789abcdef
  counts       the scenarios that it was frozen with, 0 of those that there are
`,
	} {
		t.Run(id, func(t *testing.T) {
			var got bytes.Buffer
			if err := small().Explain(&got, id); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every word that a report may print as a verdict, an evidence, a standing or a stimulus can be asked about.
func TestEveryWordIsExplained(t *testing.T) {
	var words []string
	for _, v := range scenarios.Verdicts {
		words = append(words, string(v))
	}
	words = append(words, "attested", "observed", "survived", "proved", "violated", "unproved", "certified", scenarios.SeamStimulus)
	for _, w := range words {
		var got bytes.Buffer
		if err := small().Explain(&got, w); err != nil || !strings.HasPrefix(got.String(), w+"  ") {
			t.Errorf("%s: %v, %q", w, err, got.String())
		}
	}
}

// Every exit code of a certification is explained by its number, and no other.
func TestEveryExitCodeIsExplained(t *testing.T) {
	codes := []int{
		scenarios.ExitProved, scenarios.ExitViolated, scenarios.ExitUsage, scenarios.ExitUnreachable, scenarios.ExitNothing,
		scenarios.ExitUnproved, scenarios.ExitBroken, scenarios.ExitInterrupted,
	}
	for _, code := range codes {
		for _, id := range []string{fmt.Sprint(code), fmt.Sprintf("exit-%d", code), fmt.Sprintf("exit %d", code)} {
			var got bytes.Buffer
			if err := small().Explain(&got, id); err != nil || !strings.Contains(got.String(), "means") || !strings.Contains(got.String(), "mend") {
				t.Errorf("%s: %v, %q", id, err, got.String())
			}
		}
	}
	if err := small().Explain(&bytes.Buffer{}, "7"); err == nil {
		t.Error("the exit code 7 is explained")
	}
}

func TestUnknown(t *testing.T) {
	err := small().Explain(&bytes.Buffer{}, "turns.lots")
	var unknown *catalogue.UnknownError
	if !errors.As(err, &unknown) || unknown.Near != "turns.lost" {
		t.Errorf("explain: %v", err)
	}
	if _, err := small().List("fault"); !errors.As(err, &unknown) || unknown.Near != "faults" {
		t.Errorf("list: %v", err)
	}
	if err := small().Table(&bytes.Buffer{}, ""); !errors.As(err, &unknown) || unknown.Near != "" {
		t.Errorf("table: %v", err)
	}
}

func TestAReadingIsExplained(t *testing.T) {
	for id, want := range map[string]string{
		"D-R1": `D-R1  reading, demo/v1
  about        where counting begins
  open         No text says it.
  accepts      0 and 1.
  refuses      2.
  why          Both are in use.
  sentences    D-A1 (MUST, RFC-1 A): Turns are counted.
  gone by in   demo/turns/counted: turns are counted
`,
		"D-R2": `D-R2  reading, demo/v1
  about        rest
  open         How long.
  accepts      Any time.
  refuses      nothing more
  why          Nobody waits.
  sentences    D-A2 (MAY, RFC-1 B): Turns rest.
  unused       It cannot be seen.
`,
	} {
		var got strings.Builder
		if err := small().Explain(&got, id); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestThePageOfReadings(t *testing.T) {
	var page strings.Builder
	if err := small().ReadingsPage(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### D-R1: where counting begins\n\n- Open: No text says it.\n- Accepted: 0 and 1.\n- " +
		"Refused: 2.\n", "- Scenarios: `demo/turns/counted`\n",
		"- No scenario goes by it: It cannot be seen.\n"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not on the page:\n%s", want, page.String())
		}
	}
}
