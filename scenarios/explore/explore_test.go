package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The toy host keeps counters. A client adds to a counter or reads it.
type (
	in struct {
		Add int `json:"add"` // 0: read
	}
	out struct {
		N wire.Value `json:"n"`
	}
	step = history.Step[in, out]
)

func (o out) number() int64 {
	n, _ := o.N.Int()
	return n
}

var counters = &explore.Kind[int64, in, out]{
	Model: &history.Model[int64, in, out]{
		Rules: []*history.Rule[int64, in, out]{
			{
				Name: "an addition counts", Of: scenarios.IDs{"TOY-1"},
				When: func(_ int64, i in) bool { return i.Add > 0 },
				Ways: []history.Way[int64, in, out]{{Must: true, Shows: shows(true), To: added}},
			},
			{
				Name: "a number is shown as it is", Of: scenarios.IDs{"TOY-2"},
				When: func(int64, in) bool { return true },
				Ways: []history.Way[int64, in, out]{{Must: true, Shows: shows(false), To: func(n int64, _ step) int64 { return n }}},
			},
		},
		Tell: func(s step) string { return fmt.Sprintf("add %d: %d", s.In.Add, s.Out.number()) },
	},
	Begin: func(*rand.Rand, scenarios.Discovery) int64 { return 0 },
	Make: func(_ context.Context, c *scenarios.Conn, _ int64) explore.Object[in, out] {
		return counter{c, "/counters/" + c.Name("counter")}
	},
	Draw:    func(r *rand.Rand, _ int64) in { return in{r.IntN(4)} },
	Shown:   func(o out) wire.Value { return o.N },
	Clients: 3,
}

func added(n int64, s step) int64 { return n + int64(s.In.Add) }

func shows(after bool) func(int64, step) []history.Miss {
	return func(n int64, s step) []history.Miss {
		if after {
			n = added(n, s)
		}
		if s.Out.number() != n {
			return []history.Miss{{At: s.Out.N, Want: fmt.Sprint(n)}}
		}
		return nil
	}
}

type counter struct {
	*scenarios.Conn
	path string
}

func (c counter) Do(ctx context.Context, _ int, i in) out {
	call := wire.Call{Method: "GET", Path: c.path}
	if i.Add > 0 {
		call = wire.Call{Method: "POST", Path: c.path, Body: i}
	}
	return out{c.Conn.Do(ctx, call).Value("/n")}
}

