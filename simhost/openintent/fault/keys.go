package fault

import (
	"strings"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/simhost/openintent/rules"
)

// keyFaults are about keys that are nearly right, and about ways on which nobody looks at them.
var keyFaults = []Fault{
	{
		ID: "openintent.key-by-its-beginning", Title: "a key is compared as far as the one goes that the server knows",
		Looks: "a key with a character more makes an intent", Breaks: []string{oi.OIPREAD11, oi.OIP0025A1},
		Twin:    "a key that is nearly right enters, there one that is empty",
		Replace: entering(func(k rules.Knock) bool { return k.Begins() }),
	},
	{
		ID: "openintent.empty-key-enters", Title: "no key is set for the server itself, and so an empty one is right",
		Looks: "X-API-Key without a key is 200", Breaks: []string{oi.OIPREAD11, oi.OIP0025A1},
		Replace: entering(func(k rules.Knock) bool { return k.Sent && k.Key == "" }),
	},
	{
		ID: "openintent.state-written-without-key", Title: "the state of an intent is written by whoever knows its id",
		Looks: "a write of the state without a key is 200", Breaks: []string{oi.OIPREAD11},
		Twin:    "it changes, and there it discloses",
		Replace: entering(func(k rules.Knock) bool { return k.Operation == "patchIntentState" && !k.Sent }),
	},
	{
		ID: "openintent.streams-open", Title: "streams ask for no key, since a browser's event source cannot send one",
		Looks: "the stream of an intent is 200 without a key", Breaks: []string{oi.OIPREAD11},
		Twin:    "what streams is let through, there what writes",
		Replace: entering(func(k rules.Knock) bool { return strings.HasPrefix(k.Operation, "subscribe") && !k.Sent }),
	},
	{
		ID: "openintent.intent-read-without-key", Title: "an intent is read by whoever knows its id, with the id that its answer needs",
		Looks: "GET of an intent without a key is 200", Breaks: []string{oi.OIPREAD11},
		Replace: entering(func(k rules.Knock) bool { return k.Operation == "getIntent" && !k.Sent }),
	},
	{
		ID: "openintent.refused-assignment-done", Title: "the key of who assigns an agent is looked at when the agent is assigned",
		Looks: "an assignment without a key is 401, and the agent is listed", Breaks: []string{oi.OIPREAD12},
		Replace: func(s *rules.Set) {
			s.Requests.Late = func(k rules.Knock) bool { return k.Operation == "assignAgent" }
		},
	},
}

// entering lets these in who have no key that the server knows.
func entering(these func(rules.Knock) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Requests.LetsIn
		s.Requests.LetsIn = func(k rules.Knock) bool { return before(k) || these(k) }
	}
}
