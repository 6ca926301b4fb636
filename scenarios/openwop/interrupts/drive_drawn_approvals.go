package interrupts

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// What drawn interrupts draw.
var (
	rounds = &scenarios.Dimension{Name: "questions about an approval", Least: 2, Most: [3]int{2, 4, 9}, Edges: []int{2, 3}}
	misses = &scenarios.Dimension{Name: "wrong answers close to the right one", Least: 3, Most: [3]int{4, 8, 16}}
)

// DrawnApprovalsObservation is some approvals that lasted several rounds.
type DrawnApprovalsObservation struct {
	// One that is accepted, one with an edit, and one that is rejected. Nobody asks about the first, which is not rejected. Beyond quick
	// one more with an edit that leaves nothing of the artifact.
	Approvals []DrawnApproval `json:"approvals"`
}

// DrawnApproval is an approval that was answered wrongly and asked about, again and again, and then decided.
type DrawnApproval struct {
	Gate
	Asks    int                    `json:"asks"`            // how often it was to be asked about
	Draft   model.Values           `json:"draft,omitempty"` // the artifact to approve; nil if it was not ours to choose
	Action  dialect.ApprovalAction `json:"action"`          // that decided it
	Edited  model.Values           `json:"edited,omitzero"` // nil if it was not edited
	Rounds  []Round                `json:"rounds"`          // one for each time that it waited
	Decided Response               `json:"decided"`
	End     host.RunLog            `json:"end"`
	Late    []Response             `json:"late"`  // answers after the end
	Spent   []Response             `json:"spent"` // likewise, with the token; none if the run shows none
	Later   host.RunLog            `json:"later"` // behind them
}

// Round is an interrupt while it waits.
type Round struct {
	Waits wire.Wait   `json:"waits"` // until the run waits, or waits again; Last is the snapshot
	Log   host.RunLog `json:"log"`   // at that time
	Wrong []Wrong     `json:"wrong"`
	After host.RunLog `json:"after"`           // when all of them were refused
	Asked *Response   `json:"asked,omitempty"` // the question that ended the round; nil where another answer did
}

// Wrong is an answer that the host must refuse.
type Wrong struct {
	Response
	Miss miss `json:"miss"`
}

// miss is what is wrong with an answer.
type miss string

const (
	wrongAnswer miss = "answer"  // it does not fit the interrupt
	atNode      miss = "at-node" // likewise, and it is sent to the node where a token might be needed
	noNode      miss = "node"    // the run has no such node
	idleNode    miss = "idle"    // nobody waits at that node
	wrongToken  miss = "token"   // nobody made that token
	spentToken  miss = "spent"   // it is that of a round before
)

// attempt is a wrong answer that is to be sent.
type attempt struct {
	miss   miss
	what   string
	node   func(node string) string // nil: the one that waits
	token  func(token string) string
	event  bool // by the token where there is one
	value  any
	marker string
}

// drawnApprovals has approvals wait, answers them wrongly and asks about them, round after round, and decides them.
var drawnApprovals = &scenarios.Drive[DrawnApprovalsObservation]{
	ID: "openwop/drawn-approvals",
	Title: "has three runs wait for approvals, sends each some answers that are close to a right one, asks about it, and so on for drawn " +
		"rounds; accepts one, accepts one with an edit and rejects one, and answers each once more when it has ended",
	Sends:      []string{sendsGate, "{read run}", "{poll log}", "{answer node}", "{use token}"},
	Dimensions: []*scenarios.Dimension{rounds, misses},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DrawnApprovalsObservation) {
		h := host.Host{Conn: c}
		actions := []dialect.ApprovalAction{dialect.ApprovalActionAccept, dialect.ApprovalActionEditAccept, dialect.ApprovalActionReject}
		first := h.Rand.IntN(2)
		actions[0], actions[first] = actions[first], actions[0]
		if h.Depth > scenarios.Quick {
			actions = append(actions, dialect.ApprovalActionEditAccept)
		}
		o.Approvals = make([]DrawnApproval, len(actions))
		if last := &o.Approvals[len(actions)-1]; h.Depth > scenarios.Quick {
			last.Edited = model.Values{}
		}
		var runs []func(context.Context)
		for i, action := range actions {
			o.Approvals[i].Action = action
			if i > 0 {
				o.Approvals[i].Asks = h.Draw(rounds)
			}
			runs = append(runs, o.Approvals[i].drawnFor(h))
		}
		h.AtOnce(ctx, runs...)
		if last := o.Approvals[len(actions)-1]; last.emptied() && host.RefusesAnswer(last.Decided.Status) {
			o.Approvals = o.Approvals[:len(actions)-1] // a host need not take an edit that leaves nothing
		}
	},
}

// emptied reports whether the approval was accepted with an edit that leaves nothing of the artifact.
func (o DrawnApproval) emptied() bool { return o.Edited != nil && len(o.Edited) == 0 }

