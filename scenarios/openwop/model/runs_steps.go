package model

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// lateCodes refuse an answer that comes too late, or too early.
var lateCodes = []int64{409, 404, 410, 422}

func answers(by ...By) func(RunAsk) bool {
	return func(in RunAsk) bool { return in.Do == AnswerRun && slices.Contains(by, in.By) }
}

// runAnswers are the rules of answers. Who answers at the node means whatever waits there.
var runAnswers = []*runRule{
	{
		Name: "an answer to a node that the run does not have is refused", Of: scenarios.IDs{openwop.OWPINT14, openwop.OWPINT13},
		When: func(_ Run, in RunAsk) bool { return answers(Nowhere)(in) },
		Ways: []runWay{{Must: true, To: Run.refused, Shows: func(r Run, s runStep) []history.Miss {
			if r.Held && r.stopped() && r.Claims.Approvals {
				return refusal(s.Out.Status, 404)
			}
			return refusal(s.Out.Status)
		}}},
	},
	{
		Name: "a token that the host did not make answers nothing", Of: scenarios.IDs{openwop.OWPINT39, openwop.OWPINT13},
		When: func(_ Run, in RunAsk) bool { return answers(ByForged, ByLonger)(in) },
		Ways: []runWay{{Must: true, To: Run.refused, Shows: unlessUnsent(refuses)}},
	},
	{
		Name: "an action that is not offered is refused", Of: scenarios.IDs{openwop.OWPINT20, openwop.OWPINT13},
		When: func(r Run, in RunAsk) bool {
			return r.Loop.Form == Gate && (answers(Misfit, Shouted)(in) || answers(Reject)(in) && !r.Loop.Rejects) && r.mayTake()
		},
		Ways: []runWay{{Must: true, To: Run.refused, Shows: unlessUnsent(refuses)}},
	},
	{
		Name: "what may be rejected is rejected, and what becomes of it is open", Of: scenarios.IDs{openwop.OWPINT20},
		When: func(r Run, in RunAsk) bool { return r.Loop.Form == Gate && answers(Reject)(in) && r.mayTake() },
		Ways: []runWay{
			{Name: "rejected", Must: true, Shows: func(_ Run, s runStep) []history.Miss { return success(s.Out.Status, "it is rejected") },
				To: func(r Run, s runStep) Run {
					r = r.answered(s)
					r.Rejected = true
					return r
				}},
			{Name: "not yet", To: Run.refused, Shows: func(r Run, s runStep) []history.Miss {
				if r.Held && r.stopped() {
					return success(s.Out.Status, "it is rejected")
				}
				return refusal(s.Out.Status)
			}},
		},
	},
	{
		Name: "a number for a text is refused", Of: scenarios.IDs{openwop.OWPINT22, openwop.OWPINT13},
		When: func(r Run, in RunAsk) bool { return answers(Misfit)(in) && r.mayTake() },
		Ways: []runWay{
			{Name: "refused", Must: true, To: Run.refused, Shows: unlessUnsent(refuses)},
			{Name: "taken, where nothing says that it is to be a text", To: Run.answered, Shows: func(_ Run, s runStep) []history.Miss {
				if s.Out.Typed || s.Out.Unsent {
					return refusal(s.Out.Status)
				}
				return success(s.Out.Status, "it is taken")
			}},
		},
	},
	{
		Name: "a token answers the interrupt that it was made for, once", Of: scenarios.IDs{openwop.OWPINT38, openwop.OWPINT37, openwop.OWPINT2},
		When: func(_ Run, in RunAsk) bool { return answers(ByToken, ByOld)(in) },
		Ways: []runWay{
			{Name: "taken", Must: true, To: Run.answered, Shows: unlessUnsent(func(r Run, s runStep) []history.Miss {
				if s.Out.Round != r.Leg || !r.mayTake() {
					return refusal(s.Out.Status, lateCodes...)
				}
				return under(openwop.OWPINT37, success(s.Out.Status, "the token answers what it was made for"))
			})},
			{Name: "refused", To: Run.same, Shows: func(r Run, s runStep) []history.Miss {
				if s.Out.Unsent {
					return nil
				}
				if s.Out.Round == r.Leg && r.Held && r.stopped() {
					return under(openwop.OWPINT37, success(s.Out.Status, "the token answers what it was made for"))
				}
				return refusal(s.Out.Status, lateCodes...)
			}},
		},
	},
	{
		Name: "what waits takes an answer at its node", Of: scenarios.IDs{openwop.OWPCTL9, openwop.OWPINT15},
		When: func(r Run, in RunAsk) bool { return in.Do == AnswerRun && r.Held && r.stopped() },
		Ways: []runWay{{Must: true, To: Run.answered, Shows: func(_ Run, s runStep) []history.Miss {
			if out := success(s.Out.Status, "the answer is taken"); out != nil {
				return out
			}
			return answerReply(s)
		}}},
	},
	{
		Name: "what does not wait any more takes no answer",
		Of:   scenarios.IDs{openwop.OWPINT2, openwop.OWPINT3, openwop.OWPINT46, openwop.OWPINT47},
		When: func(r Run, in RunAsk) bool { return in.Do == AnswerRun && !r.mayTake() },
		Ways: []runWay{{Must: true, To: Run.same, Shows: unlessUnsent(func(r Run, s runStep) []history.Miss {
			id := scenarios.RequirementID(openwop.OWPINT2)
			if r.End == "cancelled" {
				id = openwop.OWPINT46
			}
			if slices.Contains([]By{Misfit, Shouted, Reject}, s.In.By) { // in which order a host looks at a request no text says (OWP-R112)
				return under(id, refusal(s.Out.Status))
			}
			return under(id, refusal(s.Out.Status, lateCodes...))
		})}},
	},
	{
		Name: "what may wait may take an answer", Of: scenarios.IDs{openwop.OWPINT3},
		When: func(_ Run, in RunAsk) bool { return in.Do == AnswerRun },
		Ways: []runWay{
			{Name: "taken", To: Run.answered, Shows: func(_ Run, s runStep) []history.Miss {
				if out := success(s.Out.Status, "it is taken"); out != nil {
					return out
				}
				return answerReply(s)
			}},
			{Name: "refused", To: Run.same, Shows: func(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status) }},
		},
	},
}

