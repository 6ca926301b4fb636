package openwop

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// logsOf puts events together by their runs, in the order in which they come. One without a runId is of no log.
func logsOf(d *dialect.Dialect) func([]json.RawMessage) []scenarios.Log {
	return func(events []json.RawMessage) (logs []scenarios.Log) {
		of, order := map[string][][]byte{}, []string{}
		for _, raw := range events {
			var e struct {
				RunID string `json:"runId"`
			}
			if json.Unmarshal(raw, &e) != nil || e.RunID == "" {
				continue
			}
			if of[e.RunID] == nil {
				order = append(order, e.RunID)
			}
			of[e.RunID] = append(of[e.RunID], raw)
		}
		for _, id := range order {
			body := slices.Concat([]byte(`{"events":[`), bytes.Join(of[id], []byte(",")), []byte(`]}`))
			logs = append(logs, scenarios.Log{Path: d.Path(dialect.PollLog, id), Body: body})
		}
		return logs
	}
}
