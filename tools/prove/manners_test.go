package prove_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove/manners"
)

// starts starts an honest target behind manners.
type starts func(context.Context, wire.Target, manners.Manners) (ready wire.Target, stop func(context.Context) error, err error)

// mannered are the targets of each protocol, with what lines and loads can do to them.
var mannered = []struct {
	row   *protocols.Row
	start starts
}{
	{protocols.Named("openwop"), hostBehind(func(m manners.Manners) servable {
		return protocols.OpenWOP{Options: surface.Options{TurnTime: m.Turn}}
	})},
	{protocols.Named("openintent"), hostBehind(func(manners.Manners) servable { return protocols.OpenIntent{} })},
	{protocols.Named("agentic-loop"), pluginBehind},
}

func pluginBehind(ctx context.Context, t wire.Target, m manners.Manners) (wire.Target, func(context.Context) error, error) {
	timed := m.Turn > 0 // which is measured of processes alone
	t, stop, err := protocols.Agent{Process: timed}.Start(ctx, t, protocols.Place{})
	if err != nil {
		return t, nil, err
	}
	if !timed {
		t.Process.Here = m.Program(t.Process.Here)
		return t, stop, nil
	}
	text, err := json.Marshal(m)
	t.Process.Env = map[string]string{manneredAs: string(text)}
	return t, stop, err
}

type servable interface {
	Protocol() *scenarios.Protocol
	Serve(context.Context, wire.Target, protocols.Place, func(http.Handler) http.Handler) (*protocols.Served, error)
}

// hostBehind serves a host behind manners.
func hostBehind(host func(manners.Manners) servable) starts {
	return func(ctx context.Context, t wire.Target, m manners.Manners) (wire.Target, func(context.Context) error, error) {
		h := host(m)
		s, err := h.Serve(ctx, t, protocols.Place{}, m.Wrap(routesOf[h.Protocol().ID]))
		if err != nil {
			return t, nil, err
		}
		t.URL = s.URL
		return t, s.Close, nil
	}
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
		Time:     "created_at", Newest: true, Offset: "offset",
		Busy: map[string]any{"detail": "too many requests: wait"},
	},
}

// Nobody is accused of what lines and loads do to them, and what can be seen at all is seen all the same, later.
func TestMannersAccuseNobody(t *testing.T) {
	many(t)
	t.Parallel()
	accusesNobody(t, manners.Manners{Latest: 3 * time.Millisecond, Page: 4}, scenarios.Options{})
}

var drawnSeed = flag.Uint64("manners", 1, "seed of the first of the ten manners that are drawn")

// The whole of it: manners as they come, ten times for each protocol, at standard. It takes an hour or two, and mostly waits.
func TestDrawnMannersAccuseNobody(t *testing.T) {
	if os.Getenv("ASSAY_LONG") == "" {
		t.Skip("ASSAY_LONG is not set: this takes an hour or two")
	}
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(*drawnSeed+seed), func(t *testing.T) {
			t.Parallel()
			accusesNobody(t, manners.Draw(*drawnSeed+seed), scenarios.Options{Depth: scenarios.Standard, Timeout: time.Hour})
		})
	}
}

func accusesNobody(t *testing.T, m manners.Manners, o scenarios.Options) {
	o.Seed = m.Seed
	for _, host := range mannered {
		t.Run(host.row.Name(), func(t *testing.T) {
			t.Parallel()
			leave, err := lab.Enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			target, stop, err := host.start(t.Context(), lab.Target(host.row.Protocol), m)
			if err != nil {
				t.Fatal(err)
			}
			defer stop(context.WithoutCancel(t.Context()))
			c, err := scenarios.Certify(t.Context(), target, o, host.row.Targets[0].Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			r := c.Finish(context.WithoutCancel(t.Context()))
			wronged(t, r)
			exchanges := 0
			for _, d := range r.Drives {
				exchanges += d.Transcript.Len()
			}
			t.Logf("%s: %.0f s, %d exchanges, exit code %d, %v, %+v, %+v", m, r.Seconds, exchanges, r.ExitCode(), r.Totals(), *r.Paced, *r.Load)
		})
	}
}

// wronged tells of each scenario that does not end as it would without manners.
func wronged(t *testing.T, r *scenarios.Report) {
	t.Helper()
	for _, o := range r.Outcomes {
		if o.Verdict != scenarios.Passed && o.Verdict != scenarios.Inapplicable {
			t.Errorf("%s is %s: %s\n%s", o.Scenario.ID, o.Verdict, o.Reason, lastOf(r, o.Drive))
		}
	}
	for _, b := range r.Breaches {
		t.Errorf("%s is violated: %+v", b.Requirement, b)
	}
	if code := r.ExitCode(); code != scenarios.ExitProved {
		t.Errorf("exit code %d", code)
	}
}

// lastOf returns the last exchanges of a drive, a line each.
func lastOf(r *scenarios.Report, drive string) string {
	const most = 40
	var lines []string
	for _, d := range r.Drives {
		for n := 1; d.ID == drive && n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			line := fmt.Sprintf("  #%d %s, %d ms: %s", n, e.At.Format("15:04:05.000"), e.Micros/1000, e.Label)
			if e.Request != nil && e.Response != nil {
				line += fmt.Sprintf(": %s %s: %d", e.Request.Method, e.Request.URL, e.Response.Status)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
