package model

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// The kinds of questions, and values for answers. No text has all of them.
var (
	Kinds  = []string{"choice", "confirm", "text"}
	Values = []any{
		"yes-a", "no-b", "wait-c", "yes", "no", "Zoë's \"note\" – 名前 \\n", "false", "Yes-a", "yes-", "YES", "",
		true, false, map[string]any{"a": "b"},
	}
)

// Plain are the values of [Values] that are texts which are not empty: every kind of question but a text refuses some of them.
const Plain = 10

// Fits reports whether a value of [Values] answers a question, and whether the texts say so.
func Fits(kind, value int) (fits, said bool) { return answers(kind, Values[value]) }

func answers(kind int, value any) (fits, said bool) {
	switch v := value; Kinds[kind] {
	case "choice":
		return slices.Contains(Choices, as[string](v)), true
	case "confirm":
		return v == "yes" || v == "no", true
	default:
		if v == "" {
			return false, true
		}
		return as[string](v) != "", as[string](v) != ""
	}
}

func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

// Choices are those of questions that are drawn. An answer may have another value.
var Choices = []string{"yes-a", "no-b", "wait-c", "later-d", "never-e", "ask-f", "skip-g"}

// The label and the description of a choice.
const (
	LabelOf   = "Label of %v"
	MeaningOf = "What %v means"
)

// repliesTo compares the reply to an answer that was taken.
func repliesTo(body wire.Value, intent, sid string, value any) (out []history.Miss) {
	for _, m := range []struct {
		member string
		want   any
	}{{"intent_id", intent}, {"suspension_id", sid}, {"resolution", Answered}, {"value", value}} {
		if at := body.Key(m.member); !equal(at, m.want) {
			out = append(out, missOf(openintent.OIP0025A11, at, "%s %v", m.member, m.want))
		}
	}
	for _, member := range []string{"responded_by", "responded_at"} {
		if at := body.Key(member); at.String() == "" {
			out = append(out, missOf(openintent.OIP0025A11, at, "%s", member))
		}
	}
	return out
}

// described compares what it says of its choice with what the choice has; "" is nothing.
func described(body wire.Value, label, meaning string) (out []history.Miss) {
	for _, m := range []struct{ member, want string }{{"choice_label", label}, {"choice_description", meaning}} {
		if at := body.Key(m.member); m.want != "" && at.String() != m.want {
			out = append(out, missOf(openintent.OIP0025A12, at, "%s", m.want))
		}
	}
	return out
}

// unwritten reports the members of a record that differ from what was written there. Which sentence they break depends on what became
// of the record.
func unwritten(odd []wire.Value, record string) (out []history.Miss) {
	for _, member := range odd {
		of := scenarios.RequirementID(openintent.OIP0025A13)
		switch {
		case strings.Contains(member.Ref().Pointer, "retry_policy"):
			of = openintent.OIP0026X3
		case record == Waiting:
			of = openintent.OIP0026L1
		case record == Expired:
			of = openintent.OIP0025F2
		}
		out = append(out, missOf(of, member, "what was written there"))
	}
	return out
}

// showsAnswer compares a record that was answered.
func showsAnswer(record wire.Value, value any) (out []history.Miss) {
	if at := record.Key("response"); !equal(at, value) {
		out = append(out, missOf(openintent.OIP0025A13, at, "the answer %v", value))
	}
	if at := record.Key("resolution"); at.String() != Answered {
		out = append(out, missOf(openintent.OIP0025A13, at, "%q", Answered))
	}
	if at := record.Key("responded_at"); at.String() == "" {
		out = append(out, missOf(openintent.OIP0025A13, at, "the time of the answer"))
	}
	return out
}

// listsChoices compares valid_choices, as values or as objects.
func listsChoices(list wire.Value, choices []string) []history.Miss {
	have := map[string]bool{}
	for _, e := range list.Items() {
		have[e.Key("value").String()+as[string](e.Actual())] = true
	}
	for _, c := range choices {
		if !have[c] {
			return []history.Miss{missOf(openintent.OIP0025A8, list, "a list with the choice %q", c)}
		}
	}
	if len(have) > len(choices) {
		return []history.Miss{missOf(openintent.OIP0025A8, list, "a list of the %d choices", len(choices))}
	}
	return nil
}

func equal(v wire.Value, want any) bool {
	if list, is := want.(map[string]any); is {
		for k, w := range list {
			if !equal(v.Key(k), w) {
				return false
			}
		}
		return true
	}
	return v.Actual() == want
}
