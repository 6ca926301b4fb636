package hostile

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios"
)

// Clocks that are wrong, of a host that is honest otherwise.
var clockCases = []hostileCase{
	{
		// Nobody promises what time it is, so that nothing is violated. But nobody waits for it either.
		id: "clock-10-years-off", sent: "Is honest, with a clock that is 10 years ahead, in every header, reply and event.",
		exit: []int{scenarios.ExitProved, scenarios.ExitViolated, scenarios.ExitUnproved}, telling: "its clock is",
		touched: nowhere,
		wrap:    func(honest http.Handler) http.Handler { return withClock(honest, func(string) int { return 10 }) },
	},
	{
		id: "clock-that-jumps", sent: "Is honest, with a clock that is 10 years ahead in one reply and 10 years behind in the " +
			"next about the same.",
		exit:    notProved,
		touched: nowhere,
		wrap: func(honest http.Handler) http.Handler {
			// Drives run concurrently; only replies about one thing come in a known order.
			var asked sync.Map
			return withClock(honest, func(path string) int {
				n, _ := asked.LoadOrStore(path, new(atomic.Int64))
				return int(n.(*atomic.Int64).Add(1)%2)*20 - 10
			})
		},
	},
}

var timestamp = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d`)

// withClock moves every time that an honest host tells by some years, in replies that are no streams.
func withClock(honest http.Handler, years func(path string) int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "text/event-stream" {
			honest.ServeHTTP(w, r)
			return
		}
		kept := httptest.NewRecorder()
		honest.ServeHTTP(kept, r)
		off := years(r.URL.Path)
		maps.Copy(w.Header(), kept.Header())
		body := timestamp.ReplaceAllFunc(kept.Body.Bytes(), func(at []byte) []byte {
			year, err := strconv.Atoi(string(at[:4]))
			if err != nil {
				return at
			}
			return append(strconv.AppendInt(nil, int64(year+off), 10), at[4:]...)
		})
		w.Header().Set("Date", time.Now().UTC().AddDate(off, 0, 0).Format(http.TimeFormat))
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(kept.Code)
		bytes.NewReader(body).WriteTo(w) // the other side may be gone
	})
}
