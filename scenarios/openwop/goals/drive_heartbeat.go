package goals

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// HeartbeatLook is one look of a heartbeat.
type HeartbeatLook struct {
	First   bool       `json:"first"`
	Another bool       `json:"another"`        // whether the state differs from that of the look before
	Bare    bool       `json:"bare,omitempty"` // the state is no object, which a host need not take
	Status  wire.Value `json:"status"`
	Reply   wire.Value `json:"reply"`
}

// open reports whether it is left open what the look says of a change. A host may take null for no state at all.
func (l HeartbeatLook) open() bool { return l.First || l.Bare && l.Another || l.unread() }

// unread reports whether the host does not take a state that is no object.
func (l HeartbeatLook) unread() bool {
	code, _ := l.Status.Int()
	return l.Bare && code/100 == 4
}

// HeartbeatLooks holds the looks of one heartbeat, in order.
type HeartbeatLooks struct {
	Seam  string          `json:"seam"`
	Looks []HeartbeatLook `json:"looks"`
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (HeartbeatLooks) SeenAs() scenarios.Evidence { return scenarios.Attested }

// What heartbeats draw.
var (
	looks = &scenarios.Dimension{Name: "looks of a heartbeat", Least: 8, Most: [3]int{12, 24, 100}}
	sight = &scenarios.Dimension{
		Name:  "what a heartbeat sees: the same, the same written otherwise, another type, a list turned, what was before, new",
		Least: 0, Most: [3]int{sights - 1, sights - 1, sights - 1},
	}
)

// What a heartbeat sees next.
const (
	sameState     = iota
	sameOtherwise // the same value, its members in another order
	nearState     // a value that a careless comparison takes for it
	turnedState   // its list in another order
	formerState   // one that was there before the last change
	freshState
	sights
)

// likenesses are values that hosts take for one another, or for none.
var likenesses = []string{`null`, `false`, `0`, `""`, `[]`, `{}`, `"0"`, `"false"`, `"null"`, `[0]`}

// sighted is a state: an object with three members.
type sighted struct {
	like      int    // of likenesses
	note      string // another one for each fresh state
	turned    bool   // its list is in the other order
	otherwise bool   // the members are written in the other order
}

func (s sighted) is(other sighted) bool {
	return s.like == other.like && s.note == other.note && s.turned == other.turned
}

func (s sighted) json() json.RawMessage {
	seen, note := `"seen":`+likenesses[s.like], `"note":"`+s.note+`"`
	if s.otherwise {
		seen, note = note, seen
	}
	queue := `["first",["second"]]`
	if s.turned {
		queue = `[["second"],"first"]`
	}
	return json.RawMessage("{" + seen + `,"queue":` + queue + "," + note + "}")
}

// heartbeatLooks shows drawn states to a heartbeat.
var heartbeatLooks = &scenarios.Drive[HeartbeatLooks]{
	ID: "openwop/heartbeat-looks",
	Title: "has a heartbeat see states in a drawn order: one again, one with its members in another order, one with a value of another " +
		"type, one with a list in another order, one that was there before; and another heartbeat null, twice",
	Sends:      []string{"{use seam:heartbeat/tick} {observedState: drawn}, one after another"},
	Dimensions: []*scenarios.Dimension{looks, sight},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeartbeatLooks) {
		h := host.Host{Conn: c}
		heartbeat, other := h.Name("heartbeat"), h.Name("heartbeat")
		shown := h.Draw(looks)
		states := drawSights(h, shown)
		var s host.Seam
		look := func(of string, state json.RawMessage, l HeartbeatLook) {
			tick := dialect.HeartbeatTickRequest{HeartbeatID: of, ObservedState: state}
			var reply *wire.Reply
			if len(o.Looks) == 0 {
				s, reply = h.FindSeam(ctx, "heartbeat/tick", tick)
				o.Seam = s.Path()
			} else {
				reply = s.Ask(ctx, tick)
				h.Adopt(reply)
			}
			l.Status, l.Reply = reply.StatusValue(), reply.Value("")
			o.Looks = append(o.Looks, l)
		}
		for i, state := range states {
			look(heartbeat, state.json(), HeartbeatLook{First: i == 0, Another: i > 0 && !state.is(states[i-1])})
		}
		look(other, states[0].json(), HeartbeatLook{First: true})
		for again := range 2 {
			look(other, json.RawMessage("null"), HeartbeatLook{Another: again == 0, Bare: true})
		}
	},
}

// drawSights draws the states that a heartbeat sees. Each kind of next state is among the first of them.
func drawSights(h host.Host, n int) []sighted {
	fresh := func() sighted { return sighted{like: h.Rand.IntN(len(likenesses)), note: h.Marker()} }
	states := []sighted{fresh(), fresh()}
	kinds := h.Rand.Perm(sights)
	for len(states) < n {
		kind := 0
		if i := len(states) - 2; i < len(kinds) {
			kind = kinds[i]
		} else {
			kind = h.Draw(sight)
		}
		next := states[len(states)-1]
		next.otherwise = kind == sameOtherwise && !next.otherwise
		switch kind {
		case nearState:
			next.like = (next.like + 1 + h.Rand.IntN(len(likenesses)-1)) % len(likenesses)
		case turnedState:
			next.turned = !next.turned
		case formerState:
			former := states[0]
			for _, s := range states {
				if !s.is(next) {
					former = s
				}
			}
			next = former
		case freshState:
			next = fresh()
		}
		states = append(states, next)
	}
	return states
}
