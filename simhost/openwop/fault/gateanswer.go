package fault

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// answerFaults are about which answers are taken, and what is written down.
var answerFaults = []Fault{
	{
		ID:     "gate.rejected-is-accepted",
		Title:  "a rejection at the node of an approval is written down as an acceptance",
		Looks:  "the run completes when it was rejected, and says nowhere that it was",
		Breaks: []string{openwop.OWPINT17},
		Replace: takenFor(accepted, func(a rules.Answer) bool {
			return a.Gate && !a.Vote && a.Action() == openwopv1.ApprovalActionReject
		}),
	},
	{
		ID:     "gate.refused-spoils",
		Title:  "an approval that has refused an answer counts the acceptance after it as a rejection",
		Looks:  "the run fails when it is accepted after a wrong answer",
		Breaks: []string{openwop.OWPINT16},
		Replace: func(s *rules.Set) {
			var spoilt sync.Map // ids of runs
			takenFor(rejected, func(a rules.Answer) bool {
				if a.Refused && a.Gate && a.Kind == approval && !a.Vote {
					spoilt.Store(a.RunID, true)
				}
				_, was := spoilt.Load(a.RunID)
				return was && a.Action() == openwopv1.ApprovalActionAccept
			})(s)
		},
	},
	{
		ID:      "gate.question-accepts",
		Title:   "a question about an approval accepts it",
		Looks:   "the run completes when somebody asks",
		Breaks:  []string{openwop.OWPINT19},
		Twin:    "the question itself is taken for a decision, and nothing can come after it",
		Replace: takenFor(accepted, func(a rules.Answer) bool { return a.Gate && a.Action() == openwopv1.ApprovalActionAsk }),
	},
	{
		ID:     "gate.action-of-any-case",
		Title:  "the action of an answer is taken in capitals as well",
		Looks:  "an approval that offers accept is accepted by Accept",
		Breaks: []string{openwop.OWPINT20},
		Request: answering(func(value map[string]any) {
			if action, is := value["action"].(string); is {
				value["action"] = strings.ToLower(action)
			}
		}),
	},
	{
		ID:      "gate.any-action",
		Title:   "an approval takes actions that it does not offer",
		Looks:   "an answer with an action of nobody's is taken, and the run goes on",
		Breaks:  []string{openwop.OWPINT20},
		Replace: passesOver(rules.NotOffered, rules.Unrejectable),
	},
	{
		ID:      "gate.always-rejectable",
		Title:   "an approval can be rejected where it does not offer that",
		Looks:   "a rejection is taken by an approval that offers to accept and to ask",
		Breaks:  []string{openwop.OWPINT20},
		Twin:    "there an action is taken in other letters, here one that is not offered",
		Replace: passesOver(rules.Unrejectable),
	},
	{
		ID:      "gate.unoffered-taken",
		Title:   "an approval refuses an action that it does not offer, and goes on with it",
		Looks:   "the answer is HTTP 4xx, and the run has moved",
		Breaks:  []string{openwop.OWPINT13},
		Spots:   []int{24},
		Replace: takingRefused(func(a rules.Answer) bool { return a.Gate && a.Kind == approval && !decides(a.Action()) }),
	},
	{
		ID:      "gate.answer-to-nobody-taken",
		Title:   "an answer to a node that is not there is refused, and answers the node that waits",
		Looks:   "the answer is HTTP 404, and the run has moved",
		Breaks:  []string{openwop.OWPINT13},
		Spots:   []int{24},
		Replace: takingRefused(func(a rules.Answer) bool { return a.Gate && !a.ByToken && a.Astray && a.Kind == approval }),
	},
	{
		ID:     "gate.misfit-taken",
		Title:  "an answer that does not fit its question is refused, and the run goes on with it",
		Looks:  "the answer is HTTP 400, and the run has moved",
		Breaks: []string{openwop.OWPINT13},
		Spots:  []int{24},
		Replace: takingRefused(func(a rules.Answer) bool {
			return a.Gate && a.Kind == clarification && string(a.Value) != `{"answers":{}}`
		}),
	},
	{
		ID:      "gate.wrong-event-taken",
		Title:   "an event that does not match is refused, and the run goes on with it",
		Looks:   "the event is HTTP 422, and the run has moved",
		Breaks:  []string{openwop.OWPINT13},
		Spots:   []int{24},
		Replace: takingRefused(func(a rules.Answer) bool { return a.Gate && a.Kind == externalEvent }),
	},
	{
		ID:      "gate.schemas-unread",
		Title:   "the answers to a clarification are not held to the schemas of their questions",
		Looks:   "a text is taken where a number was asked for",
		Breaks:  []string{openwop.OWPINT22},
		Replace: passesOver(rules.Misfit),
	},
	{
		ID:      "gate.questions-left-open",
		Title:   "a clarification takes an answer that leaves its questions open",
		Looks:   "the run goes on when nothing was answered",
		Breaks:  []string{openwop.OWPINT23},
		Replace: passesOver(rules.Unanswered),
	},
	{
		ID:      "gate.list-refused",
		Title:   "the answers to a clarification are taken as a map only",
		Looks:   "answers that come as a list are refused",
		Breaks:  []string{openwop.OWPINT24},
		Request: listsOfAnswersSpoilt,
	},
	{
		ID:     "gate.event-number-in-words",
		Title:  "an event matches a number of its correlation by the text of that number",
		Looks:  "an event with 7 in quotation marks resumes a run that waits for one with 7",
		Breaks: []string{openwop.OWPINT26},
		Request: answering(func(value map[string]any) {
			for name, v := range value {
				if text, is := v.(string); is {
					if n, err := strconv.Atoi(text); err == nil {
						value[name] = n
					}
				}
			}
		}),
	},
	{
		ID:      "gate.event-matches-in-part",
		Title:   "an event matches that leaves out members of the correlation",
		Looks:   "an event without its status resumes the run",
		Breaks:  []string{openwop.OWPINT26},
		Replace: passesOver(rules.Missing),
	},
	{
		ID:     "gate.reply-without-node",
		Title:  "the reply to an answer does not say which node was answered",
		Looks:  "nodeId of the reply is empty",
		Breaks: []string{openwop.OWPINT15},
		Reply: mutate.On(answersByRun, mutate.Succeeded(mutate.At("", func(r *openwopv1.ResolveInterruptResponse) {
			r.NodeID = ""
		}))),
	},
}

