package verifier

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// The verdicts of a verifier.
const (
	verdictPass   = string(dialect.AgentVerifiedPayloadVerdictPass)
	verdictFail   = string(dialect.AgentVerifiedPayloadVerdictFail)
	verdictRevise = string(dialect.AgentVerifiedPayloadVerdictRevise)
)

// Verdict is one entry of a verifier's script.
type Verdict struct {
	Verdict    string   `json:"verdict"`
	Criteria   []string `json:"criteria"`
	Confidence float64  `json:"confidence"`
}

// VerifiedRun is a run of assay-loop-verified.
type VerifiedRun struct {
	Plan     host.Plan   `json:"plan"`
	Verdicts []Verdict   `json:"verdicts"`
	Said     string      `json:"said"` // the worker's result
	Kept     string      `json:"kept"` // the variable's value before the result
	Bound    int         `json:"bound,omitempty" drawn:"true"`
	Log      host.RunLog `json:"log"`
}

// VerifiedObservation holds a run for each consequence of a verdict.
type VerifiedObservation struct {
	Passed    VerifiedRun `json:"passed"`    // the worker's result, then the end
	Failed    VerifiedRun `json:"failed"`    // the worker's result; the end passes
	Revised   VerifiedRun `json:"revised"`   // the worker's result, which passes in the next turn
	FailedEnd VerifiedRun `json:"failedEnd"` // every end
	Again     VerifiedRun `json:"again"`     // the first end; the next one passes
	Forever   VerifiedRun `json:"forever"`   // every end is to be revised
}

// verifiedResults runs loops with verified results.
var verifiedResults = &scenarios.Drive[VerifiedObservation]{
	ID:    "openwop/verified-results",
	Title: "runs loops whose verifier passes, fails or has revised what a worker brings back, and the end of the run",
	Sends: []string{"{create run} (assay-loop-verified with random verdicts and values, six times)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VerifiedObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Verified, fixture.Echo, fixture.Noop) {
			h.Lacks("no workflow is on offer with a verifier that follows a script", fixture.Verified)
		}
		ceiling, why := h.Ceiling()
		if ceiling < 4 {
			host.TooFewTurns(why)
		}
		work, end := host.NextWorker(fixture.Echo), host.Terminate(h.Name("done"))
		bound := h.Between(2, min(4, ceiling))
		for _, r := range []struct {
			into     *VerifiedRun
			last     host.Plan
			bound    int
			verdicts []string
		}{
			{&o.Passed, host.Plan{work, end}, 0, []string{verdictPass, verdictPass}},
			{&o.Failed, host.Plan{work, end}, 0, []string{verdictFail, verdictPass}},
			{&o.Revised, host.Plan{work, work, end}, 0, []string{verdictRevise, verdictPass, verdictPass}},
			{&o.FailedEnd, repeated(end, bound+1), bound, repeated(verdictFail, bound+1)},
			{&o.Again, host.Plan{end, end}, 0, []string{verdictRevise, verdictPass}},
			{&o.Forever, repeated(end, bound+1), bound, repeated(verdictRevise, bound+1)},
		} {
			before := 0
			if r.bound == 0 {
				before = h.Between(0, min(2, ceiling-len(r.last)))
			}
			*r.into = VerifiedRun{Plan: append(repeated(host.NextWorker(fixture.Noop), before), r.last...), Bound: r.bound,
				Said: h.Marker(), Kept: h.Marker()}
			for _, v := range r.verdicts {
				r.into.Verdicts = append(r.into.Verdicts, verdict(h, v))
			}
			if r.into == &o.Passed && h.Depth > scenarios.Quick { // no confidence at all is a confidence, and so is the whole
				r.into.Verdicts[0].Confidence, r.into.Verdicts[1].Confidence = 0, 1
			}
			verify(ctx, h, r.into)
		}
	},
}

// repeated returns a list of n copies of item.
func repeated[T any](item T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = item
	}
	return out
}

// verdict returns a verdict with unique criteria and a random confidence.
func verdict(h host.Host, found string) Verdict {
	v := Verdict{Verdict: found, Confidence: float64(h.Between(1, 99)) / 100}
	for range h.Between(1, 3) {
		v.Criteria = append(v.Criteria, h.Marker())
	}
	return v
}

// verify makes a run and follows it until it ends or waits for a person.
func verify(ctx context.Context, h host.Host, v *VerifiedRun) {
	body := dialect.CreateRunRequest{WorkflowID: fixture.Verified, Inputs: map[string]any{"plan": v.Plan, "verdicts": v.Verdicts,
		"said": v.Said, "heard": v.Kept}}
	if v.Bound > 0 {
		body.Configurable = &dialect.Configurable{MaxLoopIterations: new(int64(v.Bound))}
	}
	r := h.Create(ctx, "create a run whose results are verified", body)
	if r.ID == "" {
		v.Log = r.ReadLog(ctx, "log of no run")
		return
	}
	v.Log = r.Settle(ctx, "log of a run whose results are verified")
}

// UnverifiedObservation is a run on a host that offers no verifier.
type UnverifiedObservation struct {
	Way string      `json:"way"`
	Log host.RunLog `json:"log"`
}

