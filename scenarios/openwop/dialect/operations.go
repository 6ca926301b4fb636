package dialect

import "github.com/openassay/assay/scenarios/wire"

// Operation is something a host can be asked to do. Its comment lists the ids in its path, in order.
type Operation struct{ name string } // not a string, so that no other string passes for one

// The operations. A home is the path below which a host keeps goals; a prefix is the path below which it has its
// test seams.
var (
	Discover     = Operation{"read discovery"}
	ReadContract = Operation{"read contract"} // the host's own OpenAPI document

	ReadWorkflow = Operation{"read workflow"} // workflow

	CreateRun   = Operation{"create run"}
	ListRuns    = Operation{"list runs"}
	ReadRun     = Operation{"read run"}     // run
	CancelRun   = Operation{"cancel run"}   // run
	CancelRuns  = Operation{"cancel runs"}  // the body names the runs
	PauseRun    = Operation{"pause run"}    // run
	ResumeRun   = Operation{"resume run"}   // run
	ForkRun     = Operation{"fork run"}     // run
	CompareRuns = Operation{"compare runs"} // run; the parameter against names the other
	ReadLineage = Operation{"read lineage"} // run
	PollLog     = Operation{"poll log"}     // run
	WriteLog    = Operation{"write log"}    // run; no host has it
	StreamLog   = Operation{"stream log"}   // run

	AnswerNode = Operation{"answer node"} // run, node
	ReadToken  = Operation{"read token"}  // token of an interrupt
	UseToken   = Operation{"use token"}   // token of an interrupt

	ListFiles  = Operation{"list files"}
	ReadFile   = Operation{"read file"}   // path in the workspace
	WriteFile  = Operation{"write file"}  // path in the workspace
	DeleteFile = Operation{"delete file"} // path in the workspace

	ListGoals    = Operation{"list goals"}    // home
	CreateGoal   = Operation{"create goal"}   // home
	ReadGoal     = Operation{"read goal"}     // home, goal
	EditGoal     = Operation{"edit goal"}     // home, goal
	RewriteGoal  = Operation{"rewrite goal"}  // home, goal: an edit by POST
	TickGoal     = Operation{"tick goal"}     // home, goal
	PauseGoal    = Operation{"pause goal"}    // home, goal
	ResumeGoal   = Operation{"resume goal"}   // home, goal
	AbandonGoal  = Operation{"abandon goal"}  // home, goal
	CompleteGoal = Operation{"complete goal"} // home, goal; no host accepts it from a client
	ReadTrail    = Operation{"read trail"}    // home, goal: the goal's own events

	UseSeam = Operation{"use seam"} // prefix, name of the seam
)

// Of returns the operation on these ids.
func (o Operation) Of(ids ...string) wire.Operation { return wire.Operation{Name: o.name, IDs: ids} }

// String returns the operation as texts name it. Dialects replace it by method and path.
func (o Operation) String() string { return "{" + o.name + "}" }

// Name returns the operation in words.
func (o Operation) Name() string { return o.name }