// The calls that answer an interrupt.
const (
	answersByRun   = "POST /v1/runs/{runId}/interrupts/{nodeId}"
	answersByToken = "POST " + byToken
)

// listsOfAnswersSpoilt makes a list of answers something that nobody takes for answers.
func listsOfAnswersSpoilt(r *mutate.Request) {
	spoil := mutate.Body(func(answer map[string]any) {
		value, _ := answer["resumeValue"].(map[string]any)
		if _, list := value["answers"].([]any); list {
			value["answers"] = "a list"
		}
	})
	mutate.Asked(answersByRun, spoil)(r)
	mutate.Asked(answersByToken, spoil)(r)
}

// decides tells the actions that an approval is decided by.
func decides(action openwopv1.ApprovalAction) bool {
	return slices.Contains([]openwopv1.ApprovalAction{openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject}, action)
}

// answering changes what comes as an answer, to a node or with a token.
func answering(change func(value map[string]any)) mutate.RequestFunc {
	body := mutate.Body(func(body map[string]any) {
		if value, is := body["resumeValue"].(map[string]any); is {
			change(value)
		}
	})
	return func(r *mutate.Request) {
		mutate.Asked(answersByRun, body)(r)
		mutate.Asked(answersByToken, body)(r)
	}
}

// passesOver takes answers with these flaws.
func passesOver(flaws ...rules.AnswerFlaw) func(*rules.Set) {
	return func(s *rules.Set) {
		minds := s.Answers.Minds
		s.Answers.Minds = func(f rules.AnswerFlaw) bool { return !slices.Contains(flaws, f) && minds(f) }
	}
}

// takingRefused has the refused answers taken that are meant.
func takingRefused(meant func(rules.Answer) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		takes := s.Answers.Takes
		s.Answers.Takes = func(a rules.Answer) (json.RawMessage, bool) {
			value, taken := takes(a)
			return value, taken || meant(a)
		}
	}
}