// toy is a host whose additions are done by add, which is called by one at a time unless it yields to another that comes.
func toy(t *testing.T, add func(now, more int, yield func()) int) string {
	t.Helper()
	var mu sync.Mutex
	var there atomic.Int32
	counters := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hello" {
			fmt.Fprint(w, `{"counts":true}`)
			return
		}
		there.Add(1)
		defer there.Add(-1)
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			var i in
			if err := json.NewDecoder(r.Body).Decode(&i); err != nil {
				t.Error(err)
			}
			counters[r.URL.Path] = add(counters[r.URL.Path], i.Add, func() {
				mu.Unlock()
				for until := time.Now().Add(20 * time.Millisecond); there.Load() < 2 && time.Now().Before(until); {
					runtime.Gosched()
				}
				mu.Lock()
			})
		}
		fmt.Fprintf(w, `{"n":%d}`, counters[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func certify(t *testing.T, url string, seed uint64) scenarios.Outcome {
	t.Helper()
	return certifyBy(t, counters, url, seed)
}

func certifyBy(t *testing.T, counters *explore.Kind[int64, in, out], url string, seed uint64) scenarios.Outcome {
	t.Helper()
	suite := scenarios.Suite{
		ID: "histories",
		Protocol: &scenarios.Protocol{ID: "toy/v1", DiscoveryPath: "/hello", Ledger: scenarios.NewLedger([]scenarios.Requirement{
			{ID: "TOY-1", Level: scenarios.Must}, {ID: "TOY-2", Level: scenarios.Must},
		})},
		Scenarios: []scenarios.Scenario{{
			ID: "toy/histories/counters", Proves: scenarios.IDs{"TOY-2"}, Watches: counters.Watched(),
			Claim: scenarios.Claim{ID: "counts", Pointer: "/counts", Look: func(d scenarios.Discovery) (wire.Value, bool) {
				return d.Document.Key("counts"), true
			}},
			Ask: scenarios.Ask(&scenarios.Drive[explore.Observation[int64, in, out]]{
				ID: "toy/counters", Dimensions: explore.Dimensions, Run: counters.Run,
			}, counters.Judge),
		}},
	}
	all, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, scenarios.Options{Seed: seed, Depth: scenarios.Standard}, suite)
	if err != nil {
		t.Fatal(err)
	}
	return all.Finish(context.Background()).Outcomes[0]
}

func TestAHostThatCountsIsNotAccused(t *testing.T) {
	url := toy(t, func(now, more int, _ func()) int { return now + more })
	for seed := range uint64(20) {
		if o := certify(t, url, seed); o.Verdict != scenarios.Passed {
			t.Fatalf("seed %d: %s: %s", seed, o.Verdict, o.Reason)
		}
	}
}

// What cannot be made is left out. If nothing can be made, that is why nothing is known.
func TestWhatCannotBeMadeIsLeftOut(t *testing.T) {
	url := toy(t, func(now, more int, _ func()) int { return now + more })
	odd := scenarios.Block("the host makes no odd counters", "have it make them")
	for begin, want := range map[string]scenarios.Verdict{"any": scenarios.Passed, "odd": scenarios.Blocked} {
		picky := *counters
		made := 0
		picky.Begin = func(r *rand.Rand, _ scenarios.Discovery) int64 { made++; return int64(made % 2) }
		picky.Make = func(ctx context.Context, c *scenarios.Conn, n int64) explore.Object[in, out] {
			if n == 1 || begin == "odd" {
				scenarios.End(odd)
			}
			return counters.Make(ctx, c, n)
		}
		if o := certifyBy(t, &picky, url, 5); o.Verdict != want || want == scenarios.Blocked && o.Reason != "the host makes no odd counters" {
			t.Errorf("%s: %s: %s", begin, o.Verdict, o.Reason)
		}
	}
}

// A violation is found, shown under its sentence, and made as small as it can be.
func TestAViolationIsFoundAndMadeSmall(t *testing.T) {
	url := toy(t, func(now, more int, _ func()) int {
		if now == 5 {
			return now
		}
		return now + more
	})
	for seed := range uint64(20) {
		o := certify(t, url, seed)
		if o.Verdict == scenarios.Passed {
			continue // no counter was at 5
		}
		if o.Verdict != scenarios.Failed || o.Failure.Requirement != "TOY-1" {
			t.Fatalf("%s: %s", o.Verdict, o.Reason)
		}
		lines := strings.Split(o.Failure.Expected, "\n")
		taken := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "x ") })
		if taken < 3 || taken > 6 { // 2 and 3, at least, and five times 1 at most
			t.Fatalf("the history has %d steps:\n%s", taken, o.Failure.Expected)
		}
		for _, l := range lines[1:taken] {
			if strings.Contains(l, "add 0") {
				t.Errorf("a step that changes nothing is left:\n%s", o.Failure.Expected)
			}
		}
		return
	}
	t.Error("it was not found")
}

// What goes wrong only where clients come at once is found, too.
func TestARaceIsFound(t *testing.T) {
	url := toy(t, func(now, more int, yield func()) int {
		if now < 5 { // else it takes long where one client comes alone
			yield()
		}
		return now + more
	})
	for seed := range uint64(50) {
		if o := certify(t, url, seed); o.Verdict == scenarios.Failed {
			return
		}
	}
	t.Error("it was not found")
}

func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(t, "all")
		needed := rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(t, "needed")
		holds := func(part []int) bool {
			return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(part, n) })
		}
		small := explore.Smallest(all, holds)
		if !holds(small) {
			t.Fatalf("%v lacks some of %v", small, needed)
		}
		for i := range small {
			if holds(slices.Delete(slices.Clone(small), i, i+1)) {
				t.Fatalf("%v can do without number %d", small, i)
			}
		}
	})
}
