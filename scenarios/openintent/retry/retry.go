// Package retry asks when reminders come, over which channel and how often, and what follows the last.
package retry

import (
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// part is one of several questions about an observation.
type part[O any] struct {
	name, title string
	proves      scenarios.IDs
	judge       func(O, *scenarios.Judge)
}

// timedScenarios returns a scenario for each part, on the drive that may use the seam, and one for all parts on the
// drive that waits: a seam shows nothing about the timer in production.
func timedScenarios[O any](
	name, title string, offered, waited *scenarios.Drive[O], parts ...part[O],
) (out []scenarios.Scenario) {
	var all scenarios.IDs
	for _, p := range parts {
		out = append(out, scenarios.Scenario{
			ID: scenarios.ScenarioID("openintent/retry/" + p.name), Title: p.title, Proves: p.proves,
			Claim: claims.Notifier, Ask: scenarios.Ask(offered, p.judge),
		})
		for _, id := range p.proves {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return append(out, scenarios.Scenario{
		ID: scenarios.ScenarioID("openintent/retry/" + name), Title: title, Proves: all, Claim: claims.Notifier,
		Ask: scenarios.Ask(waited, func(o O, j *scenarios.Judge) {
			for _, p := range parts {
				j.Part(func() { p.judge(o, j) })
			}
		}),
	})
}

// Suite returns the suite retry.
func Suite() scenarios.Suite {
	s := scenarios.Suite{ID: "retry", Title: "reminders: when, over which channel, how often, and what comes after the last"}
	s.Scenarios = slices.Concat(
		timedScenarios("real-time-course",
			"by the timer of the server: reminders, ladder, payloads, the end and what is refused after it", course, courseRealTime,
			part[CourseObservation]{"reminders", "of three attempts two are reminders, each once",
				scenarios.IDs{openintent.OIP0026H1, openintent.OIP0026N1, openintent.OIP0026N3, openintent.OIP0026E1},
				CourseObservation.judgeCounted},
			part[CourseObservation]{"on-time", "reminders come an interval apart, counted from the suspension",
				scenarios.IDs{openintent.OIP0026H3, openintent.OIP0026H5, openintent.OIPREAD5}, CourseObservation.judgeOnTime},
			part[CourseObservation]{"reminder-payload", "a reminder tells its attempt, how many there are, its channel and the next",
				scenarios.IDs{openintent.OIP0026E3}, CourseObservation.judgePayload},
			part[CourseObservation]{"waits-on", "the intent waits on between the reminders, past timeout_seconds too, under one id",
				scenarios.IDs{openintent.OIP0026J1, openintent.OIP0026K3, openintent.OIP0026N2, openintent.OIP0026M1},
				CourseObservation.judgeWaitsOn},
			part[CourseObservation]{"ladder", "each step of the ladder triggers at its attempt, and one beyond the last never",
				scenarios.IDs{openintent.OIP0026N4, openintent.OIP0026N5, openintent.OIP0026E2, openintent.OIP0026E4},
				CourseObservation.judgeLadder},
			part[CourseObservation]{"expiry", "after the last attempt, and not before, the suspension expires and fail abandons the intent",
				scenarios.IDs{
					openintent.OIP0026N6, openintent.OIP0026N7, openintent.OIP0026E5, openintent.OIP0025F1, openintent.OIP0025F3,
				}, CourseObservation.judgeExpiry},
			part[CourseObservation]{"late-answer", "an answer after the end is refused, and the record stays expired",
				scenarios.IDs{openintent.OIPREAD3}, CourseObservation.judgeLate}),
		timedScenarios("real-time-fallbacks", "by the timer of the server: which fallback is applied", fallbacks, fallbacksRealTime,
			part[EndsObservation]{"inner-fallback-first",
				"final_fallback_policy within the policy wins over fallback_policy beside it, either way round",
				scenarios.IDs{openintent.OIP0026B2, openintent.OIP0025F1, openintent.OIP0025F2},
				EndsObservation.judgeInnerFirst},
			part[EndsObservation]{"fallback-inherited", "a policy without a final fallback ends with the fallback of its record",
				scenarios.IDs{openintent.OIP0026H8, openintent.OIP0025F2}, EndsObservation.judgeInherited}),
		timedScenarios("real-time-single", "by the timer of the server: one window, nobody reminded", single, singleRealTime,
			part[EndsObservation]{"no-policy", "without a policy nobody is reminded, and the window is timeout_seconds",
				scenarios.IDs{openintent.OIP0026B1, openintent.OIP0026L1, openintent.OIP0026L2},
				EndsObservation.judgeNoPolicy},
			part[EndsObservation]{"one-attempt", "a policy of one attempt reminds nobody, and ends",
				scenarios.IDs{openintent.OIP0026H1, openintent.OIP0026N7}, EndsObservation.judgeOneAttempt}),
		timedScenarios("real-time-in-time",
			"by the timer of the server: an answer during an attempt ends the chase", inTime, inTimeRealTime,
			part[InTimeObservation]{"answered-in-between", "an answer during the second attempt, with the first id, is taken",
				scenarios.IDs{openintent.OIP0026N9}, InTimeObservation.judgeTaken},
			part[InTimeObservation]{"quiet-after-the-answer",
				"after an answer nobody is reminded, nothing escalates or expires, and no fallback is applied",
				scenarios.IDs{openintent.OIPREAD4, openintent.OIPREAD9}, InTimeObservation.judgeQuiet}),
		timedScenarios("real-time-endless", "by the timer of the server: what has no window does not end", endless, endlessRealTime,
			part[EndlessObservation]{"no-window", "a suspension without a window waits on, and takes its answer long after",
				scenarios.IDs{openintent.OIP0025F4}, EndlessObservation.judge}),
		[]scenarios.Scenario{innerFirstRealTime, retryWindow, notifyClean, notifyStranger},
	)
	return s
}

// innerFirstRealTime is asked by itself as well: where the platform has a policy, its other half may not be shown (OIP-R128).
var innerFirstRealTime = scenarios.Scenario{
	ID: "openintent/retry/real-time-inner-first", Title: "by the timer of the server: which of two fallbacks that are named is applied",
	Proves: scenarios.IDs{openintent.OIP0026B2, openintent.OIP0025F1, openintent.OIP0025F2}, Claim: claims.Notifier,
	Ask: scenarios.Ask(fallbacksRealTime, EndsObservation.judgeInnerFirst),
}

// retryWindow is about a server that fills expires_at in (OIP-R108).
var retryWindow = scenarios.Scenario{
	ID: "openintent/retry/window", Title: "expires_at that a server fills in is the end of the whole window",
	Proves: scenarios.IDs{openintent.OIP0026N8}, Claim: claims.Core,
	Ask: scenarios.Ask(window, func(o WindowObservation, j *scenarios.Judge) {
		said, _ := model.CourseOf(o.Suspension.Sent.RawMessage) // which the drive wrote itself
		j.Check(openintent.OIP0026N8, o.Suspension.Shown().Key("expires_at")).
			To(ending(o.Suspension, said.Attempts), "expires_at of %d attempts, %d s apart", said.Attempts, windowSeconds)
		ends := o.Silent.Shown().Key("expires_at")
		if ends.String() == "" {
			return
		}
		attempts := 1
		single, _ := ending(o.Silent, 1).MatchSeen(ends)
		if n, is := platformAttempts(o.Platform); is && !single { // either (OIP-R128)
			attempts = n
		}
		j.Check(openintent.OIP0026N8, ends).To(ending(o.Silent, attempts),
			"expires_at of a policy without max_attempts, %d s apart, beside one of %d attempts; the policy of the platform is %s",
			windowSeconds, said.Attempts, o.Platform.JSON())
	}),
}

// ending expects the end of a suspension of so many attempts.
func ending(sus host.Suspension, attempts int) check.Matcher {
	whole, tolerance := time.Duration(attempts)*windowSeconds*time.Second, 2*time.Second
	from, to := sus.Beginning()
	return host.Within(from.Add(whole), to.Add(whole), tolerance, tolerance)
}
