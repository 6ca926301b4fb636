package prove_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
)

// What the cases of the blind spots are made of: hosts that tell their logs otherwise, that hear something else than was
// asked, and that answer in another's stead.

type (
	wrapper = func(http.Handler) http.Handler
	object  = map[string]any
)

var (
	seamOfLoops = regexp.MustCompile(`^/v1/host/sample/agentloop/run$`)
	theRuns     = regexp.MustCompile(`^/v1/runs$`)
	theGoals    = regexp.MustCompile(`^/v1/host/sample/goals$`)
	forkOfRun   = regexp.MustCompile(`^/v1/runs/([^/:]+):fork$`)
	ancestryOf  = regexp.MustCompile(`^/v1/runs/[^/]+/ancestry$`)
	anyGoal     = regexp.MustCompile(`^/v1/host/sample/goals(/[^/]+(/(tick|pause|resume|abandon))?)?$`)
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

// both puts one wrapper around the other.
func both(outer, inner wrapper) wrapper {
	return func(next http.Handler) http.Handler { return outer(inner(next)) }
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

func kindOf(e object) string {
	kind, _ := in(e, "payload", "decision")["kind"].(string)
	return kind
}

// terminates tells whether an event is the decision to terminate.
func terminates(e object) bool { return decided(e) && kindOf(e) == "terminate" }

func phaseOf(e object) openwopv1.ChainPhase {
	if typeOf(e) != openwopv1.RunEventTypeCoreWorkflowChainEvent {
		return ""
	}
	phase, _ := in(e, "payload")["phase"].(string)
	return openwopv1.ChainPhase(phase)
}

func inPhase(phase openwopv1.ChainPhase) func(object) bool {
	return func(e object) bool { return phaseOf(e) == phase }
}

func ends(e object) bool {
	return slices.Contains([]openwopv1.RunEventType{openwopv1.RunEventTypeRunCompleted, openwopv1.RunEventTypeRunFailed, openwopv1.RunEventTypeRunCancelled}, typeOf(e))
}

// forged is an event that never was: like another one, under an id of its own.
func forged(like object, name string, payload object) object {
	e := maps.Clone(like)
	e["eventId"] = fmt.Sprint(like["eventId"], "-", name)
	if payload != nil {
		e["payload"] = payload
	}
	return e
}

// step is a forged step of a handoff.
func step(like object, phase openwopv1.ChainPhase, more object) object {
	e := forged(like, string(phase), maps.Clone(in(like, "payload")))
	e["type"] = string(openwopv1.RunEventTypeCoreWorkflowChainEvent)
	payload := in(e, "payload")
	payload["phase"] = string(phase)
	maps.Copy(payload, more)
	return e
}

// after puts events behind those that are meant.
func after(meant func(object) bool, put func(object) []object) func([]object) []object {
	return func(events []object) (out []object) {
		for _, e := range events {
			out = append(out, e)
			if meant(e) {
				out = append(out, put(e)...)
			}
		}
		return out
	}
}

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

// none leaves out the events that are meant.
func none(meant func(object) bool) func([]object) []object {
	return func(events []object) []object { return slices.DeleteFunc(events, meant) }
}

// renumbered numbers the turns of a log anew: n is the number of a turn, counted from 1.
func renumbered(number func(e object, n int) any) wrapper {
	return logged(func(events []object) []object {
		n := 0
		return every(decided, func(e object) {
			n++
			in(e, "payload")["iteration"] = number(e, n)
		})(events)
	})
}

// sharedCounter has each run that is asked for begin to count where the one before it began, and one further.
func sharedCounter() wrapper {
	var mu sync.Mutex
	before := map[any]int{}
	counts := renumbered(func(e object, n int) any {
		mu.Lock()
		defer mu.Unlock()
		return n + before[e["runId"]]
	})
	return both(counts, told(theRuns, func(doc object) {
		mu.Lock()
		defer mu.Unlock()
		before[doc["runId"]] = len(before)
	}))
}

// noted edits what the turns of a loop noted of the files that they saw: looks[i] is what the i-th look showed, of which
// every turn takes two.
func noted(edit func(looks []any) []any) wrapper {
	edits := func(notes []any) {
		var looks []any
		for _, n := range notes {
			looks = append(looks, n.(object)["workspace"])
		}
		for i, look := range edit(slices.Clone(looks)) {
			notes[i].(object)["workspace"] = look
		}
	}
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		if seen, ok := in(doc, "variables")["seen"].([]any); ok && oneRun.MatchString(r.URL.Path) {
			edits(seen)
		}
		return code
	})
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
			got := record(next, with(r, r.URL.Path, raw))
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

// kin remembers who dispatched whom, as the host said.
type kin struct {
	mu      sync.Mutex
	parents map[string]string
}

func (k *kin) learn(doc object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id, _ := doc["runId"].(string)
	children, _ := doc["childRuns"].([]any)
	for _, c := range children {
		k.parents[c.(object)["runId"].(string)] = id
	}
}

// depth is how many runs are above one.
func (k *kin) depth(id string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for id = k.parents[id]; id != ""; id = k.parents[id] {
		n++
	}
	return n
}

// childless serves no run that another one dispatched.
func childless() wrapper {
	k := &kin{parents: map[string]string{}}
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		k.learn(doc)
		id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/runs/"), "/")
		if strings.HasPrefix(r.URL.Path, "/v1/runs/") && k.depth(id) > 0 {
			clear(doc)
			doc["error"], doc["message"] = "not_found", "there is no such run"
			return http.StatusNotFound
		}
		return code
	})
}

// grandchildrenGoOn shows runs two below another as if no cancel had reached them.
func grandchildrenGoOn() wrapper {
	k := &kin{parents: map[string]string{}}
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		k.learn(doc)
		id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/runs/"), "/")
		if k.depth(id) < 2 {
			return code
		}
		if doc["status"] == "cancelled" {
			doc["status"] = "running"
			delete(doc, "completedAt")
		}
		relog(doc, none(func(e object) bool { return typeOf(e) == openwopv1.RunEventTypeRunCancelled }))
		if runLog.MatchString(r.URL.Path) {
			doc["isComplete"] = false
		}
		return code
	})
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
				got := record(next, with(r, r.URL.Path, raw))
				if json.Unmarshal(got.Body.Bytes(), &made) != nil {
					panic(http.ErrAbortHandler)
				}
				if id, ok := made["runId"].(string); ok {
					mu.Lock()
					asked[id] = raw
					mu.Unlock()
				}
				reply(w, got, got.Code, got.Body.Bytes())
			default:
				mu.Lock()
				again := asked[fork[1]]
				mu.Unlock()
				how := object{}
				got := record(next, with(r, "/v1/runs", again))
				if json.Unmarshal(bodyOf(r), &how) != nil || json.Unmarshal(got.Body.Bytes(), &made) != nil {
					panic(http.ErrAbortHandler)
				}
				made["sourceRunId"], made["mode"], made["fromSeq"] = fork[1], how["mode"], how["fromSeq"]
				reply(w, got, got.Code, asJSON(made))
			}
		})
	}
}
