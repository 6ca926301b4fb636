package variation

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// The prefixes below which seams are looked for. The host itself has them below the first.
const (
	samplePrefix = "/v1/host/sample/"
	vendorPrefix = "/v1/host/openassay/"
	benchPrefix  = "/conformance/seams/sample/"
)

// seamPrefixes are those of the seams of a host that names some of them after its vendor, by how their paths go on. The
// first that fits counts.
var seamPrefixes = []struct {
	seam *lazyregexp.Regexp
	at   []string
}{
	{lazyregexp.New(`^agentloop/`), []string{samplePrefix, vendorPrefix}},
	{lazyregexp.New(`^(test/llm-cache-key|heartbeat/tick)$`), []string{benchPrefix}},
	{lazyregexp.New(``), []string{vendorPrefix}},
}

// paths are the variations of where things are.
var paths = []Variation{
	{
		ID: "unknown-route-404", Title: "what is nowhere below /v1 is 404 also for who sends no key",
		About: "whether the key or the route is looked at first",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if x.to(underV1) && !x.knows(x.r) {
					x.refuse(http.StatusNotFound, "not_found", "nothing is here")
				}
			})
		},
	},
	{
		ID: "unknown-route-401", Title: "what is nowhere outside of /v1 is 401 for who sends no key",
		About: "whether the key or the route is looked at first",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if !x.to(underV1) && !x.knows(x.r) && x.r.Header.Get("Authorization") == "" {
					x.refuse(http.StatusUnauthorized, "unauthenticated", "send a key")
				}
			})
		},
	},
	{
		ID: "goals-at-root", Title: "goals live below /v1/goals and nowhere else",
		About: "below which prefix a host has its goals",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				path, below := x.r.URL.Path, ""
				switch {
				case x.to(goals):
					x.refuse(http.StatusNotFound, "not_found", "nothing is here")
				case path == "/v1/goals", strings.HasPrefix(path, "/v1/goals/"):
					below = strings.TrimPrefix(path, "/v1/")
					x.move(samplePrefix + below)
				}
			})
		},
	},
	{
		ID: "vendor-seams", Title: "seams on three prefixes: the loop below sample and the vendor's, the model's key and the " +
			"heartbeat below /conformance/seams, all others below the vendor's alone",
		About: "below which prefix a host has its seams, which differs from seam to seam",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				for _, prefix := range []string{samplePrefix, vendorPrefix, benchPrefix} {
					rest, below := strings.CutPrefix(x.r.URL.Path, prefix)
					if !below {
						continue
					}
					if !seamIsAt(rest, prefix) {
						x.refuse(http.StatusNotFound, "not_found", "nothing is here")
						return
					}
					x.move(samplePrefix + rest)
					return
				}
			})
		},
	},
}

func seamIsAt(seam, prefix string) bool {
	for _, s := range seamPrefixes {
		if s.seam.MatchString(seam) {
			return slices.Contains(s.at, prefix)
		}
	}
	return false
}

// move sends the request elsewhere.
func (x *exchange) move(path string) { x.r.URL.Path, x.r.URL.RawPath = path, "" }
