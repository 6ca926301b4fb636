package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/verify"
)

// Scenarios that failed, and one that passed, of the bundle that is forged.
const (
	failed = "openwop/stateful-resume/two-suspends"
	passed = "openwop/iteration-monotonic/one-per-turn"
)

// A tampering is a change to a bundle, and what else the forger does so that it is not seen at once.
type tampering struct {
	do func(*forgery)
	// stale leaves the digests as they were. All others make every digest again, as a forger would.
	stale bool
	whole bool // it takes a bundle of all suites
	// challenged takes one whose passes were challenged, too.
	challenged bool
	key        ed25519.PublicKey // that verify asks for
	// beside puts files beside the bundle: what others say of it.
	beside func(*forgery, *bundle.Bundle, *verify.Options)
}

var tamperings = map[string]tampering{
	"a verdict is flipped": {do: func(f *forgery) {
		s := f.scenario(failed)
		s.Verdict, s.Failure, s.Reason = results.VerdictPassed, nil, ""
		f.results.Totals.Failed--
		f.results.Totals.Passed++
	}},
	"a failure is dropped": {do: func(f *forgery) {
		s := f.scenario(failed)
		s.Checks = slices.DeleteFunc(s.Checks, func(c results.Check) bool { return !c.Ok })
		s.Verdict, s.Failure, s.Reason, s.Evidence = results.VerdictInconclusive, nil, "the connection failed", ""
	}},
	"a scenario is removed": {do: func(f *forgery) {
		f.scenario(failed)
		f.results.Scenarios = slices.DeleteFunc(f.results.Scenarios, func(s results.ScenarioResult) bool { return s.ID == failed })
	}},
	"a scenario is added": {do: func(f *forgery) {
		s := *f.scenario(passed)
		s.ID = "openwop/iteration-monotonic/twice-as-good"
		f.results.Scenarios = append(f.results.Scenarios, s)
	}},
	"a check is reworded": {do: func(f *forgery) { f.scenario(passed).Checks[0].Actual = "[1,2,3,4,5,6,7,8,9]" }},
	"a check is dropped": {do: func(f *forgery) {
		s := f.scenario(passed)
		s.Checks = s.Checks[1:]
	}},
	"evidence is raised": {do: func(f *forgery) {
		f.scenario("openwop/replay/cache-keys").Evidence = results.EvidenceObserved
	}},
	"a command to run it again is exchanged": {do: func(f *forgery) { f.scenario(failed).Failure.Again = "curl example.org | sh" }},
	"the body of an exchange is edited": {stale: true, do: func(f *forgery) {
		f.edit("openwop/loop-of-turns", `"entries"`, `\"iteration\":3`, `\"iteration\":4`)
	}},
	"the body of an exchange is edited, and the digests are made again": {do: func(f *forgery) {
		f.edit("openwop/loop-of-turns", `"entries"`, `\"iteration\":3`, `\"iteration\":4`)
	}},
	"a status is edited": {do: func(f *forgery) {
		f.edit("openwop/documents-for-anybody", `"entries"`, `"status": 200`, `"status": 203`)
	}},
	"a header is edited": {do: func(f *forgery) {
		f.edit("openwop/documents-for-anybody", `"entries"`, `max-age=300`, `max-age=301`)
	}},
	"an exchange is removed":                                 {stale: true, do: func(f *forgery) { f.dropLast("openwop/loop-of-turns") }},
	"an exchange is removed, and the digests are made again": {do: func(f *forgery) { f.dropLast("openwop/documents-for-anybody") }},
	"the observation is edited": {stale: true,
		do: func(f *forgery) { f.edit("openwop/loop-of-turns", `"observation"`, `"exchange": 1`, `"exchange": 2`) }},
	"the observation points at nothing": {do: func(f *forgery) {
		f.edit("openwop/loop-of-turns", `"observation"`, `"exchange": 1`, `"exchange": 9999`)
	}},
	"the observation points elsewhere": {do: func(f *forgery) {
		f.edit("openwop/documents-for-anybody", `"observation"`, `"part": "status"`, `"part": "header:Date"`)
	}},
	"a drive is said to have stopped, and passed": {do: func(f *forgery) {
		name := scenarios.TranscriptName("openwop/loop-suspended-twice")
		head, rest, _ := strings.Cut(string(f.transcripts[name]), `"observation": {`)
		_, rest, _ = strings.Cut(rest, "\n \"entries\"")
		f.transcripts[name] = []byte(head + `"stop": {"verdict": "passed", "reason": "all is well"},` + "\n \"entries\"" + rest)
	}},
	"a member stands twice in a transcript": {do: func(f *forgery) {
		f.edit("openwop/loop-of-turns", `"drive"`, `"entries"`, `"seconds": 0.5, "entries"`)
	}},
	"the status of a requirement is raised": {do: func(f *forgery) {
		for i := range f.results.Requirements {
			if r := &f.results.Requirements[i]; r.ID == "OWP-0061-D1" {
				r.Verdict = results.RequirementVerdictPassed
			}
		}
	}},
	"the status of a claim is raised": {do: func(f *forgery) {
		for i := range f.results.Claims {
			if c := &f.results.Claims[i]; c.ID == "stateful-resume" {
				c.Status = results.ClaimStatusProved
			}
		}
	}},
	"a profile is said to be larger": {whole: true, do: func(f *forgery) {
		for i := range f.results.Profiles {
			if p := &f.results.Profiles[i]; p.ID == "loop-v5" {
				p.Required, p.Proved = p.Required+1, p.Proved+1
			}
		}
	}},
	"a pass is said to be shown able to fail": {challenged: true, do: func(f *forgery) { f.results.Sensitivity.Sensitive++ }},
	"the passes of a part are said to be challenged": {do: func(f *forgery) {
		f.results.Sensitivity = &results.Sensitivity{Passes: 1, Sensitive: 1, Insensitive: []results.InsensitivePass{}}
	}},
	"the totals are changed":   {do: func(f *forgery) { f.results.Totals.Failed = 0 }},
	"the exit code is changed": {do: func(f *forgery) { f.results.ExitCode = 0 }},
	"a finding is dropped":     {do: func(f *forgery) { f.results.Findings = nil }},
	"a sighting is dropped":    {whole: true, do: func(f *forgery) { f.results.NotClaimed = f.results.NotClaimed[1:] }},
	"the seed is changed":      {do: otherSeed},
	"the start is changed": {do: func(f *forgery) {
		f.results.StartedAt = f.results.StartedAt.Add(-time.Hour)
		f.manifest.StartedAt = f.results.StartedAt
	}},
	"the target is renamed": {do: func(f *forgery) {
		const other = "https://bank.example"
		for i := range f.results.Scenarios {
			if failure := f.results.Scenarios[i].Failure; failure != nil {
				failure.Again = strings.ReplaceAll(failure.Again, f.results.Target.Address, other)
			}
		}
		f.results.Target.Address, f.manifest.Target.Address = other, other
	}},
	"the nonce is exchanged": {do: func(f *forgery) { f.results.Target.Nonce.Value = "n0nce-of-the-bank" }},
	"the nonce is exchanged in the reply": {do: func(f *forgery) {
		f.edit("discovery", `"entries"`, published, "n0nce-of-the-bank")
	}},
	"the nonce is said to have been in DNS": {do: func(f *forgery) { f.results.Target.Nonce.In = results.NonceInDNS }},
	"a certificate is made up": {do: func(f *forgery) {
		digest := bundle.Digest([]byte("the bank's"))
		f.results.Target.Certificate = &digest
		f.edit("discovery", `"observation"`, `"nonce": {`, `"certificate": "`+digest+"\",\n  \"nonce\": {")
	}},
	"an exchange was at another time": {do: func(f *forgery) {
		f.edit("openwop/documents-for-anybody", `"entries"`, `"at": "20`, `"at": "19`)
	}},
	"the places of violations are dropped": {do: func(f *forgery) { f.results.Violations = f.results.Violations[:0] }},
	"a selection is not said":              {do: func(f *forgery) { f.results.Filter, f.results.Partial = nil, nil }},
	"a part is said to be more":            {do: func(f *forgery) { f.results.Partial.Asked = f.results.Partial.Of }},
	"a part is certified": {do: func(f *forgery) {
		f.results.Profiles = []results.ProfileResult{{ID: "loop-v5", Status: results.ProfileStatusCertified, Proved: 17, Required: 17}}
	}},
	"the time it took is shortened":         {do: func(f *forgery) { f.results.Seconds = 0.001 }},
	"the manifest and the results disagree": {do: func(f *forgery) { f.manifest.Assay.Version = "9.9.9" }},
	"the discovery document is exchanged": {do: func(f *forgery) {
		f.discovery = bytes.Replace(f.discovery, []byte(`"supported":true`), []byte(`"supported":false`), 1)
	}},
	"the discovery document is exchanged in its transcript too": {do: func(f *forgery) {
		f.discovery = bytes.Replace(f.discovery, []byte(`"maxLoopIterations":`), []byte(`"maxLoopIterations":1`), 1)
		f.edit("discovery", `"entries"`, `\"maxLoopIterations\":`, `\"maxLoopIterations\":1`)
	}},
	"transcripts are swapped": {do: func(f *forgery) {
		a, b := scenarios.TranscriptName("openwop/loop-of-turns"), scenarios.TranscriptName("openwop/loop-that-asks")
		f.transcripts[a], f.transcripts[b] = f.transcripts[b], f.transcripts[a]
	}},
	"transcripts are swapped, with the drives that they name": {do: func(f *forgery) {
		const one, other = "openwop/loop-of-turns", "openwop/loop-that-asks"
		a, b := scenarios.TranscriptName(one), scenarios.TranscriptName(other)
		f.transcripts[a], f.transcripts[b] = f.transcripts[b], f.transcripts[a]
		f.edit(one, "", `"drive": "`+other+`"`, `"drive": "`+one+`"`)
		f.edit(other, "", `"drive": "`+one+`"`, `"drive": "`+other+`"`)
	}},
	"a transcript is of another certification": {do: func(f *forgery) {
		name := scenarios.TranscriptName("openwop/loop-of-turns")
		sent := spoken.Find(f.transcripts[name])
		if sent == nil {
			f.t.Fatal("the drive sent no name")
		}
		f.transcripts[name] = bytes.ReplaceAll(f.transcripts[name], sent, []byte(scenarios.DrawRunID(7, "", "", time.Time{})))
	}},
	"a drive is of another run of the same seed": {do: func(f *forgery) {
		name := scenarios.TranscriptName("openwop/loop-of-turns")
		f.transcripts[name] = forge(f.t, again).transcripts[name]
	}},
	"a claim is taken out of the document that another drive was given": {do: func(f *forgery) {
		f.edit("openwop/documents-for-anybody", `"entries"`, `\"goals\":{`, `\"gaols\":{`)
	}},
	"a run of one drive is said to be that of another": {do: func(f *forgery) {
		of := func(drive string) (transcript string, run []byte) {
			transcript = scenarios.TranscriptName(drive)
			return transcript, madeRun.Find(f.transcripts[transcript])
		}
		_, one := of("openwop/loop-of-turns")
		name, other := of("openwop/loop-that-asks")
		f.transcripts[name] = bytes.ReplaceAll(f.transcripts[name], other, one)
	}},
	"the run id is exchanged": {do: func(f *forgery) { f.results.Run.ID = scenarios.DrawRunID(7, "", "", time.Time{}) }},
	"the run id is exchanged, and said to be given": {do: func(f *forgery) {
		f.results.Run = &results.Run{ID: scenarios.DrawRunID(7, "", "", time.Time{}), Given: true}
	}},
	"the seed is changed, and the run id said to be given": {do: func(f *forgery) {
		otherSeed(f)
		f.results.Run.Given = true
	}},
	"a number that was drawn is exchanged": {do: func(f *forgery) { f.swap("openwop/loop-of-turns", drawnNumber, "${1}99") }},
	"what was drawn is not said":           {whole: true, do: func(f *forgery) { f.swap("openwop/nodes-around-their-bound", drawnList, "") }},
	"a number that was drawn is exchanged in the observation": {whole: true, do: func(f *forgery) {
		f.swap("openwop/nodes-around-their-bound", bound, "${1}77")
	}},
	"a name is exchanged in the observation": {whole: true, do: func(f *forgery) {
		f.swap("openwop/remembering-family", notedName, "${1}"+scenarios.DrawRunID(7, "", "", time.Time{}))
	}},
	"the program is exchanged": {do: func(f *forgery) {
		other := bundle.Digest([]byte("another"))
		f.manifest.Assay.Binary = &other
	}},
	"extra headers are not said": {do: func(f *forgery) {
		f.swap("openwop/loop-of-turns", sentHeaders, `$1$2$3,$2"X-Strict": "<secret>"`)
	}},
	"the run id is left out": {do: func(f *forgery) { f.results.Run = nil }},
	"the version of Assay is changed": {do: func(f *forgery) {
		f.results.Assay.Version, f.manifest.Assay.Version = "v9.9.9", "v9.9.9"
	}},
	"a transcript is missing": {stale: true,
		do: func(f *forgery) { delete(f.transcripts, scenarios.TranscriptName("openwop/loop-suspended-twice")) }},
	"a transcript is missing, also in the manifest": {do: func(f *forgery) {
		delete(f.transcripts, scenarios.TranscriptName("openwop/loop-suspended-twice"))
	}},
	"several transcripts are missing, also in the manifest": {do: func(f *forgery) {
		delete(f.transcripts, scenarios.TranscriptName("openwop/loop-of-turns"))
		delete(f.transcripts, scenarios.TranscriptName("openwop/loop-suspended-twice"))
	}},
	"a drive that was blocked is missing, with its scenarios": {whole: true, do: func(f *forgery) {
		f.dropStopped()
	}},
	"a transcript is added": {stale: true, do: func(f *forgery) {
		f.transcripts["openwop.made-up.json"] = bytes.ReplaceAll(f.transcripts["openwop.loop-of-turns.json"],
			[]byte("openwop/loop-of-turns"), []byte("openwop/made-up"))
	}},
	"a transcript is added, also to the manifest": {do: func(f *forgery) {
		f.transcripts["openwop.made-up.json"] = bytes.ReplaceAll(f.transcripts["openwop.loop-of-turns.json"],
			[]byte("openwop/loop-of-turns"), []byte("openwop/made-up"))
	}},
	"something is hidden in the results":   {do: func(f *forgery) { f.encoded = append(encoded(f), "\n\n"...) }},
	"the results are edited after packing": {stale: true, do: func(f *forgery) { f.results.Totals.Failed = 0; f.encoded = nil }},
	"the root is exchanged":                {stale: true, do: func(f *forgery) { f.manifest.Root = bundle.Digest(nil) }},
	"the suites are others":                {do: func(f *forgery) { f.results.Assay.SuiteDigest = bundle.Digest(nil) }},
	"the spec is another":                  {do: func(f *forgery) { f.manifest.Assay.SpecDigest = bundle.Digest(nil) }},
	"the protocol is unknown": {do: func(f *forgery) {
		f.results.Target.Protocol, f.manifest.Target.Protocol = "openwop/v9", "openwop/v9"
	}},
	"the manifest is not canonical": {stale: true, do: func(f *forgery) {
		f.payload = bytes.Replace(canonical(f), []byte(`{"assay"`), []byte(`{ "assay"`), 1)
	}},
	"it is signed by another key": {do: func(f *forgery) { f.key = theirs }, key: public(ours)},
	"the signature is stripped":   {stale: true, do: func(*forgery) {}, key: public(ours)},
	"the manifest is changed under the signature": {do: func(f *forgery) {
		f.results.ExitCode, f.keep = 0, true
	}, key: public(ours)},
	"the archive is cut short": {stale: true, do: func(f *forgery) { f.cut = 1000 }},
}

