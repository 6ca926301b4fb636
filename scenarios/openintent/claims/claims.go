// Package claims holds the claims of OpenIntent servers, each with the place where a server makes it.
package claims

import (
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const featuresPointer = "/assay/features"

// The discovery document of the protocol does not mention suspension. A server that lists its features in our member of
// the document is held to them. Any other server is asked, to find out what it has.
var (
	Core        = feature("core", "intents that wait for an answer, and get it")
	Lifecycle   = feature("lifecycle", "a state machine of intents, and leases on them")
	Graph       = feature("graph", "intents that wait for one another")
	Portfolio   = feature("portfolio", "portfolios that watch their members")
	Plan        = feature("plan", "plans whose tasks mirror their intents")
	Coordinator = feature("coordinator", "coordinators that heed a suspension")
	Claimed     = feature("claim", "claims that are refused while an upstream is suspended")
	Deadline    = feature("deadline", "portfolios that end their members at their deadline")
	Config      = feature("config", "a configuration that clients can read")
	Streams     = feature("sse", "streams of events")
	Workflow    = feature("workflow", "portfolios that are workflows, intents that are their phases")
	Webhook     = With(feature("webhook", "reminders that are sent to a URL"), Notifier)

	Notifier = scenarios.Claim{
		ID: "notifier", Title: "a server that reminds and expires by itself",
		Pointer: featuresPointer + ` has notifier, /assay/notifier == "server"`, Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			if who := d.Document.At("/assay/notifier"); who.Present() && who.String() != string(openintentv1.NotifierServer) {
				return who, false
			}
			return listed(d, "notifier")
		},
		Open: func(d scenarios.Discovery) bool { return isOpen(d) && !d.Document.At("/assay/notifier").Present() },
	}
)

// All are all claims.
var All = []scenarios.Claim{
	Core, Lifecycle, Graph, Portfolio, Plan, Coordinator, Claimed, Notifier, Deadline, Config, Streams, Webhook, Workflow,
	Example, Resolver,
}

// feature returns the claim to a feature.
func feature(id, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: id, Title: title, Pointer: featuresPointer + " has " + id,
		Look: func(d scenarios.Discovery) (wire.Value, bool) { return listed(d, id) },
		Open: isOpen,
	}
}

// With returns a claim that rests on others as well.
func With(c scenarios.Claim, others ...scenarios.Claim) scenarios.Claim {
	own := c.Look
	c.Look = func(d scenarios.Discovery) (wire.Value, bool) {
		for _, o := range others {
			if v, ok := o.Look(d); !ok {
				return v, false
			}
		}
		return own(d)
	}
	open := c.Open
	c.Open = func(d scenarios.Discovery) bool {
		return open(d) && !slices.ContainsFunc(others, func(o scenarios.Claim) bool {
			_, has := o.Look(d)
			return !has && !o.Open(d)
		})
	}
	return c
}

// listed looks a feature up in the list of features.
func listed(d scenarios.Discovery, id string) (wire.Value, bool) {
	features := d.Document.At(featuresPointer)
	for _, f := range features.Items() {
		if f.String() == id {
			return f, true
		}
	}
	return features, false
}

// isOpen reports whether the document lists no features.
func isOpen(d scenarios.Discovery) bool {
	_, isList := d.Document.At(featuresPointer).Actual().([]any)
	return !isList
}

// Resolver is the claim of a command as a target.
var Resolver = scenarios.Claim{
	ID: "resolver", Title: "a program that resolves the three levels of a retry policy", Pointer: "/resolver/command present",
	Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := d.Document.At("/resolver/command")
		return v, v.Present()
	},
}

// Example is the claim to everything that the example of RFC-0026 section 9 uses. It is never open: other suites ask
// about each part, and say which is missing.
var Example = With(scenarios.Claim{
	ID: "example", Title: "a workflow with all that the example of RFC-0026 9 uses",
	Pointer: featuresPointer + " has workflow, graph, portfolio, plan, claim and notifier",
	Look:    Workflow.Look, Open: func(scenarios.Discovery) bool { return false },
}, Graph, Portfolio, Plan, Claimed, Notifier)
