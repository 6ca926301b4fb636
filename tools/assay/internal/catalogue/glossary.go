package catalogue

import (
	"strings"

	"github.com/openassay/assay/scenarios"
)

// throughSeam explains the stimulus assay-seam of a requirement.
const throughSeam = "only a test seam that Assay defines brings it about or shows it (docs/seams.md); a target that has " +
	"not wired the seam cannot prove it"

// word is a term that reports use.
type word struct {
	name, kind, means string
	causes            []string // usual causes
	mend              string   // remedy
}

// glossary explains the words of a report.
var glossary = []word{
	{
		name: "depth", kind: "how far is asked",
		means: "--depth says how far drives draw what they ask: quick has small values, standard larger ones, deep such as an implementer " +
			"would not try; assay explain SCENARIO lists the dimensions of its drive",
	},
	{
		name: "reach", kind: "how far was asked",
		means: "how often a requirement was checked, in how many runs, and what was drawn, from where to where; two hosts with the same " +
			"verdict may differ in it",
	},
	{name: "passed", kind: "verdict", means: "every requirement the scenario names had a check on what the target sent, and all held"},
	{
		name: "failed", kind: "verdict",
		means: "a requirement is violated; the report says which, what was expected, what came, where it stood, and how to run it again",
		causes: []string{"the target does something else than the sentence asks",
			"it does so not within --patience, where something must happen", "it claims what it does not have"},
		mend: "assay explain SCENARIO says which violations make it fail; the command in the report runs it again",
	},
	{
		name: "inapplicable", kind: "verdict",
		means:  "the target does not claim what the scenario is about; the report says where the claim was looked for",
		causes: []string{"the discovery document leaves the claim out, or has another value there", "a lower version is claimed"},
		mend:   "nothing, or make the claim; --expect-claim CLAIM asks all the same; assay why RESULTS ID says which",
	},
	{
		name: "blocked", kind: "verdict",
		means: "claimed, but it cannot be looked at: a fixture, a seam or a credential is missing, or the target got a step of " +
			"the set-up wrong; the report says what would unblock it",
		causes: []string{"the fixture workflows are not loaded", "no seam is wired, or it lives below another prefix",
			"the key of a second tenant, of voters or of one without scopes is not given", "a step before what is asked about went wrong"},
		mend: "assay why RESULTS ID says the shortest change that lets it run",
	},
	{
		name: "inconclusive", kind: "verdict", means: "the connection failed, the target stopped answering, or a deadline struck outside a check",
		causes: []string{"the target is slow or overloaded", "something between limits requests or closes connections",
			"the target fell over while it was asked"},
		mend: "assay doctor TARGET, then again with --rate, fewer --workers or a longer --timeout",
	},
	{
		name: "broken", kind: "verdict", means: "a fault of Assay's own: it says nothing about the target; please report it with the transcript",
		causes: []string{"a mistake of Assay"}, mend: "report it, with the transcript of its drive",
	},

	{name: "survived", kind: "evidence", means: "seen across a kill and restart of the target, which Assay itself had started"},
	{name: "observed", kind: "evidence", means: "read from a public resource or log of the target"},
	{name: "attested", kind: "evidence and standing",
		means: "read from the reply of a test seam; a claim is attested when it would be proved if that were enough"},

	{name: "proved", kind: "standing of a claim", means: "every MUST that hangs on it and was asked was passed, at the evidence it demands"},
	{name: "violated", kind: "standing of a claim", means: "a requirement that hangs on it is broken, or one that it rests on"},
	{name: "unproved", kind: "standing of a claim", means: "nothing contradicts it and something it promises was not seen"},
	{name: "certified", kind: "standing of a profile", means: "all of its requirements are proved"},

	{name: "finding", kind: "word", means: "a deviation that changes no verdict: a SHOULD that was not met, or a slip of " +
		"the schema beside the behaviour in question"},
	{name: "known", kind: "word", means: "of a failure: the operator expects it, by its signature or its words " +
		"(docs/expectations.md); it stays a violation and does not count for the exit code"},
	{name: "signature", kind: "word", means: "what a failure is known by in another run: 12 hex digits over the scenario, " +
		"the requirement, what was expected and what came"},
	{name: "provisional", kind: "word", means: "of a scenario: it came after a profile was frozen, is asked like any other, " +
		"and does not count for the profile (docs/profiles.md)"},
	{name: "assay-seam", kind: "stimulus of a requirement", means: throughSeam},

	{name: "seam", kind: "word", means: "a test-only endpoint of a host; what it answers is attested, what it made can be observed"},
	{name: "drive", kind: "word", means: "the part of a scenario that acts on the target; several scenarios may judge one drive"},
}