// drawnFor draws the rest of an approval and returns what carries it out.
func (o *DrawnApproval) drawnFor(h host.Host) func(context.Context) {
	offered := []dialect.ApprovalAction{dialect.ApprovalActionAccept, dialect.ApprovalActionReject, dialect.ApprovalActionAsk}
	var way gateWay
	switch {
	case h.Offers(fixture.Approval):
		switch o.Action {
		case dialect.ApprovalActionEditAccept:
			offered = append(offered, o.Action)
		case dialect.ApprovalActionAccept: // it cannot be rejected
			offered = []dialect.ApprovalAction{o.Action, dialect.ApprovalActionAsk}
		}
		way = approvalWay(h, offered...)
		way.ours = true
		o.Draft = host.Values(way.draft)
		way.inputs["draft"] = o.Draft
	case h.Offers(fixture.ScriptedApproval):
		way = scriptedApproval
		offered = append(offered, dialect.ApprovalActionEditAccept)
	default:
		way, o.Asks, offered = approvalGate(h), 0, offered[:2]
		if o.Action == dialect.ApprovalActionEditAccept {
			o.Action = dialect.ApprovalActionAccept
		}
	}
	switch {
	case o.Action != dialect.ApprovalActionEditAccept:
		o.Edited = nil
	case o.Edited == nil:
		o.Edited = host.Values(h.Marker())
	}
	attempts := make([][]attempt, o.Asks+1)
	asks := make([]string, o.Asks)
	for i := range attempts {
		attempts[i] = decisionMisses(h, way.ours, offered)
		if i < o.Asks {
			asks[i] = h.Marker()
		}
	}
	last, late, byToken := h.Marker(), h.Marker(), h.Rand.IntN(2) == 0
	return func(ctx context.Context) {
		w := wait(ctx, h, way)
		o.Gate = w.Gate
		r := Round{Waits: w.Suspended, Log: w.Log}
		tokens := []string{w.token}
		for i := 0; r.Waits.Reached; i++ {
			w.miss(ctx, &r, attempts[i], tokens)
			if i == o.Asks {
				break
			}
			asked := w.answer(ctx, "to ask about it", asks[i], decision(dialect.ApprovalActionAsk, asks[i]))
			r.Asked = &asked
			if !host.Succeeded(asked.Status) {
				break
			}
			o.Rounds = append(o.Rounds, r)
			r = w.nextRound(ctx, i+2)
			if tokens = append(tokens, w.token); leftOpen(r.Waits) { // as it was: there is no other round
				o.Asks = i + 1
				r.Waits.Reached = true
				break
			}
		}
		if o.Rounds = append(o.Rounds, r); !r.Waits.Reached || r.Asked != nil {
			return
		}
		w.decideDrawn(ctx, o, last, late, byToken, instead(o.Action, offered))
	}
}

// miss sends wrong answers and reads the run behind them. tokens are those of all rounds up to this one.
func (w *Waiting) miss(ctx context.Context, r *Round, attempts []attempt, tokens []string) {
	for _, a := range attempts {
		switch token := w.token; {
		case a.token != nil && token == "":
		case a.token != nil:
			if forged := a.token(token); !slices.Contains(tokens, forged) && !Names(r.Log, forged) {
				r.Wrong = append(r.Wrong, Wrong{w.useToken(ctx, forged, a.what, a.marker, a.value), a.miss})
			}
		case a.event:
			r.Wrong = append(r.Wrong, Wrong{w.answerAsEvent(ctx, a.what, a.marker, a.value), a.miss})
		case a.node != nil:
			r.Wrong = append(r.Wrong, Wrong{w.answerAt(ctx, a.node(w.Node), a.what, a.marker, a.value), a.miss})
		default:
			r.Wrong = append(r.Wrong, Wrong{w.answer(ctx, a.what, a.marker, a.value), a.miss})
		}
	}
	for i, token := range tokens[:len(tokens)-1] {
		if token != "" && token != w.token {
			what := "to accept with the token of a round before"
			r.Wrong = append(r.Wrong, Wrong{w.useToken(ctx, token, what, "", w.way.accepting(attempts[i%len(attempts)].marker)), spentToken})
		}
	}
	r.After = w.Stands(ctx, "the run, when all that was wrong was refused")
}

// nextRound waits for the nth suspension of the gate.
func (w *Waiting) nextRound(ctx context.Context, n int) Round {
	var r Round
	r.Waits = w.awaitSuspensions(ctx, n)
	if r.Log = w.Stands(ctx, "the run after the question"); r.Waits.Reached {
		w.token = ""
		w.findToken(ctx, "the run that waits again")
	}
	return r
}

// leftOpen reports whether a run waits that raised no further interrupt.
func leftOpen(again wire.Wait) bool {
	return !again.Reached && host.IsWaiting(again.Last.Key("status").String())
}

