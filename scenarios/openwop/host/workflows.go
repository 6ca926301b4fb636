package host

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
)

// Fixture is what the definition of a known workflow says about its needs.
type Fixture struct {
	id    string
	Needs []string // itself and the workflows it names
	types []string // of its nodes
	Maps  bool     // a dispatch in it maps variables

	nodes   map[string]string // id -> type
	planned bool              // its supervisor takes the plan from a port
	ported  bool              // a node takes something from what the run is given
	script  []map[string]any  // its supervisor's plan, from config
	timeout int64             // ms until its interrupt ends by itself, from config; 0 if it does not
}

func (f Fixture) Has(typeID string) bool { return slices.Contains(f.types, typeID) }

// fixtures caches the fixtures of each contract, read at first use.
var fixtures sync.Map // *dialect.Dialect -> func() []Fixture

// knownFixtures returns the fixtures of the host's version, ordered by id.
func knownFixtures(h Host) []Fixture {
	d := h.Dialect()
	read, _ := fixtures.LoadOrStore(d, sync.OnceValue(func() []Fixture { return readFixtures(d.Fixtures) }))
	return read.(func() []Fixture)()
}

func readFixtures(contract fs.FS) []Fixture {
	entries, err := fs.ReadDir(contract, "fixtures")
	if err != nil {
		panic("the contract has no fixtures: " + err.Error())
	}
	var out []Fixture
	for _, e := range entries {
		raw, err := fs.ReadFile(contract, "fixtures/"+e.Name())
		if err != nil {
			panic("a fixture of the contract cannot be read: " + err.Error())
		}
		f := fixtureOf(strings.TrimSuffix(e.Name(), ".json"), raw)
		for _, other := range entries {
			if id := strings.TrimSuffix(other.Name(), ".json"); bytes.Contains(raw, []byte(`"`+id+`"`)) {
				f.Needs = append(f.Needs, id) // includes its own id
			}
		}
		out = append(out, f)
	}
	return out
}

func fixtureOf(id string, raw []byte) Fixture {
	var definition struct {
		Nodes []struct {
			ID     string `json:"id"`
			TypeID string `json:"typeId"`
			Inputs map[string]struct {
				Type string `json:"type"`
			} `json:"inputs"`
			Config struct {
				Input     map[string]any   `json:"inputMapping"`
				Output    map[string]any   `json:"outputMapping"`
				PerInput  map[string]any   `json:"perWorkerInputMappings"`
				PerOutput map[string]any   `json:"perWorkerOutputMappings"`
				Script    []map[string]any `json:"mockDispatchPlan"`
				Decisions []map[string]any `json:"mockDecisions"`
				Timeout   int64            `json:"timeoutMs"`
			} `json:"config"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &definition); err != nil {
		panic("the fixture " + id + " does not decode: " + err.Error())
	}
	f := Fixture{id: id, nodes: map[string]string{}}
	for _, n := range definition.Nodes {
		f.nodes[n.ID] = n.TypeID
		f.planned = f.planned || n.TypeID == supervisor && n.Inputs[planPort].Type == "variable"
		for _, in := range n.Inputs {
			f.ported = f.ported || in.Type == "variable"
		}
		f.types = append(f.types, n.TypeID)
		c := n.Config
		f.timeout = max(f.timeout, c.Timeout)
		f.script = append(append(f.script, c.Script...), c.Decisions...)
		f.Maps = f.Maps || n.TypeID == "core.dispatch" && len(c.Input)+len(c.Output)+len(c.PerInput)+len(c.PerOutput) > 0
	}
	return f
}

// Known returns the ids of the wanted fixtures in random order, those that the host lists first.
func (h Host) Known(wanted func(Fixture) bool) []string {
	var listed, unlisted []string
	fixtures := knownFixtures(h)
	for _, i := range h.Rand.Perm(len(fixtures)) {
		switch f := fixtures[i]; {
		case !wanted(f):
		case h.Lists(f.id):
			listed = append(listed, f.id)
		default:
			unlisted = append(unlisted, f.id)
		}
	}
	return slices.Concat(listed, unlisted)
}

// Simple returns a request for a run that soon ends by itself and needs nothing but a host that makes runs.
func (h Host) Simple() dialect.CreateRunRequest {
	if id := h.AnyOf(fixture.Noop, fixture.HandoffChild); id != "" {
		return dialect.CreateRunRequest{WorkflowID: id}
	}
	if h.Offers(fixture.Handoff, fixture.HandoffChild) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Handoff}
	}
	if own, ok := Played(h, RoleShort, RoleLoop); ok {
		return own
	}
	if own, ok := h.Find(Any, Completes); ok {
		return own.Request()
	}
	scenarios.End(scenarios.Block("no workflow is on offer that ends by itself", NameOwn(RoleShort)))
	return dialect.CreateRunRequest{}
}

// SimpleRun makes such a run.
func (h Host) SimpleRun(ctx context.Context, label string) *Run {
	simple := h.Simple()
	return h.Create(ctx, label, simple)
}
