// Package cascade asks a resolver which retry policy comes of those of the platform, the agent and the call.
package cascade

import (
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
)

// vectors are questions whose answer the text gives, or which tell a field that was said from one that has a default.
var vectors = []struct {
	name, title, question string
	rule                  scenarios.RequirementID
}{
	{"v2-platform-alone", "what only the platform says holds", `{"platform":{"max_attempts":3,"interval_seconds":3600}}`, openintentv1.OIP0026D2},
	{"v3-the-call-wins", "the call wins over the agent, and that over the platform",
		`{"platform":{"max_attempts":3,"interval_seconds":3600},"agent":{"max_attempts":2,"interval_seconds":1800},"call":{"max_attempts":1,"interval_seconds":300}}`, openintentv1.OIP0026D1},
	{"v4-member-by-member", "each member is inherited by itself", `{"platform":{"max_attempts":5},"call":{"interval_seconds":60}}`, openintentv1.OIP0026D2},
	{"v5-three-attempts-said", "three attempts that a call says win over its agent's two", `{"agent":{"max_attempts":2},"call":{"max_attempts":3}}`, openintentv1.OIP0026D1},
	{"v6-fail-said", "fail that a call says wins over a platform that goes on",
		`{"platform":{"final_fallback_policy":"complete_with_fallback"},"call":{"final_fallback_policy":"fail"}}`, openintentv1.OIP0026D1},
	{"v7-empty-ladder-said", "an empty ladder that a call says takes the platform's away",
		`{"platform":{"max_attempts":4,"escalation_ladder":[{"attempt":2,"channel_hint":"email","notify_to":null}]},"call":{"escalation_ladder":[]}}`, openintentv1.OIP0026H6},
	{"v8-no-interval-said", "an interval that nobody says is none", `{"call":{"max_attempts":1}}`, openintentv1.OIP0026D2},
	{"v9-an-hour-said", "an hour that a call says wins over the platform's minute", `{"platform":{"interval_seconds":60},"call":{"interval_seconds":3600}}`, openintentv1.OIP0026D1},
	{"v10-fixed-said", "fixed that a call says wins over what the platform says", `{"platform":{"strategy":"exponential"},"call":{"strategy":"fixed"}}`, openintentv1.OIP0026D1},
	{"v11-fallback-of-the-record", "a policy without a final fallback takes that of its record",
		`{"call":{"max_attempts":2,"interval_seconds":60},"record":{"fallback_policy":"complete_with_fallback","timeout_seconds":60}}`, openintentv1.OIP0026H7},
	{"no-attempts-said", "a policy that says no attempts has one", `{"call":{"interval_seconds":60}}`, openintentv1.OIP0026H2},
	{"silent-agent", "an agent without a default leaves the platform's in force",
		`{"platform":{"max_attempts":4,"interval_seconds":90,"final_fallback_policy":"complete_with_fallback"},"agent":null}`, openintentv1.OIP0026D6},
}

func Suite() scenarios.Suite {
	s := scenarios.Suite{ID: "cascade", Title: "the cascade of retry policies, of a resolver", Scenarios: []scenarios.Scenario{{
		ID: "openintent/cascade/v1-nothing-said", Title: "where no level says anything there is one attempt",
		Proves: scenarios.IDs{openintentv1.OIP0026H2, openintentv1.OIPREAD10}, Claim: claims.Resolver, Ask: scenarios.Ask(silence, judgeSilence),
	}}}
	for _, v := range vectors {
		s.Scenarios = append(s.Scenarios, scenarios.Scenario{
			ID: scenarios.ScenarioID("openintent/cascade/" + v.name), Title: v.title, Proves: scenarios.IDs{v.rule, openintentv1.OIPREAD10}, Claim: claims.Resolver,
			Ask: scenarios.Ask(resolution(v.name, v.question), func(o Resolution, j *scenarios.Judge) { o.judge(j, v.rule) }),
		})
	}
	s.Scenarios = append(s.Scenarios, scenarios.Scenario{
		ID: "openintent/cascade/generated", Title: "whatever the levels say, each member comes from the last one that says it",
		Proves: scenarios.IDs{openintentv1.OIP0026D1, openintentv1.OIP0026D2, openintentv1.OIPREAD10}, Claim: claims.Resolver,
		Ask: scenarios.Ask(drawnResolutions, judgeGenerated),
	})
	return s
}

// judgeSilence wants an answer to the control, which says that the program resolves at all, and one attempt where nothing is said.
func judgeSilence(o Resolutions, j *scenarios.Judge) {
	control, question := o.Asked[0], o.Asked[1]
	control.answered(j)
	if !j.Check(openintentv1.OIPREAD10, control.Answer.At("/policy/max_attempts")).To(check.Equal(2), "asked "+string(control.Question)) {
		return
	}
	question.judge(j, openintentv1.OIP0026H2)
}

// judge checks that there is one answer and that it is right.
func (r Resolution) judge(j *scenarios.Judge, rules ...scenarios.RequirementID) {
	want, err := modelOf(r.Question)
	if err != nil {
		j.Block(err.Error(), "this is a fault of Assay's own: please report it")
	}
	r.answered(j)
	for _, rule := range rules {
		want.check(j, rule, r.Answer.Key("policy"))
	}
}

// answered checks that the resolver ended well, with one document that has a policy.
func (r Resolution) answered(j *scenarios.Judge) {
	asked := "asked " + short(string(r.Question))
	if !j.Check(openintentv1.OIPREAD10, r.Exit).To(check.Equal(0), "exit code, "+asked) {
		j.End()
	}
	if !j.Check(openintentv1.OIPREAD10, r.Output).To(check.That("a JSON object with policy", func(v any) bool {
		o, isObject := v.(map[string]any)
		_, has := o["policy"]
		return isObject && has
	}), asked) {
		j.End()
	}
	j.Require(j.Check(openintentv1.OIPREAD10, r.Answer.Key("policy")).To(check.That("an object or null", func(v any) bool {
		_, isObject := v.(map[string]any)
		return isObject || v == nil
	}), asked))
}

// short is a question, cut to a length fit for a message.
func short(question string) string {
	if len(question) > 200 {
		return question[:200] + "…"
	}
	return question
}

// judgeGenerated stops at the first question that is answered wrongly.
func judgeGenerated(o Resolutions, j *scenarios.Judge) {
	for _, r := range o.Asked {
		want, err := modelOf(r.Question)
		if err != nil {
			j.Block(err.Error(), "this is a fault of Assay's own: please report it")
		}
		asked := "asked " + short(string(r.Question))
		policy := r.Answer.Key("policy")
		r.answered(j)
		if !j.Check(openintentv1.OIP0026D1, policy).To(want.right("what several levels say", func(n int) bool { return n > 1 }), asked) || !j.Check(openintentv1.OIP0026D2, policy).To(want.right("what one level or none says", func(n int) bool { return n < 2 }), asked) {
			return
		}
	}
}
