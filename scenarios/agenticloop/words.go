package agenticloop

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// profileWords explains the members of a profile as its schema does, each below the one that holds it.
func profileWords() []scenarios.Word {
	var bundle struct {
		Defs map[string]described `json:"$defs"`
	}
	if err := json.Unmarshal(agenticloopv2.Bundled(), &bundle); err != nil {
		panic(fmt.Sprintf("agenticloop: the bundled schemas: %v", err)) // they are generated, and compiled by every test
	}
	var out []scenarios.Word
	var add func(name string, d described)
	add = func(name string, d described) {
		if about, named := strings.CutPrefix(d.Ref, "#/$defs/"); named {
			d = bundle.Defs[about]
		}
		members := slices.Sorted(maps.Keys(d.Properties))
		out = append(out, scenarios.Word{Name: name, In: host.ProfileName, Means: d.Description, Members: members})
		for _, member := range members {
			if !slices.ContainsFunc(out, func(w scenarios.Word) bool { return w.Name == member }) {
				add(member, d.Properties[member])
			}
		}
	}
	add(host.ProfileName, described{Ref: "#/$defs/TargetProfile"})
	return slices.DeleteFunc(out, func(w scenarios.Word) bool { return w.Means == "" })
}

// described is a schema, as far as it explains a word.
type described struct {
	Ref         string               `json:"$ref"`
	Description string               `json:"description"`
	Properties  map[string]described `json:"properties"`
}
