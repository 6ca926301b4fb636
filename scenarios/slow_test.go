package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What the operator gives bounds the whole, and leaves a slow target the time that its turns take.
func TestDeadlinesFollowASlowTargetWhateverTheOperatorGives(t *testing.T) {
	const given = 50 * time.Millisecond // for a drive
	for name, c := range map[string]struct {
		turn, timeout, whole time.Duration
		want                 scenarios.Verdict
	}{
		"turns take no time":                   {0, time.Minute, time.Minute, scenarios.Inconclusive},
		"turns take long":                      {time.Second, 0, 12 * time.Minute, scenarios.Passed},
		"turns take long, and a time is given": {time.Second, time.Minute, time.Minute, scenarios.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			p := *protocol
			p.Paces = func(_ context.Context, conn *scenarios.Conn) { conn.Pace.SawTurn(c.turn) }
			slow := &scenarios.Drive[counted]{ID: "toy/slow", Run: func(ctx context.Context, conn *scenarios.Conn, o *counted) {
				r := conn.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
				scenarios.End(wire.Pause(ctx, 3*given))
				*o = counted{r.Value("/n")}
			}}
			s := suite(one("a", counts, scenarios.Ask(slow, is(3, "TOY-1")), "TOY-1"))
			s.Protocol = &p
			all, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true}`)},
				scenarios.Options{DriveTimeout: given, Timeout: c.timeout}, s)
			if err != nil {
				t.Fatal(err)
			}
			if all.Options.Timeout != c.whole {
				t.Errorf("all of it may take %s, want %s", all.Options.Timeout, c.whole)
			}
			if o := all.Finish(context.Background()).Outcomes[0]; o.Verdict != c.want {
				t.Errorf("%s: %s, want %s", o.Verdict, o.Reason, c.want)
			}
		})
	}
}

// Many questions on a slow line take long. A target that was fast before, and is slow where it is asked, has no more time for that.
func TestADriveHasTheTimeOfItsReplies(t *testing.T) {
	const reply, given, times = 50 * time.Millisecond, time.Second, 30
	for name, c := range map[string]struct {
		discovery time.Duration
		want      scenarios.Verdict
	}{
		"every reply takes long":      {reply, scenarios.Passed},
		"only what is asked of a run": {0, scenarios.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) {
				_ = wire.Pause(r.Context(), c.discovery)
				fmt.Fprint(w, `{"counts":true}`)
			})
			mux.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) {
				_ = wire.Pause(r.Context(), reply)
				fmt.Fprint(w, `{"n":3}`)
			})
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			many := &scenarios.Drive[counted]{ID: "toy/many", Once: "it is long", Run: func(ctx context.Context, conn *scenarios.Conn, o *counted) {
				for range times {
					*o = counted{conn.Do(ctx, wire.Call{Method: "GET", Path: "/count"}).Value("/n")}
				}
			}}
			all, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL}, scenarios.Options{DriveTimeout: given},
				suite(one("a", counts, scenarios.Ask(many, is(3, "TOY-1")), "TOY-1")))
			if err != nil {
				t.Fatal(err)
			}
			if o := all.Finish(context.Background()).Outcomes[0]; o.Verdict != c.want {
				t.Errorf("%s: %s, want %s", o.Verdict, o.Reason, c.want)
			}
		})
	}
}
