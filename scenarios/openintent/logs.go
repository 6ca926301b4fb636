package openintent

import (
	"encoding/json"
	"net/url"

	"github.com/openassay/assay/scenarios"
)

// eventLog says how the events of an intent or a portfolio are read. An event that names neither is of no log.
func eventLog() *scenarios.EventLog {
	ofIntent := func(id string) string { return "/api/v1/intents/" + url.PathEscape(id) + "/events" }
	return &scenarios.EventLog{Before: "[", After: "]", Of: ofIntent, Path: func(event []byte) string {
		var e struct {
			Kind      string `json:"event_type"`
			Intent    string `json:"intent_id"`
			Portfolio string `json:"portfolio_id"`
		}
		switch {
		case json.Unmarshal(event, &e) != nil || e.Kind == "":
			return ""
		case e.Portfolio != "":
			return "/api/v1/portfolios/" + url.PathEscape(e.Portfolio) + "/events"
		case e.Intent == "":
			return ""
		}
		return ofIntent(e.Intent)
	}}
}
