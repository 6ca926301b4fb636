package prove_test

import (
	"cmp"
	"encoding/json"
	"github.com/openassay/assay/tools/prove/manners"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// What a host has that tells what it does in its own way, behind all that is asked of it alike: its logs, forks and diffs.

// editor changes a reply and says which status it has.
type editor = func(r *http.Request, code int, doc map[string]any) int

// edited has every reply but those of streams go through edit.
func edited(edit editor) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			if runStream.MatchString(r.URL.Path) {
				if query.Get("streamMode") == "debug" { // it would show what is left out
					r.URL.RawQuery = "streamMode=none"
				}
				next.ServeHTTP(w, r)
				return
			}
			if runLog.MatchString(r.URL.Path) { // the whole log each time, and no poll is held
				r.URL.RawQuery = "timeout=1"
			}
			if m := runDiff.FindStringSubmatch(r.URL.Path); m != nil {
				diffAsTold(w, r, next, m[1], edit)
				return
			}
			if m := runFork.FindStringSubmatch(r.URL.Path); m != nil {
				forkAsNumbered(w, r, next, m[1]+"/events/poll", edit)
				return
			}
			got := manners.Record(next, r)
			var doc map[string]any
			if json.Unmarshal(got.Body.Bytes(), &doc) != nil {
				manners.Reply(w, got, got.Code, got.Body.Bytes())
				return
			}
			code := edit(r, got.Code, doc)
			goOn(doc, cmp.Or(query.Get("lastSequence"), query.Get("since")))
			manners.Reply(w, got, code, encoded(doc))
		})
	}
}

// goOn leaves out of a log what is not behind the cursor.
func goOn(doc map[string]any, cursor string) {
	after, err := strconv.ParseFloat(cursor, 64)
	list, isLog := doc["events"].([]any)
	if err != nil || !isLog {
		return
	}
	doc["events"] = slices.DeleteFunc(list, func(e any) bool { return e.(map[string]any)["sequence"].(float64) <= after })
}

// forkAsNumbered forks at the event that has the number fromSeq in the log as it is shown.
func forkAsNumbered(w http.ResponseWriter, r *http.Request, next http.Handler, log string, edit editor) {
	body := bodyOf(r)
	var ask map[string]any
	number, isNumber := 0.0, false
	if json.Unmarshal(body, &ask) == nil {
		number, isNumber = ask["fromSeq"].(float64)
	}
	if !isNumber {
		next.ServeHTTP(w, with(r, r.URL.Path, body))
		return
	}
	look := with(r, log, nil)
	look.Method, look.URL.RawQuery = http.MethodGet, "timeout=1"
	ask["fromSeq"] = inHost(manners.Record(next, look).Body.Bytes(), look, edit, number)
	got := manners.Record(next, with(r, r.URL.Path, encoded(ask)))
	var doc map[string]any
	if json.Unmarshal(got.Body.Bytes(), &doc) != nil || doc["fromSeq"] == nil {
		manners.Reply(w, got, got.Code, got.Body.Bytes())
		return
	}
	doc["fromSeq"] = number
	manners.Reply(w, got, got.Code, encoded(doc))
}

// inHost is the host's own number of the event that edit shows under this one.
func inHost(log []byte, r *http.Request, edit editor, number float64) float64 {
	var doc map[string]any
	if json.Unmarshal(log, &doc) != nil {
		return number
	}
	list, _ := doc["events"].([]any)
	for _, e := range list {
		e := e.(map[string]any)
		e["was"] = e["sequence"]
	}
	edit(r, http.StatusOK, doc)
	list, _ = doc["events"].([]any)
	ahead := 0.0 // behind the last event
	for _, e := range list {
		e := e.(map[string]any)
		was, shown := e["was"].(float64), e["sequence"].(float64)
		if ahead = was - shown; shown == number {
			return was
		}
	}
	if number > 0 {
		return number + ahead
	}
	return number
}

func encoded(doc any) []byte {
	raw, err := json.Marshal(doc)
	if err != nil {
		panic(err) // it came out of a document
	}
	return raw
}

// leaveOut leaves events out of a log, and numbers the others from 1.
func leaveOut(doc object, hidden func(e object) bool) {
	list, isLog := doc["events"].([]any)
	if !isLog {
		return
	}
	list = slices.DeleteFunc(list, func(e any) bool { return hidden(e.(object)) })
	for i, e := range list {
		e.(object)["sequence"] = float64(i + 1)
	}
	doc["events"] = list
}

// diffAsTold compares two logs as they are shown, place by place, where the host has compared what it does not show.
func diffAsTold(w http.ResponseWriter, r *http.Request, next http.Handler, run string, edit editor) {
	got := manners.Record(next, r)
	var doc object
	if json.Unmarshal(got.Body.Bytes(), &doc) != nil {
		manners.Reply(w, got, got.Code, got.Body.Bytes())
		return
	}
	if got.Code == http.StatusOK {
		doc["eventDiffs"], doc["divergedAtSeq"] = differences(logAsTold(r, next, run, edit),
			logAsTold(r, next, "/v1/runs/"+r.URL.Query().Get("against"), edit))
	}
	code := edit(r, got.Code, doc)
	manners.Reply(w, got, code, encoded(doc))
}

// logAsTold is the log of a run as edit shows it, by number.
func logAsTold(r *http.Request, next http.Handler, run string, edit editor) map[float64]object {
	look := with(r, run+"/events/poll", nil)
	look.Method, look.URL.RawQuery = http.MethodGet, "timeout=1"
	var doc object
	if json.Unmarshal(manners.Record(next, look).Body.Bytes(), &doc) != nil {
		return nil
	}
	edit(look, http.StatusOK, doc)
	list, _ := doc["events"].([]any)
	log := map[float64]object{}
	for _, e := range list {
		log[e.(object)["sequence"].(float64)] = e.(object)
	}
	return log
}

// differences are the places at which two logs differ, and the first of them. Ids and times do not count.
func differences(a, b map[float64]object) (places []object, first any) {
	places = []object{}
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, number := range slices.Sorted(maps.Keys(both)) {
		one, inA := a[number]
		other, inB := b[number]
		place := object{"seq": number, "op": "changed"}
		switch {
		case !inA:
			place["op"] = "added"
		case !inB:
			place["op"] = "removed"
		case inAnyRun(one) == inAnyRun(other):
			continue
		}
		if inA {
			place["aEvent"] = one
		}
		if inB {
			place["bEvent"] = other
		}
		places = append(places, place)
	}
	if len(places) > 0 {
		first = places[0]["seq"]
	}
	return places, first
}

// inAnyRun is an event without its id and its time, and with the id of its run written as that of any other.
func inAnyRun(e object) string {
	e = maps.Clone(e)
	id, _ := e["runId"].(string)
	for _, name := range []string{"eventId", "timestamp"} {
		delete(e, name)
	}
	return strings.ReplaceAll(string(encoded(e)), id, "run")
}
