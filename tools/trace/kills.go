package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/results"
)

//go:embed kills.json
var killed []byte

var kills = sync.OnceValue(func() map[string][]string {
	var out map[string][]string
	if err := json.Unmarshal(killed, &out); err != nil { // a test reads it
		return nil
	}
	return out
})

// Failing returns the sorted faults for which a scenario fails: the possible faults of a target that fails it. They
// come from docs/kill-matrix.json.
func Failing(scenario string) []string { return kills()[scenario] }

// FoundBy returns the sorted scenarios that fail for a fault.
func FoundBy(fault string) (out []string) {
	for scenario, faults := range kills() {
		if slices.Contains(faults, fault) {
			out = append(out, scenario)
		}
	}
	slices.Sort(out)
	return out
}

// EncodeKills converts a kill matrix to kills.json.
func EncodeKills(m results.KillMatrix) ([]byte, error) {
	out := map[string][]string{}
	for _, p := range m.Protocols {
		for _, f := range p.Faults {
			for _, k := range f.Kills {
				if !slices.Contains(out[k.Scenario], f.ID) {
					out[k.Scenario] = append(out[k.Scenario], f.ID)
				}
			}
		}
	}
	for _, faults := range out {
		slices.Sort(faults)
	}
	raw, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode what faults are found by: %w", err)
	}
	return append(raw, '\n'), nil
}
