package fault

import (
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// lateFaults are about answers that nobody waits for.
var lateFaults = []Fault{
	{
		ID:     "gate.unknown-node-conflicts",
		Title:  "an answer to a node that the run does not have is refused as one that comes twice",
		Looks:  "it is HTTP 409 and not 404",
		Breaks: []string{openwop.OWPINT14},
		Replace: lates(func(l rules.Late) (string, bool) {
			return rules.InterruptResolved, l.Gate && !l.ByToken && l.Code == rules.InterruptNotFound
		}),
	},
	{
		ID:     "gate.overruled-is-welcome",
		Title:  "a later decision about an approval is acknowledged, and does nothing",
		Looks:  "a rejection is HTTP 200 when the approval was accepted",
		Breaks: []string{openwop.OWPINT2},
		Spots:  []int{25},
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && !l.ByToken && l.Code == rules.InterruptResolved && l.Overrules()
		}),
	},
	{
		ID:     "gate.repeated-is-welcome",
		Title:  "who accepts an approval that was accepted is told that they did",
		Looks:  "of several who accept at once all are answered with HTTP 200",
		Breaks: []string{openwop.OWPINT2, openwop.OWPINT3},
		Spots:  []int{25},
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && !l.ByToken && l.Code == rules.InterruptResolved && !l.Overrules()
		}),
	},
	{
		ID:     "gate.both-win",
		Title:  "of a cancellation and an answer that come at once each is told that it was done, whichever came first",
		Looks:  "an answer is HTTP 200 and its run is cancelled, or a cancellation says cancelled and its run completes",
		Breaks: []string{openwop.OWPINT47},
		Spots:  []int{25},
		Replace: func(s *rules.Set) {
			read := readCancelled(s)
			lates(func(l rules.Late) (string, bool) {
				return "", l.Gate && !l.ByToken && !l.Child && l.Code == rules.InterruptGone && !read(l.RunID)
			})(s)
		},
		Remembers: func() mutate.Changes {
			var waited sync.Map // ids of runs that somebody has seen waiting for an approval
			return replies(waitsForApproval(func(s *openwopv1.RunSnapshot) { waited.Store(s.RunID, true) }),
				mutate.On("POST /v1/runs/{runId}/cancel", mutate.Succeeded(mutate.At("", func(c *openwopv1.CancelRunResponse) {
					if _, saw := waited.Load(c.RunID); saw {
						c.Status = openwopv1.RunStatusCancelled
					}
				}))))
		},
	},
	{
		ID:     "gate.cancelled-opens-again",
		Title:  "a cancelled run that is read from its log again has its interrupts open",
		Looks:  "an answer is HTTP 200 when the run is cancelled and somebody has looked",
		Breaks: []string{openwop.OWPINT46},
		Replace: func(s *rules.Set) {
			read := readCancelled(s)
			lates(func(l rules.Late) (string, bool) {
				return "", l.Gate && !l.ByToken && !l.Child && l.Code == rules.InterruptGone && read(l.RunID)
			})(s)
		},
	},
	{
		ID:     "gate.child-of-cancelled-answered",
		Title:  "a child that was cancelled with its parent still takes the answer to what it asked",
		Looks:  "an answer to the child is HTTP 200 when it is cancelled",
		Breaks: []string{openwop.OWPINT48},
		Twin:   "the second half of the sentence: the child is cancelled, and its interrupt stays open",
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && !l.ByToken && l.Child && l.Code == rules.InterruptGone
		}),
	},
	{
		ID:     "gate.expired-answered",
		Title:  "an answer to an approval whose time is over is acknowledged",
		Looks:  "it is HTTP 200 at its node when the run has failed",
		Breaks: []string{openwop.OWPINT45},
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && !l.ByToken && l.Code == rules.InterruptExpired
		}),
	},
	{
		ID:     "gate.token-of-cancelled-answers",
		Title:  "the token of a run that was cancelled is accepted",
		Looks:  "it is HTTP 200 when the run is cancelled",
		Breaks: []string{openwop.OWPINT38},
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && l.ByToken && l.Code == rules.InterruptGone
		}),
	},
	{
		ID:     "gate.token-answers-again",
		Title:  "a token that was used is accepted as often as it comes",
		Looks:  "it is HTTP 200 when the run has ended, and of several who come at once more than one is",
		Breaks: []string{openwop.OWPINT38, openwop.OWPINT3},
		Replace: lates(func(l rules.Late) (string, bool) {
			return "", l.Gate && l.ByToken && l.Code == rules.InterruptResolved
		}),
	},
}

// readCancelled tells from then on whether somebody has read in the log of a run that it is cancelled.
func readCancelled(s *rules.Set) func(runID string) bool {
	var seen sync.Map
	reread(s, func(log []event.Event) []event.Event {
		if n := len(log); n > 0 && log[n-1].Type == event.RunCancelled {
			seen.Store(log[n-1].RunID, true)
		}
		return log
	})
	return func(runID string) bool {
		_, read := seen.Load(runID)
		return read
	}
}

// lates replaces how late answers are refused: by a code, where it says so. An empty code acknowledges them.
func lates(other func(rules.Late) (code string, ok bool)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Answers.Late
		s.Answers.Late = func(l rules.Late) string {
			if code, ok := other(l); ok {
				return code
			}
			return honest(l)
		}
	}
}
