package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Question is an intent that waits for an answer by choice, in one of the states in which it may be.
type Question struct {
	Status  string `json:"status"`
	Version int64  `json:"version"` // as far as it is known, else the least that it may be
	Known   bool   `json:"known"`   // the version
	Note    string `json:"note"`    // a key of its state
	Answer  string `json:"answer"`  // that was taken
	Asks    int    `json:"asks"`    // of [Kinds]
	Offers  string `json:"offers"`  // the values of the choices that there are, one a line
	Seen    bool   `json:"seen"`    // it was read
	// Lifecycle: the server claims to hold status changes against the life of a suspension.
	Lifecycle bool `json:"lifecycle"`
}

// Asked is what is asked of a question, in one request.
type Asked struct {
	Do    Action `json:"do"` // Answer, Complete, Abandon, Note or Look
	Value string `json:"value,omitempty"`
	// Old: it names the version before the one that this client saw last.
	Old bool `json:"old,omitempty"`
	// Names is which suspension an answer names: "" is that which waits, else one of [NamesOther] and [NamesNear].
	Names string `json:"names,omitempty"`
	// Noted: it has metadata.
	Noted bool `json:"noted,omitempty"`
}

// What only questions are asked.
const (
	Note Action = "write a note"
	Look Action = "read"
	Tell Action = "read the log"
	Else Action = "write something else"
)

// Replied is the reply to it.
type Replied struct {
	Reply
	Named int64 `json:"named,omitempty"` // the version that the request named
	// Intent and Suspension are the ids of what it is about.
	Intent     string       `json:"intent"`
	Suspension string       `json:"suspension"`
	Choices    wire.Value   `json:"choices"`        // that a refusal lists
	Label      string       `json:"label"`          // of the choice that was taken; "" if it has none
	Meaning    string       `json:"meaning"`        // the description of it; "" if it has none
	List       wire.Values  `json:"list,omitempty"` // of a log
	Odd        []wire.Value `json:"odd,omitempty"`  // members of the record that are not as they were written
}

type (
	questionStep = history.Step[Asked, Replied]
	questionRule = history.Rule[Question, Asked, Replied]
	questionWay  = history.Way[Question, Asked, Replied]
)

// QuestionModel says what such an intent may show, whoever asks at once.
var QuestionModel = &history.Model[Question, Asked, Replied]{
	Rules: []*questionRule{
		{
			Name: "an intent is shown as it is", Of: scenarios.IDs{openintent.OIP00014},
			When: func(_ Question, in Asked) bool { return in.Do == Look },
			Ways: []questionWay{{Must: true, Shows: Question.shown, To: Question.seen}},
		},
		{
			Name: "a log tells the suspension and the answer once", Of: scenarios.IDs{openintent.OIP0025A14, openintent.OIPREAD7},
			When: func(_ Question, in Asked) bool { return in.Do == Tell },
			Ways: []questionWay{{Must: true, Shows: Question.told, To: Question.same}},
		},
		{
			Name: "an answer to another suspension is refused", Of: scenarios.IDs{openintent.OIP0025A5},
			When: func(q Question, in Asked) bool { return in.Do == Answer && q.waits() && in.Names != "" },
			Ways: []questionWay{{Must: true, Shows: refused(409), To: Question.same}},
		},
		{
			Name: "a value that is none of the choices is refused", Of: scenarios.IDs{openintent.OIP0025A7},
			When: func(q Question, in Asked) bool {
				return in.Do == Answer && q.waits() && Kinds[q.Asks] == "choice" && !q.fits(in.Value)
			},
			Ways: []questionWay{{Must: true, Shows: refusedWithChoices, To: Question.same}},
		},
		{
			Name: "a confirmation takes nothing but yes and no", Of: scenarios.IDs{openintent.OIP0025A9},
			When: func(q Question, in Asked) bool { return in.Do == Answer && q.waits() && !q.fits(in.Value) },
			Ways: []questionWay{{Must: true, Shows: refused(422), To: Question.same}},
		},
		{
			Name: "an answer to what waits is taken", Of: scenarios.IDs{openintent.OIPREAD1},
			When: func(q Question, in Asked) bool { return in.Do == Answer && q.waits() },
			Ways: []questionWay{{Must: true, Shows: took, To: func(q Question, s questionStep) Question {
				q.Status, q.Answer, q.Known = Active, s.In.Value, false // whether an answer makes another version no text says
				return q
			}}, {Name: "refused for another reason", Shows: refused(401, 403, 408, 409, 423, 429), To: Question.same}},
		},
		{
			Name: "an answer to what does not wait is refused", Of: scenarios.IDs{openintent.OIP0026K4}, Readings: []string{"OIP-R30"},
			When: func(_ Question, in Asked) bool { return in.Do == Answer },
			Ways: []questionWay{{Must: true, Shows: notTwice, To: Question.same}},
		},
		{
			Name: "a suspended intent is not completed past its answer", Of: scenarios.IDs{openintent.OIP0025L2},
			When: func(q Question, in Asked) bool { return in.Do == Complete && q.waits() && q.Lifecycle },
			Ways: []questionWay{{Must: true, Shows: refused(), To: Question.same}},
		},
		{
			Name: "a change is made only if it names the version", Of: scenarios.IDs{openintent.OIP00012},
			Readings: []string{"OIP-R4"},
			When:     func(Question, Asked) bool { return true },
			Ways: []questionWay{
				{Name: "made", Must: true, Shows: current, To: changed},
				{Name: "refused", Shows: refused(), To: Question.same},
			},
		},
	},
	Tell: tellQuestion,
}

