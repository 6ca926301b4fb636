package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// ServedDocument is a document as a stranger got it.
type ServedDocument struct {
	Answered
	Type  wire.Value `json:"type"` // Content-Type
	Cache wire.Value `json:"cache"`
}

// DocumentsObservation is what a host serves to somebody without a key.
type DocumentsObservation struct {
	Capabilities ServedDocument `json:"capabilities"`
	Contract     ServedDocument `json:"contract"` // /v1/openapi.json
}

// documentsForAnybody asks for what nobody needs a key for.
var documentsForAnybody = &scenarios.Drive[DocumentsObservation]{
	ID:    "openwop/documents-for-anybody",
	Title: "reads the capabilities and the API document without a credential",
	Sends: []string{"GET /.well-known/openwop without a credential", "GET /v1/openapi.json without a credential"},
	Run: func(ctx context.Context, c *scenarios.Conn) (DocumentsObservation, error) {
		h := host{c}
		var o DocumentsObservation
		for _, d := range []struct {
			path string
			to   *ServedDocument
		}{{discoveryPath, &o.Capabilities}, {"/v1/openapi.json", &o.Contract}} {
			reply, err := h.asStranger(ctx, noCredential, wire.Call{Method: http.MethodGet, Path: d.path, Label: "for anybody", Discovery: true})
			if err != nil {
				return o, err
			}
			*d.to = ServedDocument{answered("GET "+d.path, reply), reply.HeaderValue("Content-Type"), reply.HeaderValue("Cache-Control")}
		}
		return o, nil
	},
}

// FixtureObservation is a run of one of the listed fixtures.
type FixtureObservation struct {
	Fixture  string   `json:"fixture"`
	Created  Answered `json:"created"`
	Run      Answered `json:"run"`      // read under its id
	Unlisted Answered `json:"unlisted"` // a run of a workflow that nobody has
}

// fixtureOfTheList takes the list at its word.
var fixtureOfTheList = &scenarios.Drive[FixtureObservation]{
	ID:    "openwop/fixture-of-the-list",
	Title: "picks one of the listed fixtures at random and makes a run of it; as the control asks for a run of a workflow that nobody has",
	Sends: []string{"POST /v1/runs (a listed fixture)", "GET /v1/runs/{runId}", "POST /v1/runs (a workflow that nobody has)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (FixtureObservation, error) {
		h := host{c}
		listed := h.known(func(f fixture) bool { return h.offers(f.needs...) })
		if len(listed) == 0 {
			return FixtureObservation{}, scenarios.Block("none of the listed fixtures is known here", loadFixtures)
		}
		o := FixtureObservation{Fixture: listed[0]}
		r, err := h.create(ctx, "create a run of a listed fixture", openwopv1.CreateRunRequest{WorkflowID: o.Fixture})
		if err != nil {
			return o, err
		}
		o.Created = answered(o.Fixture, r.Created)
		if r.ID != "" {
			reply, err := r.snapshot(ctx, "that run")
			if err != nil {
				return o, err
			}
			o.Run = answered("that run", reply)
		}
		nowhere := h.Name("assay-nowhere")
		other, err := h.create(ctx, "create a run of a workflow that nobody has", openwopv1.CreateRunRequest{WorkflowID: nowhere})
		if err != nil {
			return o, err
		}
		o.Unlisted = answered(nowhere, other.Created)
		return o, nil
	},
}

// GatedObservation is what a host answers that was asked for what it says it lacks.
type GatedObservation struct {
	Control Answered `json:"control"` // a run of a workflow that needs nothing
	Reply   Answered `json:"reply"`   // to the first workflow that it knows, or to the last that was asked for
	Listed  bool     `json:"listed"`  // among its fixtures
}

// withoutIt asks for workflows that need something until the host knows one of
// them. Those that it lists come first.
func withoutIt(id, title string, needs func(fixture) bool) *scenarios.Drive[GatedObservation] {
	return &scenarios.Drive[GatedObservation]{
		ID: "openwop/" + id, Title: title,
		Sends: []string{"POST /v1/runs (a workflow that needs it, up to five)", "POST /v1/runs (a workflow that needs nothing)"},
		Run: func(ctx context.Context, c *scenarios.Conn) (GatedObservation, error) {
			h := host{c}
			var o GatedObservation
			simple, err := h.simple()
			if err != nil {
				return o, err
			}
			control, err := h.create(ctx, "the control", simple)
			if err != nil {
				return o, err
			}
			o.Control = answered(simple.WorkflowID, control.Created)
			asked := h.known(needs)
			for _, workflow := range asked[:min(5, len(asked))] {
				r, err := h.create(ctx, "create a run of what needs it", openwopv1.CreateRunRequest{WorkflowID: workflow})
				if err != nil {
					return o, err
				}
				if o.Reply, o.Listed = answered(workflow, r.Created), h.offers(workflow); !o.Reply.unknown() {
					break
				}
			}
			return o, nil
		},
	}
}

var (
	withoutSupervisors = withoutIt("without-supervisors", "asks a host without supervisors for a run with one",
		func(f fixture) bool { return f.has("core.orchestrator.supervisor") })
	withoutDispatch = withoutIt("without-dispatch", "asks a host without dispatch for a run with one",
		func(f fixture) bool { return f.has("core.dispatch") })
	withoutMapping = withoutIt("without-mapping", "asks a host that maps nothing for a run with a mapping",
		func(f fixture) bool { return f.maps })
)
