package openintent

import (
	"net/http"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// fixed lists what stays as it is: who made an intent, and the events that its log once had. No sentence says so.
var fixed = []scenarios.Fixed{
	{What: "intent", Method: http.MethodPost, Path: lazyregexp.New(`/intents$`), Made: true, ID: idOf},
	{What: "intent", Method: http.MethodGet, Path: intentPath, ID: idOf, Members: []scenarios.FixedMember{{Pointer: "/created_by"}}},
	{What: "event", Method: http.MethodGet, Path: lazyregexp.New(`/intents/[^/]+/events$`), ID: idOf,
		Each:    func(v wire.Value) wire.Values { return logOf(exchange{body: v}).events },
		Members: []scenarios.FixedMember{{Pointer: "/event_type"}, {Pointer: "/intent_id"}}},
}

func idOf(v wire.Value) string { return v.Key("id").String() }