func (q Question) choices() []string { return strings.Split(q.Offers, "\n") }

func (q Question) waits() bool { return q.Status == Suspended }

// fits reports whether a text answers the question.
func (q Question) fits(value string) bool {
	switch Kinds[q.Asks] {
	case "choice":
		return slices.Contains(q.choices(), value)
	case "confirm":
		return value == "yes" || value == "no"
	}
	return value != ""
}

func (q Question) same(questionStep) Question { return q }

// moved returns the intent after a change, whose reply may tell the version.
func (q Question) moved(s questionStep) Question {
	q.Known = false
	q.Version++
	if version, has := s.Out.Body.Key("version").Int(); has {
		q.Version, q.Known = version, true
	}
	return q
}

// seen returns the intent as a read shows it.
func (q Question) seen(s questionStep) Question {
	q.Seen = q.Seen || !s.Lost
	if version, has := s.Out.Body.Key("version").Int(); has {
		q.Version, q.Known = version, true
	}
	return q
}

// changed returns the intent after a change that was made.
func changed(q Question, s questionStep) Question {
	switch s.In.Do {
	case Note:
		q.Note = s.In.Value
	case Complete:
		q.Status = Completed
	case Abandon:
		q.Status = Abandoned
	}
	return q.moved(s)
}

func miss(at wire.Value, format string, args ...any) history.Miss {
	return history.Miss{At: at, Want: fmt.Sprintf(format, args...)}
}

// shown compares a read with the intent.
func (q Question) shown(s questionStep) (out []history.Miss) {
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200")}
	}
	body := s.Out.Body
	if status := body.Key("status"); status.String() != q.Status {
		of := scenarios.RequirementID("")
		if q.Answer != "" && q.Status == Active {
			of = openintent.OIP0025A15
		}
		out = append(out, missOf(of, status, "status %s", q.Status))
	}
	if version, has := body.Key("version").Int(); has && version < q.Version {
		out = append(out, miss(body.Key("version"), "version %d, or a later one", q.Version))
	}
	if note := body.At("/state/note"); note.String() != q.Note {
		out = append(out, miss(note, "the note %q", q.Note))
	}
	return append(out, q.record(s)...)
}

