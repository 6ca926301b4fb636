package prove_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/tools/prove"
)

var (
	tokenAnswer = regexp.MustCompile(`^/v1/interrupts/[^/]+$`)
	cancelOfRun = regexp.MustCompile(`^/v1/runs/([^/]+)/cancel$`)
	acceptGate  = []byte(`{"resumeValue":{"action":"accept"}}`)
)

func spotsOfAnswers() []blindSpot {
	return []blindSpot{
		{row: 23, what: "every vote counts, whosever it is", wrap: votesForOthers(),
			finds: map[string]string{"interrupts/one-vote-each": "OWP-INT-28"}},
		{row: 24, what: "an answer that is refused is taken all the same", wrap: movesOnRefusal,
			finds: map[string]string{"stateful-resume/two-at-once": "OWP-INT-4"}},
		{row: 24, what: "an approval that is answered by mistake is accepted", wrap: acceptsAnything,
			finds: map[string]string{"interrupts/action-not-offered": "OWP-INT-13", "interrupts/unknown-node": "OWP-INT-13"}},
		{row: 25, what: "an answer to what was answered is taken", wrap: acceptsTwice(),
			finds: map[string]string{"stateful-resume/second-resolve": "OWP-INT-2", "stateful-resume/concurrent-resolvers": "OWP-INT-3",
				"interrupts/answered-twice": "OWP-INT-2", "interrupts/rivals": "OWP-INT-3"}},
		{row: 25, what: "an answer is taken of a run that was cancelled before", wrap: bothWin(),
			finds: map[string]string{"interrupts/cancel-or-answer": "OWP-INT-47"}},
		{row: 26, what: "the token of one interrupt answers every other", wrap: tokensForAll(),
			finds: map[string]string{"interrupts/token-own": "OWP-INT-4"}},
		{row: 27, what: "that there was an answer is kept, and not which", wrap: losesAnswer,
			finds: map[string]string{"stateful-resume/concurrent-resolvers": "OWP-INT-3", "interrupts/answers-reach": "OWP-INT-21"}},
	}
}

// acceptsAnything accepts an approval whose answer it refuses.
func acceptsAnything(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := nodeAnswer.FindStringSubmatch(r.URL.Path)
		if m == nil {
			next.ServeHTTP(w, r)
			return
		}
		got := record(next, with(r, r.URL.Path, bodyOf(r)))
		if got.Code >= http.StatusBadRequest {
			record(next, with(r, m[1]+"gate", acceptGate))
		}
		reply(w, got, got.Code, got.Body.Bytes())
	})
}

// acceptsTwice says of every answer to a node that it was the one.
func acceptsTwice() wrapper {
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		if !nodeAnswer.MatchString(r.URL.Path) || code != http.StatusConflict {
			return code
		}
		return taken(r, doc)
	})
}

// taken makes a reply one to an answer that was taken.
func taken(r *http.Request, doc object) int {
	clear(doc)
	path := strings.Split(r.URL.Path, "/")
	doc["runId"], doc["nodeId"], doc["status"] = path[3], path[5], "running"
	return http.StatusOK
}

// bothWin takes a cancel before the answer that came at the same time, and says of the answer that it was taken as well.
func bothWin() wrapper {
	var mu sync.Mutex
	cancelled := map[string]chan struct{}{}
	of := func(run string) chan struct{} {
		mu.Lock()
		defer mu.Unlock()
		if cancelled[run] == nil {
			cancelled[run] = make(chan struct{})
		}
		return cancelled[run]
	}
	return func(next http.Handler) http.Handler {
		takes := edited(func(r *http.Request, code int, doc map[string]any) int {
			if nodeAnswer.MatchString(r.URL.Path) && code >= http.StatusBadRequest {
				return taken(r, doc)
			}
			return code
		})(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m := cancelOfRun.FindStringSubmatch(r.URL.Path); m != nil {
				got := record(next, with(r, r.URL.Path, bodyOf(r)))
				close(of(m[1]))
				reply(w, got, got.Code, got.Body.Bytes())
				return
			}
			if nodeAnswer.MatchString(r.URL.Path) {
				select {
				case <-of(strings.Split(r.URL.Path, "/")[3]):
				case <-time.After(time.Second): // nobody cancels this one
				}
			}
			takes.ServeHTTP(w, r)
		})
	}
}

// tokensForAll takes the answer to one interrupt for all others that a run was seen to wait for.
func tokensForAll() wrapper {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(next http.Handler) http.Handler {
		learns := told(oneRun, func(doc object) {
			asks, _ := doc["interrupt"].(object)
			if token, ok := asks["interruptToken"].(string); ok {
				mu.Lock()
				defer mu.Unlock()
				seen["/v1/interrupts/"+token] = true
			}
		})(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || !tokenAnswer.MatchString(r.URL.Path) {
				learns.ServeHTTP(w, r)
				return
			}
			body := bodyOf(r)
			got := record(next, with(r, r.URL.Path, body))
			mu.Lock()
			others := slices.Sorted(maps.Keys(seen))
			mu.Unlock()
			for _, other := range others {
				if got.Code < http.StatusBadRequest && other != r.URL.Path {
					record(next, with(r, other, body))
				}
			}
			reply(w, got, got.Code, got.Body.Bytes())
		})
	}
}

// votesForOthers takes each vote for a gate for one of somebody who has not voted there.
func votesForOthers() wrapper {
	var mu sync.Mutex
	cast := map[string]int{}
	keys := append([]string{prove.Key}, lab.Target("").VoterKeys...)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && nodeAnswer.MatchString(r.URL.Path) {
				r = with(r, r.URL.Path, bodyOf(r))
				mu.Lock()
				r.Header.Set("Authorization", "Bearer "+keys[cast[r.URL.Path]%len(keys)])
				cast[r.URL.Path]++
				mu.Unlock()
			}
			next.ServeHTTP(w, r)
		})
	}
}
