package openwop

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// fixed lists what stays as it is: the workflow of a run, and the events that its log once had. A run is made for one caller.
func fixed(d *dialect.Dialect) []scenarios.Fixed {
	id := func(v wire.Value) string { return v.Key("runId").String() }
	return []scenarios.Fixed{
		{What: "run", Method: http.MethodPost, Path: d.Matching(dialect.CreateRun), Made: true, ID: id},
		{What: "run", Method: http.MethodGet, Path: d.Matching(dialect.ReadRun), ID: id,
			Members: []scenarios.FixedMember{{Pointer: "/workflowId", Requirement: openwop.OWPCTL1}}},
		{What: "event", Method: http.MethodGet, Path: d.Matching(dialect.PollLog),
			Each: func(v wire.Value) wire.Values { return v.Key("events").Items() },
			ID: func(v wire.Value) string {
				if run := id(v); run != "" && v.Key("sequence").Present() {
					return v.Key("sequence").JSON() + " of the run " + run
				}
				return ""
			},
			Members: []scenarios.FixedMember{{Pointer: "/eventId", Requirement: openwop.OWPEVT12},
				{Pointer: "/type", Requirement: openwop.OWPEVT12}}},
	}
}
