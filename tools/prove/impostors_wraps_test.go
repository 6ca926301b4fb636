package prove_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/tools/prove/manners"
)

// What impostors are made of: they stand in front of a host, tell its logs otherwise, hear something else than was asked,
// and answer in its stead.

type (
	wrapper = func(http.Handler) http.Handler
	object  = map[string]any
)

var (
	seamOfLoops = regexp.MustCompile(`^/v1/host/sample/agentloop/run$`)
	theRuns     = regexp.MustCompile(`^/v1/runs$`)
	forkOfRun   = regexp.MustCompile(`^/v1/runs/([^/:]+):fork$`)
	wellKnown   = regexp.MustCompile(`^/\.well-known/openwop$`)
)

// told edits the documents that are served under a path.
func told(path *regexp.Regexp, edit func(doc object)) wrapper {
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		if path.MatchString(r.URL.Path) {
			edit(doc)
		}
		return code
	})
}

// heard edits the bodies that are sent to a path, before the host sees them.
func heard(path *regexp.Regexp, edit func(body object)) wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if (r.Method == http.MethodPost || r.Method == http.MethodPatch) && path.MatchString(r.URL.Path) {
				body, raw := object{}, bodyOf(r)
				if json.Unmarshal(raw, &body) == nil {
					edit(body)
					raw = asJSON(body)
				}
				r = with(r, r.URL.Path, raw)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// logged edits the logs of runs. What is left is numbered from 0.
func logged(edit func(events []object) []object) wrapper {
	return told(runLog, func(doc object) { relog(doc, edit) })
}

func relog(doc object, edit func([]object) []object) {
	list, ok := doc["events"].([]any)
	if !ok {
		return
	}
	events := make([]object, len(list))
	for i, e := range list {
		events[i] = e.(object)
	}
	list = list[:0:0]
	for i, e := range edit(events) {
		e["sequence"] = float64(i)
		list = append(list, e)
	}
	doc["events"] = list
}

func asJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came out of a document
	}
	return raw
}

// in is an object within a document, which is made where there is none.
func in(doc object, names ...string) object {
	for _, name := range names {
		inner, ok := doc[name].(object)
		if !ok {
			inner = object{}
			doc[name] = inner
		}
		doc = inner
	}
	return doc
}

func typeOf(e object) openwopv1.RunEventType {
	t, _ := e["type"].(string)
	return openwopv1.RunEventType(t)
}

func decided(e object) bool { return typeOf(e) == openwopv1.RunEventTypeRunOrchestratorDecided }

// every edits each event that is meant.
func every(meant func(object) bool, edit func(object)) func([]object) []object {
	return func(events []object) []object {
		for _, e := range events {
			if meant(e) {
				edit(e)
			}
		}
		return events
	}
}

// seamSays has the seam of loops answer with another status, and something else than it would.
func seamSays(status int, edit func(asked, reply object)) wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !seamOfLoops.MatchString(r.URL.Path) {
				next.ServeHTTP(w, r)
				return
			}
			asked, reply, raw := object{}, object{}, bodyOf(r)
			got := manners.Record(next, with(r, r.URL.Path, raw))
			if json.Unmarshal(raw, &asked) != nil || json.Unmarshal(got.Body.Bytes(), &reply) != nil {
				panic(http.ErrAbortHandler)
			}
			edit(asked, reply)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			w.Write(asJSON(reply))
		})
	}
}

// forksAnew answers a fork with a new run of the same request, which has nothing of its source.
func forksAnew() wrapper {
	var mu sync.Mutex
	asked := map[string][]byte{} // by the run that came of it
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fork, made := forkOfRun.FindStringSubmatch(r.URL.Path), object{}
			switch {
			case r.Method != http.MethodPost || fork == nil && !theRuns.MatchString(r.URL.Path):
				next.ServeHTTP(w, r)
			case fork == nil:
				raw := bodyOf(r)
				got := manners.Record(next, with(r, r.URL.Path, raw))
				if json.Unmarshal(got.Body.Bytes(), &made) != nil {
					panic(http.ErrAbortHandler)
				}
				if id, ok := made["runId"].(string); ok {
					mu.Lock()
					asked[id] = raw
					mu.Unlock()
				}
				manners.Reply(w, got, got.Code, got.Body.Bytes())
			default:
				mu.Lock()
				again := asked[fork[1]]
				mu.Unlock()
				how := object{}
				got := manners.Record(next, with(r, "/v1/runs", again))
				if json.Unmarshal(bodyOf(r), &how) != nil || json.Unmarshal(got.Body.Bytes(), &made) != nil {
					panic(http.ErrAbortHandler)
				}
				made["sourceRunId"], made["mode"], made["fromSeq"] = fork[1], how["mode"], how["fromSeq"]
				manners.Reply(w, got, got.Code, asJSON(made))
			}
		})
	}
}
