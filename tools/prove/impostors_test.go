package prove_test

import (
	"net/http"

	"github.com/openassay/assay/simhost/openwop/surface"
)

// impostor is a violation of a row of docs/blind-spots.md that no engine commits: something answers in front of it, or in
// its place.
type impostor struct {
	row   int
	what  string
	wrap  wrapper
	finds map[string]string // suite/name of a scenario: the requirement that it finds violated, or the verdict "blocked"
	// seen is the claim under which the report shows what the host does without claiming it, "" where that is not asked.
	seen string
	// honest is the host that keeps what this one breaks, where it is not the one of the zero options.
	honest surface.Options
}

func impostors() []impostor {
	return []impostor{
		{row: 1, what: "the seam answers with a constant", wrap: seamSays(http.StatusOK, func(_, reply object) {
			clear(reply)
			reply["decisions"] = []any{object{"iteration": 1}, object{"iteration": 2}, object{"iteration": 3}}
		}), finds: map[string]string{"iteration-monotonic/seam-random-turns": "OWP-0061-B2"}},
		{row: 1, what: "the seam counts, and real runs do not",
			wrap:  logged(every(decided, func(e object) { delete(in(e, "payload"), "iteration") })),
			finds: map[string]string{"iteration-monotonic/one-per-turn": "OWP-0061-B1"}},
		{row: 29, what: "a fork is a new run of its source's workflow", wrap: forksAnew(),
			finds: map[string]string{"replay/prefix-kept": "OWP-RPL-3", "replay/drawn-once": "OWP-RPL-4"}},
		{row: 35, what: "every log is empty", wrap: logged(func([]object) []object { return []object{} }),
			finds: map[string]string{"event-log/numbered-without-gap": "OWP-EVT-1", "event-log/ends-once": "OWP-EVT-9",
				"iteration-monotonic/as-planned": "OWP-0037-A6"}},
		{row: 37, what: "each fixture as it was published, whatever is put into it",
			wrap:  heard(theRuns, func(body object) { delete(body, "inputs") }),
			finds: map[string]string{"memory/as-of-turn": "blocked"}},
		{row: 38, what: "a host with goals does not claim them", wrap: told(wellKnown, func(doc object) { delete(in(doc, "agents"), "goals") }),
			honest: surface.Options{Without: []string{"goals"}}, seen: "goals",
			finds: map[string]string{"goal-completion/absent-without-claim": "OWP-0097-G3"}},
		{row: 39, what: "HTTP 500 with the right body", wrap: seamSays(http.StatusInternalServerError, func(_, _ object) {}),
			finds: map[string]string{"iteration-monotonic/seam-random-turns": "blocked", "stateful-resume/seam-suspends": "blocked"}},
	}
}
