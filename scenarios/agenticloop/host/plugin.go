package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// agent is a plugin under certification, as a drive has it in hand.
type Plugin struct {
	*scenarios.Conn
	Profile agenticloopv2.TargetProfile
	config  Object // of the profile
	turns   *Turns // all that this drive started, but the quiet ones
}

// Open reads the profile of the target. What cannot be read was refused before. The discovery document has placeholders
// where the profile has secrets, which the agent needs.
func Open(c *scenarios.Conn, turns *Turns) *Plugin {
	var live Declared
	if err := json.Unmarshal(c.Declared(), &live); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	p := &Plugin{Conn: c, config: Object{}, turns: turns}
	if err := json.Unmarshal(live.Profile, &p.Profile); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	if err := Decode(p.Profile.Config, &p.config); err != nil {
		scenarios.End(fmt.Errorf("reading the config of the profile: %w", err))
	}
	return p
}

// OwnName is the plugin's own.
func (p *Plugin) OwnName() string {
	if p.Profile.Name != "" {
		return p.Profile.Name
	}
	if name := p.Discovery.Document.At("/manifest/name").String(); name != "" {
		return name
	}
	return "agentic-loop"
}

// Can says whether the profile declares a capability.
func (p *Plugin) Can(c agenticloopv2.Capability) bool {
	return slices.Contains(p.Profile.Capabilities, c)
}

// Live says whether the profile says that the agent does not decide alike each time.
func (p *Plugin) Live() bool { return p.Profile.Deterministic != nil && !*p.Profile.Deterministic }

// usualTurn is how long a turn may take where nothing else is said (RFC-103 Security and Scope, AL-R123).
const usualTurn = 2 * time.Minute

// Deadline is how long a turn may take: what the profile says, or the patience.
func (p *Plugin) Deadline() time.Duration {
	if l := p.Profile.Limits; l != nil && l.TurnSeconds != nil {
		return time.Duration(*l.TurnSeconds * float64(time.Second))
	}
	return p.Patience
}

// MaxRetries is how often a failed step may be asked for again; -1 where the profile does not say.
func (p *Plugin) MaxRetries() int {
	if l := p.Profile.Limits; l != nil && l.MaxRetries != nil {
		return int(*l.MaxRetries)
	}
	return -1
}

// Tools are the allowed tools: the profile's, or those of the text's example.
func (p *Plugin) Tools() []string {
	var out []string
	list, _ := p.config["allowed_plugins"].([]any)
	for _, t := range list {
		if name, ok := t.(string); ok {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{"fetch", "fabric", "jina-reader"}
	}
	return out
}
