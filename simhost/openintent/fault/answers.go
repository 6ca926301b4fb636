package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// takes puts another judgement of answers in the place of the honest one, of which it may ask.
func takes(judge func(rules.Standing) (rules.Verdict, bool)) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Answers.Takes
		s.Answers.Takes = func(st rules.Standing) rules.Verdict {
			if v, ok := judge(st); ok {
				return v
			}
			return before(st)
		}
	}
}

// taking takes the answers for which when holds.
func taking(when func(rules.Standing) bool) func(*rules.Set) {
	return takes(func(st rules.Standing) (rules.Verdict, bool) { return rules.Take, when(st) })
}

// keeps changes the record with the answer in it.
func keeps(change func(before, record map[string]any)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Answers.Keeps
		s.Answers.Keeps = func(before map[string]any, a rules.Answer) map[string]any {
			record := honest(before, a)
			change(before, record)
			return record
		}
	}
}

// withoutEmpty returns a document without the members that are false, 0, null or empty.
func withoutEmpty(v any) any {
	members, is := v.(map[string]any)
	if !is {
		return v
	}
	out := map[string]any{}
	for name, v := range members {
		if text := fmt.Sprint(v); v != nil && text != "" && text != "0" && text != "false" && text != "[]" && text != "map[]" {
			out[name] = withoutEmpty(v)
		}
	}
	return out
}

// fits takes values of one response type that are no answers.
func fits(response string) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Answers.Fits
		s.Answers.Fits = func(r *suspension.Record, value json.RawMessage) (bool, []suspension.Option) {
			ok, options := honest(r, value)
			return ok || r.ResponseType == response, options
		}
	}
}

// replies changes the reply to an answer that was taken.
func replies(change func(map[string]any)) mutate.ReplyFunc {
	return mutate.On(answer, mutate.Succeeded(mutate.JSON(change)))
}

// begun tells whether the suspension of a record has begun, and may be over.
func begun(in *openintentv1.Intent, record map[string]any) bool {
	return in.Status == suspended || record["resolution"] != nil
}

const (
	respond = "respondToSuspension" // the operation, and how it is asked for:
	answer  = "POST /api/v1/intents/{intentId}/suspend/respond"
)

