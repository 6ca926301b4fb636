package model

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// MostAttempts is how often somebody is asked at most. A ladder may have a step for the attempt after that.
const MostAttempts = 4

// Chase is what a record says of how who is asked is asked again (RFC-0026 4).
type Chase struct {
	Attempts int  `json:"attempts"` // 0: it waits for ever
	Plain    bool `json:"plain"`    // there is no retry policy: one attempt
	Silent   bool `json:"silent"`   // its policy does not say how many attempts there are: one (OIP-R10)
	Unpaced  bool `json:"unpaced"`  // its policy does not say what lies between two attempts: no text says when it reminds
	Channel  bool `json:"channel"`  // the record names a channel
	// Ladder holds what the step for each attempt says.
	Ladder [MostAttempts + 2]Rung `json:"ladder"`
	Inner  string                 `json:"inner"` // final_fallback_policy, "" where the policy does not say
	Outer  string                 `json:"outer"` // fallback_policy, likewise
}

// Rung is a step of a ladder.
type Rung int

// What a step names. One that is not there has no event either.
const (
	NoRung Rung = iota
	NamesBoth
	NamesChannel
	NamesRecipient
)

// RecordChannel is the channel that a record names.
const RecordChannel = "slack"

// Course returns the reminders and the fallback. Intervals are what the model counts time in.
func (ch Chase) Course() Course {
	c := Course{Attempts: ch.Attempts, Interval: 1, Fallback: ch.Inner, Source: Alone}
	switch {
	case ch.Inner == "":
		c.Fallback, c.Source = ch.Outer, Record
	case ch.Outer != "" && ch.Outer != ch.Inner:
		c.Source = Policy
	}
	for n := 2; n <= ch.Attempts; n++ {
		next := Reminder{Attempt: n, Channels: []string{""}}
		if ch.Channel {
			next.Channels[0] = RecordChannel
		}
		channel, to := StepChannel, StepRecipient
		switch ch.Ladder[n] {
		case NamesBoth:
			next.escalate(step{Channel: &channel, To: &to})
		case NamesChannel:
			next.escalate(step{Channel: &channel})
		case NamesRecipient:
			next.escalate(step{To: &to})
		}
		c.Reminders = append(c.Reminders, next)
	}
	return c
}

// Chased is an intent that waits for an answer by such a record, in one of the states in which it may be.
type Chased struct {
	Chase  Chase  `json:"chase"`
	Status string `json:"status"`
	Record string `json:"record"` // Waiting, Answered or Expired
	Answer string `json:"answer"` // that was taken
	// Halves are the half intervals that passed since a quarter of the first one, so that it is never about the time of an attempt.
	Halves int  `json:"halves"`
	Sent   int  `json:"sent"`  // reminders
	Since  bool `json:"since"` // time passed since the answer, or the end
	Seen   bool `json:"seen"`  // it was read
	Open   bool `json:"open"`  // something happened of which no text says what comes of it
}

// Chasing is a step: Look reads the intent and its log.
type Chasing struct {
	Do     Action `json:"do"` // Look, Pass or Answer
	Halves int    `json:"halves,omitempty"`
	Value  string `json:"value,omitempty"`
	Names  string `json:"names,omitempty"` // as [Asked] has it
}

// Chaser is what was seen of it.
type Chaser struct {
	Reply
	Intent     string       `json:"intent"`
	Suspension string       `json:"suspension"`
	Log        int64        `json:"log,omitempty"` // the status of the read of it
	Events     wire.Values  `json:"events,omitempty"`
	Odd        []wire.Value `json:"odd,omitempty"` // members of the record that are not as they were written
	// Next is, of each reminder in Events, whether next_attempt_at is when the next attempt, or the end, is due.
	Next []bool `json:"next,omitempty"`
	// Behind: the log tells the end of the window later than the change of the status that came of it.
	Behind bool `json:"behind,omitempty"`
	// Ends: expires_at of the record is the end of the window, or absent.
	Ends bool `json:"ends,omitempty"`
}

type (
	chasedStep = history.Step[Chasing, Chaser]
	chasedRule = history.Rule[Chased, Chasing, Chaser]
	chasedWay  = history.Way[Chased, Chasing, Chaser]
)

