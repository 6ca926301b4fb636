package protocol

import (
	"context"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// ModelObservation is starts whose model errs, each in another way.
type ModelObservation struct {
	host.Turns
	Control host.Turn  `json:"control"` // it wants what is allowed
	Tool    string     `json:"tool"`    // that
	Allowed []string   `json:"allowed"`
	Name    string     `json:"name"` // of the agent
	Errs    []ErrsTurn `json:"errs"`
}

// ErrsTurn is a turn whose model errs.
type ErrsTurn struct {
	Turn  host.Turn `json:"turn"`
	Asked int       `json:"asked"` // how often the model was asked
}

// Reached are the turns whose model was asked. What another one does shows nothing.
func (o ModelObservation) Reached() (turns []host.Turn) {
	for _, e := range o.Errs {
		if e.Asked > 0 || e.Turn.TimedOut {
			turns = append(turns, e.Turn)
		}
	}
	return turns
}

// mishap is a way in which a model errs: in what it decides, or in how that is sent. Where the profile has no words for it,
// it is left out.
type mishap struct {
	name      string
	decisions []host.Decision // given at once, one after the other in one reply
	sent      host.Sending
}

// longReply is how long the words of a model are that does not come to an end, in bytes.
const longReply = 5 << 20

// mishaps are those of an agent that may ask for tool.
func mishaps(p *host.Plugin, tool string) []mishap {
	arguments := host.Object{"url": "http://example.test/"}
	wanted := func(name string) []host.Decision { return []host.Decision{host.Call(name, arguments)} }
	return []mishap{
		{"whose model answers with status 500", wanted(tool), host.SendsError(500)},
		{"whose model answers with status 429", wanted(tool), host.SendsError(429)},
		{"whose model breaks off in the middle of its JSON", wanted(tool), host.SendsHalf},
		{"whose model wants a tool that nobody knows", wanted("assay-unknown-tool"), nil},
		{"whose model wants two tools at once, the second not allowed", append(wanted(tool), wanted("assay-unknown-tool")...), nil},
		{"whose model wants the agent itself", wanted(p.OwnName()), nil},
		{"whose model wants a tool by the name that a prompt told it", wanted(tool + "\nagentic.start"), nil},
		{"whose model wants an event of the gateway as its tool", wanted("agentic.tool_result"), nil},
		{"whose model talks for 5 MB", []host.Decision{host.Done(strings.Repeat("and so it goes on ", longReply/18))}, nil},
		{"whose model refuses", []host.Decision{{Kind: "refuse"}}, nil},
		{"whose model says what is no decision", []host.Decision{{Kind: "garbage"}}, nil},
	}
}

// errings starts runs whose model errs.
var Errings = &scenarios.Drive[ModelObservation]{
	ID:      "agenticloop/erring-model",
	Title:   "starts runs whose model errs: with an error, broken or endless replies, tools that nobody knows, the agent itself, two tools at once, no decision",
	Sends:   []string{"a turn for each way to err: agentic.start"},
	Timeout: 5 * time.Minute,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ModelObservation) {
		p := host.Open(c, &o.Turns)
		if p.Profile.Seams == nil || p.Profile.Seams.MockLlm == nil {
			scenarios.End(unmodelled())
			return
		}
		*o = ModelObservation{Name: p.OwnName(), Tool: p.Tools()[0]}
		o.Allowed = p.Tools()
		startErring(ctx, p, o, p.Profile.Seams.MockLlm)
	},
}

// unmodelled says that the agent is not known to ask a model.
func unmodelled() error {
	return scenarios.Block("the agent is not known to ask a model: /profile/seams/mock_llm is absent", "declare how its model is reached, as mock_llm in "+host.ProfileName)
}

func startErring(ctx context.Context, p *host.Plugin, o *ModelObservation, seam *agenticloopv2.MockLLM) {
	begin := func(m mishap) (e ErrsTurn) {
		plan, err := host.ServeModel(ctx, seam, m.decisions)
		if err != nil {
			scenarios.End(host.Unsteered(err.Error()))
		}
		defer plan.Close()
		plan.Model.Misbehave(m.sent, len(m.decisions) > 1)
		e.Turn, _ = p.Turn(ctx, plan.Lay(host.Job{Name: "a start " + m.name, Event: p.Start(p.NewGoal(), nil)}))
		e.Asked = plan.Model.Calls()
		return e
	}
	control := begin(mishap{name: "that wants " + o.Tool, decisions: []host.Decision{host.Call(o.Tool, host.Object{"url": "http://example.test/"})}})
	o.Control = control.Turn
	for _, m := range mishaps(p, o.Tool) {
		if _, err := host.Worded(seam.Decisions, m.decisions[0]); err != nil {
			continue // a profile need not have words for refuse and garbage
		}
		e := begin(m)
		o.Errs = append(o.Errs, e)
	}
}
