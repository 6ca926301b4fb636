package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// workflow is what the checks below read of a fixture.
type workflow struct {
	ID    string `json:"id"`
	Nodes []struct {
		ID     string         `json:"id"`
		TypeID string         `json:"typeId"`
		Config map[string]any `json:"config"`
		Inputs map[string]struct {
			Type         string `json:"type"`
			VariableName string `json:"variableName"`
		} `json:"inputs"`
	} `json:"nodes"`
	Edges []struct {
		Source string `json:"sourceNodeId"`
		Target string `json:"targetNodeId"`
	} `json:"edges"`
	Variables []variable `json:"variables"`
}

type variable struct {
	Name         string `json:"name"`
	Type         string `json:"type"`
	DefaultValue any    `json:"defaultValue"`
}

func (w workflow) variable(name string) (v variable, declared bool) {
	i := slices.IndexFunc(w.Variables, func(v variable) bool { return v.Name == name })
	if i < 0 {
		return variable{}, false
	}
	return w.Variables[i], true
}

// script is what the supervisor of w decides, turn by turn: the port's variable wins over the config.
func (w workflow) script() []any {
	for _, n := range w.Nodes {
		if n.TypeID != "core.orchestrator.supervisor" {
			continue
		}
		if port, ok := n.Inputs["mockDispatchPlan"]; ok {
			plan, _ := w.variable(port.VariableName)
			decisions, _ := plan.DefaultValue.([]any)
			return decisions
		}
		for _, key := range []string{"mockDispatchPlan", "mockDecisions"} {
			if decisions, ok := n.Config[key].([]any); ok {
				return decisions
			}
		}
		if held, ok := n.Config["mockPendingDecision"]; ok {
			return []any{held}
		}
	}
	return nil
}