// Due returns how many reminders are due by now, and whether the window is over.
func (q Chased) Due() (reminders int, over bool) {
	passed := (2*q.Halves + 1) / 4
	if q.Chase.Attempts == 0 {
		return 0, false
	}
	return min(passed, q.Chase.Attempts-1), passed >= q.Chase.Attempts
}

// mostHalves is where time is not counted any further.
const mostHalves = 2*MostAttempts + 4

// later returns the intent after some time, with its window not over.
func (q Chased) later(halves int) Chased {
	q.Halves = min(q.Halves+halves, mostHalves)
	if q.Record != Waiting {
		q.Since = true
		return q
	}
	q.Sent, _ = q.Due()
	return q
}

// ended returns the intent when nobody answered in time, in this status.
func ended(status string) func(Chased, chasedStep) Chased {
	return func(q Chased, s chasedStep) Chased {
		q = q.later(s.In.Halves)
		q.Record, q.Status = Expired, status
		return q
	}
}

func (q Chased) same(chasedStep) Chased { return q }

// looks returns a rule of reads. They all show the same; each situation is worth being met.
func looks(name string, in func(Chased) bool, of ...scenarios.RequirementID) *chasedRule {
	return &chasedRule{
		Name: name, Of: append(scenarios.IDs{openintent.OIP0026N1}, of...),
		When: func(q Chased, step Chasing) bool { return step.Do == Look && in(q) },
		Ways: []chasedWay{{Must: true, Shows: Chased.shown, To: func(q Chased, s chasedStep) Chased {
			q.Seen = q.Seen || !s.Lost
			return q
		}}},
	}
}

// stepped reports whether a reminder that was sent has a step of the ladder.
func (q Chased) stepped() bool {
	for n := 2; n <= q.Sent+1; n++ {
		if q.Chase.Ladder[n] != NoRung {
			return true
		}
	}
	return false
}

// over returns whether the window is over after a step that lets time pass, and its fallback continues.
func over(continues bool) func(Chased, Chasing) bool {
	return func(q Chased, in Chasing) bool {
		_, is := q.later(in.Halves).Due()
		return in.Do == Pass && q.Record == Waiting && is && q.Chase.Course().Continues() == continues
	}
}