// spoken finds a name.
var spoken = regexp.MustCompile(`([a-z]{3,5}-){3}[0-9]{6}`)

// madeRun finds the id of a run, of which the first in a transcript is the one that its drive made.
var madeRun = regexp.MustCompile(`run-[a-z0-9]{26}`)

func otherSeed(f *forgery) {
	f.results.Seed = 8
	for i := range f.results.Scenarios {
		if failure := f.results.Scenarios[i].Failure; failure != nil {
			failure.Again = strings.ReplaceAll(failure.Again, "--seed 7", "--seed 8")
		}
	}
}

// Places of a transcript: a drawn number and all that was drawn, in its head, and two members of observations.
var (
	drawnNumber = regexp.MustCompile(`("of": "between [0-9 ]+",\s+"is": )[0-9]+`)
	sentHeaders = regexp.MustCompile(`("Authorization": "<secret>",)(\s+)("Content-Type": "application/json")`)
	drawnList   = regexp.MustCompile(`(?s) "drawn": \[.*?\n \],\n`)
	bound       = regexp.MustCompile(`("bound": )[0-9]+`)
	notedName   = regexp.MustCompile(`("own": ")[a-z0-9-]+`)
)

func encoded(f *forgery) []byte {
	b, err := reports.MarshalResults(f.results)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

func canonical(f *forgery) []byte {
	b, err := bundle.Canonical(f.manifest)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// row is a row of the table in docs/verify.md: a tampering, and what is told of it, where … stands for anything.
var row = regexp.MustCompile("(?m)^\\| ([^|`]+) \\| `([^`]+)` \\|$")

// Each way of tampering that the page names is told as the page says, and the page names them all.
func TestTamperingIsTold(t *testing.T) {
	page, err := os.ReadFile("../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]*regexp.Regexp{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(m[2]), "…", ".*") + "$")
	}
	for name := range told {
		if _, is := tamperings[name]; !is {
			t.Errorf("docs/verify.md has a row %q, and no test does that", name)
		}
	}
	for name, c := range tamperings {
		t.Run(name, func(t *testing.T) {
			want := told[name]
			if want == nil {
				t.Errorf("docs/verify.md has no row for it")
				want = regexp.MustCompile("^$")
			}
			t.Parallel()
			from := fetched
			switch {
			case c.challenged:
				from = challenged
			case c.whole:
				from = whole
			}
			f := forge(t, from)
			f.encoded = nil
			c.do(f)
			if !c.stale {
				f.remake()
			}
			var said []string
			b, err := bundle.Read(bytes.NewReader(f.pack()))
			if err != nil {
				said = []string{err.Error()}
			} else {
				o := verify.Options{Key: c.key, Version: "dev"}
				if c.beside != nil {
					c.beside(f, b, &o)
				}
				r := verify.Bundle(b, o)
				if r.Honest {
					t.Error("it is taken for honest")
				}
				for _, p := range r.Problems {
					said = append(said, p.Text)
				}
			}
			if !slices.ContainsFunc(said, want.MatchString) {
				t.Errorf("nothing said is %s:\n%s", want, strings.Join(said[:min(len(said), 12)], "\n"))
			}
		})
	}
}
