package openintent

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/openassay/assay/scenarios"
)

// logsOf puts events together by the intent or the portfolio that they name, in the order in which they come. One that names neither is of
// no log, and one that was handed on twice is one event.
func logsOf(events []json.RawMessage) (logs []scenarios.Log) {
	of, order, known := map[string][][]byte{}, []string{}, map[string]bool{}
	for _, raw := range events {
		var e struct {
			ID        string `json:"id"`
			Kind      string `json:"event_type"`
			Intent    string `json:"intent_id"`
			Portfolio string `json:"portfolio_id"`
		}
		if json.Unmarshal(raw, &e) != nil || e.Kind == "" || known[string(raw)] {
			continue
		}
		known[string(raw)] = e.ID != ""
		path := "/api/v1/intents/" + url.PathEscape(e.Intent)
		switch {
		case e.Portfolio != "":
			path = "/api/v1/portfolios/" + url.PathEscape(e.Portfolio)
		case e.Intent == "":
			continue
		}
		if of[path] == nil {
			order = append(order, path)
		}
		of[path] = append(of[path], raw)
	}
	for _, path := range order {
		body := slices.Concat([]byte("["), bytes.Join(of[path], []byte(",")), []byte("]"))
		logs = append(logs, scenarios.Log{Path: path + "/events", Body: body})
	}
	return logs
}
