package monitor_test

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/scenarios/openintent/monitor"
)

const (
	discovery = `{"assay":{"features":["core","notifier"]}}`
	suspended = `{"id":"1","intent_id":"i","event_type":"intent.suspended","payload":{"suspension_id":"s"},"created_at":"2026-11-29T12:00:00Z"}`
	answered  = `{"id":"2","intent_id":"i","event_type":"intent.resumed","payload":{"suspension_id":"s"},"created_at":"2026-11-29T14:00:00Z"}`
	again     = `{"id":"3","intent_id":"i","event_type":"intent.resumed","payload":{"suspension_id":"s"},"created_at":"2026-11-29T15:00:00Z"}`
)

// A question is answered once.
func TestALogIsJudgedWhileItIsWritten(t *testing.T) {
	m, err := monitor.New([]byte(discovery))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for n, event := range []string{suspended, answered, again} {
		violations, err := m.Event([]byte(event))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range violations {
			told = append(told, fmt.Sprintf("%d %s %s", n, v.Requirement, v.Where.Pointer))
		}
	}
	if want := "[2 OIP-0025-A14 /2]"; fmt.Sprint(told) != want {
		t.Errorf("told was %q, want %s", told, want)
	}
	if rest := m.Done("i"); len(rest) > 0 {
		t.Errorf("told again: %v", rest)
	}
}
