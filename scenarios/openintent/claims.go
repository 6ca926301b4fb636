package openintent

import (
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const featuresPointer = "/assay/features"

// The protocol has no word for suspension in its discovery document. A server that lists its features in our member of it is
// held to them; of any other what it has is found by asking.
var (
	core        = feature("core", "intents that wait for an answer, and get it")
	lifecycle   = feature("lifecycle", "a state machine of intents, and leases on them")
	graph       = feature("graph", "intents that wait for one another")
	portfolio   = feature("portfolio", "portfolios that watch their members")
	plan        = feature("plan", "plans whose tasks mirror their intents")
	coordinator = feature("coordinator", "coordinators that heed a suspension")
	claimed     = feature("claim", "claims that are refused while an upstream is suspended")
	deadline    = feature("deadline", "portfolios that end their members at their deadline")
	config      = feature("config", "a configuration that clients can read")
	streams     = feature("sse", "streams of events")
	workflow    = feature("workflow", "portfolios that are workflows, intents that are their phases")
	webhook     = with(feature("webhook", "reminders that are sent to a URL"), notifier)

	notifier = scenarios.Claim{
		ID: "notifier", Title: "a server that reminds and expires by itself", Pointer: featuresPointer + ` has notifier, /assay/notifier == "server"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			if who := d.Document.At("/assay/notifier"); who.Present() && who.String() != string(openintentv1.NotifierServer) {
				return who, false
			}
			return listed(d, "notifier")
		},
		Open: func(d scenarios.Discovery) bool { return isOpen(d) && !d.Document.At("/assay/notifier").Present() },
	}
)

var claims = []scenarios.Claim{core, lifecycle, graph, portfolio, plan, coordinator, claimed, notifier, deadline, config, streams, webhook, workflow, example, resolver}

// feature is the claim that a feature is listed.
func feature(id, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: id, Title: title, Pointer: featuresPointer + " has " + id,
		Look: func(d scenarios.Discovery) (wire.Value, bool) { return listed(d, id) },
		Open: isOpen,
	}
}

// with is a claim that rests on others as well.
func with(c scenarios.Claim, others ...scenarios.Claim) scenarios.Claim {
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

func listed(d scenarios.Discovery, id string) (wire.Value, bool) {
	features := d.Document.At(featuresPointer)
	for _, f := range features.Items() {
		if f.String() == id {
			return f, true
		}
	}
	return features, false
}

// isOpen says that the document lists no features.
func isOpen(d scenarios.Discovery) bool {
	_, isList := d.Document.At(featuresPointer).Actual().([]any)
	return !isList
}
