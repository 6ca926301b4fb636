package surface

import (
	"net/http"
	"strings"
	"testing"
)

// What is told of a log, of forks and of ancestries is asked of the rules: a fault in their place shows on the wire.
func TestTheSurfaceGoesByTheRules(t *testing.T) {
	asStream, asJSON := header{"Accept", "text/event-stream"}, header{"Accept", "application/json"}
	for id, c := range map[string]struct {
		path            string // below the run
		header          header
		honest, changed string // in the answer, one or the other
	}{
		"log.cursor-included":          {"/events/poll?timeout=1&lastSequence=3", asJSON, `"events":[]`, `"sequence":3`},
		"log.never-complete-when-idle": {"/events/poll?timeout=1&lastSequence=3", asJSON, `"isComplete":true`, `"isComplete":false`},
		"stream.json-instead":          {"/events?streamMode=debug", asStream, "event: run.completed", `{"events":[`},
		"stream.frames-of-one-kind":    {"/events?streamMode=debug", asStream, "event: run.completed", "event: message"},
		"stream.resumes-one-late":      {"/events?streamMode=debug", header{"Last-Event-ID", "1"}, ": open\n\nid: 2", ": open\n\nid: 3"},
		"stream.batch-named-by-first":  {"/events?streamMode=debug&bufferMs=50", asStream, "id: 3", "id: 0"},
		"ancestry.root-begets-itself":  {"/ancestry", asJSON, `"parent":null`, `"parent":{`},
		"ancestry.root-on-a-node":      {"/ancestry", asJSON, `"hostId":"sim-1"`, `"hostId":"node-1"`},
	} {
		for _, faulty := range []bool{false, true} {
			o := Options{HostID: "sim-1"}
			if faulty {
				o = committing(t, o, id)
			}
			client := serve(t, o)
			run := client.create("conformance-noop", nil)
			got := string(client.do(http.MethodGet, "/v1/runs/"+run+c.path, nil, c.header).want(http.StatusOK).body)
			if strings.Contains(got, c.honest) == faulty || strings.Contains(got, c.changed) != faulty {
				t.Errorf("%s, faulty %v: %s", id, faulty, got)
			}
		}
	}
}