// record compares the record of the suspension.
func (q Question) record(s questionStep) (out []history.Miss) {
	r := s.Out.Body.At("/state/_suspension")
	for _, odd := range s.Out.Odd {
		out = append(out, missOf(openintent.OIP0025A13, odd, "what was written there"))
	}
	if q.Answer != "" {
		return append(out, showsAnswer(r, q.Answer)...)
	}
	if response := r.Key("response"); response.String() != "" {
		out = append(out, missOf(openintent.OIP0025A13, response, "no answer"))
	}
	return out
}

// told compares how often the log tells what.
func (q Question) told(s questionStep) (out []history.Miss) {
	if !s.Out.ok() {
		return nil
	}
	answers := 0
	if q.Answer != "" {
		answers = 1
	}
	if n := len(events(s.Out.List, "intent.suspended", s.Out.Suspension)); n > 1 {
		out = append(out, missOf(openintent.OIPREAD7, s.Out.Status, "one intent.suspended, not %d", n))
	}
	if n := len(events(s.Out.List, "intent.resumed", s.Out.Suspension)); n != answers {
		out = append(out, miss(s.Out.Status, "%d intent.resumed, not %d", answers, n))
	}
	return out
}

// refused returns whether a reply is a refusal with one of these statuses; none is any client error.
func refused(codes ...int64) func(Question, questionStep) []history.Miss {
	return func(_ Question, s questionStep) []history.Miss { return refusal(s.Out.Status, s.Out.Code, codes...) }
}

// refusal compares a status with those of a refusal; none is any client error.
func refusal(status wire.Value, code int64, codes ...int64) []history.Miss {
	switch {
	case slices.Contains(codes, code), len(codes) == 0 && code/100 == 4:
		return nil
	case len(codes) == 0:
		return []history.Miss{miss(status, "a refusal with 4xx")}
	}
	return []history.Miss{miss(status, "HTTP %d", codes[0])}
}

// notTwice: an answer of another client that is taken beside the first is one of several at once.
func notTwice(q Question, s questionStep) []history.Miss {
	out := refused()(q, s)
	for i := range out {
		if s.Out.ok() && s.Client > 0 {
			out[i].Of = openintent.OIPREAD1
		}
	}
	return out
}

// refusedWithChoices lists the choices that there are.
func refusedWithChoices(q Question, s questionStep) []history.Miss {
	if out := refused(422)(q, s); len(out) > 0 {
		return out
	}
	return listsChoices(s.Out.Choices, q.choices())
}

func took(q Question, s questionStep) (out []history.Miss) {
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200: the answer is taken")}
	}
	out = repliesTo(s.Out.Body, s.Out.Intent, s.Out.Suspension, s.In.Value)
	if Kinds[q.Asks] == "choice" {
		out = append(out, described(s.Out.Body, s.Out.Label, s.Out.Meaning)...)
	}
	return out
}

// current: the version that it named may be that of the intent.
func current(q Question, s questionStep) []history.Miss {
	if q.Known && s.Out.Named != q.Version || s.Out.Named < q.Version {
		return []history.Miss{miss(s.Out.Status, "a refusal: it names version %d in place of %d", s.Out.Named, q.Version)}
	}
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200")}
	}
	return nil
}

func tellQuestion(s questionStep) string {
	line := string(s.In.Do)
	if s.In.Value != "" {
		line += " " + s.In.Value
	}
	switch {
	case s.In.Old && s.In.Do == Answer:
		line += " to another suspension"
	case s.Out.Named > 0:
		line += fmt.Sprintf(" at version %d", s.Out.Named)
	}
	if s.Lost {
		return line
	}
	line += fmt.Sprintf(": HTTP %d", s.Out.Code)
	if s.In.Do == Look {
		b := s.Out.Body
		line += fmt.Sprintf(", %s, version %s, note %q, answer %q", b.Key("status").String(), b.Key("version").JSON(),
			b.At("/state/note").String(), b.At("/state/_suspension/response").String())
	}
	return line
}
