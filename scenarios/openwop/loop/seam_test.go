package loop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfTheSeam(t *testing.T) {
	answer := func(asked int, body string) host.SeamAnswer {
		v := wiretest.Value(t, json.RawMessage(body))
		return host.SeamAnswer{Turns: asked, Status: wiretest.Status(t, 200), Body: v, Decisions: v.Key("decisions").Items(),
			Resumed: v.Key("resumedIteration")}
	}
	named := func(a host.SeamAnswer, s hosttest.Story) host.SeamAnswer {
		a.NamesARun, a.Log = true, s.Log(t)
		return a
	}
	refused := host.SeamAnswer{Turns: 0, Status: wiretest.Status(t, 400)}
	limited := host.SeamAnswer{Turns: 0, Status: wiretest.Status(t, 404)}
	const two = `{"decisions":[{"iteration":1},{"iteration":2}]}`
	for _, c := range []struct {
		name, scenario string
		answers        []host.SeamAnswer
		want           string
	}{
		{"honest", "seam-random-turns", []host.SeamAnswer{answer(2, two)}, "passed"},
		{"bare words for decisions are a finding", "seam-random-turns",
			[]host.SeamAnswer{answer(1, `{"decisions":[{"iteration":1,"decision":"terminate"}]}`)}, "passed"},
		{"a constant", "seam-random-turns", []host.SeamAnswer{answer(2, two), answer(5, two)}, openwop.OWP0061B2},
		{"an error with a body", "seam-random-turns", []host.SeamAnswer{{Turns: 2, Status: wiretest.Status(t, 500)}}, "blocked"},
		{"no counter", "seam-random-turns", []host.SeamAnswer{answer(1, `{"decisions":[{}]}`)}, openwop.OWP0061B1},

		{"honest", "seam-agrees-with-log", []host.SeamAnswer{named(answer(2, two), hosttest.LoopOf(2))}, "passed"},
		{"the log says otherwise", "seam-agrees-with-log", []host.SeamAnswer{named(answer(2, two), hosttest.LoopOf(3))}, openwop.OWP0061B2},
		{"names no run", "seam-agrees-with-log", []host.SeamAnswer{answer(2, two)}, "blocked"},

		{"refuses", "seam-out-of-range", []host.SeamAnswer{answer(2, two), refused}, "passed"},
		{"answers with nothing", "seam-out-of-range", []host.SeamAnswer{answer(2, two), answer(-3, `{"decisions":[]}`)}, "passed"},
		{"ignores the suspension", "seam-out-of-range", []host.SeamAnswer{answer(2, two), answer(2, two)}, "passed"},
		{"a turn out of nothing", "seam-out-of-range", []host.SeamAnswer{answer(2, two), answer(0, `{"decisions":[{"iteration":1}]}`)},
			openwop.OWP0061B4},
		{"resumes where it never was", "seam-out-of-range", []host.SeamAnswer{answer(2, two),
			answer(2, `{"decisions":[],"resumedIteration":9}`)}, openwop.OWP0061B4},
		{"refuses everything", "seam-out-of-range", []host.SeamAnswer{refused, refused}, "blocked"},
		{"is not there for this question", "seam-out-of-range", []host.SeamAnswer{answer(2, two), limited}, "passed"},
		{"falls over", "seam-out-of-range", []host.SeamAnswer{answer(2, two), {Turns: 0, Status: wiretest.Status(t, 500)}}, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, host.SeamObservation{Path: "/s", Answers: c.answers}, c.want)
		})
	}
}

func TestJudgesOfTheAdvertisement(t *testing.T) {
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	const rungs = `"crossHostCausation":{"supported":true,"hostId":"h"},"replayDeterminism":{"supported":true,"refusalDivergenceEmission":true}`
	for _, c := range []struct{ scenario, model, want string }{
		{"model-well-formed", `{"supported":true,"version":5}`, "passed"},
		{"model-well-formed", `{"supported":true,"version":7}`, "passed"},
		{"model-well-formed", `{"supported":"yes","version":5}`, openwop.OWP0037C1},
		{"model-well-formed", `{"version":5}`, openwop.OWP0037C1},
		{"model-well-formed", `{"supported":true,"version":"5"}`, openwop.OWP0061A2},
		{"model-well-formed", `{"supported":true,"version":0}`, openwop.OWP0061A2},
		{"resume-flag", `{"version":5,"statefulResume":true}`, "passed"},
		{"resume-flag", `{"version":4,"statefulResume":false}`, "passed"},
		{"resume-flag", `{"version":5,"statefulResume":"true"}`, openwop.OWP0061A3},
		{"resume-flag", `{"version":4,"statefulResume":true}`, openwop.OWP0061A4},
		{"causation-block", `{` + rungs + `}`, "passed"},
		{"causation-block", `{"crossHostCausation":{"supported":false,"hostId":"h"}}`, openwop.OWP0061A1},
		{"causation-block", `{"crossHostCausation":{"supported":true}}`, openwop.OWP0061A1},
		{"replay-block", `{` + rungs + `}`, "passed"},
		{"replay-block", `{"replayDeterminism":{"supported":true}}`, openwop.OWP0061A1},
		{"replay-block", `{}`, openwop.OWP0061A1},
		{"experimental-dated", `{"experimentalUntil":"2027-11-21"}`, "passed"},
		{"experimental-dated", `{"experimentalUntil":"2026-11-20"}`, openwop.OWPCAP1},
		{"experimental-dated", `{"experimentalUntil":"2027-11-22"}`, openwop.OWPCAP1},
		{"experimental-dated", `{"experimentalUntil":"soon"}`, openwop.OWPCAP1},
		{"experimental-dated", `{}`, openwop.OWPCAP1},
	} {
		t.Run(c.scenario+c.model, func(t *testing.T) {
			for _, document := range []string{`{"multiAgent":{"executionModel":%s}}`, `{"capabilities":{"multiAgent":{"executionModel":%s}}}`} {
				d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(strings.Replace(document, "%s", c.model, 1))), At: at}
				hosttest.Expect(t, c.scenario, d, c.want)
			}
		})
	}
}
