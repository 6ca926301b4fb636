package protocol

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// ModelObservation is starts whose model misbehaves, each in another way.
type ModelObservation struct {
	host.Turns
	Control host.Turn  `json:"control"` // the model wants an allowed tool
	Tool    string     `json:"tool"`    // that tool
	Allowed []string   `json:"allowed"`
	Name    string     `json:"name"` // of the plugin
	Errs    []ErrsTurn `json:"errs"`
}

// ErrsTurn is a turn whose model misbehaves.
type ErrsTurn struct {
	Turn   host.Turn `json:"turn"`
	Asked  int       `json:"asked"`            // how often the model was asked
	Itself bool      `json:"itself,omitempty"` // the model wants the plugin itself, and the allowlist has it
	Key    string    `json:"key,omitempty"`    // the model was asked with this key, and quotes it when it refuses
}

// Reached reports whether the model was asked: else the turn shows nothing.
func (e ErrsTurn) Reached() bool { return e.Asked > 0 || e.Turn.TimedOut }

// Reached returns the turns that asked their model: the others show nothing.
func (o ModelObservation) Reached() (turns []host.Turn) {
	for _, e := range o.Errs {
		if e.Reached() {
			turns = append(turns, e.Turn)
		}
	}
	return turns
}

// WantedItself reports whether the model was asked in a turn in which it wants the plugin itself.
func (o ModelObservation) WantedItself() bool {
	return slices.ContainsFunc(o.Errs, func(e ErrsTurn) bool { return e.Itself && e.Reached() })
}

// MayAskFor returns the plugins that the allowlist of a turn has. The tool of the control may have a route of another name.
func (o ModelObservation) MayAskFor(e ErrsTurn) []string {
	allowed := append(o.Control.Plugins(), o.Allowed...)
	if e.Itself {
		allowed = append(allowed, o.Name)
	}
	return allowed
}

// mishap is a way in which a model misbehaves: by what it decides, or by how it sends that. The drive leaves it out if
// the profile has no words for it.
type mishap struct {
	name      string
	decisions []host.Decision // all in one reply
	sent      host.Sending
	quotes    bool // the key
	itself    bool // the plugin itself is allowed: else it would be refused for want of that
	native    bool // the model calls tools by the members that its shape has for that
}

// longReply is the length of an endless reply, in bytes.
const longReply = 5 << 20

// mishaps returns the mishaps of a plugin that may ask for tool.
func mishaps(p *host.Plugin, tool string) []mishap {
	arguments, unknown := host.Object{"url": "http://example.test/"}, p.Name("tool")
	wanted := func(name string) []host.Decision { return []host.Decision{host.Call(name, arguments)} }
	return []mishap{
		{name: "whose model answers with status 500", decisions: wanted(tool), sent: host.SendsError(500)},
		{name: "whose model answers with status 429", decisions: wanted(tool), sent: host.SendsError(429)},
		{name: "whose model answers with status 401", decisions: wanted(tool), sent: host.SendsError(401)},
		{name: "whose model refuses the key and quotes it", decisions: wanted(tool), sent: host.RefusesKey, quotes: true},
		{name: "whose model breaks off in the middle of its JSON", decisions: wanted(tool), sent: host.SendsHalf},
		{name: "whose model wants a tool that nobody knows", decisions: wanted(unknown)},
		{name: "whose model wants two tools at once, the second not allowed", decisions: append(wanted(tool), wanted(unknown)...)},
		{name: "whose model calls a tool natively that nobody knows", decisions: wanted(unknown), native: true},
		{name: "whose model calls three tools natively, the first and the last alike",
			decisions: append(wanted(tool), append(wanted(unknown), wanted(tool)...)...), native: true},
		{name: "whose model wants the agent itself, where it is allowed", decisions: wanted(p.OwnName()), itself: true},
		{name: "whose model wants a tool by the name that a prompt told it", decisions: wanted(tool + "\nagentic.start")},
		{name: "whose model wants an event of the gateway as its tool", decisions: wanted("agentic.tool_result")},
		{name: "whose model talks for 5 MB", decisions: []host.Decision{host.Done(strings.Repeat("and so it goes on ", longReply/18))}},
		{name: "whose model refuses", decisions: []host.Decision{{Kind: "refuse"}}},
		{name: "whose model says what is no decision", decisions: []host.Decision{{Kind: "garbage"}}},
	}
}

// Errings starts runs whose model misbehaves.
var Errings = &scenarios.Drive[ModelObservation]{
	ID: "agenticloop/erring-model",
	Title: "starts runs whose model errs: with an error, a refusal that quotes its key, broken or endless replies, tools that " +
		"nobody knows, the agent itself, two tools at once, no decision",
	Sends:   []string{"a turn for each way to err: agentic.start"},
	Timeout: 5 * time.Minute,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ModelObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Name, o.Tool, o.Allowed = p.OwnName(), p.Tools()[0], p.Tools()
		begin := func(m mishap) (e ErrsTurn) {
			plan := p.ServeModel(ctx, m.decisions...)
			defer plan.Close()
			if plan.Model.Misbehave(m.sent, len(m.decisions) > 1); m.native {
				plan.Model.CallNatively()
			}
			start := host.Job{Name: "a start " + m.name, Event: p.Start(p.NewGoal(), nil)}
			if e.Itself = m.itself; m.itself {
				start.Config = host.Object{"allowed_plugins": append(p.Tools(), o.Name)}
			}
			e.Turn, _ = p.Turn(ctx, plan.Lay(start))
			if e.Asked = plan.Model.Calls(); m.quotes {
				e.Key = plan.Model.Key()
			}
			return e
		}
		fetch := host.Call(o.Tool, host.Object{"url": "http://example.test/"})
		o.Control = begin(mishap{name: "that wants " + o.Tool, decisions: []host.Decision{fetch}}).Turn
		for _, m := range mishaps(p, o.Tool) {
			if _, err := host.Worded(p.Profile.Seams.MockLlm.Decisions, m.decisions[0]); err != nil {
				continue // a profile may lack words for refuse and garbage
			}
			o.Errs = append(o.Errs, begin(m))
		}
	},
}
