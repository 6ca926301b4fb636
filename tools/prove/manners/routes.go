package manners

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// routes say what the reads of a protocol are.
type routes struct {
	snapshot *regexp.Regexp
	log      *regexp.Regexp
	events   string // member of a page that holds its events; "" if the page is the list
	time     string // member of an event
	newest   bool   // comes first
	// rest tells a page whose last events are left out that there are more.
	rest func(page map[string]any, left []any)
	// busy is the body of 429.
	busy any
}

var routesOf = map[string]*routes{
	"openwop/v1": {
		snapshot: regexp.MustCompile(`^/v1/runs/[^/:]+$|^/v1/host/sample/goals/[^/]+$`),
		log:      regexp.MustCompile(`^/v1/runs/[^/]+/events/poll$`),
		events:   "events", time: "timestamp",
		rest: func(page map[string]any, left []any) {
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
		busy: map[string]any{"error": "rate_limited", "message": "too many requests: wait"},
	},
	"openintent/v1": {
		snapshot: regexp.MustCompile(`^/api/v1/intents/[^/]+$`),
		log:      regexp.MustCompile(`^/api/v1/(intents|portfolios)/[^/]+/events$`),
		time:     "created_at", newest: true,
		busy: map[string]any{"detail": "too many requests: wait"},
	},
}

// page returns a page of a log as it was a while ago, with only so many events (0: all of them), or the body as it is if it is
// no such page.
func (r *routes) page(body []byte, now time.Time, behind time.Duration, most int) []byte {
	at := now.Add(-behind)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var whole any
	if decoder.Decode(&whole) != nil {
		return body
	}
	doc, _ := whole.(map[string]any)
	list, ok := whole.([]any)
	if r.events != "" {
		list, ok = doc[r.events].([]any)
	}
	if !ok {
		return body
	}
	there := func(e any) bool {
		of, _ := e.(map[string]any)
		text, _ := of[r.time].(string)
		happened, err := time.Parse(time.RFC3339, text)
		return err != nil || !happened.After(at) || happened.After(now) // by a clock that somebody moved
	}
	left := list
	if r.newest {
		for len(left) > 0 && !there(left[0]) {
			left = left[1:]
		}
	} else {
		if i := slices.IndexFunc(left, func(e any) bool { return !there(e) }); i >= 0 {
			left = left[:i]
		}
	}
	if most > 0 && len(left) > most {
		left = left[:most]
	}
	if len(left) == len(list) {
		return body
	}
	if r.events == "" {
		whole = left
	} else {
		doc[r.events] = left
		r.rest(doc, left)
	}
	changed, err := json.Marshal(whole)
	if err != nil {
		return body
	}
	return changed
}

// tooMany answers a request that is one too many.
func (r *routes) tooMany(w http.ResponseWriter, wait string) {
	w.Header().Set("Retry-After", wait)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	_ = json.NewEncoder(w).Encode(r.busy) // a client that is gone needs no answer
}