// exits explains the exit codes of assay certify, which assay verify derives again from a bundle.
var exits = []word{
	{name: "exit-0", means: "every claim that was asked about is proved, but for failures that are known",
		mend: "nothing; the profiles in the report say what that certifies"},
	{name: "exit-1", means: "a requirement is violated, or an expectation does not hold any more",
		causes: []string{"a scenario failed", "a failure that is known does not occur any more, has expired, or names nothing"},
		mend:   "read FAILED in the report; assay explain SCENARIO says what it comes of; for an expectation the message names its line"},
	{name: "exit-2", means: "the command was not understood: nothing was sent",
		causes: []string{"a flag, suite, scenario, requirement or claim that does not exist",
			"a target that is neither a URL nor a plugin", "a file of parameters with a mistake in it"},
		mend: "the message names the nearest word there is"},
	{name: "exit-3", means: "the target cannot be reached, or has no discovery document",
		causes: []string{"it is not running, or listens elsewhere", "a proxy or a certificate is in the way",
			"the base URL has a path too many or too few", "its operator has not published the value of --nonce"},
		mend: "assay doctor TARGET says which step fails"},
	{name: "exit-4", means: "nothing was proved", causes: []string{"nothing was selected", "nothing that was selected is claimed"},
		mend: "assay list scenarios; --expect-claim CLAIM asks about what is not claimed"},
	{name: "exit-5", means: "a claim is left unproved",
		causes: []string{"a scenario is blocked: a fixture, a seam or a key is missing",
			"a scenario is inconclusive: the target stopped answering", "something was seen through a seam only, where more is demanded"},
		mend: "assay why RESULTS SCENARIO says the shortest change"},
	{name: "exit-6", means: "Assay itself broke", causes: []string{"a mistake of Assay", "the reports could not be written"},
		mend: "report it, with the transcript"},
	{name: "exit-130", means: "interrupted: what was known was written, the rest is inconclusive",
		causes: []string{"a signal, such as Ctrl-C or the end of a CI job"}, mend: "run it again; --timeout bounds a run from within"},
}

func (p *page) words(id string) {
	for _, w := range glossary {
		if w.name == id {
			p.title("%s  %s", w.name, w.kind)
			p.meaning(w)
		}
	}
	for _, w := range p.catalogue.written() {
		if w.Name == id {
			p.title("%s  of %s", w.Name, w.In)
			p.field("means", w.Means)
			p.field("holds", strings.Join(w.Members, ", "))
		}
	}
	for _, w := range exits {
		code := strings.TrimPrefix(w.name, "exit-")
		if id == w.name || id == code || id == "exit "+code {
			p.title("%s  exit code %s of assay certify", w.name, code)
			p.meaning(w)
		}
	}
}

// written returns the words of the files that operators write.
func (c *Catalogue) written() (out []scenarios.Word) {
	for _, p := range c.protocols() {
		if p.Words != nil {
			out = append(out, p.Words()...)
		}
	}
	return out
}

func (p *page) meaning(w word) {
	p.field("means", w.means)
	p.list("comes of", w.causes)
	p.field("mend", w.mend)
}
