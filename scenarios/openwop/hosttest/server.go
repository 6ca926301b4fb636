package hosttest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

func TellJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

// as converts a decoded body to T.
func as[T any](body map[string]any) T {
	v, err := read[T](body)
	if err != nil {
		panic(fmt.Sprintf("an impostor was asked %v: %v", body, err))
	}
	return v
}

func read[T any](body map[string]any) (v T, err error) {
	raw, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

// Impostors claim everything that the suites test, and do nothing. Their answers are prerecorded or computed from
// the request, with no run behind them.

// EveryFixture lists all fixtures of the contract, for impostors that offer them.
var EveryFixture = func() (ids []string) {
	files, err := fs.ReadDir(dialect.V1.Fixtures, "fixtures")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, f := range files {
		ids = append(ids, strings.TrimSuffix(f.Name(), ".json"))
	}
	return ids
}()

// DiscoveryOf claims version 6 and everything else that can be claimed.
func DiscoveryOf(fixtures ...string) map[string]any {
	return map[string]any{
		"protocolVersion": "1.0", "supportedEnvelopes": []string{}, "schemaVersions": map[string]int{},
		"limits": map[string]int{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1, "maxLoopIterations": 9,
			"maxNodeExecutions": 20, "maxRunDurationMs": 60_000, "maxRequestBodyBytes": 1 << 20},
		"fixtures": append([]string{}, fixtures...), "replay": map[string]any{"supported": true, "modes": []string{"replay", "branch"}},
		"workspace": map[string]any{"supported": true, "versioned": true, "maxFileBytes": 4096, "maxFiles": 8, "maxVersions": 3},
		"memory": map[string]any{"supported": true, "ttlSupported": true, "maxEntrySizeBytes": 4096,
			"attribution": map[string]any{"supported": true, "emitsWriteEvents": true}},
		"heartbeat": map[string]any{"supported": true}, "dispatch": map[string]any{"supported": true},
		"orchestrator": map[string]any{"supported": true},
		"agents": map[string]any{"supported": true, "orchestrator": true, "dispatch": true, "dispatchMapping": true, "subRunAttestation": true,
			"goals": map[string]any{"judge": "host", "continuation": []string{"manual", "schedule", "heartbeat", "commitment"},
				"requiresBounds": true}},
		"multiAgent": map[string]any{"executionModel": map[string]any{"supported": true, "version": 6, "statefulResume": true,
			"verifier":           map[string]any{"supported": true, "gating": true},
			"crossHostCausation": map[string]any{"supported": true, "hostId": "liar", "ancestryEndpointSupported": true},
			"replayDeterminism":  map[string]any{"supported": true, "refusalDivergenceEmission": true, "llmCacheKeyRecipe": "spec-rfc-0041"}}},
	}
}

// Answer computes the reply to a request from its path and its body.
type Answer func(r *http.Request, body map[string]any) (status int, reply any)

// Always answers every request with the same reply.
func Always(reply any) Answer {
	return func(*http.Request, map[string]any) (int, any) { return http.StatusOK, reply }
}

// Refused returns a refusal in an error envelope.
func Refused(status int, code string) (int, any) {
	return status, dialect.ErrorEnvelope{Error: code, Message: "no"}
}

// Routes maps http.ServeMux patterns to an impostor's answers.
type Routes map[string]Answer

// Serve starts an impostor and returns its URL. Later routes override earlier ones.
func Serve(t *testing.T, all ...Routes) string {
	t.Helper()
	merged := Routes{}
	for _, some := range all {
		maps.Copy(merged, some)
	}
	mux := http.NewServeMux()
	for pattern, a := range merged {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			json.NewDecoder(r.Body).Decode(&body)
			status, reply := a(r, body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if reply != nil {
				json.NewEncoder(w).Encode(reply)
			}
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func DiscoveryWith(fixtures ...string) Routes {
	return Routes{
		"GET /.well-known/openwop": Always(DiscoveryOf(fixtures...)),
		"GET /v1/openapi.json":     Always(map[string]any{"openapi": "3.1.0", "paths": map[string]any{}}),
		"/v1/":                     strangersAndUnknown,
	}
}

// strangersAndUnknown correctly refuses whatever an impostor has no answer to: that takes no run either.
func strangersAndUnknown(r *http.Request, _ map[string]any) (int, any) {
	if !slices.Contains([]string{"Bearer " + OurKey, "Bearer " + OtherKey}, r.Header.Get("Authorization")) {
		return Refused(http.StatusUnauthorized, "unauthenticated")
	}
	return Refused(http.StatusNotFound, "not_found")
}

// The keys of two tenants.
const OurKey, OtherKey = "dev-key", "other-key"
