package openwop

import (
	"encoding/json"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// cost returns what requests ask for: a run and, where a plan says how many, its turns.
func cost(d *dialect.Dialect) wire.Cost {
	create, fork := d.Matching(dialect.CreateRun), d.Matching(dialect.ForkRun)
	plan := d.Variable("plan")
	return func(method, path, body string) (runs, turns int) {
		switch {
		case method != http.MethodPost:
			return 0, 0
		case fork.MatchString(path):
			return 1, 0
		case !create.MatchString(path):
			return 0, 0
		}
		var asked struct {
			Inputs       map[string]json.RawMessage `json:"inputs"`
			Configurable struct {
				Bound json.RawMessage `json:"maxLoopIterations"`
			} `json:"configurable"`
		}
		var decisions []json.RawMessage
		if json.Unmarshal([]byte(body), &asked) != nil || json.Unmarshal(asked.Inputs[plan], &decisions) != nil {
			return 1, 0
		}
		turns = len(decisions)
		var bound int
		if json.Unmarshal(asked.Configurable.Bound, &bound) == nil && bound > 0 {
			turns = min(turns, bound)
		}
		return 1, turns
	}
}
