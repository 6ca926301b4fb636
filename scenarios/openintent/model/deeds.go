package model

import (
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Deed is a step of a group. It names no ids and no versions.
type Deed struct {
	Do     Action `json:"do"`
	Intent int    `json:"intent"`
	On     int    `json:"on,omitempty"`    // another intent, or the portfolio or task that it is about
	Value  int    `json:"value,omitempty"` // of [Values], of [Kinds], or of a note
	Window int    `json:"window,omitempty"`
	Names  string `json:"names,omitempty"` // which suspension an answer names
	Match  string `json:"match,omitempty"` // which version a write names
	// Merged is the form in which a record is written.
	Merged bool `json:"merged,omitempty"`
}

// What deeds do beside the actions of programs and scenes.
const (
	Records     Action = "write a record of"
	Halts       Action = "suspend"
	Renew       Action = "renew the lease of"
	Frees       Action = "free of a dependency"
	Pass        Action = "let an interval pass of"
	LookGraph   Action = "read the graph of"
	LookReady   Action = "read what is ready below"
	LookHeld    Action = "read what is blocked below"
	LookFolder  Action = "read the portfolio of"
	LookMembers Action = "read the members of the portfolio of"
	LookWithin  Action = "read the portfolios of"
	LookLog     Action = "read the log of"
	LookTold    Action = "read the log of the portfolio of"
	LookTask    Action = "read a task of"
	LookTasks   Action = "read the tasks of"
	LookPlan    Action = "read the plan of"
)

// Reads are the deeds that change nothing.
var Reads = []Action{
	Look, LookGraph, LookReady, LookHeld, LookFolder, LookMembers, LookWithin, LookLog, LookTold, LookTask, LookTasks, LookPlan,
}

// Writes are those that name a version of their intent.
var Writes = []Action{Note, Records, Halts, Complete, Abandon, Activate, Depend, Frees}

// The suspensions that an answer may name. The present one is "".
const (
	NamesEarlier = "an earlier one"
	NamesOther   = "that of another intent"
	NamesNear    = "one that begins alike"
	NamesNone    = "none"
)

// The versions that a write may name. The present one is "".
const (
	MatchOld   = "an old version"
	MatchLater = "a later version"
	MatchNone  = "no version"
)

// Window is how long a suspension waits: attempts with an interval between them, and what is done in the end.
type Window struct {
	Attempts int
	Plain    bool   // there is no retry policy
	Fallback string // that is done
	Outer    string // of the record, where its policy names another one
	Inherits bool   // its policy names none
	Silent   bool   // its policy does not say how many attempts there are: one (OIP-R10)
	Step     int    // the attempt that the ladder has a step for; 0 is none
}

// What the step of a ladder says.
const (
	StepChannel   = "email"
	StepRecipient = "supervisor@example.com"
)

// Windows are those of records; the first one never ends.
var Windows = []Window{
	{},
	{Attempts: 1, Plain: true, Fallback: Fails},
	{Attempts: 1, Plain: true, Fallback: Completes},
	{Attempts: 2, Fallback: Fails, Outer: Completes, Step: 2},
	{Attempts: 3, Fallback: Defaults, Outer: Fails, Step: 3},
	{Attempts: 2, Fallback: Completes, Inherits: true},
	{Attempts: 1, Fallback: Defaults, Silent: true},
}

// Names are the ids of what a group is about, as the server gave them.
type Names struct {
	Intents []string   `json:"intents"`
	Folders []string   `json:"folders"`
	Works   []string   `json:"works"`
	Titles  []string   `json:"titles"` // of intents, "" where another name will do
	Sids    [][]string `json:"sids"`   // of the records of each intent
}

// Found is what was seen of a deed.
type Found struct {
	Code   int64        `json:"code"`
	Status wire.Value   `json:"status"`
	Body   wire.Value   `json:"body"`
	List   wire.Values  `json:"list,omitempty"` // of a log
	Names  Names        `json:"names"`
	Odd    []wire.Value `json:"odd,omitempty"`   // members of a record that are not as they were written
	Where  []wire.Value `json:"where,omitempty"` // what was looked for at several places, as the deed has it
	Own    []wire.Value `json:"own,omitempty"`   // the status that each intent shows of itself then, as far as they were read
}

func (f Found) ok() bool { return f.Code/100 == 2 }

type (
	deedStep = history.Step[Deed, Found]
	deedRule = history.Rule[Group, Deed, Found]
	deedWay  = history.Way[Group, Deed, Found]
)
