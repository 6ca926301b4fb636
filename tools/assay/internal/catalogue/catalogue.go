// Package catalogue lists and explains everything in Assay that has an id: scenarios, suites, requirements, readings,
// claims, profiles, and the faults and variations of the simulated hosts and of the reference agent. It reads their
// metadata and runs nothing.
package catalogue

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Catalogue holds everything that can be listed and explained, each slice in the order of the lists.
type Catalogue struct {
	Suites     []scenarios.Suite
	Protocols  []*scenarios.Protocol // protocols without suites: their ledgers are listed, and nothing proves them
	Faults     []protocols.Fault
	Variations []protocols.Variation
	Models     []Model
}

// Kinds holds the names of the lists.
var Kinds = []string{"scenarios", "suites", "requirements", "readings", "claims", "faults", "variations", "profiles", "models"}

// Scenario is a scenario as assay list --json prints it.
type Scenario struct {
	ID           string   `json:"id"`
	Suite        string   `json:"suite"`
	Title        string   `json:"title"`
	Requirements []string `json:"requirements"`
	Level        string   `json:"level"`
	Claim        string   `json:"claim"`
	Reaches      string   `json:"reaches"` // strongest evidence that it can end with
	Labels       []string `json:"labels"`
}

// Suite is a suite as assay list --json prints it.
type Suite struct {
	ID        string `json:"id"`
	Protocol  string `json:"protocol"`
	Title     string `json:"title"`
	Scenarios int    `json:"scenarios"` // number of its scenarios
}

// Requirement is a row of a ledger as assay list --json prints it.
type Requirement struct {
	ID        string   `json:"id"`
	Level     string   `json:"level"`
	Source    string   `json:"source"`
	Section   string   `json:"section"`
	Claim     string   `json:"claim"`
	Evidence  string   `json:"evidence"` // weakest that proves it
	Text      string   `json:"text"`
	Scenarios []string `json:"scenarios"`
	Reaches   string   `json:"reaches"`  // strongest evidence that they can end with; "" without scenarios
	Reason    string   `json:"reason"`   // why no scenario proves it
	Stimulus  string   `json:"stimulus"` // assay-seam: shown only through a seam of Assay's own
	Recorded  bool     `json:"recorded"` // recordings alone can show it: assay observe
}

// Claim is a claim as assay list --json prints it.
type Claim struct {
	ID       string `json:"id"`
	Protocol string `json:"protocol"`
	Title    string `json:"title"`
	Pointer  string `json:"pointer"`
}

// Fault is a fault of the simulated host, or of the reference agent, as assay list --json prints it.
type Fault struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"` // violation that the host or agent commits
	Looks      string   `json:"looks"` // symptom that a client sees
	Breaks     []string `json:"breaks"`
	BlindSpots []int    `json:"blindSpots"` // rows of docs/blind-spots.md
	Run        string   `json:"run"`        // command that starts such a host or agent
	Parameters []Param  `json:"parameters"` // what may be set of it behind its id, as in ID:from=3
}

// Param is a parameter of a fault.
type Param struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Takes string `json:"takes"` // values, in words
}

// Variation is a permitted difference of a simulated host or the reference agent, as assay list --json prints it.
type Variation struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	About string   `json:"about"` // difference between real hosts or agents that it stands for
	Slips []string `json:"slips"` // requirements for which a certification has a finding
	Run   string   `json:"run"`
}

// Profile is a profile as assay list --json prints it.
type Profile struct {
	ID           string              `json:"id"`
	Superseded   string              `json:"superseded"` // id of the newest revision; "" if this is the one
	Protocol     string              `json:"protocol"`
	Title        string              `json:"title"`
	Claims       []string            `json:"claims"` // it applies if a target makes all of them
	Digest       string              `json:"digest"` // of its frozen content
	Scope        []Section           `json:"scope"`  // what it is about; empty for the oldest, which are about what they require
	Requirements []string            `json:"requirements"`
	Evidence     map[string]string   `json:"evidence"`    // weakest that proves each requirement
	Optional     map[string][]string `json:"optional"`    // requirements demanded only of targets that make one of these claims
	NotCovered   []Uncovered         `json:"notCovered"`  // MUSTs of its scope that it does not require
	Scenarios    []string            `json:"scenarios"`   // scenarios that count
	Provisional  []string            `json:"provisional"` // later scenarios, which do not count
	ThroughSeam  int                 `json:"throughSeam"` // requirements shown only through seams of Assay's own
}

