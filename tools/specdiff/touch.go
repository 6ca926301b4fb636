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

// Touches are the requirements and scenarios that go by what a change is in. All lists are sorted.
type Touches struct {
	// Requirements and Scenarios have a check that looked at the place of the change, at something in it or at what it is in,
	// when the simulated host was certified.
	Requirements []string `json:"requirements"`
	Scenarios    []string `json:"scenarios"`
	// Asking are scenarios whose drive calls the operation, whatever they look at.
	Asking []string `json:"asking"`
	// Named are requirements whose words name the property, the event or the path, and of which no check looked there.
	Named []string `json:"named"`
	// Claims are made at that place of the discovery document.
	Claims []string `json:"claims"`
}

// touch fills in what the changes touch.
func touch(changes []Change, a, b *document, suites []scenarios.Suite) error {
	traces, err := trace.All()
	if err != nil {
		return err
	}
	protocol := spoken(a, b, suites, traces)
	for i := range changes {
		changes[i].Touches = Touches{[]string{}, []string{}, []string{}, []string{}, []string{}}
		if protocol != nil {
			changes[i].touched(protocol, traces)
		}
	}
	return nil
}

// spoken is the protocol whose scenarios know the most of what is in the specs; nil where that is less than half of what
// the scenarios know: another spec may have a GET /health, too.
func spoken(a, b *document, suites []scenarios.Suite, traces []trace.Trace) *scenarios.Protocol {
	there := map[string]bool{}
	for _, d := range []*document{a, b} {
		for s := range d.subjects() {
			there[plain(s.String())] = true
		}
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

// plain is a name without the names of its parameters, which say nothing.
func plain(name string) string {
	if strings.HasPrefix(name, "event ") {
		return name
	}
	return parameter.ReplaceAllString(name, "{}")
}

func (c *Change) touched(protocol *scenarios.Protocol, traces []trace.Trace) {
	subject := plain(c.Subject.String())
	requirements, looking, asking := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range traces {
		if !belongs(t, protocol) {
			continue
		}
		if slices.ContainsFunc(t.Asks, func(name string) bool { return plain(name) == subject }) {
			asking[t.Scenario] = true
		}
		for _, r := range t.Reads {
			if plain(r.In) == subject && c.Side != "request" && overlaps(c.Property, r.At) {
				requirements[r.Requirement], looking[t.Scenario] = true, true
			}
		}
	}
	c.Touches.Requirements, c.Touches.Scenarios, c.Touches.Asking = sorted(requirements), sorted(looking), sorted(asking)
	if c.Subject.Kind == Operation && c.Subject.Name == "GET "+protocol.DiscoveryPath {
		c.claims(protocol)
	}
	c.named(protocol.Ledger)
}

// overlaps says whether a change of a property can show at a place that was looked at: it is the same, within it or around it.
func overlaps(property, at string) bool {
	switch {
	case property == "":
		return true
	case at == trace.Beside:
		return false
	}
	return property == at || strings.HasPrefix(property+"/", at+"/") || strings.HasPrefix(at+"/", property+"/")
}

func (c *Change) claims(protocol *scenarios.Protocol) {
	for _, claim := range protocol.Claims {
		pointer, _, _ := strings.Cut(claim.Pointer, " ")
		if strings.HasPrefix(pointer, "/") && c.Property != "" && overlaps(c.Property, pointer) {
			c.Touches.Claims = append(c.Touches.Claims, claim.ID)
		}
	}
	slices.Sort(c.Touches.Claims)
}

// identifier is a name that is no word of prose: loopMemory, run_id, run.started, /v1/runs.
var identifier = lazyregexp.New(`[a-z0-9][A-Z]|_|\.|/`)

// named finds requirements by their words. What is called like a word of prose, such as status, would name too many.
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
