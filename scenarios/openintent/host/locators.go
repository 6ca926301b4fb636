package host

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Locator lists the places where servers may show something whose place the texts leave open. The first that is present
// counts.
type Locator struct {
	What   string // as reports call it
	Places []Place
}

// Place is a JSON pointer into a document.
type Place struct {
	In      string // the document, as named in docs/openintent-servers.md
	Pointer string
}

func (p Place) String() string {
	if p.Pointer == "" {
		return p.In
	}
	return p.In + " " + p.Pointer
}

// places returns a locator of places written as "document pointer".
func places(what string, list ...string) Locator {
	l := Locator{What: what}
	for _, p := range list {
		in, pointer, _ := strings.Cut(p, " ")
		l.Places = append(l.Places, Place{in, pointer})
	}
	return l
}

// Locators are all locators, in the order of the documentation. The simulated server uses the first place of each.
var Locators = []Locator{
	logs, ParentAggregate, PortfolioFlag, PortfolioCount, PortfolioAggregate, SuspendedTasks, SuspendedPhases,
	taskStatus, SuspendedIntent, AbandonmentReason, errorCode, ValidChoices,
}

var (
	logs            = places("the events of a log", "log", "log /events", "log /items")
	ParentAggregate = places("the aggregate of a parent", "graph /aggregate_status", "intent /aggregate_status")
	PortfolioFlag   = places("has_suspended_members",
		"portfolio /has_suspended_members", "portfolio /aggregate_status/has_suspended_members")
	PortfolioCount = places("suspended_member_count",
		"portfolio /suspended_member_count", "portfolio /aggregate_status/suspended_member_count")
	PortfolioAggregate = places("the aggregate status of a portfolio",
		"portfolio /aggregate_status/status", "portfolio /aggregate_status",
		"portfolio /aggregate_status/overall", "portfolio /status")
	SuspendedTasks = places("suspended_tasks",
		"plan /progress/suspended_tasks", "plan /suspended_tasks", "progress /suspended_tasks")
	SuspendedPhases = places("suspended_phases",
		"portfolio /progress/suspended_phases", "portfolio /suspended_phases",
		"workflow /progress/suspended_phases", "workflow /suspended_phases")
	taskStatus      = places("the status of a task", "task /status", "task /state")
	SuspendedIntent = places("suspended_intent_id",
		"task /suspended_intent_id", "task /metadata/suspended_intent_id", "task /task_metadata/suspended_intent_id")
	AbandonmentReason = places("abandonment_reason",
		"intent /abandonment_reason", "intent /state/abandonment_reason",
		"event /payload/abandonment_reason", "event /payload/reason")
	errorCode = places("the code of a refusal",
		"body /error", "body /detail/error", "body /error/code", "body /code", "body /detail/code")
	ValidChoices = places("valid_choices",
		"body /valid_choices", "body /detail/valid_choices", "body /error/valid_choices")
)

// documents are the documents to search, by name. A name may stand for several.
type documents map[string][]wire.Value

// Named returns documents of one name.
func Named(name string, values ...wire.Value) documents { return documents{name: values} }

// And adds documents of another name.
func (d documents) And(name string, values ...wire.Value) documents {
	d[name] = append(d[name], values...)
	return d
}

// Located is a value and the place where it was found.
type Located struct {
	wire.Value
	Place Place
	First bool // whether Place is the first of the locator
}

// Locate returns the first value of the right kind at the places of l; aggregate_status, for one, is an object in one
// place and a word in another. If there is none, the value is absent at the first place.
func Locate(l Locator, docs documents) Located {
	for n, p := range l.Places {
		for _, doc := range docs[p.In] {
			if v := doc.At(p.Pointer); v.Present() && fits(l, v) {
				return Located{v, p, n == 0}
			}
		}
	}
	first := l.Places[0]
	var v wire.Value
	for _, doc := range docs[first.In] {
		v = doc.At(first.Pointer)
		if !v.Present() {
			break
		}
	}
	if v.Present() { // of another kind
		return Located{v, first, true}
	}
	for _, p := range l.Places { // a value that points at an exchange, for the report
		if list := docs[p.In]; v.Ref().Exchange == 0 && len(list) > 0 {
			v = list[len(list)-1].At(p.Pointer)
		}
	}
	return Located{v, first, true}
}

// fits reports whether a value is of the kind that l looks for.
func fits(l Locator, v wire.Value) bool {
	switch l.What {
	case PortfolioAggregate.What, taskStatus.What, errorCode.What:
		return v.String() != ""
	case logs.What, SuspendedTasks.What, SuspendedPhases.What, ValidChoices.What:
		_, isList := v.Actual().([]any)
		return isList
	case ParentAggregate.What:
		_, isObject := v.Actual().(map[string]any)
		return isObject
	}
	return true
}

// Label returns what with its place, for the label of a check.
func (l Located) Label(what string) string { return fmt.Sprintf("%s (%s)", what, l.Place) }

// reasonOf returns the reason that a refusal gives, "" if it gives none.
func reasonOf(body wire.Value) string {
	for _, pointer := range []string{"/detail", "/detail/message", "/detail/error", "/message", "/error/message", "/error"} {
		if s := body.At(pointer).String(); s != "" {
			return s
		}
	}
	return ""
}

// Note notes a value that was found at a later place, which the reading allows.
func (l Located) Note(j *scenarios.Judge, reading string, of Locator) {
	if l.Present() && !l.First {
		j.Find("", "%s was found at %s (%s)", of.What, l.Place, reading)
	}
}