// mayTake reports whether an answer may find something that waits.
func (r Run) mayTake() bool { return r.End == "" && r.asks() }

// refused: an answer was refused, and what waited waits.
func (r Run) refused(s runStep) Run {
	r.Refused = r.Refused || !s.Out.Unsent && r.mayTake()
	return r
}

func (r Run) answered(s runStep) Run {
	if s.Out.Unsent || !r.mayTake() {
		return r
	}
	r.Leg++
	r.Held, r.Refused = false, false
	if r.Pause != Standing {
		r.Still = -1
	}
	return r
}

func answerReply(s runStep) (out []history.Miss) {
	b := s.Out.Body
	out = append(out, whether(b.Key("runId").String() == s.Out.RunID, openwop.OWPINT15, b.Key("runId"), "runId %s", s.Out.RunID)...)
	out = append(out, whether(b.Key("nodeId").String() == s.Out.Node, openwop.OWPINT15, b.Key("nodeId"), "nodeId %s", s.Out.Node)...)
	status := b.Key("status")
	return append(out, whether(slices.Contains(statuses, status.String()), openwop.OWPINT15, status, "a status of the run")...)
}

func unlessUnsent(shows func(Run, runStep) []history.Miss) func(Run, runStep) []history.Miss {
	return func(r Run, s runStep) []history.Miss {
		if s.Out.Unsent {
			return nil
		}
		return shows(r, s)
	}
}

// under has misses be of a sentence.
func under(id scenarios.RequirementID, misses []history.Miss) []history.Miss {
	for i := range misses {
		misses[i].Of = id
	}
	return misses
}

func refuses(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status) }

func notOffered(_ Run, s runStep) []history.Miss {
	if s.Out.Unsent {
		return nil
	}
	return refusal(s.Out.Status, 404, 405, 501)
}

func doing(do RunDo, when func(Run) bool) func(Run, RunAsk) bool {
	return func(r Run, in RunAsk) bool { return in.Do == do && when(r) }
}

