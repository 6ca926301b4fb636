package host

import (
	"testing"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Events come oldest first, whatever the order of the list, and what is sought among them is sought in their list.
func TestLogs(t *testing.T) {
	status := wiretest.Status(t, 200)
	for _, c := range []struct {
		name  string
		body  any
		first string
		in    wire.Ref
	}{
		{"newest first", map[string]any{"events": []any{
			map[string]any{"event_type": "b", "created_at": "2026-11-26T10:00:02Z"},
			map[string]any{"event_type": "a", "created_at": "2026-11-26T10:00:01Z"},
		}}, "a", wire.Ref{Exchange: 1, Pointer: "/events"}},
		{"newest first in one moment", []any{map[string]any{"event_type": "b"}, map[string]any{"event_type": "a"}}, "a", wire.Ref{Exchange: 1}},
		{"none", []any{}, "", status.Ref()},
	} {
		body := wiretest.Value(t, c.body)
		l := Log{Read: status, Events: Locate(logs, Named("log", body)).Items()}
		all := l.All()
		if all.In != c.in || len(all.Values) > 0 && all.Values[0].Key("event_type").String() != c.first {
			t.Errorf("%s: %v in %v", c.name, all.Actual(), all.In)
		}
		if none := l.OfType(EventExpired); len(none.Values) > 0 || none.In != c.in {
			t.Errorf("%s: found %v in %v", c.name, none.Actual(), none.In)
		}
	}
}
