// Package cascade asks a resolver to combine the retry policies of the platform, the agent and the call.
package cascade

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
)

// vectors are questions whose answer the text gives, or that tell an explicit value from a default.
var vectors = []struct {
	name, title, question string
	rule                  scenarios.RequirementID
}{
	{"v2-platform-alone", "what only the platform says holds",
		`{"platform":{"max_attempts":3,"interval_seconds":3600}}`, openintent.OIP0026D2},
	{"v3-the-call-wins", "the call wins over the agent, and that over the platform",
		`{"platform":{"max_attempts":3,"interval_seconds":3600},"agent":{"max_attempts":2,"interval_seconds":1800},` +
			`"call":{"max_attempts":1,"interval_seconds":300}}`, openintent.OIP0026D1},
	{"v4-member-by-member", "each member is inherited by itself",
		`{"platform":{"max_attempts":5},"call":{"interval_seconds":60}}`, openintent.OIP0026D2},
	{"v5-three-attempts-said", "three attempts that a call says win over its agent's two",
		`{"agent":{"max_attempts":2},"call":{"max_attempts":3}}`, openintent.OIP0026D1},
	{"v6-fail-said", "fail that a call says wins over a platform that goes on",
		`{"platform":{"final_fallback_policy":"complete_with_fallback"},"call":{"final_fallback_policy":"fail"}}`,
		openintent.OIP0026D1},
	{"v7-empty-ladder-said", "an empty ladder that a call says takes the platform's away",
		`{"platform":{"max_attempts":4,"escalation_ladder":[{"attempt":2,"channel_hint":"email","notify_to":null}]},` +
			`"call":{"escalation_ladder":[]}}`, openintent.OIP0026H6},
	{"v8-no-interval-said", "an interval that nobody says is none",
		`{"call":{"max_attempts":1}}`, openintent.OIP0026D2},
	{"v9-an-hour-said", "an hour that a call says wins over the platform's minute",
		`{"platform":{"interval_seconds":60},"call":{"interval_seconds":3600}}`, openintent.OIP0026D1},
	{"v10-fixed-said", "fixed that a call says wins over what the platform says",
		`{"platform":{"strategy":"exponential"},"call":{"strategy":"fixed"}}`, openintent.OIP0026D1},
	{"v11-fallback-of-the-record", "a policy without a final fallback takes that of its record",
		`{"call":{"max_attempts":2,"interval_seconds":60},` +
			`"record":{"fallback_policy":"complete_with_fallback","timeout_seconds":60}}`, openintent.OIP0026H7},
	{"no-attempts-said", "a policy that says no attempts has one",
		`{"call":{"interval_seconds":60}}`, openintent.OIP0026H2},
	{"silent-agent", "an agent without a default leaves the platform's in force",
		`{"platform":{"max_attempts":4,"interval_seconds":90,"final_fallback_policy":"complete_with_fallback"},` +
			`"agent":null}`, openintent.OIP0026D6},
}

// Suite returns the suite cascade.
func Suite() scenarios.Suite {
	s := scenarios.Suite{ID: "cascade", Title: "the cascade of retry policies, of a resolver", Scenarios: []scenarios.Scenario{{
		ID: "openintent/cascade/v1-nothing-said", Title: "where no level says anything there is one attempt",
		Proves: scenarios.IDs{openintent.OIP0026H2, openintent.OIPREAD10}, Claim: claims.Resolver,
		Ask: scenarios.Ask(silence, judgeSilence),
	}}}
	for _, v := range vectors {
		s.Scenarios = append(s.Scenarios, scenarios.Scenario{
			ID: scenarios.ScenarioID("openintent/cascade/" + v.name), Title: v.title,
			Proves: scenarios.IDs{v.rule, openintent.OIPREAD10}, Claim: claims.Resolver,
			Ask: scenarios.Ask(resolution(v.name, v.question), func(o Resolution, j *scenarios.Judge) { o.judge(j, v.rule) }),
		})
	}
	s.Scenarios = append(s.Scenarios, scenarios.Scenario{
		ID: "openintent/cascade/generated", Title: "whatever the levels say, each member comes from the last one that says it",
		Proves: scenarios.IDs{openintent.OIP0026D1, openintent.OIP0026D2, openintent.OIPREAD10}, Claim: claims.Resolver,
		Ask: scenarios.Ask(drawnResolutions, judgeGenerated),
	})
	return s
}

// judgeSilence expects one attempt where no level says anything. A control shows that the program resolves at all.
func judgeSilence(o Resolutions, j *scenarios.Judge) {
	control, question := o.Asked[0], o.Asked[1]
	control.checkAnswered(j)
	attempts := control.Answer.At("/policy/max_attempts")
	j.Require(j.Check(openintent.OIPREAD10, attempts).To(check.Equal(2), "asked "+string(control.Question)))
	question.judge(j, openintent.OIP0026H2)
}

// judge checks the answer to one question.
func (r Resolution) judge(j *scenarios.Judge, rules ...scenarios.RequirementID) {
	want := givenModel(r.Question, j)
	r.checkAnswered(j)
	for _, rule := range rules {
		want.check(j, rule, r.Answer.Key("policy"))
	}
}

// givenModel returns what the text makes of a question, and blocks the judge if it cannot be read.
func givenModel(question json.RawMessage, j *scenarios.Judge) resolved {
	want, err := modelOf(question)
	if err != nil {
		j.Block(err.Error(), "this is a bug in Assay: please report it")
	}
	return want
}

// checkAnswered checks that the resolver exited with 0 and printed one document with a policy, and ends the judge if
// not.
func (r Resolution) checkAnswered(j *scenarios.Judge) {
	asked := r.label()
	j.Require(j.Check(openintent.OIPREAD10, r.Exit).To(check.Equal(0), "exit code, "+asked))
	j.Require(j.Check(openintent.OIPREAD10, r.Output).To(check.That("a JSON object with policy", func(v any) bool {
		o, isObject := v.(map[string]any)
		_, has := o["policy"]
		return isObject && has
	}), asked))
	j.Require(j.Check(openintent.OIPREAD10, r.Answer.Key("policy")).To(check.That("an object or null", func(v any) bool {
		_, isObject := v.(map[string]any)
		return isObject || v == nil
	}), asked))
}

// label names the question in checks, clipped to 200 bytes.
func (r Resolution) label() string {
	if len(r.Question) > 200 {
		return "asked " + string(r.Question[:200]) + "…"
	}
	return "asked " + string(r.Question)
}

// judgeGenerated ends at the first wrong answer.
func judgeGenerated(o Resolutions, j *scenarios.Judge) {
	for _, r := range o.Asked {
		want := givenModel(r.Question, j)
		r.checkAnswered(j)
		policy, asked := r.Answer.Key("policy"), r.label()
		inherited := want.members("what several levels say", func(levels int) bool { return levels > 1 })
		single := want.members("what one level or none says", func(levels int) bool { return levels < 2 })
		j.Require(j.Check(openintent.OIP0026D1, policy).To(inherited, asked))
		j.Require(j.Check(openintent.OIP0026D2, policy).To(single, asked))
	}
}