// runControls are the rules of pauses and cancels. A host may lack them, but for the cancel of a single run.
var runControls = []*runRule{
	{
		Name: "what is paused or over is not paused", Of: scenarios.IDs{openwop.OWPCTL23},
		When: doing(PauseRun, func(r Run) bool { return r.End != "" || r.Pause == Standing && !r.Cancelled }),
		Ways: []runWay{
			{Must: true, To: Run.same, Shows: func(r Run, s runStep) []history.Miss {
				is := r.End
				if is == "" {
					is = "paused"
				}
				shown := s.Out.Body.At("/details/runStatus")
				return append(refusal(s.Out.Status, 409), whether(shown.String() == is, "", shown, "details.runStatus %s", is)...)
			}},
			{Name: "there are no pauses", To: Run.same, Shows: notOffered},
		},
	},
	{
		Name: "a run under way is paused", Of: scenarios.IDs{openwop.OWPCTL19}, Readings: []string{"OWP-R110"},
		When: doing(PauseRun, func(Run) bool { return true }),
		Ways: []runWay{
			{Name: "taken", Must: true, Shows: func(_ Run, s runStep) []history.Miss { return success(s.Out.Status, "the pause is taken") },
				To: func(r Run, s runStep) Run {
					r.Early = s.Out.Early && r.Loop.Form == Steps && r.Pause == NeverPaused
					r.Pause, r.Still, r.Held = Pausing, -1, false
					return r
				}},
			{Name: "refused", To: Run.same, Shows: func(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status, 409, 404, 405, 501) }},
		},
	},
	{
		Name: "a paused run is resumed", Of: scenarios.IDs{openwop.OWPCTL24},
		When: doing(ResumeRun, func(r Run) bool { return r.Pause == Standing && r.End == "" && !r.Cancelled }),
		Ways: []runWay{{Must: true, To: Run.resumed, Shows: goesOn}},
	},
	{
		Name: "what is over does not go on", Of: scenarios.IDs{openwop.OWPCTL3},
		When: doing(ResumeRun, func(r Run) bool { return r.End != "" }),
		Ways: []runWay{
			{Must: true, To: Run.same, Shows: func(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status) }},
			{Name: "there are no pauses", To: Run.same, Shows: notOffered},
		},
	},
	{
		Name: "what may be paused may be resumed", Of: scenarios.IDs{openwop.OWPCTL24},
		When: doing(ResumeRun, func(Run) bool { return true }),
		Ways: []runWay{
			{Name: "taken", To: Run.resumed, Shows: goesOn},
			{Name: "refused", To: Run.same, Shows: func(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status) }},
			{Name: "there are no pauses", To: Run.same, Shows: notOffered},
		},
	},
	{
		Name: "what has ended stays as it ended", Of: scenarios.IDs{openwop.OWPERR24}, Readings: []string{"OWP-R42"},
		When: doing(CancelRun, func(r Run) bool { return r.End != "" }),
		Ways: []runWay{
			{Must: true, To: Run.same, Shows: func(r Run, s runStep) []history.Miss {
				status := s.Out.Body.Key("status")
				return append(success(s.Out.Status, "HTTP 200, or 409"), whether(status.String() == r.End, "", status, "the status %s", r.End)...)
			}},
			{Name: "refused", To: Run.same, Shows: func(_ Run, s runStep) []history.Miss { return refusal(s.Out.Status, 409) }},
		},
	},
	{
		Name: "a run under way is cancelled",
		Of:   scenarios.IDs{openwop.OWPCTL3, openwop.OWPCTL27, openwop.OWPDSP23}, Readings: []string{"OWP-R42"},
		When: doing(CancelRun, func(Run) bool { return true }),
		Ways: cancelWays(func(s runStep) wire.Value { return s.Out.Body }),
	},
	{
		Name: "a worker under way is cancelled", Of: scenarios.IDs{openwop.OWPCTL3}, Readings: []string{"OWP-R42"},
		When: doing(CancelChild, func(Run) bool { return true }),
		Ways: []runWay{
			{Name: "cancelled", Must: true, To: Run.childGone, Shows: unlessUnsent(func(_ Run, s runStep) []history.Miss {
				return under(cancelledBy(s), success(s.Out.Status, "it is cancelled"))
			})},
			{Name: "it was over", To: Run.same, Shows: func(r Run, s runStep) []history.Miss {
				if r.childLasts(s) && r.Pause == NeverPaused {
					return under(cancelledBy(s), success(s.Out.Status, "it is cancelled: it is under way"))
				}
				return refusal(s.Out.Status, 409)
			}},
		},
	},
	{
		Name:     "a bulk cancel has a result for each run",
		Of:       scenarios.IDs{openwop.OWPCTL13, openwop.OWPCTL14, openwop.OWPCTL15, openwop.OWPCTL16},
		Readings: []string{"OWP-R42"},
		When:     doing(CancelRuns, func(Run) bool { return true }),
		Ways: append(cancelWays(func(s runStep) wire.Value { return s.Out.Body.At(fmt.Sprintf("/results/%d", s.In.first())) }),
			runWay{Name: "there are no bulk cancels", To: Run.same, Shows: notOffered}),
	},
}

