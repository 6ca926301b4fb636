package prove_test

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove/manners"
)

// mannered returns the hosts that stand behind manners.
func mannered(m manners.Manners) []servable {
	return []servable{protocols.OpenWOP{Options: surface.Options{TurnTime: m.Turn}}, protocols.OpenIntent{}}
}

type servable interface {
	Protocol() *scenarios.Protocol
	Serve(context.Context, wire.Target, protocols.Place, func(http.Handler) http.Handler) (*protocols.Served, error)
}

var routesOf = map[string]manners.Routes{
	"openwop/v1": {
		Snapshot: regexp.MustCompile(`^/v1/runs/[^/:]+$|^/v1/host/sample/goals/[^/]+$`),
		Log:      runLog,
		Events:   "events", Time: "timestamp",
		Rest: func(page map[string]any, left []any) {
			for _, member := range []string{"isComplete", "isTerminal"} {
				if page[member] != nil {
					page[member] = false
				}
			}
			if page["lastEventSeq"] != nil && len(left) > 0 {
				last, _ := left[len(left)-1].(map[string]any)
				page["lastEventSeq"] = last["sequence"]
			}
		},
		Busy: map[string]any{"error": "rate_limited", "message": "too many requests: wait"},
	},
	"openintent/v1": {
		Snapshot: regexp.MustCompile(`^/api/v1/intents/[^/]+$`),
		Log:      regexp.MustCompile(`^/api/v1/(intents|portfolios)/[^/]+/events$`),
		Time:     "created_at", Newest: true,
		Busy: map[string]any{"detail": "too many requests: wait"},
	},
}

// Nobody is accused of what lines and loads do to them, and what can be seen at all is seen all the same, later.
func TestMannersAccuseNobody(t *testing.T) {
	many(t)
	t.Parallel()
	accusesNobody(t, manners.Manners{Latest: 3 * time.Millisecond, Page: 4})
}

// The whole of it: manners as they come. It takes up to an hour.
func TestDrawnMannersAccuseNobody(t *testing.T) {
	if os.Getenv("ASSAY_LONG") == "" {
		t.Skip("ASSAY_LONG is not set: this takes up to an hour")
	}
	for seed := range uint64(10) {
		m := manners.Draw(seed + 1)
		t.Run(m.String(), func(t *testing.T) { accusesNobody(t, m) })
	}
}

func accusesNobody(t *testing.T, m manners.Manners) {
	for _, host := range mannered(m) {
		protocol := host.Protocol()
		t.Run(protocol.Name(), func(t *testing.T) {
			target := lab.Target(protocol)
			s, err := host.Serve(t.Context(), target, protocols.Place{}, m.Wrap(routesOf[protocol.ID]))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			leave, err := lab.Enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			target.URL = s.URL
			c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: m.Seed}, protocols.Of(protocol).Targets[0].Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			r := c.Finish(context.Background())
			for _, o := range r.Outcomes {
				if o.Verdict != scenarios.Passed && o.Verdict != scenarios.Inapplicable {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
			t.Logf("%s: %.1f s", m, r.Seconds)
		})
	}
}
