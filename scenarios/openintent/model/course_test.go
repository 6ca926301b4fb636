package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios/openintent/model"
)

func TestCourses(t *testing.T) {
	for name, k := range map[string]struct {
		written string
		want    model.Course
		goesOn  bool
	}{
		"no policy": {
			`{"timeout_seconds":60}`, model.Course{Attempts: 1, Interval: 60, Fallback: "fail", Source: model.Alone}, false,
		},
		"no policy, and a fallback": {
			`{"timeout_seconds":60,"fallback_policy":"use_default_and_continue"}`,
			model.Course{Attempts: 1, Interval: 60, Fallback: "use_default_and_continue", Source: model.Alone}, true,
		},
		"the fallback of the record": {
			`{"timeout_seconds":60,"fallback_policy":"complete_with_fallback","retry_policy":{"max_attempts":2,"interval_seconds":60}}`,
			model.Course{
				Attempts: 2, Interval: 60, Fallback: "complete_with_fallback", Source: model.Record,
				Reminders: []model.Reminder{{Attempt: 2, Channels: []string{""}}},
			}, true,
		},
		"steps out of order, and one beyond": {
			`{"timeout_seconds":9,"channel_hint":"slack","fallback_policy":"complete_with_fallback","retry_policy":{"max_attempts":4,
				"interval_seconds":9,"final_fallback_policy":"fail","escalation_ladder":[{"attempt":7,"channel_hint":"siren"},
				{"attempt":4,"channel_hint":null,"notify_to":"boss"},{"attempt":3,"channel_hint":"email","notify_to":null}]}}`,
			model.Course{
				Attempts: 4, Interval: 9, Fallback: "fail", Source: model.Policy,
				Reminders: []model.Reminder{
					{Attempt: 2, Channels: []string{"slack"}}, {Attempt: 3, Escalates: true, Channels: []string{"email"}},
					{Attempt: 4, Escalates: true, Channels: []string{"slack", ""}, To: "boss"},
				},
			}, false,
		},
	} {
		got, err := model.CourseOf([]byte(k.written))
		if diff := cmp.Diff(k.want, got); diff != "" || err != nil || got.Continues() != k.goesOn {
			t.Errorf("%s: %v, goes on %t: %s", name, err, got.Continues(), diff)
		}
	}
}