func goesOn(_ Run, s runStep) []history.Miss { return success(s.Out.Status, "it goes on") }

func (r Run) resumed(runStep) Run {
	r.Pause, r.Still, r.Held, r.Early = Resumed, -1, false, false
	return r
}

// cancelledBy is the sentence by which a worker is cancelled: one that is not found is no run.
func cancelledBy(s runStep) scenarios.RequirementID {
	if code, _ := s.Out.Status.Int(); code == http.StatusNotFound || code == http.StatusGone {
		return openwop.OWPDSP12
	}
	return openwop.OWPCTL3
}

// cancelWays are those of a cancel whose result is somewhere in the reply.
func cancelWays(result func(runStep) wire.Value) []runWay {
	return []runWay{
		{Name: "cancelled", Must: true, Shows: func(r Run, s runStep) []history.Miss {
			if out := success(s.Out.Status, "it is cancelled"); out != nil {
				if r.Pause == Standing && s.In.Do == CancelRun {
					return under(openwop.OWPCTL27, out)
				}
				return out
			}
			out := bulk(s)
			if len(out) > 0 {
				return out[:1]
			}
			one := result(s)
			status := one.Key("status")
			if s.In.Do == CancelRuns {
				ok, _ := one.Key("ok").Bool()
				switch {
				case r.End != "" && !ok:
					return out
				case !ok && !r.over() && !r.Cancelled:
					id := scenarios.RequirementID("")
					if r.Pause == Standing {
						id = openwop.OWPCTL27
					}
					return append(out, missOf(id, one.Key("ok"), "true: it is under way"))
				}
			}
			is := status.String()
			if s.In.Do == CancelRuns && !r.over() && !slices.Contains([]string{"cancelled", "cancelling"}, is) {
				out = append(out, missOf(openwop.OWPCTL13, status, "the status that it has then, cancelled or cancelling"))
			}
			now := r
			now.Cancelled = true
			if isEnd(is) && !now.mayEnd(is) {
				id := scenarios.RequirementID("")
				if r.End != "" && s.In.Do == CancelRuns {
					id = openwop.OWPCTL16
				}
				out = append(out, missOf(id, status, "the status that it has then, and not %s", is))
			}
			return out
		}, To: func(r Run, s runStep) Run {
			if r.End != "" {
				return r
			}
			r.Cancelled, r.Still, r.Held, r.Early = true, -1, false, false
			return r.at(result(s).Key("status").String())
		}},
		{Name: "it was over", To: Run.same, Shows: func(r Run, s runStep) []history.Miss {
			if !r.over() && !r.Cancelled || s.In.Do == CancelRuns {
				return []history.Miss{missOf("", s.Out.Status, "it is cancelled: it is under way")}
			}
			return refusal(s.Out.Status, 409)
		}},
	}
}

// bulk compares the results of a bulk cancel with the runs that it named: the run, and one that never was.
func bulk(s runStep) (out []history.Miss) {
	if s.In.Do != CancelRuns {
		return nil
	}
	results := s.Out.Body.Key("results")
	if n := len(results.Items()); n != 2 {
		return []history.Miss{missOf(openwop.OWPCTL14, results, "two results")}
	}
	ours := s.In.first()
	named := [2]string{s.Out.RunID, s.Out.Other}
	if ours == 1 {
		named[0], named[1] = named[1], named[0]
	}
	for i, id := range named {
		is := results.At(fmt.Sprintf("/%d/runId", i))
		out = append(out, whether(is.String() == id, openwop.OWPCTL14, is, "the run %d of the request", i+1)...)
	}
	never := results.At(fmt.Sprintf("/%d", 1-ours))
	ok, _ := never.Key("ok").Bool()
	out = append(out, whether(!ok, openwop.OWPCTL15, never.Key("ok"), "false: there never was such a run")...)
	return append(out, whether(never.Key("error").Present(), openwop.OWPCTL15, never, "an error")...)
}

// first is the place of the run in a bulk cancel.
func (in RunAsk) first() int {
	if in.NeverFirst() {
		return 1
	}
	return 0
}

// NeverFirst reports whether a bulk cancel names the run that never was first.
func (in RunAsk) NeverFirst() bool { return in.From >= 0 }
