package model

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// The policies of a coordinator. One that names none has the first (RFC-0026 3).
const (
	Isolates  = "isolate"
	Pauses    = "block_dependents"
	Escalates = "escalate"
)

// Watched is an intent under a coordinator, with three phases, in one of the states in which it may be: one that is suspended now and
// then, one that takes its input from it, and one that takes nothing from it.
type Watched struct {
	Policy string `json:"policy"` // "" where the lease names none
	Type   int    `json:"type"`   // of coordinator
	Status string `json:"status"` // of the phase that is suspended
	Record bool   `json:"record"` // it has a record that waits
	Times  int    `json:"times"`  // that it was suspended
	Seen   bool   `json:"seen"`
}

// Watching is a step.
type Watching struct {
	Do Action `json:"do"`
}

// What only coordinators are asked, beside actions of questions and groups.
const (
	LookWired   Action = "read the wired phase"
	LookOther   Action = "read the other phase"
	LookWatcher Action = "read the coordinated intent, the coordinator and both logs"
)

// mostTimes is how often a phase is suspended.
const mostTimes = 8

// Watch is what was seen of it.
type Watch struct {
	Reply
	Escalated int `json:"escalated"` // events of escalations
	// Self: the coordinator shows in its lease that it is suspended itself (OIP-R104).
	Self bool `json:"self,omitempty"`
	// Blind: a log could not be read.
	Blind bool `json:"blind,omitempty"`
}

type (
	watchedStep = history.Step[Watching, Watch]
	watchedRule = history.Rule[Watched, Watching, Watch]
	watchedWay  = history.Way[Watched, Watching, Watch]
)

func (w Watched) same(watchedStep) Watched { return w }

func (w Watched) waits() bool { return w.Status == Suspended }

func (w Watched) isolates() bool { return w.Policy == Isolates || w.Policy == "" }

// Asks reports whether the texts say what comes of a step, so that it is worth being taken.
func (w Watched) Asks(do Action) bool {
	switch do {
	case Records:
		return w.Status == Active && !w.Record && w.Times < mostTimes
	case Halts:
		return w.Status == Active && w.Record
	case Answer:
		return w.waits()
	case Complete:
		return w.Status == Active
	}
	return true
}

// watches returns whether a step is this one, in some states.
func watches(do Action, in func(Watched) bool) func(Watched, Watching) bool {
	return func(w Watched, step Watching) bool { return step.Do == do && in(w) }
}

func anyWatched(Watched) bool { return true }

// showsOf returns the one way of a read, which shows a status.
func showsOf(want string, is func(status string) bool) []watchedWay {
	return []watchedWay{{Must: true, To: Watched.same, Shows: func(_ Watched, s watchedStep) []history.Miss {
		if status := s.Out.Body.Key("status"); !is(status.String()) {
			return []history.Miss{miss(status, "%s", want)}
		}
		return nil
	}}}
}

func goesOn() []watchedWay {
	return showsOf("status active", func(status string) bool { return status == Active })
}

var watchedTakes = mayTake[Watched, Watching, Watch]

