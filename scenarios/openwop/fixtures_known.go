package openwop

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
)

// fixture is what the definition of a workflow that is known here says about
// what it needs.
type fixture struct {
	id    string
	needs []string // itself, and the workflows it names
	types []string // of its nodes
	maps  bool     // a dispatch of it maps variables
}

func (f fixture) has(typeID string) bool { return slices.Contains(f.types, typeID) }

// knownFixtures are those that the contract comes with, in the order of their ids; read when one is first looked for, not at
// start.
var knownFixtures = sync.OnceValue(readFixtures)

func readFixtures() []fixture {
	entries, err := fs.ReadDir(openwopv1.Fixtures, "fixtures")
	if err != nil {
		panic("the contract has no fixtures: " + err.Error())
	}
	var out []fixture
	for _, e := range entries {
		raw, err := openwopv1.Fixtures.ReadFile("fixtures/" + e.Name())
		if err != nil {
			panic("a fixture of the contract cannot be read: " + err.Error())
		}
		f := fixtureOf(strings.TrimSuffix(e.Name(), ".json"), raw)
		for _, other := range entries {
			if id := strings.TrimSuffix(other.Name(), ".json"); bytes.Contains(raw, []byte(`"`+id+`"`)) {
				f.needs = append(f.needs, id) // its own id as well
			}
		}
		out = append(out, f)
	}
	return out
}

func fixtureOf(id string, raw []byte) fixture {
	var definition struct {
		Nodes []struct {
			TypeID string `json:"typeId"`
			Config struct {
				Input     map[string]any `json:"inputMapping"`
				Output    map[string]any `json:"outputMapping"`
				PerInput  map[string]any `json:"perWorkerInputMappings"`
				PerOutput map[string]any `json:"perWorkerOutputMappings"`
			} `json:"config"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &definition); err != nil {
		panic("the fixture " + id + " does not decode: " + err.Error())
	}
	f := fixture{id: id}
	for _, n := range definition.Nodes {
		f.types = append(f.types, n.TypeID)
		c := n.Config
		f.maps = f.maps || n.TypeID == "core.dispatch" && len(c.Input)+len(c.Output)+len(c.PerInput)+len(c.PerOutput) > 0
	}
	return f
}

// known are the ids of the fixtures that are wanted, in random order, but those
// that the host lists before the others.
func (h host) known(wanted func(fixture) bool) []string {
	var listed, unlisted []string
	fixtures := knownFixtures()
	for _, i := range h.Rand.Perm(len(fixtures)) {
		switch f := fixtures[i]; {
		case !wanted(f):
		case h.offers(f.id):
			listed = append(listed, f.id)
		default:
			unlisted = append(unlisted, f.id)
		}
	}
	return slices.Concat(listed, unlisted)
}

// simple asks for a run that ends by itself and soon: it needs nothing of the
// host but to make runs.
func (h host) simple() (openwopv1.CreateRunRequest, error) {
	for _, id := range []string{fixtureNoop, fixtureHandoffKid, fixtureHandoff} {
		if h.offers(id) && (id != fixtureHandoff || h.offers(fixtureHandoffKid)) {
			return openwopv1.CreateRunRequest{WorkflowID: id}, nil
		}
	}
	return openwopv1.CreateRunRequest{}, scenarios.Block("no workflow is on offer that ends by itself", loadFixtures)
}

// simpleRun makes such a run.
func (h host) simpleRun(ctx context.Context, label string) (*run, error) {
	simple, err := h.simple()
	if err != nil {
		return nil, err
	}
	return h.create(ctx, label, simple)
}