var answerFaults = []Fault{
	{
		ID: "openintent.answer-without-key", Title: "an answer is taken from whoever sends one",
		Looks: "respond without a key is 200", Breaks: []string{oi.OIP0025A1},
		Replace: func(s *rules.Set) {
			s.Requests.LetsIn = func(k rules.Knock) bool { return k.Known || k.Public || k.Operation == respond }
		},
	},
	{
		ID: "openintent.answer-lost", Title: "an answer is taken and not written into the record, as release 0.17.0 does",
		Looks: "the record has no response behind a 200", Breaks: []string{oi.OIP0025A13, oi.OIPREAD1, oi.OIP0026T9},
		Replace: keeps(func(_, record map[string]any) { delete(record, "response") }),
	},
	{
		ID: "openintent.answer-replaces-record", Title: "the record is made anew of the answer, and what was asked is gone",
		Looks: "question and context are missing in the record behind an answer", Breaks: []string{oi.OIP0025A13},
		Replace: keeps(func(_, record map[string]any) { delete(record, "question"); delete(record, "context") }),
	},
	{
		ID: "openintent.empty-values-dropped", Title: "with the answer, all that is false, 0 or empty is dropped from the record",
		Looks: "a form that said no lacks that member in response", Breaks: []string{oi.OIP0025A13},
		Twin: "there choices lose members, here answers are lost that are empty",
		Replace: keeps(func(_, record map[string]any) {
			for _, member := range []string{"context", "response"} {
				record[member] = withoutEmpty(record[member])
			}
		}),
	},
	{
		ID: "openintent.answer-without-time", Title: "the record does not say when it was answered",
		Looks: "responded_at is missing in the record", Breaks: []string{oi.OIP0025A13},
		Twin:    "a record that is kept, and lacks one member of the answer",
		Replace: keeps(func(_, record map[string]any) { delete(record, "responded_at") }),
	},
	{
		ID: "openintent.answer-without-resolution", Title: "the record with the answer does not say that it is over",
		Looks: "resolution is missing in the record behind an answer", Breaks: []string{oi.OIP0025A13, oi.OIP0025A5, oi.OIPREAD7, oi.OIPREAD4},
		Replace: keeps(func(_, record map[string]any) { delete(record, "resolution") }),
	},
	{
		ID: "openintent.duplicate-accepted", Title: "an answer is taken again, and written over the first",
		Looks: "a second answer is 200", Breaks: []string{oi.OIP0026K4, oi.OIPREAD1, oi.OIP0025A4, oi.OIP0025A13, oi.OIP0025A14},
		Replace: taking(func(st rules.Standing) bool {
			return !st.Suspended && st.Recorded && st.RecordID == st.SentID && st.Resolution == suspension.Responded
		}),
	},
	{
		ID: "openintent.answers-race", Title: "of answers that come at once several are taken: each is judged before the others are kept out",
		Looks: "of eight answers at once more than one is 200", Breaks: []string{oi.OIPREAD1, oi.OIP0025A14},
		ByChance: []string{oi.OIP0025A13}, // the record has one of the answers that were taken
		Replace: func(s *rules.Set) {
			s.Answers.Between = func(bool) time.Duration { return 30 * time.Millisecond }
		},
	},
	{
		ID: "openintent.stale-id-accepted", Title: "the id of a suspension that is over answers the next one",
		Looks: "an old suspension_id is 200", Breaks: []string{oi.OIP0025A5, oi.OIP0025A14},
		Replace: taking(func(st rules.Standing) bool { return st.Suspended && st.Before }),
	},
	{
		ID:    "openintent.stale-id-in-window",
		Title: "while a new suspension has no record yet, the id of the one before answers it, as release 0.17.0 does",
		Looks: "an old suspension_id is 200 between the status and the record", Breaks: []string{oi.OIP0025A5},
		Twin: "only while the record of the new suspension is missing: what release 0.17.0 does",
		Replace: taking(func(st rules.Standing) bool {
			return st.Suspended && st.Recorded && st.RecordID == st.SentID && st.Resolution != ""
		}),
	},
	{
		ID: "openintent.any-id-accepted", Title: "an answer is taken whatever suspension it names",
		Looks: "a wrong suspension_id is 200", Breaks: []string{oi.OIP0025A5},
		Replace: taking(func(st rules.Standing) bool { return st.Suspended && st.Resolution == "" }),
	},
	{
		ID: "openintent.id-compared-in-part", Title: "of a suspension_id its first part is compared",
		Looks: "a suspension_id that ends otherwise is 200", Breaks: []string{oi.OIP0025A5},
		Replace: taking(func(st rules.Standing) bool {
			first, _, _ := strings.Cut(st.RecordID, "-")
			return st.Suspended && st.Resolution == "" && first != "" && strings.HasPrefix(st.SentID, first)
		}),
	},
	{
		ID: "openintent.active-id-told", Title: "the refusal of a wrong id tells the right one, as release 0.17.0 does",
		Looks: "the detail of a 409 has the active suspension_id", Breaks: []string{oi.OIP0025A6},
		Replace: func(s *rules.Set) { s.Answers.Reveals = func() bool { return true } },
	},
	{
		ID: "openintent.server-error-on-bad-body", Title: "a body that is no JSON object makes the server fail, as release 0.17.0 does",
		Looks: "respond with a broken body is 500", Breaks: []string{oi.OIP0025A17},
		Reply: refusals(func(r *mutate.Reply, refusal map[string]any) {
			if r.Status == http.StatusBadRequest && refusal["error"] == "bad_request" {
				r.Status, refusal["error"] = http.StatusInternalServerError, "internal_error"
			}
		}),
	},
	{
		ID: "openintent.missing-id-conflicts", Title: "an answer that names no suspension is refused as one that names another",
		Looks: "respond without suspension_id is 409", Breaks: []string{oi.OIP0025A2},
		Request: mutate.Asked(answer, mutate.Body(func(asked map[string]any) {
			if id, names := asked["suspension_id"]; !names || id == "" {
				asked["suspension_id"] = "none"
			}
		})),
	},
	{
		ID: "openintent.unknown-intent-conflicts", Title: "an answer to an intent that is not there is refused as one that comes too late",
		Looks: "respond to an unknown intent is 409", Breaks: []string{oi.OIP0025A3},
		Reply: mutate.On(answer, func(r *mutate.Reply) {
			if r.Status == http.StatusNotFound {
				r.Status = http.StatusConflict
			}
		}),
	},
	{
		ID: "openintent.active-intent-answered", Title: "an answer to an intent that waits for nothing is taken",
		Looks: "respond to an active intent without a suspension is 200", Breaks: []string{oi.OIP0025A4},
		Replace: taking(func(st rules.Standing) bool { return !st.Suspended && !st.Recorded }),
	},
	{
		ID: "openintent.choice-unchecked", Title: "an answer is taken that is none of the choices",
		Looks: "a value outside the choices is 200", Breaks: []string{oi.OIP0025A7, oi.OIP0025A8},
		Replace: fits(suspension.Choice),
	},
	{
		ID: "openintent.choice-by-its-beginning", Title: "the beginning of a choice is taken for it",
		Looks: "a value without its last letter is 200", Breaks: []string{oi.OIP0025A7},
		Replace: func(s *rules.Set) {
			honest := s.Answers.Fits
			s.Answers.Fits = func(r *suspension.Record, value json.RawMessage) (bool, []suspension.Option) {
				ok, options := honest(r, value)
				var text string
				begins := json.Unmarshal(value, &text) == nil && text != "" &&
					slices.ContainsFunc(r.Choices, func(c suspension.Option) bool { return strings.HasPrefix(c.Value, text) })
				return ok || begins, options
			}
		},
	},
	{
		ID: "openintent.choices-untold", Title: "the refusal of a choice does not say which there are",
		Looks: "valid_choices is missing in a 422", Breaks: []string{oi.OIP0025A8},
		Reply: refusals(func(_ *mutate.Reply, refusal map[string]any) { delete(refusal, "valid_choices") }),
	},
	{
		ID: "openintent.choices-cut-at-five", Title: "a refusal lists the first five valid choices",
		Looks: "valid_choices lacks one of six in a 422", Breaks: []string{oi.OIP0025A8}, Depth: "standard",
		Reply: refusals(func(_ *mutate.Reply, refusal map[string]any) {
			if list, _ := refusal["valid_choices"].([]any); len(list) > 5 {
				refusal["valid_choices"] = list[:5]
			}
		}),
	},
	{
		ID: "openintent.choice-refused-as-conflict", Title: "a value that is none of the choices is refused as a conflict",
		Looks: "a value outside the choices is 409", Breaks: []string{oi.OIP0025A7},
		Reply: refusals(func(r *mutate.Reply, refusal map[string]any) {
			choices, _ := refusal["valid_choices"].([]any)
			if len(choices) == 0 {
				return
			}
			if first, ok := choices[0].(map[string]any); ok && first["value"] != "yes" { // not a confirmation
				r.Status = http.StatusConflict
			}
		}),
	},
	{
		ID: "openintent.confirm-unchecked", Title: "a confirmation takes any text",
		Looks: "maybe is 200", Breaks: []string{oi.OIP0025A9},
		Replace: fits(suspension.Confirm),
	},
	{
		ID: "openintent.truth-confirms", Title: "a confirmation takes true and false for yes and no",
		Looks: "true is 200", Breaks: []string{oi.OIP0025A9},
		Replace: func(s *rules.Set) {
			honest := s.Answers.Fits
			s.Answers.Fits = func(r *suspension.Record, value json.RawMessage) (bool, []suspension.Option) {
				ok, options := honest(r, value)
				truth := string(value) == "true" || string(value) == "false"
				return ok || r.ResponseType == suspension.Confirm && truth, options
			}
		},
	},
	{
		ID: "openintent.empty-text-taken", Title: "an empty text is taken for an answer, as release 0.17.0 does",
		Looks: "an empty value is 200", Breaks: []string{oi.OIP0025A10},
		Replace: fits(suspension.Text),
	},
	{
		ID: "openintent.reply-without-responder", Title: "the reply to an answer does not say whose it is",
		Looks: "responded_by is missing in the reply", Breaks: []string{oi.OIP0025A11},
		Reply: replies(func(reply map[string]any) { delete(reply, "responded_by") }),
	},
	{
		ID: "openintent.reply-without-label", Title: "the reply to a choice does not say its label",
		Looks: "choice_label is missing in the reply", Breaks: []string{oi.OIP0025A12},
		Reply: replies(func(reply map[string]any) { delete(reply, "choice_label") }),
	},
	{
		ID: "openintent.resumed-twice", Title: "an answer leaves two intent.resumed",
		Looks: "intent.resumed is twice on the log", Breaks: []string{oi.OIP0025A14, oi.OIPREAD1, oi.OIPREAD2},
		Replace: twice("intent.resumed"),
	},
	{
		ID: "openintent.resumed-untold", Title: "an answer leaves no intent.resumed",
		Looks: "intent.resumed is not on the log", Breaks: []string{oi.OIP0025A14, oi.OIPREAD1, oi.OIPREAD2},
		Twin:    "an event that is missing, where its twin has one too many",
		Replace: untold("intent.resumed"),
	},
	{
		ID: "openintent.answer-blocks", Title: "an intent whose choice was made turns blocked, and not active",
		Looks: "the status behind an answer is blocked", Breaks: []string{oi.OIP0025A15, oi.OIPREAD2},
		Replace: func(s *rules.Set) {
			s.Answers.Resumes = func(response string) string {
				if response == suspension.Choice {
					return "blocked"
				}
				return active
			}
		},
	},
	{
		ID: "openintent.outsider-answers", Title: "an answer is taken from an agent that the governance does not allow, as release 0.17.0 does",
		Looks: "respond with a key that is not in allowed_agents is 200", Breaks: []string{oi.OIP0025A16},
		Replace: func(s *rules.Set) { s.Answers.May = func(bool) bool { return true } },
	},
	{
		ID: "openintent.late-record-unanswerable", Title: "a suspension whose record comes after the status cannot be answered",
		Looks: "respond is 409 where the status was set first", Breaks: []string{oi.OIPREAD2},
		Replace: takes(func(st rules.Standing) (rules.Verdict, bool) {
			return rules.OtherSuspension, st.Suspended && st.Later
		}),
	},
	{
		ID: "openintent.suspended-twice-told", Title: "a suspension leaves two intent.suspended",
		Looks: "intent.suspended is twice on the log", Breaks: []string{oi.OIPREAD7},
		Replace: twice("intent.suspended"),
	},
	{
		ID: "openintent.plain-record-cut", Title: "of a record without a retry policy the fallback policy is not kept",
		Looks: "fallback_policy is gone from the record", Breaks: []string{oi.OIP0026L1},
		Reply: records(func(in *openintentv1.Intent, record map[string]any) {
			if begun(in, record) && record["retry_policy"] == nil {
				delete(record, "fallback_policy")
			}
		}),
	},
}
