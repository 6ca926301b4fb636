package interrupts

import (
	"context"
	"maps"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// QuestionsObservation is a clarification that was answered wrongly and then
// rightly, one that was answered in the other form, and one that got no answer.
type QuestionsObservation struct {
	Gate
	Misfits []Response  `json:"misfits"` // answers that do not fit their schema; none where the questions were not chosen
	Barrier wire.Wait   `json:"barrier"`
	Later   host.RunLog `json:"later"`
	Given   []string    `json:"given"` // what the answers hold
	Mapped  Response    `json:"mapped"`
	End     host.RunLog `json:"end"`

	Second    Gate        `json:"second"`
	Listed    Response    `json:"listed"`
	SecondEnd host.RunLog `json:"secondEnd"`

	Third Gate     `json:"third"`
	Empty Response `json:"empty"` // no answer at all
}

// questions are what a run asks, and what it is answered.
type questions struct {
	way    gateWay
	text   string // id of the question whose answer is a text
	number string // id of the one whose answer is a number; "" where there is none
	given  map[string]any
}

// gives are the answers as text.
func (q questions) gives() []string {
	out := []string{q.given[q.text].(string)}
	if n, ok := q.given[q.number].(int); ok {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

func (q questions) mapped() map[string]any { return map[string]any{"answers": q.given} }

func (q questions) listed() map[string]any {
	list := []map[string]any{}
	for _, id := range []string{q.text, q.number} {
		if answer, asked := q.given[id]; asked {
			list = append(list, map[string]any{"id": id, "answer": answer})
		}
	}
	return map[string]any{"answers": list}
}

// without are the answers but for one, which is another value in its place, or missing.
func (q questions) without(id string, instead any) map[string]any {
	answers := maps.Clone(q.given)
	if answers[id] = instead; instead == nil {
		delete(answers, id)
	}
	return map[string]any{"answers": answers}
}

// questionsGate makes up a text to be asked for and a number, each under a random id.
func questionsGate(h host.Host) questions {
	text, number := "q"+h.Marker(), "n"+h.Marker()
	least := h.Between(1_000_000, 2_000_000)
	way := gateOf(h, gateWay{fixture: fixture.Questions, node: "ask", inputs: map[string]any{"questions": []any{
		map[string]any{"id": text, "question": "What is it called?", "schema": map[string]any{"type": "string", "minLength": 8}},
		map[string]any{"id": number, "question": "How many are there?", "schema": map[string]any{"type": "integer", "minimum": least}},
	}}}, gateWay{fixture: fixture.UpstreamClarification, node: "ask"})
	if !way.ours {
		return questions{way: way, text: "q1", given: map[string]any{"q1": h.Marker()}}
	}
	return questions{way: way, text: text, number: number, given: map[string]any{text: h.Marker(), number: least + h.Between(1, 1_000_000)}}
}

// questionsAnswered answers questions with what does not fit, with what fits, as a map and as a list, and with nothing.
var questionsAnswered = &scenarios.Drive[QuestionsObservation]{
	ID: "openwop/questions-answered",
	Title: "has a run ask random questions, answers them with what does not fit, runs a sentinel, and answers them; has " +
		"another ask and answers it with a list, and another and answers it with nothing",
	Sends: []string{sendsGate + ", three times", "{read run}", "{poll log}", "{answer node}, six times", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QuestionsObservation) {
		h := host.Host{Conn: c}
		q, w := waitForAnswers(ctx, h)
		o.Gate, o.Given = w.Gate, q.gives()
		if !w.waits() {
			return
		}
		w.misinformed(ctx, q, o)
		o.Mapped = w.answers(ctx, "to answer with a map", q.given[q.text].(string), q.mapped())
		o.End = w.ends(ctx, o.Mapped)
		answeredWithAList(ctx, h, o)
		unanswered(ctx, h, o)
	},
}

// misinformed sends what does not answer the questions.
func (w *Waiting) misinformed(ctx context.Context, q questions, o *QuestionsObservation) {
	if q.number != "" {
		marker := w.Marker()
		for _, wrong := range []struct {
			what    string
			answers map[string]any
		}{
			{"a text for a number", q.without(q.number, marker)},
			{"a number that is too small", q.without(q.number, w.Between(1, 999_999))},
			{"a text that is too short", q.without(q.text, "s"+marker[:3])},
		} {
			o.Misfits = append(o.Misfits, w.looked(ctx, w.answers(ctx, "to answer with "+wrong.what, marker, wrong.answers)))
		}
	}
	w.settled(ctx, &o.Barrier, &o.Later)
}

// waitForAnswers is wait at random questions.
func waitForAnswers(ctx context.Context, h host.Host) (q questions, w *Waiting) {
	q = questionsGate(h)
	w = wait(ctx, h, q.way)
	return q, w
}

// unanswered has another run ask, and answers nothing.
func unanswered(ctx context.Context, h host.Host, o *QuestionsObservation) {
	_, w := waitForAnswers(ctx, h)
	if o.Third = w.Gate; !w.waits() {
		return
	}
	o.Empty = w.looked(ctx, w.answers(ctx, "to answer nothing", "", map[string]any{"answers": map[string]any{}}))
	if host.Succeeded(o.Empty.Status) {
		return
	}
	w.Stop(ctx, "to cancel the run that got no answer")
}

// answeredWithAList has another run ask, and answers it with a list.
func answeredWithAList(ctx context.Context, h host.Host, o *QuestionsObservation) {
	q, w := waitForAnswers(ctx, h)
	if o.Second = w.Gate; !w.waits() {
		return
	}
	o.Listed = w.answers(ctx, "to answer with a list", q.given[q.text].(string), q.listed())
	if host.RefusesAnswer(o.Listed.Status) { // the run is not left waiting
		w.answers(ctx, "to answer with a map after all", "", q.mapped())
		w.AwaitEnd(ctx)
		return
	}
	o.SecondEnd = w.ends(ctx, o.Listed)
}
