package discovery

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ServedDocument is a document as served without a credential.
type ServedDocument struct {
	host.Answered
	Type  wire.Value `json:"type"` // Content-Type
	Cache wire.Value `json:"cache"`
}

// DocumentsObservation is the documents that a host serves without a credential.
type DocumentsObservation struct {
	Capabilities ServedDocument `json:"capabilities"`
	Contract     ServedDocument `json:"contract"`
}

// publicDocuments reads the documents that need no credential.
var publicDocuments = &scenarios.Drive[DocumentsObservation]{
	ID:       "openwop/documents-for-anybody",
	Title:    "reads the capabilities and the API document without a credential",
	Sends:    []string{"{read discovery} without a credential", "{read contract} without a credential"},
	Nameless: "it reads two documents, by addresses that are fixed",
	Run: func(ctx context.Context, c *scenarios.Conn, o *DocumentsObservation) {
		h := host.Host{Conn: c}
		for _, d := range []struct {
			read dialect.Operation
			to   *ServedDocument
		}{{dialect.Discover, &o.Capabilities}, {dialect.ReadContract, &o.Contract}} {
			reply := h.AsStranger(ctx, host.NoCredential, wire.Call{Operation: d.read.Of(), Label: "for anybody", Discovery: true})
			*d.to = ServedDocument{host.AnsweredBy(h.Dialect().Spell(d.read.String()), reply), reply.HeaderValue("Content-Type"),
				reply.HeaderValue("Cache-Control")}
		}
	},
}

// FixtureObservation is a run of one of the listed fixtures.
type FixtureObservation struct {
	Fixture  string        `json:"fixture"`
	Created  host.Answered `json:"created"`
	Run      host.Answered `json:"run"`      // the run, read under its id
	Unlisted host.Answered `json:"unlisted"` // a run of an unknown workflow
	// Others are runs of the others on the list. None at quick, and at standard none of a host that takes its time for a run.
	Others []host.Answered `json:"others,omitempty"`
}

// mostListed is how many fixtures of a list are asked for: a list can be of any length.
const mostListed = 200

// listedFixture runs a random one of the listed fixtures.
var listedFixture = &scenarios.Drive[FixtureObservation]{
	ID: "openwop/fixture-of-the-list",
	Title: "picks one of the listed fixtures at random and makes a run of it; as the control asks for a run of a workflow that nobody " +
		"has; beyond quick, makes a run of each of the others on the list",
	Sends: []string{"{create run} (a listed fixture)", "{read run}", "{create run} (a workflow that nobody has)",
		"{create run} (each listed fixture)"},
	Excludes: host.ModelAnswers, // some of the fixtures ask the model
	Run: func(ctx context.Context, c *scenarios.Conn, o *FixtureObservation) {
		h := host.Host{Conn: c}
		listed := h.Known(func(f host.Fixture) bool { return h.Lists(f.Needs...) })
		if len(listed) == 0 {
			own, ok := host.Find(h, func(o host.Own) bool { return h.Lists(o.Workflow) }, host.Completes, host.Waits, host.Lasts, host.Fails)
			if !ok {
				scenarios.End(scenarios.Block("none of the listed fixtures is known here, and none runs without inputs", fixture.Load))
			}
			listed = []string{own.Workflow}
		}
		slices.SortStableFunc(listed, func(a, b string) int { // published ones first: an engine may not understand ours
			return strings.Compare(b[:1], a[:1])
		})
		i := slices.IndexFunc(listed, func(w string) bool { return h.Offers(w) })
		if i < 0 {
			h.Lacks("none of the listed fixtures can be judged", listed...)
		}
		*o = FixtureObservation{Fixture: listed[i]}
		r := h.Create(ctx, "create a run of a listed fixture", dialect.CreateRunRequest{WorkflowID: o.Fixture})
		o.Created = host.AnsweredBy(o.Fixture, r.Created)
		if r.ID != "" {
			reply := r.Snapshot(ctx, "that run")
			o.Run = host.AnsweredBy("that run", reply)
		}
		nowhere := h.Name("nowhere")
		other := h.Create(ctx, "create a run of a workflow that nobody has", dialect.CreateRunRequest{WorkflowID: nowhere})
		o.Unlisted = host.AnsweredBy(nowhere, other.Created)
		slow := h.Pace.Turn() > 100*time.Millisecond && h.Depth < scenarios.Deep
		if h.Depth == scenarios.Quick || slow || other.ID != "" {
			return
		}
		all := claims.Family(h.Discovery, "fixtures").Items()
		for _, f := range all[:min(len(all), mostListed)] {
			if id := f.String(); id != o.Fixture && id != "" {
				r := h.Create(ctx, "create a run of another listed fixture", dialect.CreateRunRequest{WorkflowID: id})
				if o.Others = append(o.Others, host.AnsweredBy(id, r.Created)); r.ID != "" {
					r.Cancel(ctx, "seen") // a host may have room for a few runs
				}
			}
		}
	},
}

// GatedObservation is a host's reply to a request for a feature it does not claim.
type GatedObservation struct {
	Control host.Answered `json:"control"` // a run of a workflow that needs nothing
	Reply   host.Answered `json:"reply"`   // to the first workflow it knows, else to the last one tried
	Listed  bool          `json:"listed"`  // the host lists that workflow
}

// gatedDrive returns a drive that tries workflows with the feature, listed ones
// first, until the host knows one.
func gatedDrive(id, title string, needs func(host.Fixture) bool) *scenarios.Drive[GatedObservation] {
	return &scenarios.Drive[GatedObservation]{
		ID: "openwop/" + id, Title: title,
		Sends: []string{"{create run} (a workflow that needs it, up to five)", "{create run} (a workflow that needs nothing)"},
		Run: func(ctx context.Context, c *scenarios.Conn, o *GatedObservation) {
			h := host.Host{Conn: c}
			simple := h.Simple()
			control := h.Create(ctx, "the control", simple)
			o.Control = host.AnsweredBy(simple.WorkflowID, control.Created)
			asked := h.Known(needs)
			for _, workflow := range asked[:min(5, len(asked))] {
				r := h.Create(ctx, "create a run of what needs it", dialect.CreateRunRequest{WorkflowID: workflow})
				if o.Reply, o.Listed = host.AnsweredBy(workflow, r.Created), h.Lists(workflow); !o.Reply.Unknown() {
					break
				}
			}
		},
	}
}

var (
	withoutSupervisors = gatedDrive("without-supervisors", "asks a host without supervisors for a run with one",
		func(f host.Fixture) bool { return f.Has("core.orchestrator.supervisor") })
	withoutDispatch = gatedDrive("without-dispatch", "asks a host without dispatch for a run with one",
		func(f host.Fixture) bool { return f.Has("core.dispatch") })
	withoutMapping = gatedDrive("without-mapping", "asks a host that maps nothing for a run with a mapping",
		func(f host.Fixture) bool { return f.Maps })
)
