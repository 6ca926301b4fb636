package manners

import (
	"net/http"
	"regexp"
	"time"
)

// stream is a reply that comes late and breaks off.
type stream struct {
	http.ResponseWriter
	f    *front
	r    *http.Request
	left int // bytes until it breaks off, negative for never
}

func (f *front) stream(w http.ResponseWriter, r *http.Request) *stream {
	s := &stream{ResponseWriter: w, f: f, r: r, left: -1}
	if f.Cut > 0 {
		f.mu.Lock()
		f.opened[r.URL.String()]++ // each attempt gets further on average, or a large event would never come through
		s.left = int(f.random.ExpFloat64() * float64(f.Cut*f.opened[r.URL.String()]))
		f.mu.Unlock()
	}
	return s
}

// Unwrap lets [http.ResponseController] reach the connection.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Flush passes on what was written.
func (s *stream) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }

var stamped = regexp.MustCompile(`"(?:timestamp|created_at)":"([^"]+)"`)

func (s *stream) Write(piece []byte) (int, error) {
	for _, m := range stamped.FindAllSubmatch(piece, -1) {
		if at, err := time.Parse(time.RFC3339, string(m[1])); err == nil {
			pause(s.r, min(time.Until(at.Add(s.f.Stream)), s.f.Stream))
		}
	}
	if s.left < 0 || len(piece) < s.left {
		n, err := s.ResponseWriter.Write(piece)
		if s.left >= 0 {
			s.left -= n
		}
		return n, err
	}
	_, _ = s.ResponseWriter.Write(piece[:s.left]) // it breaks off now anyway
	s.Flush()
	panic(http.ErrAbortHandler)
}
