package interrupts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

var asked = &scenarios.Dimension{Name: "questions of an interrupt", Least: 3, Most: [3]int{4, 8, 16}}

// DrawnAnswersObservation is an interrupt that takes values of every type, which was answered wrongly and then right.
type DrawnAnswersObservation struct {
	Gate
	Round Round        `json:"round"`
	Given model.Values `json:"given"` // what was answered, by question; or the members of the event
	Right Response     `json:"right"`
	End   host.RunLog  `json:"end"`
	Late  Response     `json:"late"` // the right answer once more
	Later host.RunLog  `json:"later"`

	Again *DrawnAnswersObservation `json:"again,omitempty"` // another run, whose questions have the same ids and take other values
}

// kindOf is a kind of answer to a question: its schema, right answers, and wrong ones that are close to these.
type kindOf struct {
	schema map[string]any
	right  []any
	wrong  []any
}

// kinds are those of the JSON types. What looks empty is right where the schema allows it.
func kinds(marker string) []kindOf {
	return []kindOf{
		{map[string]any{"type": "string"}, []any{"", "0", "false", "null", " " + marker + " ", "Zoë 名前 🙂 " + marker},
			[]any{0, false, nil, []any{""}}},
		{map[string]any{"type": "string", "enum": []any{"accept", marker}}, []any{"accept", marker},
			[]any{"Accept", "accept ", marker + "x", marker[:len(marker)-1], nil, []any{marker}}},
		{map[string]any{"type": "integer", "minimum": -3, "maximum": 3}, []any{0, -3, 3}, []any{"0", 4, -4, 0.5, false, nil, []any{0}}},
		{map[string]any{"type": "number", "exclusiveMinimum": 0.5}, []any{0.75, 1_000_000}, []any{0.5, "0.75", 0, true, nil}},
		{map[string]any{"type": "boolean"}, []any{false, true}, []any{"false", "true", 0, 1, nil, ""}},
		{map[string]any{"type": "array", "items": map[string]any{"type": "integer"}, "maxItems": 3}, []any{[]any{}, []any{0, 0, 7}},
			[]any{map[string]any{}, []any{0, 1, 2, 3}, []any{"0"}, nil, 0}},
		{map[string]any{"type": "object", "required": []any{"a"}}, []any{map[string]any{"a": nil}, map[string]any{"a": map[string]any{}}},
			[]any{map[string]any{}, []any{"a"}, "{\"a\":1}", nil}},
		{map[string]any{"type": []any{"null", "boolean"}}, []any{nil, false}, []any{"null", 0, ""}},
	}
}

// drawnQuestions has a run ask questions whose answers are of every type, and answers them.
var drawnQuestions = &scenarios.Drive[DrawnAnswersObservation]{
	ID: "openwop/drawn-questions",
	Title: "has a run ask drawn questions whose answers are of every JSON type, answers them with one that is close to what fits, " +
		"again and again, and then with what fits, and once more behind the end",
	Sends:      []string{"{create run} (assay-questions with drawn questions)", "{read run}", "{poll log}", "{answer node}", "{use token}"},
	Dimensions: []*scenarios.Dimension{asked, misses},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnAnswersObservation) {
		h := host.Host{Conn: c}
		way := ourGate(h, gateWay{fixture: fixture.Questions, node: "ask"})
		all := kinds(h.Marker())
		ids, chosen := make([]string, h.Draw(asked)), make([]int, 0, len(all))
		o.ask(ctx, h, way, len(ids), func(i int) (string, kindOf) {
			ids[i], chosen = fmt.Sprintf("q%d-%s", i, h.Marker()), append(chosen, 0)
			if i > 0 { // the first is empty
				chosen[i] = h.Rand.IntN(len(all))
			}
			return ids[i], all[chosen[i]]
		})
		if h.Depth > scenarios.Quick && o.Round.Waits.Reached {
			o.Again = &DrawnAnswersObservation{}
			o.Again.ask(ctx, h, way, len(ids), func(i int) (string, kindOf) {
				return ids[i], all[(chosen[i]+1+h.Rand.IntN(len(all)-1))%len(all)]
			})
		}
	},
}

