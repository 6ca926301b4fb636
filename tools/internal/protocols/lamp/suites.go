// Package lamp is an example protocol: docs/add-a-protocol.md quotes it, and a test of the command adds it to the
// table. Its host is a lamp: PUT /lamp switches it, and GET /lamp returns its state.
package lamp

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

//go:embed openapi.json
var contract []byte

// Protocol is the lamp's, version 1.
var Protocol = &scenarios.Protocol{
	ID:            "lamp/v1",
	Title:         "a lamp that is switched over HTTP",
	DiscoveryPath: "/.well-known/lamp.json",
	Requests:      func() []byte { return contract },
	Ledger: scenarios.NewLedger([]scenarios.Requirement{{
		ID: "LAMP-1", Level: scenarios.Must, Source: "LAMP", Section: "1", Claim: dimmable.ID,
		Text: "A lamp has the brightness that it was last given.",
	}}),
	Claims: []scenarios.Claim{dimmable},
	Describe: func(d scenarios.Discovery) (name, version string) {
		return d.Document.Key("name").String(), d.Document.Key("version").String()
	},
}

var dimmable = scenarios.Claim{
	ID: "dimmable", Title: "it has more than on and off", Pointer: "/dimmable == true",
	Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := d.Document.Key("dimmable")
		claimed, _ := v.Bool()
		return v, claimed
	},
}

// Suites are all suites of the lamp.
func Suites() []scenarios.Suite {
	return []scenarios.Suite{{ID: "brightness", Title: "how bright the lamp is", Protocol: Protocol, Scenarios: []scenarios.Scenario{{
		ID:     "lamp/brightness/as-given",
		Title:  "a lamp that is dimmed is as bright as it was told to be",
		Proves: []scenarios.RequirementID{"LAMP-1"},
		Claim:  dimmable,
		Ask: scenarios.Ask(dimmed, func(o observation, j *scenarios.Judge) {
			j.Check("LAMP-1", o.Brightness).To(check.Equal(40))
		}),
	}}}}
}

// observation is a lamp that was dimmed.
type observation struct {
	Brightness wire.Value `json:"brightness"`
}

var dimmed = &scenarios.Drive[observation]{
	ID: "lamp/dimmed", Title: "dims the lamp, and looks at it", Sends: []string{"PUT /lamp", "GET /lamp"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *observation) {
		c.Do(ctx, wire.Call{Method: http.MethodPut, Path: "/lamp", Body: map[string]any{"brightness": 40}, Label: "dim it"})
		o.Brightness = c.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/lamp", Label: "look at it"}).Value("/brightness")
	},
}
