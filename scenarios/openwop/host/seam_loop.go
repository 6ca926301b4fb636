package host

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// SeamAnswer is one question put to the seam agentloop/run, and its reply.
type SeamAnswer struct {
	Turns      int         `json:"turns"`
	Status     wire.Value  `json:"status"`
	Decisions  wire.Values `json:"decisions"`
	Resumed    wire.Value  `json:"resumed"` // resumedIteration
	Body       wire.Value  `json:"body"`
	Log        RunLog      `json:"log"` // of the run that the reply names, if any
	NamesARun  bool        `json:"namesARun"`
	SuspendsAt int         `json:"suspendsAt,omitempty"`
	WritesAt   int         `json:"writesAt,omitempty"` // workspaceWriteAtTurn
}

// Claimed returns the decisions in the reply.
func (a SeamAnswer) Claimed() wire.Found {
	return wire.Found{Values: a.Decisions, In: wire.Ref{Exchange: a.Body.Ref().Exchange, Pointer: "/decisions"}}
}

func (a SeamAnswer) Iterations() wire.Found { return a.Claimed().Each("/iteration") }

// SeamObservation holds the seam's answers.
type SeamObservation struct {
	Path    string       `json:"path"`
	Answers []SeamAnswer `json:"answers"`
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (SeamObservation) SeenAs() scenarios.Evidence { return scenarios.Attested }

// ClosedSeam is why a drive of the seam of loops sends no name.
const ClosedSeam = "the body of the seam agentloop/run has numbers alone"

// SeamTurns asks the seam for several random numbers of turns. A constant reply fits at most one of them.
var SeamTurns = &scenarios.Drive[SeamObservation]{
	ID:       "openwop/seam-turns",
	Nameless: ClosedSeam,
	Title:    "asks the seam agentloop/run for three different random numbers of turns",
	Sends:    []string{"{use seam:agentloop/run} {turns: random}, three times", "{poll log} of the runs it names"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SeamObservation) {
		h := Host{c}
		s := h.AgentLoopSeam(ctx)
		ceiling, why := h.Ceiling()
		if ceiling < 4 {
			scenarios.End(scenarios.Block("the host's limits allow fewer than three different numbers of turns: "+why,
				"advertise higher limits while the host is certified"))
		}
		var asks []dialect.AgentloopRequest
		for _, n := range h.Rand.Perm(min(8, ceiling-1))[:3] {
			asks = append(asks, dialect.AgentloopRequest{Turns: int64(n + 2)})
		}
		*o = s.Answers(ctx, asks...)
	},
}

// SeamImpossible asks the seam for what no run can do.
var SeamImpossible = &scenarios.Drive[SeamObservation]{
	ID:       "openwop/seam-impossible",
	Nameless: ClosedSeam,
	Title: "asks the seam agentloop/run for no turn, fewer than none, and a suspension after the last turn; and for what " +
		"can be, as the control",
	Sends: []string{"{use seam:agentloop/run} {turns: random}", "{use seam:agentloop/run} {turns: 0}",
		"{use seam:agentloop/run} {turns: a negative number}", "{use seam:agentloop/run} {turns: n, suspendAtTurn: more than n, resume: true}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SeamObservation) {
		h := Host{c}
		s := h.AgentLoopSeam(ctx)
		ceiling, _ := h.Ceiling()
		n := h.Between(min(2, ceiling), min(5, ceiling))
		*o = s.Answers(wire.Misfit(ctx, openwop.OWP0061B4),
			dialect.AgentloopRequest{Turns: int64(n)},
			dialect.AgentloopRequest{Turns: 0},
			dialect.AgentloopRequest{Turns: -int64(h.Between(1, 9))},
			dialect.AgentloopRequest{Turns: int64(n), SuspendAtTurn: new(int64(n + h.Between(1, 5))), Resume: new(true)},
		)
	},
}

// Answers asks one question after another.
func (s Seam) Answers(ctx context.Context, asks ...dialect.AgentloopRequest) SeamObservation {
	o := SeamObservation{Path: s.Path()}
	for _, ask := range asks {
		a := s.Answer(ctx, ask)
		o.Answers = append(o.Answers, a)
	}
	return o
}

// Answer asks one question. If the reply names a run, it reads that run's log.
func (s Seam) Answer(ctx context.Context, ask dialect.AgentloopRequest) SeamAnswer {
	reply := s.Ask(ctx, ask)
	a := SeamAnswer{Turns: int(ask.Turns), Status: reply.StatusValue(), Body: reply.Value(""),
		Decisions: reply.Value("/decisions").Items(), Resumed: reply.Value("/resumedIteration")}
	if ask.SuspendAtTurn != nil {
		a.SuspendsAt = int(*ask.SuspendAtTurn)
	}
	if ask.WorkspaceWriteAtTurn != nil {
		a.WritesAt = int(*ask.WorkspaceWriteAtTurn)
	}
	r := s.Adopt(reply)
	if a.NamesARun = r.ID != ""; a.NamesARun {
		follow := r.Finish
		if ask.SuspendAtTurn != nil && ask.Resume == nil {
			follow = r.Settle
		}
		a.Log = follow(ctx, "log of the run the seam names")
	}
	return a
}