// ask has a run ask n questions, whose ids and kinds pick chooses, and answers them.
func (o *DrawnAnswersObservation) ask(ctx context.Context, h host.Host, way gateWay, n int, pick func(i int) (string, kindOf)) {
	o.Given = model.Values{}
	var questions []any
	var wrong []attempt
	for i := range n {
		id, k := pick(i)
		questions = append(questions, map[string]any{"id": id, "question": "What of " + h.Marker() + "?", "schema": k.schema})
		if o.Given[id] = k.right[0]; i > 0 {
			o.Given[id] = k.right[h.Rand.IntN(len(k.right))]
		}
		for _, value := range k.wrong {
			wrong = append(wrong, attempt{miss: wrongAnswer, what: fmt.Sprintf("with %s for question %d of %s", wire.Compact(value), i+1,
				wire.Compact(k.schema)), value: map[string]any{id: value}})
		}
	}
	h.Rand.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	way.inputs = map[string]any{"questions": questions}
	wrong = append(drawn(h, wrong[1:]), wrong[0]) // a number for a text is always among them
	for i := range wrong {
		answers := maps.Clone(o.Given)
		maps.Copy(answers, wrong[i].value.(map[string]any))
		wrong[i].value = map[string]any{"answers": answers}
	}
	if h.Depth > scenarios.Quick {
		wrong = append(wrong, listed(wrong[h.Rand.IntN(len(wrong))]))
	}
	w := wait(ctx, h, way)
	o.answerDrawn(ctx, w, wrong, map[string]any{"answers": o.Given})
}

// listed sends the same answers as a list, the other form that the protocol allows. A host without that form refuses them as well.
func listed(a attempt) attempt {
	answers := a.value.(map[string]any)["answers"].(model.Values)
	list := make([]any, 0, len(answers))
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		list = append(list, map[string]any{"id": id, "answer": answers[id]})
	}
	a.what += ", in a list"
	a.value = map[string]any{"answers": list}
	return a
}

// answerDrawn sends what is wrong, what is right, and that once more.
func (o *DrawnAnswersObservation) answerDrawn(ctx context.Context, w *Waiting, wrong []attempt, right any) {
	o.Gate, o.Round = w.Gate, Round{Waits: w.Suspended, Log: w.Log}
	if !w.isWaiting() {
		return
	}
	w.miss(ctx, &o.Round, wrong, []string{w.token})
	o.Right = w.answerAsEvent(ctx, "with what fits", "", right)
	if host.NotThere(o.Right.HTTPStatus()) && w.token != "" { // it has no route for tokens
		o.Right = w.answer(ctx, "with what fits", "", right)
	}
	if o.End = w.finishAfter(ctx, o.Right); !o.End.Ended.Reached {
		return
	}
	o.Late = w.answer(ctx, "with what fits, once more", "", right)
	o.Later = w.Stands(ctx, "the run, when it was answered again")
}

// drawnEvent has a run wait for an event whose members are of every type, and sends it.
var drawnEvent = &scenarios.Drive[DrawnAnswersObservation]{
	ID: "openwop/drawn-event",
	Title: "has a run wait for an event whose correlation has members of several JSON types, sends events that are close to it, by its " +
		"token and at its node, and then the event with values of every type, and once more behind the end",
	Sends:      []string{"{create run} (assay-event with a drawn correlation)", "{read run}", "{poll log}", "{use token}", "{answer node}"},
	Dimensions: []*scenarios.Dimension{misses},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnAnswersObservation) {
		h := host.Host{Conn: c}
		way := ourGate(h, gateWay{fixture: fixture.Event, node: "wait"})
		match := map[string]any{"orderId": h.Marker(), "lines": h.Between(2, 999), "paid": h.Between(0, 1) == 1, "naïve": "Zoë " + h.Marker(),
			"none": "", "zero": 0}
		if h.Depth > scenarios.Quick {
			match[deep] = map[string]any{"id": h.Marker(), "count": h.Between(2, 999), "of": map[string]any{"shop": h.Marker(), "open": false}}
		}
		way.inputs = map[string]any{"eventType": "order." + h.Marker(), correlation: match}
		o.Given = maps.Clone(match)
		o.Given["note"] = host.Values(h.Marker())
		wrong := eventMisses(h, o.Given, match)
		wrong = append(drawn(h, wrong[2:]), wrong[:2]...) // a text for a number, and no number, are always among them
		if h.Depth > scenarios.Quick {
			wrong = append(wrong, resembling(h, o.Given, match)...)
			wrong = append(wrong, within(o.Given, match)...)
		}
		w := wait(ctx, h, way)
		if w.ID == "" && w.Created.Status/100 == 4 { // a correlation may hold texts alone
			maps.DeleteFunc(match, func(name string, value any) bool { return !isText(value) })
			maps.DeleteFunc(o.Given, func(name string, value any) bool { return !isText(value) && name != "note" })
			wrong = slices.DeleteFunc(wrong, func(a attempt) bool { return matches(a.value.(map[string]any), match) })
			w = wait(ctx, h, way)
		}
		o.answerDrawn(ctx, w, wrong, o.Given)
		if status := o.Right.HTTPStatus(); status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			return
		}
		for i := range wrong { // it may look for the correlation below a member of its name
			wrong[i].value = below(wrong[i].value.(map[string]any))
		}
		nested := DrawnAnswersObservation{Given: below(o.Given)}
		nested.answerDrawn(ctx, wait(ctx, h, way), wrong, nested.Given)
		if host.Succeeded(nested.Right.Status) {
			*o = nested
			return
		}
		if match[deep] == nil {
			return
		}
		for _, values := range []map[string]any{match, o.Given} { // the host may not compare objects
			delete(values, deep)
		}
		wrong = eventMisses(h, o.Given, match)
		flat := DrawnAnswersObservation{Given: o.Given}
		flat.answerDrawn(ctx, wait(ctx, h, way), wrong, flat.Given)
		if host.Succeeded(flat.Right.Status) {
			*o = flat
		}
	},
}

