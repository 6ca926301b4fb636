package lamp

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Row is the lamp in the table of protocols.
var Row = &protocols.Row{
	Protocol: Protocol,
	Brand:    "Lamp",
	Targets:  []protocols.Target{{Name: "lamp", Suites: Suites}},
	Speaker:  "simulated lamp",
	Honest:   func() []protocols.Honest { return []protocols.Honest{{Name: "lamp", Specimen: specimen{}}} },
	Faults: func() []protocols.Fault {
		return []protocols.Fault{{
			ID: "lamp.always-bright", Title: "a lamp is as bright as it can be, whatever it is told",
			Looks:  "GET /lamp says 100 after PUT /lamp with 40",
			Breaks: []string{"LAMP-1"}, Run: "assay certify simhost --fault lamp.always-bright", Specimen: specimen{stuck: true},
		}}
	},
}

// specimen is a simulated lamp to certify.
type specimen struct{ stuck bool }

// Protocol implements [protocols.Specimen].
func (specimen) Protocol() *scenarios.Protocol { return Protocol }

// Start implements [protocols.Specimen].
func (s specimen) Start(ctx context.Context, t wire.Target, _ protocols.Place) (wire.Target, func(context.Context) error, error) {
	served, err := protocols.Serve(ctx, nil, func(string) (protocols.Host, error) { return newHost(s.stuck), nil })
	if err != nil {
		return t, nil, err
	}
	t.URL = served.URL
	return t, served.Close, nil
}
