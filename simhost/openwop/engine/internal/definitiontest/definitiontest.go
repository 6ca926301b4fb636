// Package definitiontest makes workflow definitions for the tests of the engine's rooms.
package definitiontest

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// Define makes a definition of nodes, edges and variables, each as JSON without the parts that never matter here.
func Define(t testing.TB, nodes, edges, variables string) (d openwopv1.WorkflowDefinition) {
	t.Helper()
	text := `{"id":"w","name":"w","version":"1","triggers":[],"metadata":{},"settings":{},
		"nodes":[` + nodes + `],"edges":[` + edges + `],"variables":[` + variables + `]}`
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// Nodes and edges of small workflows.
const (
	SupervisorNode = `{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{}}`
	DispatchNode   = `{"id":"d","typeId":"core.dispatch","config":{},"inputs":{}}`
	LoopEdges      = `{"id":"e1","sourceNodeId":"s","targetNodeId":"d"},{"id":"e2","sourceNodeId":"d","targetNodeId":"s"}`
	NoopNode       = `{"id":"a","typeId":"core.noop","config":{},"inputs":{}}`
	SecondNode     = `{"id":"b","typeId":"core.noop","config":{},"inputs":{}}`
)

// Supervised is a loop whose supervisor has these members in its config.
func Supervised(config string) string {
	return `{"id":"s","typeId":"core.orchestrator.supervisor","config":{` + config + `},"inputs":{}},` + DispatchNode
}
