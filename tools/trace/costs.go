package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

//go:embed costs.json
var recordedCosts []byte

// AllCosts are what drives asked a simulated host for, by protocol, depth and drive.
type AllCosts map[string]map[string]map[string]wire.Spent

// CostsOf returns what each drive of the certification in a report folder asked for, by drive.
func CostsOf(dir string) (map[string]wire.Spent, error) {
	doc, err := reports.Load(dir)
	if err != nil {
		return nil, err
	}
	protocol := protocolOf(doc.Target.Protocol)
	if protocol == nil {
		return nil, fmt.Errorf("the report in %s is of the protocol %q, which is unknown", dir, doc.Target.Protocol)
	}
	drives := []string{discovery}
	for _, s := range doc.Scenarios {
		drives = append(drives, s.Drives...)
	}
	out := map[string]wire.Spent{}
	r := recorder{dir: dir, drives: map[string]*wire.Transcript{}}
	for _, drive := range drives {
		t, err := r.transcript(drive)
		if err != nil {
			return nil, err
		}
		out[drive] = t.Cost(protocol.Cost)
	}
	return out, nil
}

// Costs returns what each drive of a protocol asked a simulated host for at a depth, by drive. It is empty where that was not recorded.
func Costs(protocol string, depth scenarios.Depth) (map[string]wire.Spent, error) {
	var all AllCosts
	if err := json.Unmarshal(recordedCosts, &all); err != nil {
		return nil, fmt.Errorf("read the recorded costs: %w", err)
	}
	return all[protocol][depth.String()], nil
}
