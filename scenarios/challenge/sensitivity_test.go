package challenge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

type answered struct {
	Turns wire.Value `json:"turns"`
}

// certified is the report of a host that answers with turns, asked by one drive for each judge. Each judge has a requirement
// of its own, ACM-1 and so on, whose row names breaks.
func certified(t *testing.T, o scenarios.Options, breaks []string, judges ...func(answered, *scenarios.Judge, string)) *scenarios.Report {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"turns":3}`)
	}))
	t.Cleanup(host.Close)
	var rows []scenarios.Requirement
	var asked []scenarios.Scenario
	for i, judge := range judges {
		id := fmt.Sprintf("ACM-%d", i+1)
		rows = append(rows, scenarios.Requirement{ID: id, Level: scenarios.Must, Breaks: breaks})
		drive := &scenarios.Drive[answered]{ID: fmt.Sprintf("acme-%d", i+1), Run: func(ctx context.Context, c *scenarios.Conn, o *answered) {
			o.Turns = c.Do(ctx, wire.Call{Method: "GET", Path: "/"}).Value("/turns")
		}}
		asked = append(asked, scenarios.Scenario{
			ID: scenarios.ScenarioID("acme/suite/" + id), Title: id, Proves: scenarios.IDs{scenarios.RequirementID(id)},
			Claim: scenarios.Claim{Look: func(scenarios.Discovery) (wire.Value, bool) { return wire.Value{}, true }},
			Ask:   scenarios.Ask(drive, func(o answered, j *scenarios.Judge) { judge(o, j, id) }),
		})
	}
	p := &scenarios.Protocol{ID: "acme/v1", DiscoveryPath: "/", Ledger: scenarios.NewLedger(rows)}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: host.URL}, o,
		scenarios.Suite{ID: "suite", Title: "suite", Protocol: p, Scenarios: asked})
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

func sees(o answered, j *scenarios.Judge, id string) {
	j.Check(scenarios.RequirementID(id), o.Turns).To(check.Equal(3))
}

func takesAnything(o answered, j *scenarios.Judge, id string) {
	j.Check(scenarios.RequirementID(id), o.Turns).To(check.That("anything", func(any) bool { return true }))
}

// A judge that cannot fail leaves its requirement unproved, and the certification with it: exit 5.
func TestSettle(t *testing.T) {
	offByOne := []string{string(OffByOne)}
	for _, c := range []struct {
		name      string
		breaks    []string
		judges    []func(answered, *scenarios.Judge, string)
		sensitive int
		verdicts  []scenarios.Verdict
		exit      int
	}{
		{"all can fail", offByOne, []func(answered, *scenarios.Judge, string){sees, sees}, 2,
			[]scenarios.Verdict{scenarios.Passed, scenarios.Passed}, scenarios.ExitProved},
		{"one cannot", offByOne, []func(answered, *scenarios.Judge, string){sees, takesAnything}, 1,
			[]scenarios.Verdict{scenarios.Passed, scenarios.Insensitive}, scenarios.ExitUnproved},
		{"one cannot, as far as can be guessed", nil, []func(answered, *scenarios.Judge, string){sees, takesAnything}, 1,
			[]scenarios.Verdict{scenarios.Passed, scenarios.Passed}, scenarios.ExitProved},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := certified(t, scenarios.Options{Seed: 7}, c.breaks, c.judges...)
			if got := r.ExitCode(); got != scenarios.ExitProved || r.Sensitivity != nil {
				t.Fatalf("before it is challenged the exit code is %d: %+v", got, r.Outcomes)
			}
			result, err := Settle(r)
			if err != nil {
				t.Fatal(err)
			}
			var verdicts []scenarios.Verdict
			for _, s := range r.Requirements {
				verdicts = append(verdicts, s.Verdict)
			}
			if !slices.Equal(verdicts, c.verdicts) || r.ExitCode() != c.exit {
				t.Errorf("requirements %v and exit %d, want %v and %d", verdicts, r.ExitCode(), c.verdicts, c.exit)
			}
			s := r.Sensitivity
			if result.Seed != 7 || s.Passes != 2 || s.Sensitive != c.sensitive || len(s.Insensitive) != 2-c.sensitive {
				t.Errorf("%+v, seed %d", s, result.Seed)
			}
			for _, p := range s.Insensitive {
				if p.Scenario != "acme/suite/ACM-2" || p.Drive != "acme-2" || p.ByRow != (c.breaks != nil) || p.Cause != Blind || p.Why == "" {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// What is challenged at once comes out in the order of the scenarios, whoever is first.
func TestSettleInOrder(t *testing.T) {
	judges := slices.Repeat([]func(answered, *scenarios.Judge, string){sees, takesAnything}, 12)
	r := certified(t, scenarios.Options{Seed: 7}, nil, judges...)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone, err := Report(r, 7)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(4)
	together, err := Report(r, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, alone), asJSON(t, together); a != b || len(alone.List) != len(judges) {
		t.Errorf("one after the other gives\n%s\nand at once\n%s", a, b)
	}
}

// A part certifies nothing, and its passes are not challenged. A drive that cannot be read again is an error.
func TestSettleRefuses(t *testing.T) {
	part := certified(t, scenarios.Options{Select: scenarios.Selection{Requirements: []string{"ACM-1"}}}, nil, sees, sees)
	if _, err := Settle(part); err == nil || part.Sensitivity != nil {
		t.Errorf("a part is challenged: %v, %+v", err, part.Sensitivity)
	}
	r := certified(t, scenarios.Options{}, nil, sees, sees)
	r.Drives = r.Drives[:len(r.Drives)-1]
	if _, err := Settle(r); err == nil || r.Sensitivity != nil {
		t.Errorf("without a drive: %v, %+v", err, r.Sensitivity)
	}
}

// A challenge tells how far it is, and ends when it is interrupted, wherever it is; then nothing is said of the passes.
func TestWatch(t *testing.T) {
	judges := slices.Repeat([]func(answered, *scenarios.Judge, string){sees, takesAnything}, 12)
	r := certified(t, scenarios.Options{Seed: 7}, nil, judges...)
	var told []int
	w := Watch{Progress: func(done, of int) {
		if of != len(judges) {
			t.Errorf("%d passes in all", of)
		}
		told = append(told, done)
	}}
	_, err := w.Report(r, 7)
	if err != nil || len(told) != len(judges)+1 || !slices.IsSorted(told) || told[0] != 0 || told[len(judges)] != len(judges) {
		t.Fatalf("told %v, %v", told, err)
	}
	for _, at := range []int{0, 1, 5} {
		interrupted, last := make(chan struct{}), 0
		w = Watch{Interrupted: interrupted, Progress: func(done, _ int) {
			if last = done; done == at {
				close(interrupted)
			}
		}}
		// Those that were begun by then may be counted: each looks before it counts itself.
		if _, err := w.Settle(r); !errors.Is(err, ErrInterrupted) || r.Sensitivity != nil || last > at+runtime.GOMAXPROCS(0) {
			t.Errorf("interrupted at %d: %v, %+v, %d challenged", at, err, r.Sensitivity, last)
		}
	}
}