// ChasedModel says what such an intent may show.
var ChasedModel = &history.Model[Chased, Chasing, Chaser]{
	Rules: []*chasedRule{
		{
			Name: "when a policy that names no interval reminds and ends is open",
			When: func(q Chased, in Chasing) bool { return q.Chase.Unpaced && (q.Open || in.Do != Look) },
			Ways: []chasedWay{{Shows: anyChased, To: func(q Chased, s chasedStep) Chased {
				q.Open = q.Open || s.In.Do == Answer
				return q
			}}},
		},
		{
			Name: "nothing ends before all attempts were made", Of: scenarios.IDs{openintent.OIP0026N6, openintent.OIP0026N1},
			When: func(q Chased, in Chasing) bool { return q.Chase.Unpaced && in.Do == Look },
			Ways: []chasedWay{{Must: true, Shows: Chased.unended, To: func(q Chased, s chasedStep) Chased {
				q.Seen = q.Seen || !s.Lost
				return q
			}}},
		},
		looks("a window that ended shows how, and all that was sent before", func(q Chased) bool { return q.Record == Expired },
			openintent.OIP0026E5, openintent.OIP0025F1, openintent.OIP0025F2, openintent.OIP0025F3, openintent.OIP0026B2, openintent.OIP0026H8),
		looks("nothing is sent or ended after an answer", func(q Chased) bool { return q.Record == Answered && q.Since },
			openintent.OIPREAD4, openintent.OIPREAD9),
		looks("an answer is shown", func(q Chased) bool { return q.Record == Answered }, openintent.OIP0025A13, openintent.OIP0025A14),
		looks("what has no window waits", func(q Chased) bool { return q.Chase.Attempts == 0 }, openintent.OIP0025F4),
		looks("what has no policy is not sent again", func(q Chased) bool { return q.Chase.Plain }, openintent.OIP0026B1, openintent.OIP0026L1),
		looks("a reminder goes as its step of the ladder says", Chased.stepped,
			openintent.OIP0026N4, openintent.OIP0026N5, openintent.OIP0026E2, openintent.OIP0026E4),
		looks("a reminder is sent for each interval", func(q Chased) bool { return q.Sent > 0 },
			openintent.OIP0026N3, openintent.OIP0026E1, openintent.OIP0026E3, openintent.OIP0026J1),
		looks("nothing is sent before the first interval is over", func(Chased) bool { return true }, openintent.OIPREAD5, openintent.OIP0026N6),
		{
			Name: "a window ends, and its intent with it", Of: scenarios.IDs{openintent.OIP0026N6, openintent.OIP0025F1},
			Readings: []string{"OIP-R12"}, When: over(false),
			Ways: []chasedWay{
				{Name: "abandoned", Must: true, Shows: anyChased, To: ended(Abandoned)},
				{Name: "suspended, with a record that expired", Shows: anyChased, To: ended(Suspended)},
			},
		},
		{
			Name: "a window ends, and its intent goes on", Of: scenarios.IDs{openintent.OIP0026N6, openintent.OIP0025F2},
			Readings: []string{"OIP-R13"}, When: over(true),
			Ways: []chasedWay{
				{Name: "active", Must: true, Shows: anyChased, To: ended(Active)}, {Name: "completed", Shows: anyChased, To: ended(Completed)},
			},
		},
		{
			Name: "time passes", Of: scenarios.IDs{openintent.OIP0026N3},
			When: func(_ Chased, in Chasing) bool { return in.Do == Pass },
			Ways: []chasedWay{{Must: true, Shows: anyChased, To: func(q Chased, s chasedStep) Chased { return q.later(s.In.Halves) }}},
		},
		{
			Name: "an answer after the window is refused", Of: scenarios.IDs{openintent.OIPREAD3},
			When: func(q Chased, _ Chasing) bool { return q.Record == Expired },
			Ways: []chasedWay{{Must: true, Shows: refusesChased(), To: Chased.same}},
		},
		{
			Name: "an answer to what was answered is refused", Of: scenarios.IDs{openintent.OIP0026K4}, Readings: []string{"OIP-R30"},
			When: func(q Chased, _ Chasing) bool { return q.Record == Answered },
			Ways: []chasedWay{{Must: true, Shows: refusesChased(), To: Chased.same}},
		},
		{
			Name: "an answer to another suspension is refused", Of: scenarios.IDs{openintent.OIP0025A5},
			When: func(_ Chased, in Chasing) bool { return in.Names != "" },
			Ways: []chasedWay{{Must: true, Shows: refusesChased(409), To: Chased.same}},
		},
		{
			Name: "an answer is taken during any attempt", Of: scenarios.IDs{openintent.OIP0026N9},
			When: func(Chased, Chasing) bool { return true },
			Ways: []chasedWay{
				{Must: true, Shows: takesChased, To: func(q Chased, s chasedStep) Chased {
					q.Record, q.Status, q.Answer, q.Since = Answered, Active, s.In.Value, false
					return q
				}},
				{Name: "refused for another reason", Shows: refusesChased(401, 403, 408, 423, 429), To: Chased.same},
			},
		},
	},
	Tell: tellChased,
}

// anyChased: what a clock replies to a client says nothing of the intent.
func anyChased(Chased, chasedStep) []history.Miss { return nil }

func refusesChased(codes ...int64) func(Chased, chasedStep) []history.Miss {
	return func(_ Chased, s chasedStep) []history.Miss { return refusal(s.Out.Status, s.Out.Code, codes...) }
}

func takesChased(_ Chased, s chasedStep) []history.Miss {
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200: the answer is taken")}
	}
	return repliesTo(s.Out.Body, s.Out.Intent, s.Out.Suspension, s.In.Value)
}

func tellChased(s chasedStep) string {
	line := string(s.In.Do)
	switch s.In.Do {
	case Pass:
		line = fmt.Sprintf("let %d half intervals pass", s.In.Halves)
	case Answer:
		line += " " + s.In.Value
		if s.In.Names != "" {
			line += ", naming " + s.In.Names
		}
	}
	if s.Lost {
		return line
	}
	line += fmt.Sprintf(": HTTP %d", s.Out.Code)
	if s.In.Do == Look {
		line += fmt.Sprintf(", %s, %s attempts, %d reminders, %d escalations, %d ends", s.Out.Body.Key("status").String(),
			s.Out.Body.At("/state/_suspension/retry_policy/max_attempts").JSON(),
			len(events(s.Out.Events, renotified, "")), len(events(s.Out.Events, escalated, "")), len(events(s.Out.Events, expired, "")))
	}
	return line
}