// takenFor has the answers that are meant written down as another value.
func takenFor(other json.RawMessage, meant func(rules.Answer) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		takes := s.Answers.Takes
		s.Answers.Takes = func(a rules.Answer) (json.RawMessage, bool) {
			value, taken := takes(a)
			if meant(a) {
				value = other
			}
			return value, taken
		}
	}
}

// answersAs has who answers looked at as somebody else.
func answersAs(change func(*rules.Respondent)) func(*rules.Set) {
	return func(s *rules.Set) {
		admits := s.Answers.Admits
		s.Answers.Admits = func(r rules.Respondent) bool {
			change(&r)
			return admits(r)
		}
	}
}

// voteFaults are about who may answer, and how many it takes.
var voteFaults = []Fault{
	{
		ID:     "gate.quorum-one-short",
		Title:  "a quorum in which nobody has a veto is filled when one vote is missing",
		Looks:  "the run goes on one vote early",
		Breaks: []string{openwop.OWPINT27},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			if t.Majority {
				t.Granted++
			}
			return t
		}),
	},
	{
		ID:     "gate.majority-is-one",
		Title:  "where the majority decides, the first rejection does",
		Looks:  "a gate that needs more is rejected by one vote",
		Breaks: []string{openwop.OWPINT29},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			t.Majority = false
			return t
		}),
	},
	{
		ID:     "gate.veto-is-one-vote",
		Title:  "where each has a veto, the majority decides",
		Looks:  "a gate waits on when it was rejected once",
		Breaks: []string{openwop.OWPINT30},
		Replace: decidesBy(func(t rules.Tally) rules.Tally {
			t.Majority = true
			return t
		}),
	},
	{
		ID:      "gate.votes-again",
		Title:   "one principal fills a quorum alone",
		Looks:   "a second vote of the same key is counted",
		Breaks:  []string{openwop.OWPINT28},
		Spots:   []int{23},
		Twin:    "there a vote counts again if it is another one, here any",
		Replace: answersAs(func(r *rules.Respondent) { r.Votes = 0 }),
	},
	{
		ID:     "gate.changed-vote-counts-twice",
		Title:  "who votes otherwise than before has both votes counted",
		Looks:  "a principal that rejected and then accepts fills a quorum with the others, and so does one that accepted and then rejects",
		Breaks: []string{openwop.OWPINT28},
		Replace: answersAs(func(r *rules.Respondent) {
			if r.Changes {
				r.Votes = 0
			}
		}),
	},
	{
		ID:      "gate.token-alone-answers",
		Title:   "an approval that asks for a credential is answered by its token alone",
		Looks:   "the token is accepted without a key",
		Breaks:  []string{openwop.OWPINT31, openwop.OWPINT32},
		Replace: answersAs(func(r *rules.Respondent) { r.Profiled = false }),
	},
	{
		ID:      "gate.scope-unchecked",
		Title:   "a key without the scope to answer interrupts answers them",
		Looks:   "an acceptance by a key without approvals:respond is HTTP 200",
		Breaks:  []string{openwop.OWPINT32},
		Replace: answersAs(func(r *rules.Respondent) { r.LacksScope = r.LacksScope && r.Beside }),
	},
	{
		ID:      "gate.scope-unchecked-beside-token",
		Title:   "a key without the scope to answer interrupts, beside the token of one that asks for a key, answers it",
		Looks:   "an acceptance by token with a key without approvals:respond is HTTP 200",
		Breaks:  []string{openwop.OWPINT32},
		Twin:    "there the scope is never looked at, here not beside a token",
		Replace: answersAs(func(r *rules.Respondent) { r.LacksScope = r.LacksScope && !r.Beside }),
	},
}

// decidesBy counts votes in another way.
func decidesBy(other func(rules.Tally) rules.Tally) func(*rules.Set) {
	return func(s *rules.Set) {
		decided := s.Answers.Decided
		s.Answers.Decided = func(t rules.Tally) bool { return decided(other(t)) }
	}
}
