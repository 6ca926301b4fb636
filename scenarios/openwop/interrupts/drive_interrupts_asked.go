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

// QuestionsObservation is three clarifications: one answered wrongly, then with
// a map; one answered with a list; and one left open.
type QuestionsObservation struct {
	Gate
	Misfits []Response  `json:"misfits"` // answers that violate the schema; none for a fixed fixture
	Barrier wire.Wait   `json:"barrier"`
	Later   host.RunLog `json:"later"`
	Given   []string    `json:"given"` // the answers as text
	Mapped  Response    `json:"mapped"`
	End     host.RunLog `json:"end"`

	Second    Gate        `json:"second"`
	Listed    Response    `json:"listed"`
	SecondEnd host.RunLog `json:"secondEnd"`

	// Bare is a run that asks for what looks empty and was given it as a list, zero at quick or if that is not ours to ask.
	Bare    Gate     `json:"bare,omitzero"`
	Nothing Response `json:"nothing,omitzero"`

	Third Gate     `json:"third"`
	Empty Response `json:"empty"` // an answer without any answers
}

// questions holds a run's questions and the right answers.
type questions struct {
	way    gateWay
	text   string // id of the question whose answer is a text
	number string // id of the one whose answer is a number; "" if none
	given  map[string]any
}

// texts returns the answers as text.
func (q questions) texts() []string {
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

// without returns the answers with one replaced by instead, or removed if instead is nil.
func (q questions) without(id string, instead any) map[string]any {
	answers := maps.Clone(q.given)
	if answers[id] = instead; instead == nil {
		delete(answers, id)
	}
	return map[string]any{"answers": answers}
}

// questionsGate makes up two questions under random ids, one for a text and one for a number, else takes those of a fixture without
// ports, else upstream's.
func questionsGate(h host.Host) questions {
	text, number := "q"+h.Marker(), "n"+h.Marker()
	least := h.Between(1_000_000, 2_000_000)
	if !h.Offers(fixture.Questions) && h.Offers(fixture.ScriptedQuestions) {
		return questions{way: gateWay{fixture: fixture.ScriptedQuestions, node: "ask"}, text: "name", number: "count",
			given: map[string]any{"name": h.Marker(), "count": least + h.Between(1, 1_000_000)}}
	}
	way := gateOf(h, gateWay{fixture: fixture.Questions, node: "ask", inputs: map[string]any{"questions": []any{
		map[string]any{"id": text, "question": "What is it called?", "schema": map[string]any{"type": "string", "minLength": 8}},
		map[string]any{"id": number, "question": "How many are there?", "schema": map[string]any{"type": "integer", "minimum": least}},
	}}}, gateWay{fixture: fixture.UpstreamClarification, node: "ask"})
	if !way.ours {
		return questions{way: way, text: "q1", given: map[string]any{"q1": h.Marker()}}
	}
	return questions{way: way, text: text, number: number, given: map[string]any{text: h.Marker(), number: least + h.Between(1, 1_000_000)}}
}

// questionsAnswered answers questions wrongly, as a map, as a list, and with nothing.
var questionsAnswered = &scenarios.Drive[QuestionsObservation]{
	ID: "openwop/questions-answered",
	Title: "has a run ask random questions, answers them with what does not fit, runs a sentinel, and answers them; has " +
		"another ask and answers it with a list, and another and answers it with nothing; beyond quick, answers one more with a list of " +
		"what looks empty",
	Sends: []string{sendsGate + ", three times", "{read run}", "{poll log}", "{answer node}, six times", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QuestionsObservation) {
		h := host.Host{Conn: c}
		q, w := waitForAnswers(ctx, h)
		o.Gate, o.Given = w.Gate, q.texts()
		if !w.isWaiting() {
			return
		}
		w.sendMisfits(ctx, q, o)
		o.Mapped = w.answer(ctx, "to answer with a map", q.given[q.text].(string), q.mapped())
		o.End = w.finishAfter(ctx, o.Mapped)
		answerWithList(ctx, h, o)
		leaveUnanswered(ctx, h, o)
	},
}

// sendMisfits sends answers that violate the questions' schemas.
func (w *Waiting) sendMisfits(ctx context.Context, q questions, o *QuestionsObservation) {
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
			o.Misfits = append(o.Misfits, w.withLog(ctx, w.answer(ctx, "to answer with "+wrong.what, marker, wrong.answers)))
		}
	}
	w.settle(ctx, &o.Barrier, &o.Later)
}

// waitForAnswers creates a run that asks questions and waits until it does.
func waitForAnswers(ctx context.Context, h host.Host) (q questions, w *Waiting) {
	q = questionsGate(h)
	w = wait(ctx, h, q.way)
	return q, w
}

// leaveUnanswered has another run ask, and sends an empty answer.
func leaveUnanswered(ctx context.Context, h host.Host, o *QuestionsObservation) {
	_, w := waitForAnswers(ctx, h)
	if o.Third = w.Gate; !w.isWaiting() {
		return
	}
	o.Empty = w.withLog(ctx, w.answer(ctx, "to answer nothing", "", map[string]any{"answers": map[string]any{}}))
	if host.Succeeded(o.Empty.Status) {
		return
	}
	w.Stop(ctx, "to cancel the run that got no answer")
}

// answerWithList has another run ask, and answers it with a list.
func answerWithList(ctx context.Context, h host.Host, o *QuestionsObservation) {
	q, w := waitForAnswers(ctx, h)
	if o.Second = w.Gate; !w.isWaiting() {
		return
	}
	o.Listed = w.answer(ctx, "to answer with a list", q.given[q.text].(string), q.listed())
	if host.RefusesAnswer(o.Listed.Status) { // do not leave the run waiting
		w.answer(ctx, "to answer with a map after all", "", q.mapped())
		w.AwaitEnd(ctx)
		return
	}
	o.SecondEnd = w.finishAfter(ctx, o.Listed)
	if h.Depth > scenarios.Quick && q.way.ours {
		listWhatIsEmpty(ctx, h, o)
	}
}

// listWhatIsEmpty has another run ask for a truth, a number and a text, and answers it with a list of what is false, 0 and empty.
func listWhatIsEmpty(ctx context.Context, h host.Host, o *QuestionsObservation) {
	var asked, given []any
	for _, q := range []struct {
		kind   string
		answer any
	}{{"boolean", false}, {"integer", 0}, {"string", ""}} {
		id := "q" + h.Marker()
		asked = append(asked, map[string]any{"id": id, "question": "What is it?", "schema": map[string]any{"type": q.kind}})
		given = append(given, map[string]any{"id": id, "answer": q.answer})
	}
	w := wait(ctx, h, ourGate(h, gateWay{fixture: fixture.Questions, node: "ask", inputs: map[string]any{"questions": asked}}))
	if o.Bare = w.Gate; !w.isWaiting() {
		return
	}
	if o.Nothing = w.answer(ctx, "to answer with a list of what is false, 0 and empty", "", map[string]any{"answers": given}); host.Succeeded(
		o.Nothing.Status) {
		w.AwaitEnd(ctx)
		return
	}
	w.Stop(ctx, "to cancel the run whose list was refused")
}
