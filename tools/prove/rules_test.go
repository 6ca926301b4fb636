package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove/manners"
)

// certifyBehind certifies an honest host of a protocol behind wrap.
func certifyBehind(t *testing.T, host servable, wrap func(http.Handler) http.Handler) *scenarios.Report {
	t.Helper()
	target := lab.Target(host.Protocol())
	s, err := host.Serve(t.Context(), target, protocols.Place{}, wrap)
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
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 5}, protocols.Of(host.Protocol()).Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

func accused(t *testing.T, r *scenarios.Report) {
	t.Helper()
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken || o.BlockedOn != "" {
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	for _, b := range r.Breaches {
		t.Errorf("%s is violated, by %s: expected %s, got %s", b.Requirement, b.By, b.Expected, b.Actual)
	}
}

// A seam that answers whatever it is asked with an empty object accuses nobody of anything.
func TestStubsForSeamsCostNothing(t *testing.T) {
	t.Parallel()
	seams := regexp.MustCompile(`^/v1/host/sample/(agentloop|workspace|heartbeat|commitment|agents|test)/|/tick$|^/api/v1/assay/`)
	for _, host := range []servable{protocols.OpenWOP{Options: surface.Options{Version: surface.HighestVersion}}, protocols.OpenIntent{}} {
		t.Run(host.Protocol().Name(), func(t *testing.T) {
			t.Parallel()
			accused(t, certifyBehind(t, host, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost && seams.MatchString(r.URL.Path) {
						w.Header().Set("Content-Type", "application/json")
						_, _ = io.WriteString(w, "{}")
						return
					}
					next.ServeHTTP(w, r)
				})
			}))
		})
	}
}

// narrow is a host that has one word of each list alone, says so, and refuses all others.
type narrow struct{ next http.Handler }

func (n narrow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/openwop" {
		reply := manners.Record(n.next, r)
		var d map[string]any
		if json.Unmarshal(reply.Body.Bytes(), &d) == nil {
			d["replay"] = map[string]any{"supported": true, "modes": []string{"replay"}}
			d["runs"] = map[string]any{"pauseResume": map[string]any{"supported": true, "drainPolicies": []string{"drain-current-node"}}}
			d["agents"].(map[string]any)["goals"].(map[string]any)["continuation"] = []string{"manual"}
		}
		body, _ := json.Marshal(d)
		manners.Reply(w, reply, reply.Code, body)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var sent struct {
		Mode, DrainPolicy string
		Continuation      struct{ Mode string }
	}
	_ = json.Unmarshal(body, &sent) // what cannot be read says nothing
	if sent.Mode != "branch" && sent.DrainPolicy != "immediate" &&
		!slices.Contains([]string{"schedule", "heartbeat", "commitment"}, sent.Continuation.Mode) {
		n.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_, _ = io.WriteString(w, `{"error":"validation_error","message":"this host does not have that"}`)
}

// Nobody is accused of not having what their lists leave out.
func TestListsAreKeptTo(t *testing.T) {
	t.Parallel()
	accused(t, certifyBehind(t, protocols.OpenWOP{}, func(next http.Handler) http.Handler { return narrow{next} }))
}

// The key of the operator goes to a target in the header that carries it, and nowhere else.
func TestTheOperatorsKeyIsSentInItsHeaderAlone(t *testing.T) {
	t.Parallel()
	for _, host := range []servable{protocols.OpenWOP{}, protocols.OpenIntent{}} {
		t.Run(host.Protocol().Name(), func(t *testing.T) {
			t.Parallel()
			key := lab.Target(host.Protocol()).Key
			if len(key) < 3 {
				t.Fatalf("the key is %q", key)
			}
			var mu sync.Mutex
			carried, elsewhere := 0, []string{}
			certifyBehind(t, host, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					mu.Lock()
					if strings.Contains(strings.Join(slices.Concat(r.Header["Authorization"], r.Header["X-Api-Key"]), " "), key) {
						carried++
					}
					if bytes.Contains(body, []byte(key)) || strings.Contains(r.URL.String(), key) {
						elsewhere = append(elsewhere, r.Method+" "+r.URL.String()+" "+string(body))
					}
					mu.Unlock()
					next.ServeHTTP(w, r)
				})
			})
			if carried == 0 || len(elsewhere) > 0 {
				t.Errorf("%d requests carry the key, and it stands elsewhere in %q", carried, elsewhere)
			}
		})
	}
}
