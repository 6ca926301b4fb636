package interrupts

import (
	"testing"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// An action is asked for where the approval shows it, or shows none.
func TestActionsThatAnApprovalOffers(t *testing.T) {
	snapshot := func(actions ...any) map[string]any {
		return map[string]any{"interrupt": map[string]any{"data": map[string]any{"actions": actions}}}
	}
	for _, c := range []struct {
		name     string
		snapshot map[string]any
		log      []any // actions in interrupt.requested
		action   dialect.ApprovalAction
		want     bool
	}{
		{"shown", snapshot("accept", "ask"), nil, dialect.ApprovalActionAsk, true},
		{"not shown", snapshot("accept", "reject"), nil, dialect.ApprovalActionAsk, false},
		{"as the prose has it", snapshot("accept", "edit"), nil, dialect.ApprovalActionEditAccept, true},
		{"edit is no question", snapshot("accept", "edit"), nil, dialect.ApprovalActionAsk, false},
		{"none shown", map[string]any{"status": "waiting-approval"}, nil, dialect.ApprovalActionAsk, true},
		{"an empty list", snapshot(), nil, dialect.ApprovalActionAsk, true},
		{"on the log alone", map[string]any{}, []any{"accept"}, dialect.ApprovalActionAsk, false},
	} {
		var l host.RunLog
		if c.log != nil {
			l.Events = append(l.Events, wiretest.Value(t, map[string]any{"type": "interrupt.requested", "sequence": 1,
				"payload": map[string]any{"data": map[string]any{"actions": c.log}}}))
		}
		if got := offersAction(shownActions(wiretest.Value(t, c.snapshot), l), c.action); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
