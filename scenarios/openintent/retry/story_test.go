package retry

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func honestStory(t *testing.T) StoryObservation {
	t.Helper()
	x := honestTale().course(t)
	yes := func(what, status string) wire.Wait { return hosttest.WaitOf(t, what+" is "+status, true, status) }
	return StoryObservation{
		Interval: 3600, Suspension: x.Suspension,
		Task2Blocked: yes("task 2", host.Blocked), Task2: hosttest.ReplyOf(t, 200, map[string]any{"blocked_reason": "intent_suspended"}),
		Phase3Blocked: yes("intent 3", host.Blocked),
		Waiting: host.Watched{Portfolio: hosttest.ReplyOf(t, 200,
			map[string]any{"has_suspended_members": true, "suspended_member_count": 1})},
		Refused: hosttest.ReplyOf(t, 409, map[string]any{}), Reminder: hosttest.WaitOf(t, "a reminder", true, nil),
		Reminded: host.Look{Intent: hosttest.IntentOf(t, host.Suspended, nil),
			Log: hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, nil), stepAt(2, 2, nil)})},
		Answer: hosttest.ReplyOf(t, 200, map[string]any{}), Phase2Active: yes("intent 2", host.Active),
		Task2Running: yes("task 2", "running"), Phase2Done: yes("intent 2", host.Completed),
		Task2Done: yes("task 2", host.Completed), Phase3Active: yes("intent 3", host.Active),
		Granted: hosttest.ReplyOf(t, 201, map[string]any{}), Phase3Done: yes("phase 3", host.Completed),
		Ended: host.Watched{Portfolio: hosttest.ReplyOf(t, 200, map[string]any{"aggregate_status": map[string]any{"status": host.Completed}})},
		Log:   hosttest.LogOf(t, nil),
	}
}

func TestJudgeOfTheStory(t *testing.T) {
	for _, name := range []string{"compliance-review", "compliance-review-real-time"} {
		hosttest.Ends(t, hosttest.Concludes(t, StorySuite(), name, honestStory(t)), "passed")
	}
	o := honestStory(t)
	o.Lapse.Seam = true
	if got := hosttest.Concludes(t, StorySuite(), "compliance-review", o); got.Evidence != scenarios.Attested {
		t.Errorf("what a seam shows is %s", got.Evidence)
	}
	for name, c := range map[string]struct {
		change func(*StoryObservation)
		want   string
	}{
		"task 2 runs on": {func(o *StoryObservation) { o.Task2Blocked.Reached = false }, openintent.OIP0026T2},
		"task 2 says another reason": {func(o *StoryObservation) { o.Task2 = hosttest.ReplyOf(t, 200, map[string]any{}) },
			openintent.OIP0026T2},
		"intent 3 runs on": {func(o *StoryObservation) { o.Phase3Blocked.Reached = false }, openintent.OIP0026T3},
		"the portfolio is blind": {func(o *StoryObservation) {
			o.Waiting.Portfolio = hosttest.ReplyOf(t, 200, map[string]any{"has_suspended_members": false, "suspended_member_count": 0})
		}, openintent.OIP0026T5},
		"phase 3 is claimed too early": {func(o *StoryObservation) { o.Refused = hosttest.ReplyOf(t, 200, map[string]any{}) },
			openintent.OIP0026T15},
		"nobody is reminded": {func(o *StoryObservation) {
			o.Reminder.Reached, o.Reminded.Log = false, hosttest.LogOf(t, nil)
		}, openintent.OIP0026T6},
		"over the old channel": {func(o *StoryObservation) {
			o.Reminded.Log = hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, map[string]any{"channel_hint": "slack"}), stepAt(2, 2, nil)})
		}, openintent.OIP0026T7},
		"nothing is escalated": {func(o *StoryObservation) {
			o.Reminded.Log = hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, nil)})
		}, openintent.OIP0026T8},
		"the answer is refused": {func(o *StoryObservation) {
			o.Answer, o.Phase2Active = host.Reply{Asked: "the operator answers", Status: wiretest.Status(t, 409)},
				hosttest.WaitOf(t, "intent 2 is active", false, nil)
			o.Task2Running, o.Phase2Done, o.Task2Done, o.Phase3Active = wire.Wait{}, wire.Wait{}, wire.Wait{}, wire.Wait{}
		}, openintent.OIP0026T9},
		"task 2 stays blocked":   {func(o *StoryObservation) { o.Task2Running.Reached = false }, openintent.OIP0026T11},
		"intent 3 stays blocked": {func(o *StoryObservation) { o.Phase3Active.Reached = false }, openintent.OIP0026T12},
		"phase 3 cannot be claimed": {func(o *StoryObservation) { o.Granted = hosttest.ReplyOf(t, 409, map[string]any{}) },
			openintent.OIP0026T13},
		"the workflow does not end": {func(o *StoryObservation) {
			o.Ended.Portfolio = hosttest.ReplyOf(t, 200, map[string]any{"status": host.Active})
		}, openintent.OIP0026T14},
		"it expired although answered": {func(o *StoryObservation) { o.Log = hosttest.LogOf(t, []hosttest.Happened{expiredAt(1)}) },
			openintent.OIP0026T15},
	} {
		o := honestStory(t)
		c.change(&o)
		t.Run(name, func(t *testing.T) {
			hosttest.Ends(t, hosttest.Concludes(t, StorySuite(), "compliance-review", o), c.want)
		})
	}
}