func fixtures(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("fixtures/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return paths
}

func TestFixturesAreWorkflows(t *testing.T) {
	definition := ours(t).compile(t, base+"workflow-definition.schema.json")
	for _, path := range fixtures(t) {
		if err := definition.Validate(readJSON[any](t, path)); err != nil {
			t.Errorf("%s: %#v", path, err)
		}
		if w := readJSON[workflow](t, path); w.ID+".json" != filepath.Base(path) {
			t.Errorf("%s has the id %s", path, w.ID)
		}
	}
}

// What schemas cannot say: names lead somewhere, and what is inside config is well formed too.
func TestFixturesHangTogether(t *testing.T) {
	c := ours(t)
	decision := c.compile(t, base+"orchestrator-decision.schema.json")
	dispatch := c.compile(t, base+"dispatch-config.schema.json")
	for _, path := range fixtures(t) {
		w := readJSON[workflow](t, path)
		nodes := map[string]bool{}
		for _, n := range w.Nodes {
			nodes[n.ID] = true
			for port, in := range n.Inputs {
				if _, ok := w.variable(in.VariableName); in.Type == "variable" && !ok {
					t.Errorf("%s: port %s reads the variable %q, which is not declared", path, port, in.VariableName)
				}
			}
			if notes, ok := n.Config["mockNotes"]; ok {
				if v, declared := w.variable(fmt.Sprint(notes)); !declared || v.Type != "array" {
					t.Errorf("%s: the notes of %s go into %q, which is not declared as an array", path, n.ID, notes)
				}
			}
			if n.TypeID == "core.dispatch" {
				if err := dispatch.Validate(n.Config); err != nil {
					t.Errorf("%s: config of %s: %#v", path, n.ID, err)
				}
			}
		}
		for _, e := range w.Edges {
			if !nodes[e.Source] || !nodes[e.Target] {
				t.Errorf("%s: the edge from %s to %s has an end that is no node", path, e.Source, e.Target)
			}
		}
		for i, d := range w.script() {
			if err := decision.Validate(d); err != nil {
				t.Errorf("%s: decision %d: %#v", path, i+1, err)
			}
			workers, _ := object(d)["nextWorkerIds"].([]any)
			for _, worker := range workers {
				here := strings.TrimPrefix(fmt.Sprint(worker), "second/") // a worker of that name on another host
				if _, err := os.Stat(fmt.Sprintf("fixtures/%s.json", here)); (err != nil) != (here == "assay-no-such-workflow") {
					t.Errorf("%s: decision %d names the worker %s, which is no fixture", path, i+1, worker)
				}
			}
		}
	}
}

// mappings are those of all dispatch nodes: those by which workers are given something, and those by which they give back.
func (w workflow) mappings() (in, out []map[string]any) {
	for _, n := range w.Nodes {
		for key, own := range map[string]string{"inputMapping": "perWorkerInputMappings", "outputMapping": "perWorkerOutputMappings"} {
			all := []map[string]any{object(n.Config[key])}
			for _, m := range object(n.Config[own]) {
				all = append(all, object(m))
			}
			if key == "inputMapping" {
				in = append(in, all...)
			} else {
				out = append(out, all...)
			}
		}
	}
	return in, out
}

// Where the parent's variables are read from and written to is declared: a name that is mistyped would map nothing.
func TestMappedVariablesAreDeclared(t *testing.T) {
	for _, path := range fixtures(t) {
		w := readJSON[workflow](t, path)
		declared := func(name any) {
			if _, ok := w.variable(fmt.Sprint(name)); !ok {
				t.Errorf("%s maps the variable %v, which is not declared", path, name)
			}
		}
		in, out := w.mappings()
		for _, m := range in {
			for _, source := range m {
				declared(source)
			}
		}
		for _, m := range out {
			for target := range m {
				declared(target)
			}
		}
	}
}

// Scenarios count on these numbers.
func TestOwnLoops(t *testing.T) {
	kinds := func(id string) []string {
		var out []string
		for _, d := range readJSON[workflow](t, "fixtures/"+id+".json").script() {
			out = append(out, object(d)["kind"].(string))
		}
		return out
	}
	want := map[string][]string{
		"assay-loop":                  {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-loop-ask-user":         {"next-worker", "ask-user", "next-worker", "terminate"},
		"assay-loop-mapped":           {"next-worker", "terminate"},
		"assay-loop-waits":            {"next-worker", "terminate"},
		"assay-loop-reject":           {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-loop-endless":          slices.Repeat([]string{"next-worker"}, 256),
		"assay-loop-workspace":        {"next-worker", "next-worker", "terminate"},
		"assay-loop-memory":           {"next-worker", "terminate"},
		"assay-memory-worker":         {"terminate"},
		"assay-memory-worker-again":   {"terminate"},
		"assay-memory-worker-fails":   {"next-worker"},
		"assay-goal-stuck":            {"next-worker", "terminate"},
		"assay-scripted-loop":         {"next-worker", "next-worker", "next-worker", "terminate", "next-worker", "terminate"},
		"assay-scripted-ask":          {"next-worker", "next-worker", "ask-user", "next-worker", "terminate"},
		"assay-scripted-doubt":        {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-scripted-reject":       {"next-worker", "next-worker", "terminate"},
		"assay-scripted-tree":         {"next-worker", "terminate"},
		"assay-scripted-waits":        {"next-worker", "terminate"},
		"assay-scripted-ask-twice":    {"next-worker", "ask-user", "next-worker", "ask-user", "next-worker", "terminate"},
		"assay-scripted-half":         {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-scripted-sure":         {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-scripted-doubtful-end": {"next-worker", "next-worker", "terminate"},
		"assay-scripted-fails":        {"next-worker", "next-worker", "terminate"},
		"assay-scripted-stops":        {"next-worker", "next-worker", "terminate"},
		"assay-scripted-none":         {"next-worker", "next-worker", "terminate"},
		"assay-scripted-loops":        {"next-worker", "next-worker", "next-worker", "terminate"},
		"assay-scripted-long":         append(slices.Repeat([]string{"next-worker"}, 101), "terminate"),
		"assay-scripted-unmet":        {"next-worker", "terminate"},
		"assay-scripted-met":          {"next-worker", "terminate"},
		"assay-scripted-person":       {"next-worker", "terminate"},
	}
	for id, kindsWanted := range want {
		if diff := cmp.Diff(kindsWanted, kinds(id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// A chain, so that the limit strikes at the same node on every host.
func TestManyNodesAreAChain(t *testing.T) {
	for id, nodes := range map[string]int{"assay-nodes": 256, "assay-scripted-nodes": 1024} {
		w := readJSON[workflow](t, "fixtures/"+id+".json")
		if len(w.Nodes) != nodes || len(w.Edges) != nodes-1 {
			t.Fatalf("%s: %d nodes and %d edges, want %d and %d", id, len(w.Nodes), len(w.Edges), nodes, nodes-1)
		}
		for i, e := range w.Edges {
			if e.Source != w.Nodes[i].ID || e.Target != w.Nodes[i+1].ID {
				t.Errorf("%s: edge %d leads from %s to %s", id, i, e.Source, e.Target)
			}
		}
	}
}

// ports are the variables that the ports of the node read, with their types.
func (w workflow) ports(node string) map[string]string {
	out := map[string]string{}
	for _, n := range w.Nodes {
		if n.ID != node {
			continue
		}
		for port, in := range n.Inputs {
			if in.Type != "variable" {
				continue
			}
			v, _ := w.variable(in.VariableName)
			out[port] = in.VariableName + " " + v.Type
		}
	}
	return out
}

// Whoever starts a run of these chooses what its turns do, and reads back under these names what they saw or found.
func TestOwnVariables(t *testing.T) {
	want := map[string]map[string]string{
		"assay-loop":        {"mockDispatchPlan": "plan array"},
		"assay-loop-mapped": {"mockDispatchPlan": "plan array"},
		"assay-loop-reject": {"mockDispatchPlan": "plan array"},
		"assay-loop-waits":  {"mockDispatchPlan": "plan array"},
		"assay-loop-workspace": {
			"mockDispatchPlan": "plan array", "mockReads": "reads object", "mockWrites": "writes array",
		},
		"assay-loop-memory":         {"mockDispatchPlan": "plan array", "mockReads": "reads object", "mockWrites": "writes array"},
		"assay-memory-worker":       {"mockDispatchPlan": "plan array", "mockReads": "reads object", "mockWrites": "writes array"},
		"assay-memory-worker-again": {"mockDispatchPlan": "plan array", "mockReads": "reads object", "mockWrites": "writes array"},
		"assay-memory-worker-fails": {"mockDispatchPlan": "plan array", "mockReads": "reads object", "mockWrites": "writes array"},
		"assay-approval": {
			"title": "title string", "actions": "actions array", "artifactData": "draft object", "timeoutMs": "timeoutMs number",
		},
		"assay-questions": {"questions": "questions array", "timeoutMs": "timeoutMs number"},
		"assay-event":     {"eventType": "eventType string", "correlation": "correlation object", "timeoutMs": "timeoutMs number"},
		"assay-quorum":    {"requiredApprovals": "requiredApprovals number", "rejectionPolicy": "rejectionPolicy string"},
		"assay-goal-work": {"satisfied": "satisfied boolean", "confidence": "confidence number", "costUsd": "costUsd number"},
	}
	for id, ports := range want {
		w := readJSON[workflow](t, "fixtures/"+id+".json")
		if diff := cmp.Diff(ports, w.ports(w.Nodes[0].ID)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// What is held in assay-goal-stuck has to be held by every host, whatever floor it advertises.
func TestStuckIsBelowEveryFloor(t *testing.T) {
	model := object(ours(t).at(base+"capabilities.schema.json", "/$defs/ExecutionModel/properties/confidenceEscalationFloor"))
	least, ok := model["minimum"].(float64)
	if !ok {
		t.Fatal("the capability schema has no least floor")
	}
	held := object(readJSON[workflow](t, "fixtures/assay-goal-stuck.json").script()[0])
	if confidence, ok := held["confidence"].(float64); !ok || confidence >= least {
		t.Errorf("the first decision has the confidence %v; the least floor is %v", held["confidence"], least)
	}
}

// A host may hold the published workflow under the same id: ours must do the same. What is there for people
// (names, descriptions, titles, questions, tags, places on a canvas, the text of the failure on purpose) is not compared.
func TestFixturesAreTheOnesPublished(t *testing.T) {
	needUpstream(t)
	compared := 0
	for _, path := range fixtures(t) {
		published := filepath.Join(upstream, path)
		if strings.HasPrefix(filepath.Base(path), "assay-") {
			if _, err := os.Stat(published); err == nil {
				t.Errorf("%s: this id is published too: rename ours", path)
			}
			continue
		}
		want, got := essence(readJSON[map[string]any](t, published)), essence(readJSON[map[string]any](t, path))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the published one (-published +ours):\n%s", path, diff)
		}
		compared++
	}
	t.Logf("%d fixtures compared", compared)
}

// essence is a workflow without what is there for people alone.
func essence(w map[string]any) map[string]any {
	for _, key := range []string{"name", "description"} {
		delete(w, key)
	}
	delete(object(w["metadata"]), "tags")
	for _, n := range w["nodes"].([]any) {
		n := object(n)
		delete(n, "name")
		delete(n, "position")
		if n["typeId"] == "core.fail" {
			delete(object(n["config"]), "message")
		}
		delete(object(n["config"]), "title")
		delete(object(n["config"]), "description")
		questions, _ := object(n["config"])["questions"].([]any)
		for _, q := range questions {
			delete(object(q), "question")
		}
	}
	for _, v := range w["variables"].([]any) {
		delete(object(v), "description")
	}
	return w
}

// Three draws in a row, each of which is an output of the run.
func TestRandomValuesAreOutputs(t *testing.T) {
	w := readJSON[workflow](t, "fixtures/assay-random.json")
	var types []string
	for _, n := range w.Nodes {
		types = append(types, n.TypeID)
	}
	want := append(slices.Repeat([]string{"vendor.openassay.random"}, 3), "core.identity")
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("types of the nodes (-want +got):\n%s", diff)
	}
	if ports := w.Nodes[len(w.Nodes)-1].Inputs; len(ports) != 3 {
		t.Errorf("the last node has %d ports", len(ports))
	}
}

// Engines that read no port load these: they take nothing from what a run is given, but for the time of a delay, as in the published one.
func TestTheSecondFamilyHasNoPorts(t *testing.T) {
	family := 0
	for _, path := range fixtures(t) {
		tags, _ := object(readJSON[map[string]any](t, path)["metadata"])["tags"].([]any)
		if !slices.Contains(tags, any("scripted")) {
			continue
		}
		family++
		w := readJSON[workflow](t, path)
		for _, n := range w.Nodes {
			if len(n.Inputs) > 0 && n.TypeID != "core.delay" || !strings.HasPrefix(n.TypeID, "core.") {
				t.Errorf("%s: node %s of type %s has %d ports", path, n.ID, n.TypeID, len(n.Inputs))
			}
		}
	}
	if family < 6 {
		t.Errorf("the family has %d workflows", family)
	}
}