// unverifiedResults runs a loop, with scripted verdicts if the host lists the workflow for them.
var unverifiedResults = &scenarios.Drive[UnverifiedObservation]{
	ID:    "openwop/unverified-results",
	Title: "runs a loop with a script for a verifier on a host that offers none",
	Sends: []string{"{create run} (assay-loop-verified with random verdicts, else a loop)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *UnverifiedObservation) {
		h := host.Host{Conn: c}
		way := h.LoopOf(2, 4, 0)
		body := way.Request(nil)
		if h.Offers(fixture.Verified, fixture.Echo) {
			body = dialect.CreateRunRequest{WorkflowID: fixture.Verified, Inputs: map[string]any{
				"plan":     host.Plan{host.NextWorker(fixture.Echo), host.Terminate(h.Name("done"))},
				"verdicts": []Verdict{verdict(h, verdictFail), verdict(h, verdictFail)},
			}}
		}
		*o = UnverifiedObservation{Way: body.WorkflowID}
		r := h.Create(ctx, "create the loop", body)
		o.Log = r.Finish(ctx, "log of the loop")
	},
}

// CriteriaObservation is a loop that gave up and one that did not, each with
// success criteria in its decision to terminate.
type CriteriaObservation struct {
	GaveUp Judged `json:"gaveUp"`
	Met    Judged `json:"met"`
}

// Judged is a loop and the criteria in its last decision.
type Judged struct {
	Turns    int         `json:"turns"`
	Criteria []any       `json:"criteria"`
	Log      host.RunLog `json:"log"`
}

// criteriaOfSuccess runs loops whose last decision lists the success criteria met.
var criteriaOfSuccess = &scenarios.Drive[CriteriaObservation]{
	ID:    "openwop/criteria-of-success",
	Title: "runs a loop that ends with criteria of success that are not all met, and one that ends with criteria that are",
	Sends: []string{"{create run} (assay-loop with random criteria, else a scripted loop, twice)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CriteriaObservation) {
		h := host.Host{Conn: c}
		if ceiling, why := h.Ceiling(); ceiling < 2 {
			host.TooFewTurns(why)
		}
		for _, l := range []struct {
			into *Judged
			all  bool
		}{{&o.GaveUp, false}, {&o.Met, true}} {
			way := loopWithCriteria(h, l.all)
			last, _ := way.Decisions()[way.Turns()-1].(map[string]any)
			l.into.Turns = way.Turns()
			l.into.Criteria, _ = last["successCriteria"].([]any)
			r := h.Create(ctx, "create a loop with criteria of success", way.Request(nil))
			l.into.Log = r.Finish(ctx, "log of the loop")
		}
	},
}

// loopWithCriteria returns a loop that ends with random criteria of success, all of them met or not, or with those of a script.
func loopWithCriteria(h host.Host, all bool) host.Scripted {
	script := fixture.ScriptedUnmet
	if all {
		script = fixture.ScriptedMet
	}
	switch {
	case h.Offers(fixture.Loop, fixture.Noop):
	case host.OffersScripted(h, script):
		way, _ := host.ScriptOf(h, script)
		return way
	default:
		h.Lacks("no loop is on offer that follows a plan of decisions", fixture.Loop)
	}
	n := h.Between(2, 4)
	unmet := h.Rand.IntN(n)
	var criteria []dialect.SuccessCriterion
	for i := range n {
		criteria = append(criteria, dialect.SuccessCriterion{Key: h.Marker(), Met: all || i != unmet && h.Rand.IntN(2) == 0})
	}
	ceiling, _ := h.Ceiling()
	turns := h.LoopPlan(h.Between(1, min(3, ceiling)))
	turns[len(turns)-1] = dialect.TerminateDecision{Kind: dialect.TerminateDecisionKindTerminate, Reason: h.Name("done"),
		SuccessCriteria: criteria}
	return host.Scripted{Fixture: fixture.Loop, Plan: turns, Chosen: true}
}

// SeamVerdict is one request to the seam agents/verify-run, and its reply.
type SeamVerdict struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

// SeamVerdicts holds the replies of the seam.
type SeamVerdicts struct {
	Path    string        `json:"path"`
	Answers []SeamVerdict `json:"answers"`
	Strange SeamVerdict   `json:"strange"` // to an unknown verdict
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (SeamVerdicts) SeenAs() scenarios.Evidence { return scenarios.Attested }

// seamVerdicts asks the seam for every verdict in random order, and for an
// unknown one. A constant reply cannot pass.
var seamVerdicts = &scenarios.Drive[SeamVerdicts]{
	ID:    "openwop/seam-verdicts",
	Title: "asks the seam agents/verify-run for every verdict twice, in a random order, and for one that there is not",
	Sends: []string{"{use seam:agents/verify-run} {simulateVerdict}, seven times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SeamVerdicts) {
		h := host.Host{Conn: c}
		s, _ := h.FindSeam(ctx, "agents/verify-run", map[string]any{"simulateVerdict": verdictPass})
		o.Path = s.Path()
		ask := func(ctx context.Context, verdict string) SeamVerdict {
			reply := s.Ask(ctx, map[string]any{"simulateVerdict": verdict})
			h.Adopt(reply)
			return SeamVerdict{Asked: verdict, Status: reply.StatusValue(), Body: reply.Value("")}
		}
		all := []string{verdictPass, verdictFail, verdictRevise, verdictPass, verdictFail, verdictRevise}
		for _, i := range h.Rand.Perm(len(all)) {
			a := ask(ctx, all[i])
			o.Answers = append(o.Answers, a)
		}
		o.Strange = ask(wire.Misfit(ctx, openwop.OWPVER9), h.Marker())
	},
}