// WatchedModel says what they may show.
var WatchedModel = &history.Model[Watched, Watching, Watch]{
	Rules: []*watchedRule{
		{
			Name: "the phase that is suspended is shown as it is", Of: scenarios.IDs{openintent.OIP00014}, When: watches(Look, anyWatched),
			Ways: []watchedWay{{Must: true, Shows: Watched.shown, To: func(w Watched, s watchedStep) Watched {
				w.Seen = w.Seen || !s.Lost
				return w
			}}},
		},
		{
			Name: "the phase that takes nothing from it goes on", Of: scenarios.IDs{openintent.OIP00024}, When: watches(LookOther, anyWatched),
			Ways: goesOn(),
		},
		{
			Name: "the wired phase is paused while the other waits", Of: scenarios.IDs{openintent.OIP0026P4},
			When: watches(LookWired, func(w Watched) bool { return w.Policy == Pauses && w.waits() }),
			Ways: showsOf("neither going on nor at an end", func(status string) bool {
				return status != Active && status != Completed && status != Abandoned && status != Draft && status != ""
			}),
		},
		{
			Name: "when a phase that was paused goes on is open",
			When: watches(LookWired, func(w Watched) bool { return w.Policy == Pauses && w.Times > 0 }),
			Ways: showsOf("any status", func(string) bool { return true }),
		},
		{
			Name: "no phase is paused by a coordinator that isolates", Of: scenarios.IDs{openintent.OIP0026P3},
			When: watches(LookWired, Watched.isolates), Ways: goesOn(),
		},
		{
			Name: "what depends on nothing that waits stays as it is", Of: scenarios.IDs{openintent.OIP00024}, When: watches(LookWired, anyWatched),
			Ways: goesOn(),
		},
		{
			Name: "a coordinator that isolates escalates nothing", Of: scenarios.IDs{openintent.OIP0026P3, openintent.OIP0026R1},
			When: watches(LookWatcher, Watched.isolates), Ways: []watchedWay{{Must: true, Shows: quiet, To: Watched.same}},
		},
		{
			Name: "each suspension is escalated", Of: scenarios.IDs{openintent.OIP0026P5}, Readings: []string{"OIP-R104"},
			When: watches(LookWatcher, func(w Watched) bool { return w.Policy == Escalates && w.waits() }),
			Ways: []watchedWay{{Must: true, Shows: raised, To: Watched.same}},
		},
		{
			Name: "what else a coordinator does is open", When: watches(LookWatcher, anyWatched),
			Ways: showsOf("any status", func(string) bool { return true }),
		},
		{
			Name: "a record is taken", When: watches(Records, anyWatched), Ways: watchedTakes(func(w *Watched) { w.Record = true }),
		},
		{
			Name: "a phase is suspended", When: watches(Halts, anyWatched),
			Ways: watchedTakes(func(w *Watched) { w.Status, w.Times = Suspended, w.Times+1 }),
		},
		{
			Name: "a phase is answered", When: watches(Answer, anyWatched),
			Ways: watchedTakes(func(w *Watched) { w.Status, w.Record = Active, false }),
		},
		{
			Name: "a phase is completed", When: watches(Complete, anyWatched), Ways: watchedTakes(func(w *Watched) { w.Status = Completed }),
		},
	},
	Tell: tellWatched,
}

func (w Watched) shown(s watchedStep) []history.Miss {
	if status := s.Out.Body.Key("status"); status.String() != w.Status {
		return []history.Miss{miss(status, "status %s", w.Status)}
	}
	return nil
}

// quiet: nothing is escalated, and the coordinated intent goes on.
func quiet(_ Watched, s watchedStep) (out []history.Miss) {
	if s.Out.Escalated > 0 {
		out = append(out, miss(s.Out.Status, "no coordinator.escalation_required, not %d", s.Out.Escalated))
	}
	if status := s.Out.Body.Key("status"); status.String() != Active {
		out = append(out, missOf(openintent.OIP0026R1, status, "status %s", Active))
	}
	return out
}

// raised: there is an event for each suspension, or the coordinator waits itself.
func raised(w Watched, s watchedStep) []history.Miss {
	if s.Out.Escalated >= w.Times || s.Out.Self || s.Out.Blind {
		return nil
	}
	return []history.Miss{
		miss(s.Out.Status, "%d coordinator.escalation_required, not %d, or a coordinator that waits itself", w.Times, s.Out.Escalated),
	}
}

func tellWatched(s watchedStep) string {
	line := string(s.In.Do)
	switch s.In.Do {
	case Look, Records, Halts, Answer, Complete:
		line += " the phase"
	}
	if s.Lost {
		return line
	}
	line += fmt.Sprintf(": HTTP %d, %s", s.Out.Code, s.Out.Body.Key("status").String())
	if s.In.Do == LookWatcher {
		line += fmt.Sprintf(", %d escalations", s.Out.Escalated)
	}
	return line
}
