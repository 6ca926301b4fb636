package model

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// Workflow is what the interpreter needs of a workflow: the values that its variables begin with, and what its dispatch node
// maps to workers and back.
type Workflow struct {
	Variables map[string]any
	maps      mappings
}

// mappings are those of a dispatch node: to a worker by its input, back by the parent's variable. A worker's own replace the
// default ones (RFC 0022 A).
type mappings struct {
	In     map[string]string            `json:"inputMapping"`
	Out    map[string]string            `json:"outputMapping"`
	OwnIn  map[string]map[string]string `json:"perWorkerInputMappings"`
	OwnOut map[string]map[string]string `json:"perWorkerOutputMappings"`
}

func (m mappings) of(worker string) (in, out map[string]string) {
	in, out = m.In, m.Out
	if own, has := m.OwnIn[worker]; has {
		in = own
	}
	if own, has := m.OwnOut[worker]; has {
		out = own
	}
	return in, out
}

// Read reads a fixture as the spec has it.
func Read(id string) (Workflow, error) {
	raw, err := fs.ReadFile(dialect.V1.Fixtures, "fixtures/"+id+".json")
	if err != nil {
		return Workflow{}, fmt.Errorf("the fixture %s: %w", id, err)
	}
	var file struct {
		Variables []struct {
			Name         string `json:"name"`
			DefaultValue any    `json:"defaultValue"`
		} `json:"variables"`
		Nodes []struct {
			TypeID string   `json:"typeId"`
			Config mappings `json:"config"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return Workflow{}, fmt.Errorf("the fixture %s: %w", id, err)
	}
	w := Workflow{Variables: map[string]any{}}
	for _, v := range file.Variables {
		if text, is := v.DefaultValue.(string); is {
			w.Variables[v.Name] = text
		}
	}
	for _, n := range file.Nodes {
		if n.TypeID == "core.dispatch" {
			w.maps = n.Config
		}
	}
	return w, nil
}
