package manners

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Routes say what the reads of a protocol are.
type Routes struct {
	Snapshot *regexp.Regexp
	Log      *regexp.Regexp
	Events   string // member of a page that holds its events; "" if the page is the list
	Time     string // member of an event
	Newest   bool   // comes first
	Offset   string // parameter that says how many events come before the page; "" if there is none
	// Rest tells a page whose last events are left out that there are more; nil where pages do not say.
	Rest func(page map[string]any, left []any)
	// Busy is the body of 429.
	Busy any
}

// page returns a page of a log as it was a while ago, from an offset on, with only so many events (0: all of them), or the body as
// it is if it is no such page.
func (r *Routes) page(body []byte, now time.Time, behind time.Duration, offset, most int) []byte {
	at := now.Add(-behind)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var whole any
	if decoder.Decode(&whole) != nil {
		return body
	}
	doc, _ := whole.(map[string]any)
	list, ok := whole.([]any)
	if r.Events != "" {
		list, ok = doc[r.Events].([]any)
	}
	if !ok {
		return body
	}
	there := func(e any) bool {
		of, _ := e.(map[string]any)
		text, _ := of[r.Time].(string)
		happened, err := time.Parse(time.RFC3339, text)
		return err != nil || !happened.After(at) || happened.After(now) // by a clock that somebody moved
	}
	left := list
	if r.Newest {
		for len(left) > 0 && !there(left[0]) {
			left = left[1:]
		}
	} else {
		if i := slices.IndexFunc(left, func(e any) bool { return !there(e) }); i >= 0 {
			left = left[:i]
		}
	}
	left = left[min(offset, len(left)):]
	if most > 0 && len(left) > most {
		left = left[:most]
	}
	if len(left) == len(list) {
		return body
	}
	if r.Events == "" {
		whole = left
	} else {
		doc[r.Events] = left
		if r.Rest != nil {
			r.Rest(doc, left)
		}
	}
	changed, err := json.Marshal(whole)
	if err != nil {
		return body
	}
	return changed
}

// whole returns the request for the whole of a log instead of a page from an offset on, which counts events that are not shown yet.
func (r *Routes) whole(request *http.Request) (all *http.Request, offset int) {
	if r.Offset == "" {
		return request, 0
	}
	query := request.URL.Query()
	offset, err := strconv.Atoi(query.Get(r.Offset))
	if err != nil || offset < 0 {
		return request, 0
	}
	query.Del(r.Offset)
	all = request.Clone(request.Context())
	all.URL.RawQuery = query.Encode()
	return all, offset
}

// tooMany answers a request that is one too many.
func (r *Routes) tooMany(w http.ResponseWriter, wait string) {
	w.Header().Set("Retry-After", wait)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	_ = json.NewEncoder(w).Encode(r.Busy) // a client that is gone needs no answer
}
