package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// taken has an event that a fork takes over changed.
func taken(s *rules.Set, change func(own *event.Event, source event.Event, branch bool)) {
	s.Replay.Takes = func(own, source event.Event, branch bool) event.Event {
		change(&own, source, branch)
		return own
	}
}

// flawless has forks made that cannot be.
func flawless(s *rules.Set, which func(rules.ForkAsk) bool) {
	otherFlaw(s, which, rules.NoFlaw)
}

// otherFlaw has forks judged otherwise.
func otherFlaw(s *rules.Set, which func(rules.ForkAsk) bool, as rules.ForkFlaw) {
	flaw := s.Replay.Flaw
	s.Replay.Flaw = func(a rules.ForkAsk) rules.ForkFlaw {
		if which(a) {
			return as
		}
		return flaw(a)
	}
}

// unminded has what is wrong with the request for a fork passed over, at a JSON pointer.
func unminded(s *rules.Set, at string) {
	minds := s.Requests.Minds
	s.Requests.Minds = func(operation, pointer string) bool {
		return minds(operation, pointer) && (operation != "forkRun" || pointer != at)
	}
}

func beyondLog(a rules.ForkAsk) bool { return a.FromSeq != nil && *a.FromSeq > a.Next }

const forking = "POST /v1/runs/{runId}:fork"

var replayFaults = slices.Concat(forkFaults, cacheKeyFaults)

