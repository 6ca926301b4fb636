package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

//go:embed costs.json
var recordedCosts []byte

// AllCosts are what drives asked a simulated host for, by protocol, depth and drive.
type AllCosts map[string]map[string]map[string]wire.Spent

// Costs returns what each drive of a protocol asked a simulated host for at a depth, by drive. It is empty where that was not recorded.
func Costs(protocol string, depth scenarios.Depth) (map[string]wire.Spent, error) {
	var all AllCosts
	if err := json.Unmarshal(recordedCosts, &all); err != nil {
		return nil, fmt.Errorf("read the recorded costs: %w", err)
	}
	return all[protocol][depth.String()], nil
}
