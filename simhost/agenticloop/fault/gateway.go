package fault

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
)

// gatewayFaults are what an agent gets wrong about the gateway behind which it runs.
var gatewayFaults = []Fault{
	{
		ID:     "agent.calls-the-gateway",
		Title:  "a turn starts a job of the gateway's by its API",
		Looks:  "a call to the address that the config has as the gateway's",
		Breaks: []string{requirement.RFC103N2, requirement.RFC103O2},
		Answer: answering(func(t *Turn, _ *al.Response) {
			if request := objectOf(t.Input); readable(request) {
				trigger(request["config"])
			}
		}),
	},
}

// trigger starts a job of a gateway whose address stands in a config.
func trigger(config json.RawMessage) {
	var settings struct {
		Gateway string `json:"gateway_url"`
	}
	if json.Unmarshal(config, &settings) != nil || settings.Gateway == "" {
		return
	}
	client := http.Client{Timeout: 5 * time.Second}
	// nolint:noctx // it has a timeout
	resp, err := client.Post(settings.Gateway+"/trigger/fabric/handle", "application/json", strings.NewReader("{}"))
	if err == nil {
		_ = resp.Body.Close()
	}
}
