// Package manners puts in front of an honest host what real hosts and lines are like: replies that take a while, reads that
// are a little behind, small pages, limits, streams that break off. None of it breaks a sentence, so nobody may be accused
// for it.
package manners

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// Manners are what a host is like that keeps its promises. The zero value of a field is a host without that manner.
type Manners struct {
	// A reply takes a time drawn between Soonest and Latest.
	Soonest, Latest time.Duration
	// Log, Stream and Snapshot are how far behind each of them may be.
	Log, Stream, Snapshot time.Duration
	// Page is the most events that one page holds.
	Page int
	// Rate is how many requests a second are served, with up to Burst at once. What is too much is answered with 429.
	Rate  float64
	Burst int
	// Cut is the number of bytes, on average, after which a stream breaks off.
	Cut int
	// Turn is how long a turn takes. The host itself has to see to it.
	Turn time.Duration
	// Seed is that of the times and places drawn for each reply.
	Seed uint64
}

// Draw draws manners from a seed: each of them with even odds, but one at least.
func Draw(seed uint64) Manners {
	r := rand.New(rand.NewPCG(seed, 0))
	between := func(low, high time.Duration) time.Duration { return low + time.Duration(r.Int64N(int64(high-low)+1)) }
	m := Manners{Seed: seed}
	all := []func(){
		func() {
			m.Latest = between(20*time.Millisecond, 300*time.Millisecond)
			m.Soonest = between(min(20*time.Millisecond, m.Latest), m.Latest)
		},
		func() { m.Turn = between(200*time.Millisecond, 6*time.Second) },
		func() {
			m.Log, m.Stream, m.Snapshot = between(1, 200*time.Millisecond), between(1, 200*time.Millisecond), between(1, 200*time.Millisecond)
		},
		func() { m.Page = 1 + r.IntN(9) },
		func() { m.Rate, m.Burst = 5+45*r.Float64(), 1+r.IntN(20) },
		func() { m.Cut = 4000 + r.IntN(40_000) },
	}
	sure := r.IntN(len(all))
	for i, draw := range all {
		if i == sure || r.IntN(2) == 0 {
			draw()
		}
	}
	return m
}

// String names the manners that there are.
func (m Manners) String() string {
	text := fmt.Sprintf("seed %d", m.Seed)
	add := func(is bool, format string, args ...any) {
		if is {
			text += ", " + fmt.Sprintf(format, args...)
		}
	}
	short := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	add(m.Latest > 0, "%s to %s a reply", short(m.Soonest), short(m.Latest))
	add(m.Turn > 0, "%s a turn", short(m.Turn))
	add(m.Log > 0, "log %s behind", short(m.Log))
	add(m.Stream > 0, "streams %s behind", short(m.Stream))
	add(m.Snapshot > 0, "snapshots %s behind", short(m.Snapshot))
	add(m.Page > 0, "%d events a page", m.Page)
	add(m.Rate > 0, "%.0f requests a second, bursts of %d", m.Rate, m.Burst)
	add(m.Cut > 0, "streams cut after some %d bytes", m.Cut)
	return text
}

// Wrap puts the manners in front of a host with these routes.
func (m Manners) Wrap(routes Routes) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		f := &front{Manners: m, next: next, routes: routes, limit: newBucket(m.Rate, m.Burst), shown: map[string]shown{},
			opened: map[string]int{}}
		f.random = rand.New(rand.NewPCG(m.Seed, 1))
		return f
	}
}
