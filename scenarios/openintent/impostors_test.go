package openintent_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
)

// openDocument is a discovery document that lists no features; everyFeature lists all of them.
const (
	openDocument = `{"protocol":"openintent","version":"0.1"}`
	everyFeature = `{"protocol":"openintent","assay":{"notifier":"server","clock":{"advance":"/advance"},"features":["core",` +
		`"lifecycle","graph","portfolio","plan","coordinator","claim","notifier","deadline","config","sse","webhook","workflow"]}}`
)

// impostors give every request the same answer, without any intents.
var impostors = map[string]http.HandlerFunc{
	"200 and {}":   func(w http.ResponseWriter, _ *http.Request) { says(w, 200, `{}`) },
	"201 and {}":   func(w http.ResponseWriter, _ *http.Request) { says(w, 201, `{}`) },
	"200 and []":   func(w http.ResponseWriter, _ *http.Request) { says(w, 200, `[]`) },
	"200 and null": func(w http.ResponseWriter, _ *http.Request) { says(w, 200, `null`) },
	"one intent": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":"i","title":"t","status":"active","version":1,"depends_on":[],"state":{}}`)
	},
	"one suspended intent": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":"i","status":"suspended_awaiting_input","version":1,"depends_on":["x"],`+
			`"state":{"_suspension":{"id":"s","response":"x","resolution":"responded"}}}`)
	},
	"404": func(w http.ResponseWriter, _ *http.Request) { says(w, 404, `{"detail":"Not Found"}`) },
	"401": func(w http.ResponseWriter, _ *http.Request) { says(w, 401, `{"detail":"no"}`) },
	"403": func(w http.ResponseWriter, _ *http.Request) { says(w, 403, `{"detail":"no"}`) },
	"409": func(w http.ResponseWriter, _ *http.Request) { says(w, 409, `{"detail":"no"}`) },
	"422": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 422, `{"detail":{"error":"invalid_choice","valid_choices":[]}}`)
	},
	"500": func(w http.ResponseWriter, _ *http.Request) { says(w, 500, `oh no`) },
	"html": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "<html><body>{\"id\":1}</body></html>")
	},
	"huge": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":"i","status":"active","version":1,"x":"`+strings.Repeat("x", 2<<20)+`"}`)
	},
	"deep": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, strings.Repeat(`{"id":`, 200)+`1`+strings.Repeat(`}`, 200))
	},
	"a redirection": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) },
	"slow": func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Minute):
		case <-r.Context().Done():
		}
	},
	"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"a long id": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":"`+strings.Repeat("i", 100_000)+`","version":1}`)
	},
	"a strange id": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":"../../x?y#z\u0000\u001b[2J","version":1,"status":"active"}`)
	},
	"odd types": func(w http.ResponseWriter, _ *http.Request) {
		says(w, 200, `{"id":["i"],"status":{"a":1},"version":"1","state":[1],"depends_on":"x","events":{"a":1}}`)
	},
	"endless events": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 200 {
			_, _ = fmt.Fprint(w, "event: intent.resumed\ndata: {}\n\n")
		}
	},
}

func says(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, body)
}

// A server that only answers proves nothing, whatever it claims, and breaks nothing.
func TestImpostorsPassNothing(t *testing.T) {
	for name, answer := range impostors {
		for claims, document := range map[string]string{"claims nothing": openDocument, "claims everything": everyFeature} {
			t.Run(name+", "+claims, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == openintent.Protocol.DiscoveryPath {
						says(w, 200, document)
						return
					}
					answer(w, r)
				}))
				t.Cleanup(server.Close)
				limits := wire.DefaultLimits()
				limits.Request = 2 * time.Second
				o := scenarios.Options{Seed: 7, Patience: 20 * time.Millisecond, DriveTimeout: 6 * time.Second, Limits: &limits, Workers: 64}
				certification, err := scenarios.Certify(t.Context(),
					wire.Target{URL: server.URL, Key: "dev", VoterKeys: []string{"bob"}}, o, openintent.ServerSuites()...)
				if err != nil {
					t.Fatal(err)
				}
				for _, out := range certification.Finish(t.Context()).Outcomes {
					if out.Verdict == scenarios.Passed || out.Verdict == scenarios.Broken {
						t.Errorf("%s: %s %s", out.Scenario.ID, out.Verdict, out.Reason)
					}
				}
			})
		}
	}
}

// everyFeature lists every claim.
func TestImpostorsClaimEverything(t *testing.T) {
	for _, c := range openintent.Protocol.Claims {
		if c.ID != "resolver" && c.ID != "example" && !strings.Contains(everyFeature, `"`+c.ID+`"`) {
			t.Errorf("%s is claimed by no impostor", c.ID)
		}
	}
}
