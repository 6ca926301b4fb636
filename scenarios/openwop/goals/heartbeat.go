package goals

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// HeartbeatSuite asks whether heartbeats report state changes.
func HeartbeatSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "heartbeat", Title: "what a heartbeat takes for a change",
		Scenarios: []scenarios.Scenario{changeTold, sameStateFiresNothing},
	}
}

var changeTold = scenarios.Scenario{
	ID:     "openwop/heartbeat/change-told",
	Title:  "a heartbeat that sees another state says that it changed",
	Proves: scenarios.IDs{openwop.OWPHBT1},
	Claim:  claims.Heartbeats, Reaches: scenarios.Attested,
	Ask: scenarios.Ask(heartbeatLooks, func(o HeartbeatLooks, j *scenarios.Judge) {
		o.answered(j)
		j.Check(openwop.OWPHBT1, o.changed(true)).To(check.Equal([]any{true, true}), "changed, of looks at another state than before")
	}),
}

var sameStateFiresNothing = scenarios.Scenario{
	ID:     "openwop/heartbeat/same-state-fires-nothing",
	Title:  "a heartbeat that sees the state of last time says so and fires no run",
	Proves: scenarios.IDs{openwop.OWPHBT2},
	Claim:  claims.Heartbeats, Reaches: scenarios.Attested,
	Ask: scenarios.Ask(heartbeatLooks, func(o HeartbeatLooks, j *scenarios.Judge) {
		o.answered(j)
		j.Check(openwop.OWPHBT2, o.changed(false)).To(check.Equal([]any{false, false}), "changed, of looks at the state of last time")
		for _, l := range o.Looks {
			if l.First || l.Another {
				continue
			}
			if run := l.Reply.Key("runId"); run.Present() {
				j.Check(openwop.OWPHBT2, run).To(check.Equal(nil), "run that was fired by the state of last time")
			}
			if runs := l.Reply.Key("enqueuedRuns"); runs.Present() {
				j.Check(openwop.OWPHBT2, runs).To(check.Equal(0), "runs that were fired by the state of last time")
			}
		}
	}),
}

// HeartbeatLook is one look of a heartbeat.
type HeartbeatLook struct {
	First   bool       `json:"first"`
	Another bool       `json:"another"` // whether the state differs from that of the look before
	Status  wire.Value `json:"status"`
	Reply   wire.Value `json:"reply"`
}

// HeartbeatLooks holds the looks of one heartbeat, in order.
type HeartbeatLooks struct {
	Seam  string          `json:"seam"`
	Looks []HeartbeatLook `json:"looks"`
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (HeartbeatLooks) SeenAs() scenarios.Evidence { return scenarios.Attested }

// heartbeatLooks shows random states to a heartbeat, some of them twice in a row.
var heartbeatLooks = &scenarios.Drive[HeartbeatLooks]{
	ID:    "openwop/heartbeat-looks",
	Title: "has a heartbeat see three random states, of which it sees two again at once, in random order",
	Sends: []string{"{use seam:heartbeat/tick} {observedState: random}, five times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeartbeatLooks) {
		h := host.Host{Conn: c}
		states := []string{h.Marker(), h.Marker(), h.Marker()}
		once := h.Rand.IntN(len(states))
		heartbeat := h.Name("heartbeat")
		var s host.Seam
		for i, state := range states {
			tick := host.TickOf(heartbeat, state)
			for again := range 2 {
				if again > 0 && i == once {
					continue
				}
				var reply *wire.Reply
				if len(o.Looks) == 0 {
					s, reply = h.FindSeam(ctx, "heartbeat/tick", tick)
					o.Seam = s.Path()
				} else {
					reply = s.Ask(ctx, tick)
					h.Adopt(reply)
				}
				o.Looks = append(o.Looks, HeartbeatLook{First: len(o.Looks) == 0, Another: again == 0, Status: reply.StatusValue(),
					Reply: reply.Value("")})
			}
		}
	},
}

// answered blocks the judge unless the seam answered.
func (o HeartbeatLooks) answered(j *scenarios.Judge) {
	for _, l := range o.Looks {
		host.SeamAnswered(j, l.Status, o.Seam)
	}
}

// changed returns the reported change: a member of the look, or of a list with one evaluation, as hosts do.
func (l HeartbeatLook) changed() wire.Value {
	if v := l.Reply.At("/evaluated/0/changed"); v.Present() {
		return v
	}
	return l.Reply.Key("changed")
}

// changed returns the reports of the looks that saw another state, or of those that saw the same one. It skips the
// first look.
func (o HeartbeatLooks) changed(another bool) wire.Values {
	var out wire.Values
	for _, l := range o.Looks {
		if !l.First && l.Another == another {
			out = append(out, l.changed())
		}
	}
	return out
}
