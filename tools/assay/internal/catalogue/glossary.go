package catalogue

// throughSeam is what it means that a requirement has the stimulus assay-seam.
const throughSeam = "only a test seam that Assay defines brings it about or shows it (docs/seams.md); a target that has not wired the seam cannot prove it"

// glossary is what the words of a report mean.
var glossary = []struct{ name, kind, means string }{
	{"passed", "verdict", "every requirement the scenario names had a check on what the target sent, and all held"},
	{"failed", "verdict", "a requirement is violated; the report says which, what was expected, what came, where it stood, and how to run it again"},
	{"inapplicable", "verdict", "the target does not claim what the scenario is about; the report says where the claim was looked for"},
	{"blocked", "verdict", "claimed, but it cannot be looked at: a fixture, a seam or a credential is missing, or the target got a step of the set-up wrong; the report says what would unblock it"},
	{"inconclusive", "verdict", "the connection failed, the target stopped answering, or a deadline struck outside a check"},
	{"broken", "verdict", "a fault of Assay's own: it says nothing about the target; please report it with the transcript"},

	{"survived", "evidence", "seen across a kill and restart of the target, which Assay itself had started"},
	{"observed", "evidence", "read from a public resource or log of the target"},
	{"attested", "evidence and standing", "read from the reply of a test seam; a claim is attested when it would be proved if that were enough"},

	{"proved", "standing of a claim", "every MUST that hangs on it and was asked was passed, at the evidence it demands"},
	{"violated", "standing of a claim", "a requirement that hangs on it is broken, or one that it rests on"},
	{"unproved", "standing of a claim", "nothing contradicts it and something it promises was not seen"},
	{"certified", "standing of a profile", "all of its requirements are proved"},

	{"finding", "word", "a deviation that changes no verdict: a SHOULD that was not met, or a slip of the schema beside the behaviour in question"},
	{"assay-seam", "stimulus of a requirement", throughSeam},

	{"seam", "word", "a test-only endpoint of a host; what it answers is attested, what it made can be observed"},
	{"drive", "word", "the part of a scenario that acts on the target; several scenarios may judge one drive"},
}

func (p *page) words(id string) {
	for _, w := range glossary {
		if w.name == id {
			p.title("%s  %s", w.name, w.kind)
			p.field("means", w.means)
		}
	}
}