// Section names what a profile is about: sections of a source text.
type Section struct {
	Source   string   `json:"source"`
	Sections []string `json:"sections"` // empty: the whole source
}

// Uncovered is a requirement that a profile is about and does not require.
type Uncovered struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // why no scenario proves it; later: one does that is newer than the profile
	Why    string `json:"why"`
}

// List returns the list of a kind, as a slice that encodes to a JSON array. The error is an [UnknownError].
func (c *Catalogue) List(kind string) (any, error) {
	switch kind {
	case "scenarios":
		return c.scenarios(), nil
	case "suites":
		return each(c.Suites, func(s scenarios.Suite) Suite {
			return Suite{s.ID, s.Protocol.ID, s.Title, len(s.Scenarios)}
		}), nil
	case "requirements":
		return c.requirements(), nil
	case "readings":
		return c.readings(), nil
	case "claims":
		return c.claims(), nil
	case "faults":
		return c.faults(), nil
	case "variations":
		return c.variations(), nil
	case "profiles":
		return c.profiles(), nil
	case "models":
		return c.modelRules(), nil
	}
	return nil, &UnknownError{fmt.Sprintf("unknown list %q", kind), nearest.Name(kind, Kinds), "there is " + all}
}

func (c *Catalogue) scenarios() []Scenario {
	out := []Scenario{}
	for _, suite := range c.Suites {
		for _, s := range suite.Scenarios {
			out = append(out, Scenario{
				ID: string(s.ID), Suite: suite.ID, Title: s.Title, Requirements: each(s.Proves, text),
				Level: s.Level(suite.Protocol.Ledger), Claim: s.Claim.ID, Reaches: s.Reach().String(), Labels: s.Labels(suite),
			})
		}
	}
	return out
}

func (c *Catalogue) requirements() []Requirement {
	out := []Requirement{}
	for _, p := range c.protocols() {
		recorded := c.recorded(p)
		for _, r := range p.Ledger.Rows {
			out = append(out, Requirement{
				ID: r.ID, Level: r.Level, Source: r.Source, Section: r.Section, Claim: r.Claim, Evidence: r.Demands().String(),
				Text: r.Text, Scenarios: c.proving(r.ID), Reaches: c.reach(r.ID).String(), Reason: r.Reason, Stimulus: r.Stimulus,
				Recorded: slices.Contains(recorded, scenarios.RequirementID(r.ID)),
			})
		}
	}
	return out
}

// Ledgers returns the ledgers of all protocols, by the protocol's id.
func (c *Catalogue) Ledgers() map[string]*scenarios.Ledger {
	out := map[string]*scenarios.Ledger{}
	for _, p := range c.protocols() {
		out[p.ID] = p.Ledger
	}
	return out
}

func (c *Catalogue) claims() []Claim {
	out := []Claim{}
	for _, p := range c.protocols() {
		for _, claim := range p.Claims {
			out = append(out, Claim{claim.ID, p.ID, claim.Title, claim.Pointer})
		}
	}
	return out
}

func (c *Catalogue) profiles() []Profile {
	out := []Profile{}
	for _, p := range c.protocols() {
		for _, profile := range p.Profiles {
			out = append(out, c.profile(p, profile))
		}
	}
	return out
}