// instead returns what the approval offers to decide it otherwise, or the same action where it offers none.
func instead(action dialect.ApprovalAction, offered []dialect.ApprovalAction) dialect.ApprovalAction {
	for _, other := range []dialect.ApprovalAction{dialect.ApprovalActionReject, dialect.ApprovalActionAccept} {
		if other != action && slices.Contains(offered, other) {
			return other
		}
	}
	return action
}

// decideDrawn decides the approval, and answers it again behind its end, also with other.
func (w *Waiting) decideDrawn(ctx context.Context, o *DrawnApproval, marker, late string, byToken bool, other dialect.ApprovalAction) {
	answer := decision(o.Action, marker)
	if o.Edited != nil {
		answer["editedArtifactData"] = o.Edited
	}
	what := "to " + string(o.Action)
	if byToken && w.token != "" {
		o.Decided = w.useToken(ctx, w.token, what+" with the token", marker, answer)
	}
	if !host.Succeeded(o.Decided.Status) {
		o.Decided = w.answer(ctx, what, marker, answer)
	}
	if o.End = w.finishAfter(ctx, o.Decided); !o.End.Ended.Reached {
		return
	}
	for _, action := range []dialect.ApprovalAction{other, dialect.ApprovalActionAsk} {
		o.Late = append(o.Late, w.answer(ctx, "to "+string(action), late, decision(action, late)))
	}
	if w.token != "" {
		what := "to " + string(other) + " with the token of what was decided"
		o.Spent = append(o.Spent, w.useToken(ctx, w.token, what, late, decision(other, late)))
	}
	o.Later = w.Stands(ctx, "the run that was decided, after further answers")
}

// decisionMisses draws answers that are close to one that the approval offers.
func decisionMisses(h host.Host, ours bool, offered []dialect.ApprovalAction) []attempt {
	var all []attempt
	right := offered[h.Rand.IntN(len(offered))]
	for _, word := range host.LookAlikes(string(right)) {
		all = append(all, attempt{miss: wrongAnswer, value: word})
	}
	always := 1 // another case
	for _, a := range []dialect.ApprovalAction{dialect.ApprovalActionReject, dialect.ApprovalActionEditAccept, dialect.ApprovalActionRefine} {
		switch {
		case slices.Contains(offered, a):
		case a == dialect.ApprovalActionReject:
			all, always = slices.Insert(all, 1, attempt{miss: wrongAnswer, value: string(a)}), 2
		default:
			all = append(all, attempt{miss: wrongAnswer, value: string(a)})
		}
	}
	for _, odd := range []any{[]any{string(right)}, map[string]any{string(right): true}, true, 0, 1, nil, ""} {
		all = append(all, attempt{miss: wrongAnswer, value: odd})
	}
	for i := range all {
		marker := h.Marker()
		all[i].what, all[i].marker = "with the action "+wire.Compact(all[i].value), marker
		all[i].value = map[string]any{"action": all[i].value, "comment": marker}
	}
	for _, odd := range []any{nil, []any{}, map[string]any{}, 0, false, ""} {
		all = append(all, attempt{miss: wrongAnswer, what: "with " + wire.Compact(odd), value: odd})
	}
	accept := func(a attempt) attempt {
		a.marker = h.Marker()
		a.value = decision(dialect.ApprovalActionAccept, a.marker)
		return a
	}
	const nodes = 3 // of the others ask at a node that is none
	others := []attempt{
		{miss: noNode, what: "to accept at a node whose id is longer", node: func(n string) string { return n + "x" }},
		{miss: noNode, what: "to accept at a node whose id is shorter", node: func(n string) string { return n[:len(n)-1] }},
		{miss: noNode, what: "to accept at a node whose id has another case", node: func(n string) string { return host.LookAlikes(n)[0] }},
		{miss: wrongToken, what: "to accept with a token that is longer", token: func(t string) string { return t + "x" }},
		{miss: wrongToken, what: "to accept with a token of another case", token: host.SwapCase},
	}
	if ours {
		others = append(others, attempt{miss: idleNode, what: "to accept at the node behind the gate",
			node: func(string) string { return "after" }})
	}
	sent := slices.Clone(all[:always])
	all = all[always:]
	odd := h.Rand.IntN(nodes)
	for i, a := range others {
		if a = accept(a); i == odd || a.token != nil {
			sent = append(sent, a)
		} else {
			all = append(all, a)
		}
	}
	return append(sent, drawn(h, all)...)
}

// drawn draws some of the attempts, in any order.
func drawn(h host.Host, all []attempt) []attempt {
	out := make([]attempt, 0, len(all))
	for _, i := range h.Rand.Perm(len(all))[:h.DrawUpTo(misses, len(all), "there are no more of them")] {
		out = append(out, all[i])
	}
	return out
}
