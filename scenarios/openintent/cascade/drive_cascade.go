package cascade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Resolution is a question to a resolver, and its answer.
type Resolution struct {
	Question json.RawMessage `json:"question"`
	Exit     wire.Value      `json:"exit"`   // the exit code, or how it ended in words
	Output   wire.Value      `json:"output"` // the document it printed, or why that is no JSON in words
	Answer   wire.Value      `json:"answer"` // the document; absent if there is none
	Hung     bool            `json:"hung,omitempty"`
}

// Resolutions are several questions and their answers.
type Resolutions struct {
	Asked []Resolution `json:"asked"`
}

// resolve asks one question.
func resolve(ctx context.Context, c *scenarios.Conn, question string) Resolution {
	r := Resolution{Question: json.RawMessage(question)}
	ended := c.Spawn(ctx, wire.Turn{Input: []byte(question + "\n"), Label: "resolve", Timeout: c.Patience})
	r.Exit, r.Output, r.Answer, r.Hung = ended.Part("exit"), ended.Part("output"), ended.Value(""), ended.TimedOut
	return r
}

// closedQuestion is why a drive sends no name.
const closedQuestion = "a question to a resolver has a policy, and no place for a name in it"

// resolution returns a drive that asks one question.
func resolution(name, question string) *scenarios.Drive[Resolution] {
	return &scenarios.Drive[Resolution]{
		ID: "cascade-" + name, Title: "asks the resolver one question", Sends: []string{"standard input: " + question},
		Nameless: closedQuestion,
		Run:      func(ctx context.Context, c *scenarios.Conn, o *Resolution) { *o = resolve(ctx, c, question) },
	}
}

// silence asks about levels that set nothing, after a control.
var silence = &scenarios.Drive[Resolutions]{
	ID: "cascade-v1-nothing-said", Title: "asks the resolver about nothing, after a control",
	Sends:    []string{`standard input: {"platform":{"max_attempts":2}}`, "standard input: {}"},
	Nameless: closedQuestion,
	Run: func(ctx context.Context, c *scenarios.Conn, o *Resolutions) {
		o.Asked = make([]Resolution, 2)
		for i, question := range []string{`{"platform":{"max_attempts":2}}`, `{}`} {
			o.Asked[i] = resolve(ctx, c, question)
		}
	},
}

// generatedQuestions questions are drawn; atOnceQuestions of them are asked at once.
const (
	generatedQuestions = 32
	atOnceQuestions    = 4
)

// drawnResolutions asks random questions, until one is not answered in time.
var drawnResolutions = &scenarios.Drive[Resolutions]{
	ID: "cascade-generated", Title: "asks the resolver questions that are drawn from the seed",
	Sends: []string{"standard input: 32 questions, a process each"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *Resolutions) {
		for range generatedQuestions / atOnceQuestions {
			batch := make([]Resolution, atOnceQuestions)
			var calls []func(context.Context)
			for i := range batch {
				question := scenarios.Get(json.Marshal(drawQuestion(c.Rand, c.Label()+"@example.com")))
				calls = append(calls, func(ctx context.Context) {
					batch[i] = resolve(ctx, c, string(question))
				})
			}
			c.AtOnce(ctx, calls...)
			o.Asked = append(o.Asked, batch...)
			if slices.ContainsFunc(batch, func(r Resolution) bool { return r.Hung }) {
				return
			}
		}
	},
}

// drawQuestion draws the policies of three levels and of a record, whose escalation ladders notify the address to. A value is as
// likely to equal its default as to differ from it.
func drawQuestion(r *scenarios.Draws, to string) map[string]any {
	question := map[string]any{}
	for _, level := range []string{"platform", "agent", "call"} {
		switch r.IntN(8) {
		case 0, 1:
		case 2:
			question[level] = nil
		case 3:
			question[level] = map[string]any{}
		default:
			policy := map[string]any{}
			one := func(member string, of ...any) {
				if r.IntN(2) == 0 {
					policy[member] = of[r.IntN(len(of))]
				}
			}
			one("max_attempts", 1, 3, 2+r.IntN(7))
			one("interval_seconds", 3600, 60, 1+r.IntN(5000))
			one("strategy", "fixed")
			one("escalation_ladder", []any{}, []any{drawStep(r, to)}, []any{drawStep(r, to), drawStep(r, to)})
			one("final_fallback_policy", "fail", "complete_with_fallback", "use_default_and_continue")
			if level == "platform" && r.IntN(3) == 0 { // OIP-R11: platforms in use have these; the call sets fixed below
				policy["strategy"] = []any{"linear", "exponential"}[r.IntN(2)]
			}
			question[level] = policy
		}
	}
	if platform, _ := question["platform"].(map[string]any); platform["strategy"] != nil && platform["strategy"] != "fixed" {
		call, _ := question["call"].(map[string]any)
		if call == nil {
			call = map[string]any{}
		}
		call["strategy"] = "fixed"
		question["call"] = call
	}
	if r.IntN(2) == 0 {
		question["record"] = map[string]any{"fallback_policy": []any{"fail", "complete_with_fallback", "use_default_and_continue"}[r.IntN(3)]}
	}
	return question
}

// drawStep draws a step of a ladder.
func drawStep(r *scenarios.Draws, to string) map[string]any {
	step := map[string]any{"attempt": 1 + r.IntN(6), "channel_hint": []any{"email", "slack", "pagerduty"}[r.IntN(3)]}
	if r.IntN(2) == 0 {
		step["notify_to"] = to
	}
	return step
}