func (c *Catalogue) profile(of *scenarios.Protocol, p scenarios.Profile) Profile {
	out := Profile{
		ID: p.ID, Superseded: p.Superseded, Protocol: of.ID, Title: p.Title, Claims: each(p.Claims, text), Digest: p.Digest,
		Scope:        each(p.Scope, func(s scenarios.Section) Section { return Section{s.Source, each(s.Sections, text)} }),
		Requirements: each(p.Requirements(), text), Evidence: map[string]string{}, Optional: map[string][]string{},
		NotCovered: each(p.Uncovered(of.Ledger), uncovered), Scenarios: []string{}, Provisional: []string{},
		ThroughSeam: p.ThroughSeam(of.Ledger),
	}
	for _, r := range p.Requires {
		out.Evidence[string(r.ID)] = r.Evidence.String()
		if r.Claims != nil {
			out.Optional[string(r.ID)] = each(r.Claims, text)
		}
	}
	for _, suite := range c.Suites {
		if suite.Protocol != of {
			continue
		}
		for _, s := range suite.Scenarios {
			switch {
			case p.Counts(s.ID):
				out.Scenarios = append(out.Scenarios, string(s.ID))
			case p.Provisional(of.Ledger, s):
				out.Provisional = append(out.Provisional, string(s.ID))
			}
		}
	}
	return out
}

func uncovered(r scenarios.Requirement) Uncovered {
	if r.Reason == "" {
		return Uncovered{r.ID, "later", "A scenario proves it that is newer than the profile."}
	}
	return Uncovered{r.ID, r.Reason, r.Why}
}

func (c *Catalogue) faults() []Fault {
	return each(c.Faults, func(f protocols.Fault) Fault {
		return Fault{f.ID, f.Title, f.Looks, f.Breaks, append([]int{}, f.Spots...), f.Run,
			each(f.Params, func(p param.Param) Param { return Param{p.Name, p.About, p.Range()} })}
	})
}

func (c *Catalogue) variations() []Variation {
	return each(c.Variations, func(v protocols.Variation) Variation {
		return Variation{v.ID, v.Title, v.About, each(v.Slips, text), v.Run}
	})
}

// protocols returns the protocols of the suites, and then those without suites.
func (c *Catalogue) protocols() []*scenarios.Protocol {
	var out []*scenarios.Protocol
	for _, s := range c.Suites {
		if !slices.Contains(out, s.Protocol) {
			out = append(out, s.Protocol)
		}
	}
	for _, p := range c.Protocols {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// recorded returns the requirements of a protocol that recordings alone can show.
func (c *Catalogue) recorded(p *scenarios.Protocol) scenarios.IDs {
	if p.Watched == nil {
		return nil
	}
	return observed.Watched(p, slices.DeleteFunc(slices.Clone(c.Suites), func(s scenarios.Suite) bool { return s.Protocol != p }))
}

// proving returns the ids of the scenarios that prove a requirement.
func (c *Catalogue) proving(requirement string) []string {
	out := []string{}
	for _, suite := range c.Suites {
		for _, s := range suite.Scenarios {
			if slices.Contains(s.Proves, scenarios.RequirementID(requirement)) {
				out = append(out, string(s.ID))
			}
		}
	}
	return out
}

// reach returns the strongest evidence that any scenario can give for a requirement.
func (c *Catalogue) reach(requirement string) scenarios.Evidence {
	strongest := scenarios.Unseen
	for _, suite := range c.Suites {
		for _, s := range suite.Scenarios {
			if slices.Contains(s.Proves, scenarios.RequirementID(requirement)) {
				strongest = max(strongest, s.Reach())
			}
		}
	}
	return strongest
}

func text[S ~string](s S) string { return string(s) }

// each returns f of every element of a list. It is never nil, so an empty list encodes to an array.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// Titles returns the texts of all requirements and the titles of all scenarios, by id.
func (c *Catalogue) Titles() (requirements, scenarios map[string]string) {
	requirements, scenarios = map[string]string{}, map[string]string{}
	for _, p := range c.protocols() {
		for _, r := range p.Ledger.Rows {
			requirements[r.ID] = r.Text
		}
	}
	for _, s := range c.scenarios() {
		scenarios[s.ID] = s.Title
	}
	return requirements, scenarios
}

// FaultTitles returns the titles of all faults, by id.
func (c *Catalogue) FaultTitles() map[string]string {
	out := map[string]string{}
	for _, f := range c.faults() {
		out[f.ID] = f.Title
	}
	return out
}