// forkFaults are about forks.
var forkFaults = []Fault{
	{
		ID:     "replay.branch-counts-no-further",
		Title:  "the turns that a branch takes itself have the number of the turn before them",
		Looks:  "iteration of the decisions of a branch does not rise any more behind its fromSeq",
		Breaks: []string{openwop.OWP0061B2, openwop.OWPRPL12},
		Replace: func(s *rules.Set) {
			next := s.Loop.Next
			s.Loop.Next = func(previous int, past rules.Past) int {
				if past.Branched && previous > 0 {
					return previous
				}
				return next(previous, past)
			}
		},
	},
	{
		ID:     "replay.copied-phase-caused-in-source",
		Title:  "in a fork the completion of a worker, and nothing else, names its cause by the id that it has in the source",
		Looks:  "causationId of child.completed below fromSeq is the eventId of no event of the fork",
		Breaks: []string{openwop.OWP0037B3},
		Replace: func(s *rules.Set) {
			taken(s, func(own *event.Event, source event.Event, _ bool) {
				var p event.HandoffPayload
				if own.Type == event.Handoff && json.Unmarshal(own.Payload, &p) == nil && p.Phase == event.ChildCompleted {
					own.CausationID = source.CausationID
				}
			})
		},
	},
	{
		ID:     "replay.keeps-the-run-of-its-source",
		Title:  "the events that a replay takes over keep the runId of its source",
		Looks:  "below fromSeq the events of a replay have the runId of another run",
		Breaks: []string{openwop.OWPRPL1},
		Replace: func(s *rules.Set) {
			taken(s, func(own *event.Event, source event.Event, branch bool) {
				if !branch {
					own.RunID = source.RunID
				}
			})
		},
	},
	{
		ID:     "replay.own-source",
		Title:  "the reply to a fork names the fork as its source",
		Looks:  "sourceRunId and runId are the same",
		Breaks: []string{openwop.OWPRPL1},
		Twin:   "there the log is wrong, here the reply",
		Reply: mutate.On(forking, mutate.Succeeded(mutate.At("", func(r *openwopv1.ForkRunResponse) {
			r.SourceRunID = r.RunID
		}))),
	},
	{
		ID:     "replay.names-the-first-source",
		Title:  "the reply to a fork of a fork names the run that was forked first as its source",
		Looks:  "sourceRunId is not the run that was asked to be forked, but the source of that",
		Breaks: []string{openwop.OWPRPL1},
		Twin:   "there every reply is wrong, here that to a fork of a fork",
		Remembers: func() mutate.Changes {
			var sources sync.Map // by the ids of forks
			return replies(mutate.On(forking, mutate.Succeeded(mutate.At("", func(r *openwopv1.ForkRunResponse) {
				if first, again := sources.Load(r.SourceRunID); again {
					r.SourceRunID, _ = first.(string)
				}
				sources.Store(r.RunID, r.SourceRunID)
			}))))
		},
	},
	{
		ID:     "replay.fork-of-fork-counts-on",
		Title:  "a replay of a replay counts its turns on from another place than 1",
		Looks:  "iteration in the replay of a replay of a loop begins above 1",
		Breaks: []string{openwop.OWP0061M1, openwop.OWPRPL3},
		Remembers: func() mutate.Changes {
			var forks, again sync.Map // ids of runs
			return replies(
				mutate.On(forking, mutate.Succeeded(mutate.At("", func(r *openwopv1.ForkRunResponse) {
					if _, fork := forks.Load(r.SourceRunID); fork && r.Mode == openwopv1.ForkModeReplay {
						again.Store(r.RunID, true)
					}
					forks.Store(r.RunID, true)
				}))),
				mutate.On("GET /v1/runs/{runId}/events/poll", mutate.Succeeded(mutate.Objects(func(e map[string]any) {
					p, _ := e["payload"].(map[string]any)
					id, _ := e["runId"].(string)
					if _, fork := again.Load(id); !fork || e["type"] != string(event.Decided) {
						return
					}
					mutate.Object(p, func(p *event.DecidedPayload) {
						if p.Iteration != nil {
							*p.Iteration += 2
						}
					})
				}))),
			)
		},
	},
	{
		ID:     "replay.touches-its-source",
		Title:  "a run that is forked has its last event stamped anew",
		Looks:  "the timestamp of the end of a run is another one when the run has been forked",
		Breaks: []string{openwop.OWPRPL2, openwop.OWPEVT12},
		Replace: func(s *rules.Set) {
			var forked sync.Map // ids of runs
			flaw := s.Replay.Flaw
			s.Replay.Flaw = func(a rules.ForkAsk) rules.ForkFlaw {
				forked.Store(a.SourceID, true)
				return flaw(a)
			}
			retold(s, func(e *event.Event, r rules.Listing) {
				if _, touched := forked.Load(e.RunID); touched && r.Ended && endsRun(e) {
					e.Timestamp = e.Timestamp.Add(time.Second)
				}
			})
		},
	},
	{
		ID:     "replay.forgets-nodes",
		Title:  "the events that a replay takes over do not name their nodes",
		Looks:  "below fromSeq the events of a replay have no nodeId",
		Breaks: []string{openwop.OWPRPL3},
		Replace: func(s *rules.Set) {
			taken(s, func(own *event.Event, _ event.Event, branch bool) {
				if !branch {
					own.NodeID = ""
				}
			})
		},
	},
	{
		ID:     "replay.runs-anew",
		Title:  "a replay from within a log is another run of the workflow",
		Looks:  "a replay has other children than its source, and other values than those that were drawn, and asks again",
		Breaks: []string{openwop.OWPRPL3, openwop.OWPRPL4, openwop.OWPMEM17, openwop.OWP0061M1},
		Spots:  []int{29},
		Replace: func(s *rules.Set) {
			through := s.Replay.Through
			s.Replay.Through = func(a rules.ForkAsk) int64 {
				if !a.Branch() && a.From() > 0 {
					return 0
				}
				return through(a)
			}
		},
	},
	{
		ID:     "replay.draws-again",
		Title:  "a replay draws anew what a node of its source drew",
		Looks:  "the values in a replay are not those in its source",
		Breaks: []string{openwop.OWPRPL4},
		Spots:  []int{31},
		Replace: func(s *rules.Set) {
			s.Replay.Keeps = func(nodeType string, _ bool) bool { return !strings.HasSuffix(nodeType, ".random") }
		},
	},
	{
		ID:      "replay.cannot-use-tools",
		Title:   "a node that says of itself that nobody can foresee it cannot be replayed",
		Looks:   "the replay of a run with such a node fails where the node ended in the source",
		Breaks:  []string{openwop.OWPRPL4},
		Replace: func(s *rules.Set) { s.Replay.Keeps = func(_ string, unforeseeable bool) bool { return !unforeseeable } },
	},
	{
		ID:     "replay.takes-the-other-answer",
		Title:  "a replay goes on with what the model answers now",
		Looks:  "the outputs of a node that calls a model are not those that were recorded",
		Breaks: []string{openwop.OWPRPL4},
		Replace: func(s *rules.Set) {
			differs := s.Replay.Differs
			s.Replay.Differs = func(r rules.Reanswer) (rules.Divergence, bool) {
				told, recorded := differs(r)
				return told, recorded && told != rules.OtherAnswer
			}
		},
	},
	{
		ID:     "replay.from-beyond",
		Title:  "a replay from beyond the end of the log is one from its end",
		Looks:  "it is answered with 201",
		Breaks: []string{openwop.OWPRPL5},
		Replace: func(s *rules.Set) {
			flawless(s, func(a rules.ForkAsk) bool { return !a.Branch() && beyondLog(a) })
		},
	},
	{
		ID:     "replay.beyond-is-malformed",
		Title:  "a replay from beyond the end of the log is refused as a request that nobody can read",
		Looks:  "it is answered with 400",
		Breaks: []string{openwop.OWPRPL5},
		Twin:   "there it is not refused, here with the wrong status",
		Replace: func(s *rules.Set) {
			otherFlaw(s, func(a rules.ForkAsk) bool { return !a.Branch() && beyondLog(a) }, rules.NoPlace)
		},
	},
	{
		ID:     "replay.from-before",
		Title:  "a fork from before the first event is one from the first event",
		Looks:  "a fork with a fromSeq below 0 is answered with 201",
		Breaks: []string{openwop.OWPRPL6},
		Replace: func(s *rules.Set) {
			unminded(s, "/fromSeq")
			flawless(s, func(a rules.ForkAsk) bool { return a.FromSeq != nil && *a.FromSeq < 0 })
		},
	},
	{
		ID:     "replay.place-before-run",
		Title:  "the place of a fork is looked at before the run",
		Looks:  "a fork of a run that never was, from far out, is answered with 422",
		Breaks: []string{openwop.OWPRPL7},
		Remembers: func() mutate.Changes {
			var asked sync.Map
			c := replies(mutate.On(forking, refusing(coded(rules.NotFound), func(r *mutate.Reply) {
				if from, said := asked.Load(r.Request.URL.Path); said && from != int64(0) {
					r.Status = http.StatusUnprocessableEntity
					asCode("invalid_from_seq")(r)
				}
			})))
			c.Requests = []mutate.RequestFunc{places(&asked)}
			return c
		},
	},
	{
		ID:     "replay.options-passed-over",
		Title:  "a replay passes over the run options that it is asked for with",
		Looks:  "a replay with run options is answered with 201",
		Breaks: []string{openwop.OWPRPL8},
		Replace: func(s *rules.Set) {
			flawless(s, func(a rules.ForkAsk) bool { return a.Mode == openwopv1.ForkModeReplay && a.Overlaid })
		},
	},
	{
		ID:     "replay.in-any-mode",
		Title:  "a fork in a mode that nobody knows is a replay",
		Looks:  "it is answered with 201",
		Breaks: []string{openwop.OWPRPL9},
		Replace: func(s *rules.Set) {
			unminded(s, "/mode")
			flawless(s, func(a rules.ForkAsk) bool { return a.Mode != "" && a.Mode != openwopv1.ForkModeReplay && !a.Branch() })
		},
	},
	{
		ID:     "replay.branch-begins-early",
		Title:  "a branch begins behind the start of the run, wherever it is asked to",
		Looks:  "a branch has other values than its source below fromSeq, and remembers more",
		Breaks: []string{openwop.OWPRPL10, openwop.OWPMEM17},
		Spots:  []int{30},
		Replace: func(s *rules.Set) {
			through := s.Replay.Through
			s.Replay.Through = func(a rules.ForkAsk) int64 {
				if a.Branch() {
					return min(0, through(a))
				}
				return through(a)
			}
		},
	},
	{
		ID:     "replay.branch-forgets-inputs",
		Title:  "the start that a branch takes over is without the inputs of the run",
		Looks:  "run.started of a branch does not have the inputs that it has in the source",
		Breaks: []string{openwop.OWPRPL10},
		Replace: func(s *rules.Set) {
			taken(s, func(own *event.Event, _ event.Event, branch bool) {
				var p event.RunStartedPayload
				if !branch || own.Type != event.RunStarted || json.Unmarshal(own.Payload, &p) != nil {
					return
				}
				p.Inputs = nil
				if payload, err := json.Marshal(p); err == nil {
					own.Payload = payload
				}
			})
		},
	},
	{
		ID:     "replay.branch-hides-draws",
		Title:  "what a branch takes over of a node that draws does not name the node",
		Looks:  "below fromSeq the node.completed that tells of a draw has no nodeId",
		Breaks: []string{openwop.OWPRPL10},
		Replace: func(s *rules.Set) {
			taken(s, func(own *event.Event, _ event.Event, branch bool) {
				var p struct {
					Outputs struct{ Value string }
				}
				if branch && json.Unmarshal(own.Payload, &p) == nil && p.Outputs.Value != "" {
					own.NodeID = ""
				}
			})
		},
	},
	{
		ID:     "replay.branch-draws-nothing",
		Title:  "a branch without other options is a replay",
		Looks:  "what the nodes of a branch draw is what those of its source drew",
		Breaks: []string{openwop.OWPRPL11},
		Replace: func(s *rules.Set) {
			through := s.Replay.Through
			s.Replay.Through = func(a rules.ForkAsk) int64 {
				if a.Branch() && !a.Overlaid {
					return a.Next - 1
				}
				return through(a)
			}
		},
	},
	{
		ID:     "replay.branch-without-options",
		Title:  "the run options laid over those of a branch's source are not in force",
		Looks:  "a branch with a lower bound does not cross it",
		Breaks: []string{openwop.OWPRPL12},
		Spots:  []int{33},
		Request: mutate.Asked(forking, mutate.Body(func(fork map[string]any) {
			if fork["mode"] == string(openwopv1.ForkModeBranch) {
				delete(fork, "runOptionsOverlay")
			}
		})),
	},
	{
		ID:     "replay.branch-from-nowhere",
		Title:  "a branch that does not say from where is one from the first event",
		Looks:  "it is answered with 201",
		Breaks: []string{openwop.OWPRPL13},
		Replace: func(s *rules.Set) {
			unminded(s, "")
			flawless(s, func(a rules.ForkAsk) bool { return a.Branch() && a.FromSeq == nil })
		},
	},
	{
		ID:     "replay.branch-from-beyond",
		Title:  "a branch from beyond the end of the log is one from its end",
		Looks:  "it is answered with 201",
		Breaks: []string{openwop.OWPRPL13},
		Twin:   "there the place is missing, here it is outside",
		Replace: func(s *rules.Set) {
			flawless(s, func(a rules.ForkAsk) bool { return a.Branch() && beyondLog(a) })
		},
	},
	{
		ID:     "replay.refusal-passed-over",
		Title:  "a replay passes over that the model refuses now what it answered",
		Looks:  "the replay is completed with what was recorded, and nothing tells of the refusal",
		Breaks: []string{openwop.OWPRPL15},
		Replace: func(s *rules.Set) {
			differing(s, func(r rules.Reanswer) bool { return r.Refused && !r.WasRefused }, rules.NoDivergence)
		},
	},
	{
		ID:     "replay.answer-passed-over",
		Title:  "a replay passes over that the model answers now what it refused",
		Looks:  "the replay fails as its source did, and nothing tells of the answer",
		Breaks: []string{openwop.OWPRPL15},
		Twin:   "the other way round",
		Replace: func(s *rules.Set) {
			differing(s, func(r rules.Reanswer) bool { return !r.Refused && r.WasRefused }, rules.NoDivergence)
		},
	},
	{
		ID:     "replay.refusal-told-one-behind",
		Title:  "the place of a refusal in the source is counted from 1, and the events are not",
		Looks:  "atSequence of replay.divergedAtRefusal is one behind the event that originalEventId names",
		Breaks: []string{openwop.OWPRPL15},
		Twin:   "there nothing is told, here a wrong place",
		Event: mutate.OfType(string(event.ReplayMeetsRefusal), mutate.Payload(func(p *event.ReplayMeetsRefusalPayload) {
			p.AtSequence++
		})),
	},
	{
		ID:     "replay.difference-names-no-event",
		Title:  "another answer is told with the id that the event would have in the replay",
		Looks:  "originalEventId of replay.diverged is that of no event of the source",
		Breaks: []string{openwop.OWPRPL16},
		Twin:   "there a difference is told where none is, here what is told of one is wrong",
		Event: mutate.OfType(string(event.ReplayDiverged), func(e *mutate.Event) {
			mutate.Object(e.Payload, func(p *event.ReplayDivergedPayload) {
				p.OriginalEventID = new(fmt.Sprintf("%s-%d", e.RunID, p.AtSequence))
			})
		}),
	},
	{
		ID:     "replay.same-is-other",
		Title:  "a replay in which the model answers the same tells of another answer",
		Looks:  "replay.diverged is on the log of a replay that is as its source",
		Breaks: []string{openwop.OWPRPL16},
		Replace: func(s *rules.Set) {
			differing(s, func(r rules.Reanswer) bool { return r.Same && !r.Refused }, rules.OtherAnswer)
		},
	},
}

// places keeps from where on a fork is asked for, where that is said, by the path of the request.
func places(asked *sync.Map) mutate.RequestFunc {
	return mutate.Asked(forking, func(r *mutate.Request) {
		mutate.Body(func(fork map[string]any) {
			asked.Delete(r.URL.Path)
			mutate.Object(fork, func(ask *openwopv1.ForkRunRequest) {
				if ask.FromSeq != nil {
					asked.Store(r.URL.Path, *ask.FromSeq)
				}
			})
		})(r)
	})
}

// differing has some answers of a model told otherwise.
func differing(s *rules.Set, which func(rules.Reanswer) bool, as rules.Divergence) {
	differs := s.Replay.Differs
	s.Replay.Differs = func(r rules.Reanswer) (rules.Divergence, bool) {
		if which(r) {
			return as, true
		}
		return differs(r)
	}
}
