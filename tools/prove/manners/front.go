package manners

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// front is a host with manners.
type front struct {
	Manners
	next   http.Handler
	routes Routes
	limit  *bucket

	mu     sync.Mutex
	random *rand.Rand
	shown  map[string]shown // snapshots, by who reads them and where
	opened map[string]int   // streams, by where
}

// shown is a reply that is given again until it is too old.
type shown struct {
	at    time.Time
	reply *httptest.ResponseRecorder
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if wait := f.limit.take(time.Now()); wait > 0 {
		f.routes.tooMany(w, strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		return
	}
	if !pause(r, f.delay()) {
		return
	}
	reads := r.Method == http.MethodGet
	switch {
	case reads && f.Snapshot > 0 && f.routes.Snapshot.MatchString(r.URL.Path):
		f.snapshot(w, r)
	case reads && f.routes.Log.MatchString(r.URL.Path) && !streams(r):
		all, offset := f.routes.whole(r)
		reply := Record(f.next, all)
		Reply(w, reply, reply.Code, f.routes.page(reply.Body.Bytes(), time.Now(), f.Log, offset, f.Page))
	case streams(r):
		f.next.ServeHTTP(f.stream(w, r), r)
	default:
		f.next.ServeHTTP(w, r)
	}
}

func streams(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

func (f *front) delay() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Soonest + time.Duration(f.random.Int64N(int64(f.Latest-f.Soonest)+1))
}

// pause waits, and reports whether the client did, too.
func pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// snapshot serves what was read at most f.Snapshot ago.
func (f *front) snapshot(w http.ResponseWriter, r *http.Request) {
	who := r.Header.Get("Authorization") + r.Header.Get("X-API-Key") + " " + r.URL.String()
	f.mu.Lock()
	s, known := f.shown[who]
	if !known || time.Since(s.at) > f.Snapshot {
		s = shown{time.Now(), Record(f.next, r)}
		f.shown[who] = s
	}
	f.mu.Unlock()
	Reply(w, s.reply, s.reply.Code, s.reply.Body.Bytes())
}

// Record lets a host answer, and returns what it said.
func Record(next http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return w
}

// Reply sends a recorded reply with another status and body.
func Reply(w http.ResponseWriter, recorded *httptest.ResponseRecorder, code int, body []byte) {
	maps.Copy(w.Header(), recorded.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(code)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// bucket is a token bucket.
type bucket struct {
	mu    sync.Mutex
	rate  float64
	burst float64
	left  float64
	at    time.Time
}

func newBucket(rate float64, burst int) *bucket {
	return &bucket{rate: rate, burst: max(1, float64(burst)), left: max(1, float64(burst))}
}

// take takes a token, or returns how long it is until there is one.
func (b *bucket) take(now time.Time) (wait time.Duration) {
	if b.rate <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.at.IsZero() {
		b.left = min(b.burst, b.left+now.Sub(b.at).Seconds()*b.rate)
	}
	b.at = now
	if b.left >= 1 {
		b.left--
		return 0
	}
	return time.Duration((1 - b.left) / b.rate * float64(time.Second))
}
