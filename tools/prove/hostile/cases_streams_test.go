package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios/wire"
)

// Event streams that mean harm, of a host that is honest otherwise.
var streamCases = []hostileCase{
	streamCase("stream-without-end", "Streams events without end.", "more than 10000 events", func(w io.Writer) error {
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(w, "id: %d\ndata: {\"sequence\":%d}\n\n", i, i); err != nil {
				return err
			}
		}
	}),
	streamCase("stream-of-large-events", "Streams events of 100 MB.", "one event is larger than", func(w io.Writer) error {
		line := "data: " + strings.Repeat("x", 64<<10) + "\n"
		for {
			for range 100 << 20 / len(line) {
				if _, err := io.WriteString(w, line); err != nil {
					return err
				}
			}
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
	}),
	streamCase("stream-of-one-line", "Streams a line that never ends.", "one event is larger than", endless("x")),
	streamCase("stream-of-comments", "Streams comments without end, and never an event.", "", endless(": still there\n")),
	streamCase("stream-of-empty-lines", "Streams empty lines without end.", "", endless("\n")),
	streamCase("stream-of-deep-events", "Streams events whose JSON is nested 100,000 deep.", "nested deeper than",
		endless("data: "+strings.Repeat("[", 100_000)+"\n\n")),
	streamCase("stream-of-silence", "Opens streams and never sends anything on them.", "", func(io.Writer) error { return nil }),
}

func endless(piece string) func(io.Writer) error {
	block := strings.Repeat(piece, max(1, 64<<10/len(piece)))
	return func(w io.Writer) error {
		for {
			if _, err := io.WriteString(w, block); err != nil {
				return err
			}
		}
	}
}

func streamCase(id, sent, telling string, send func(io.Writer) error) hostileCase {
	return hostileCase{
		id: id, sent: sent, exit: notProved, telling: telling,
		touched: func(e wire.Entry, check results.Check) bool { return e.Kind == "stream" && check.Part != "status" },
		wrap: func(honest http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept") != "text/event-stream" {
					honest.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				if http.NewResponseController(w).Flush() == nil && send(w) == nil {
					<-r.Context().Done()
				}
			})
		},
	}
}
