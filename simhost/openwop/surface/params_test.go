package surface

import (
	"fmt"
	"net/http"
	"testing"
)

// A change of replies shows from the chance on that was set, and to whom.
func TestFaultsGoAsFarAsIsSet(t *testing.T) {
	const id = "control.end-before-its-beginning"
	for set, want := range map[string][]bool{
		"":                         {true, true, true},
		":from=3":                  {false, false, true, true},
		":tenant=" + DefaultTenant: {true, true, true},
		":tenant=somebody":         {false, false, false},
	} {
		c := serve(t, committing(t, Options{}, id+set))
		run := c.create("conformance-noop", nil)
		for after := int64(-1); ; { // the log tells of the end, and no snapshot is looked at
			page := c.poll(run, fmt.Sprintf("since=%d&timeout=1", after))
			if page.IsComplete {
				break
			}
			after += int64(len(page.Events))
		}
		for i, lie := range want {
			s := c.run(run)
			if got := s.CompletedAt.Before(s.StartedAt); got != lie {
				t.Errorf("%s%s, look %d: shows %v, want %v", id, set, i+1, got, lie)
			}
		}
	}
}

// A decision is honest in the first questions that it gets, and answers the same question the same.
func TestDecisionsAreHonestAtFirst(t *testing.T) {
	c := serve(t, committing(t, Options{}, "request.any-key-reads:from=2"))
	one, two := c.create("conformance-noop", nil), c.create("conformance-noop", nil)
	for i, ask := range []struct {
		run    string
		status int
	}{{one, http.StatusUnauthorized}, {one, http.StatusUnauthorized}, {two, http.StatusOK}, {one, http.StatusUnauthorized},
		{two, http.StatusOK}} {
		reply := c.do("GET", "/v1/runs/"+ask.run, nil, header{"Authorization", "Bearer nobody's"})
		if reply.status != ask.status {
			t.Errorf("question %d: HTTP %d, want %d", i+1, reply.status, ask.status)
		}
	}
}