func isText(v any) bool {
	_, is := v.(string)
	return is
}

// matches reports whether an event has all members of the correlation.
func matches(event, match map[string]any) bool {
	for name, value := range match {
		if wire.Compact(event[name]) != wire.Compact(value) {
			return false
		}
	}
	return true
}

// below returns the event with all members but its note below one more.
func below(event map[string]any) map[string]any {
	in := maps.Clone(event)
	delete(in, "note")
	return map[string]any{"note": event["note"], correlation: in}
}

// resembling returns events that differ from the right one in one of its texts, in each way in which texts are taken for one another.
func resembling(h host.Host, right, match map[string]any) (all []attempt) {
	name := []string{"orderId", "naïve"}[h.Rand.IntN(2)]
	for _, other := range host.LookAlikes(match[name].(string)) {
		e := maps.Clone(right)
		e[name] = other
		all = append(all, attempt{miss: wrongAnswer, what: fmt.Sprintf("with an event whose %s is %q and not %q", name, other, match[name]),
			event: true, value: e})
	}
	return all
}

// deep is the member of a correlation that is an object, with another one in it.
const deep = "item"

// within returns events that differ from the right one inside an object: a member has another value, or is missing.
func within(right, match map[string]any) (all []attempt) {
	whole := match[deep].(map[string]any)
	differs := func(what string, item map[string]any) {
		e := maps.Clone(right)
		e[deep] = item
		all = append(all, attempt{miss: wrongAnswer, what: "with an event whose " + deep + " " + what, event: true, value: e})
	}
	without := func(object map[string]any, name string) map[string]any {
		other := maps.Clone(object)
		delete(other, name)
		return other
	}
	inner := whole["of"].(map[string]any)
	differs("has another count", with(whole, "count", whole["count"].(int)+1))
	differs("has no count", without(whole, "count"))
	differs("has another member in it that is false", with(whole, "of", with(inner, "open", true)))
	differs("has a member in it without its shop", with(whole, "of", without(inner, "shop")))
	differs("is empty", map[string]any{})
	return all
}

// with returns a copy of an object, with another value for one member.
func with(object map[string]any, name string, value any) map[string]any {
	other := maps.Clone(object)
	other[name] = value
	return other
}

// eventMisses returns events that differ in one member from the right one.
func eventMisses(h host.Host, right, match map[string]any) []attempt {
	var all []attempt
	differs := func(name string, value any) {
		e := maps.Clone(right)
		e[name] = value
		all = append(all, attempt{miss: wrongAnswer, what: fmt.Sprintf("with an event whose %s is %s and not %s", name, wire.Compact(value),
			wire.Compact(match[name])), value: e})
	}
	differs("lines", fmt.Sprint(match["lines"]))
	for _, name := range slices.Sorted(maps.Keys(match)) {
		e := maps.Clone(right)
		delete(e, name)
		all = append(all, attempt{miss: wrongAnswer, what: "with an event without its " + name, value: e})
		switch v := match[name].(type) {
		case string:
			if v != "" {
				for _, other := range host.LookAlikes(v) {
					differs(name, other)
				}
				differs(name, "")
			}
			differs(name, nil)
			differs(name, []any{v})
		case int:
			for _, other := range []any{v + 1, v - 1, -v - 1, nil, false, []any{v}, ""} {
				differs(name, other)
			}
		case bool:
			for _, other := range []any{!v, fmt.Sprint(v), nil, 0, 1} {
				differs(name, other)
			}
		}
	}
	differs("naïve", "Zoe\u0308"+match["naïve"].(string)[len("Zoë"):])
	for i := range all {
		if all[i].event = h.Rand.IntN(3) > 0; !all[i].event {
			all[i].miss = atNode
		}
	}
	return all
}
