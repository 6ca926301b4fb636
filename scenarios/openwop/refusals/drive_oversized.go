package refusals

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// OversizedObservation is a body above the advertised limit, and a small one.
type OversizedObservation struct {
	Limit   int64         `json:"limit"`
	Control host.Answered `json:"control"`
	Large   host.Answered `json:"large"`
}

// maxBody is the largest body, in bytes, that Assay sends and keeps in its transcript.
const maxBody = 2 << 20

// oversized sends a body slightly larger than the advertised limit.
var oversized = &scenarios.Drive[OversizedObservation]{
	ID:    "openwop/oversized",
	Title: "asks for a run with a body that is larger than the advertised limit; as the control with a small one",
	Sends: []string{"{create run}", "{create run} with a body larger than limits.maxRequestBodyBytes"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OversizedObservation) {
		h := host.Host{Conn: c}
		limit, ok := claims.Family(c.Discovery, "limits").Key("maxRequestBodyBytes").Int()
		if !ok || limit < 1 || limit > maxBody {
			scenarios.End(scenarios.Block("the advertised limits.maxRequestBodyBytes is missing, or more than Assay sends",
				fmt.Sprintf("advertise a limit of 1 to %d bytes while the host is certified", maxBody)))
		}
		o.Limit = limit
		simple := h.Simple()
		simple.Metadata = map[string]any{"label": h.Label(), "note": "small"}
		small := scenarios.Get(json.Marshal(simple))
		ask := func(b oddBody) host.Answered {
			reply := b.send(ctx, h)
			h.Adopt(reply)
			return host.AnsweredBy(b.what, reply)
		}
		o.Control = ask(oddBody{"a small body", small})
		pad := bytes.Repeat([]byte("a"), int(limit)+h.Between(1, 99))
		o.Large = ask(oddBody{"a body larger than the advertised limit", bytes.Replace(small, []byte("small"), pad, 1)})
	},
}
