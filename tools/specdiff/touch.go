package specdiff

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/trace"
)

// Touches lists the requirements and scenarios that a change may affect. All lists are sorted.
type Touches struct {
	// Requirements and Scenarios have a check that read the changed place, something in it or something around it, when
	// the simulated host was certified.
	Requirements []string `json:"requirements"`
	Scenarios    []string `json:"scenarios"`
	// Asking lists scenarios whose drive calls the operation, whatever their checks read.
	Asking []string `json:"asking"`
	// Named lists requirements whose words name the property, the event or the path, but without a check that read it.
	Named []string `json:"named"`
	// Claims lists the claims made at that place of the discovery document.
	Claims []string `json:"claims"`
}

// touch fills in what the changes touch.
func touch(changes []Change, a, b *document, suites []scenarios.Suite) error {
	traces, err := trace.All()
	if err != nil {
		return err
	}
	protocol := protocolOf(a, b, suites, traces)
	for i := range changes {
		changes[i].Touches = Touches{[]string{}, []string{}, []string{}, []string{}, []string{}}
		if protocol != nil && changes[i].Severity != Text {
			changes[i].touched(protocol, suites, traces)
		}
	}
	return nil
}

// protocolOf returns the protocol whose scenarios share the most names with the specs, or nil if the specs have fewer
// than half of the names that its scenarios use: another spec may have a GET /health, too.
func protocolOf(a, b *document, suites []scenarios.Suite, traces []trace.Trace) *scenarios.Protocol {
	there := map[string]bool{}
	for _, d := range []*document{a, b} {
		d.subjects(func(s Subject, _, _ map[string]any) { there[plain(s.String())] = true })
	}
	var best *scenarios.Protocol
	most := 0
	seen := map[*scenarios.Protocol]bool{}
	for _, suite := range suites {
		if seen[suite.Protocol] {
			continue
		}
		seen[suite.Protocol] = true
		known, shared := map[string]bool{}, 0
		for _, t := range traces {
			if belongs(t, suite.Protocol) {
				for _, name := range namesIn(t) {
					known[plain(name)] = true
				}
			}
		}
		for name := range known {
			if there[name] {
				shared++
			}
		}
		if 2*shared >= len(known) && shared > most {
			best, most = suite.Protocol, shared
		}
	}
	return best
}

func belongs(t trace.Trace, p *scenarios.Protocol) bool {
	protocol, _, _ := strings.Cut(t.Scenario, "/")
	name, _, _ := strings.Cut(p.ID, "/")
	return protocol == strings.ReplaceAll(name, "-", "")
}

func namesIn(t trace.Trace) []string {
	out := slices.Clone(t.Asks)
	for _, r := range t.Reads {
		out = append(out, r.In)
	}
	return out
}

var parameter = lazyregexp.New(`\{[^/{}]*\}`)

// plain returns a name with the names of its parameters removed.
func plain(name string) string {
	if strings.HasPrefix(name, "event ") {
		return name
	}
	return parameter.ReplaceAllString(name, "{}")
}

func (c *Change) touched(protocol *scenarios.Protocol, suites []scenarios.Suite, traces []trace.Trace) {
	requirements, looking, asking := map[string]bool{}, map[string]bool{}, map[string]bool{}
	if c.Subject.Kind == Requirement {
		for _, suite := range suites {
			for _, s := range suite.Scenarios {
				if slices.Contains(s.Proves, scenarios.RequirementID(c.Subject.Name)) {
					requirements[c.Subject.Name], looking[string(s.ID)] = true, true
				}
			}
		}
	}
	at := map[string][]Place{}
	for _, p := range c.Places {
		at[plain(p.Subject.String())] = append(at[plain(p.Subject.String())], p)
	}
	for _, t := range traces {
		if !belongs(t, protocol) {
			continue
		}
		if slices.ContainsFunc(t.Asks, func(name string) bool { return at[plain(name)] != nil }) {
			asking[t.Scenario] = true
		}
		for _, r := range t.Reads {
			if slices.ContainsFunc(at[plain(r.In)], func(p Place) bool { return p.Side != "request" && overlaps(p.Property, r.At) }) {
				requirements[r.Requirement], looking[t.Scenario] = true, true
			}
		}
	}
	c.Touches.Requirements, c.Touches.Scenarios, c.Touches.Asking = sorted(requirements), sorted(looking), sorted(asking)
	for _, p := range c.Places {
		if p.Subject.Kind == Operation && p.Subject.Name == "GET "+protocol.DiscoveryPath {
			c.claims(protocol, p.Property)
		}
	}
	if c.Subject.Kind != Requirement && c.Subject.Kind != File && c.Subject.Kind != Component {
		c.named(protocol.Ledger)
	}
}

// overlaps reports whether a change of a property can affect a read place: one of them is equal to the other, or
// contains it.
func overlaps(property, at string) bool {
	switch {
	case property == "":
		return true
	case at == trace.Beside:
		return false
	}
	return property == at || strings.HasPrefix(property+"/", at+"/") || strings.HasPrefix(at+"/", property+"/")
}

func (c *Change) claims(protocol *scenarios.Protocol, property string) {
	for _, claim := range protocol.Claims {
		pointer, _, _ := strings.Cut(claim.Pointer, " ")
		if strings.HasPrefix(pointer, "/") && property != "" && overlaps(property, pointer) && !slices.Contains(c.Touches.Claims, claim.ID) {
			c.Touches.Claims = append(c.Touches.Claims, claim.ID)
		}
	}
	slices.Sort(c.Touches.Claims)
}

// identifier matches names that are no words of prose: loopMemory, run_id, run.started, /v1/runs.
var identifier = lazyregexp.New(`[a-z0-9][A-Z]|_|\.|/`)

// named finds requirements by their words. It skips names that are words of prose, such as status, because too many
// requirements contain them.
func (c *Change) named(ledger *scenarios.Ledger) {
	name := c.Property[strings.LastIndexByte(c.Property, '/')+1:]
	if c.Property == "" {
		_, name, _ = strings.Cut(c.Subject.String(), " ")
	}
	if !identifier.MatchString(name) {
		return
	}
	word := regexp.MustCompile(`(^|[^A-Za-z0-9_./])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_/])`)
	for _, row := range ledger.Rows {
		if word.MatchString(row.Text) && !slices.Contains(c.Touches.Requirements, row.ID) {
			c.Touches.Named = append(c.Touches.Named, row.ID)
		}
	}
	slices.Sort(c.Touches.Named)
}

func sorted(set map[string]bool) []string {
	out := slices.Sorted(maps.Keys(set))
	if out == nil {
		return []string{}
	}
	return out
}
