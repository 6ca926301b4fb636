package programs

import (
	"fmt"
	"math"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var courseScenarios = []scenarios.Scenario{
	{
		ID:    "openintent/programs/course-reminded",
		Title: "whatever its policy, a suspension is reminded of at each attempt once, when that is due, and waits on",
		Proves: scenarios.IDs{
			openintent.OIP0026H1, openintent.OIP0026N3, openintent.OIP0026E1, openintent.OIP0026E3, openintent.OIP0026J1, openintent.OIPREAD5,
		},
		Claim: inCourses, Ask: ofCourses(CourseRun.judgeReminded, func(o CoursesObservation, j *scenarios.Judge) {
			o.Chased.judge(j)
			for _, l := range o.Lasting {
				l.judge(j)
			}
		}),
	},
	{
		ID:     "openintent/programs/course-escalated",
		Title:  "each step of a ladder triggers at its attempt and at no other, whatever the ladder looks like",
		Proves: scenarios.IDs{openintent.OIP0026N4, openintent.OIP0026N5, openintent.OIP0026E2, openintent.OIP0026E4},
		Claim:  inCourses, Ask: ofCourses(CourseRun.judgeEscalated),
	},
	{
		ID:    "openintent/programs/course-ended",
		Title: "after the last attempt, and not before, a suspension ends with the fallback that applies, in each round",
		Proves: scenarios.IDs{
			openintent.OIP0026N6, openintent.OIP0026N7, openintent.OIP0026E5, openintent.OIP0026B2, openintent.OIP0026X3,
			openintent.OIP0025F1, openintent.OIP0025F2, openintent.OIP0025F3,
		},
		Claim: inCourses, Ask: ofCourses(CourseRun.judgeEnded, func(o CoursesObservation, j *scenarios.Judge) { o.Left.judge(j) }),
	},
	{
		ID:     "openintent/programs/course-inherits",
		Title:  "a policy that names no fallback ends with that of its record, in whatever round and after however many attempts",
		Proves: scenarios.IDs{openintent.OIP0026H8}, Claim: inCourses, Ask: someCourses(CourseRun.judgeInherits),
	},
	{
		ID:     "openintent/programs/course-alone",
		Title:  "a record without a policy has one window, and nobody is reminded, also after suspensions that had one",
		Proves: scenarios.IDs{openintent.OIP0026B1, openintent.OIP0026L2}, Claim: inCourses, Ask: someCourses(CourseRun.judgeAlone),
	},
	{
		ID:     "openintent/programs/course-unlimited",
		Title:  "a policy that names no max_attempts has one attempt",
		Proves: scenarios.IDs{openintent.OIP0026H1, openintent.OIP0026N7}, Claim: inCourses, Ask: someCourses(CourseRun.judgeUnlimited),
	},
	{
		ID:     "openintent/programs/course-answered",
		Title:  "an answer at any attempt is taken and kept, and neither reminders nor the end of the window come after it",
		Proves: scenarios.IDs{openintent.OIP0026N9, openintent.OIPREAD4, openintent.OIPREAD9, openintent.OIP0026K4},
		Claim:  inCourses, Ask: ofCourses(CourseRun.judgeAnswered),
	},
	{
		ID:     "openintent/programs/course-late",
		Title:  "when a window is over its right answer is refused and changes nothing, whatever the fallback was",
		Proves: scenarios.IDs{openintent.OIPREAD3}, Claim: inCourses, Ask: ofCourses(CourseRun.judgeLate),
	},
}

// What the drive needs beside what a scenario is about.
var inCourses = claims.With(claims.Notifier, claims.Core, claims.Graph)

// ofCourses judges suspensions one by one, and then what else the drive saw.
func ofCourses(judge func(CourseRun, *scenarios.Judge), rest ...func(CoursesObservation, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
		o.givenTimer(j)
		for _, run := range o.all() {
			j.Part(func() {
				run.unmoved(j)
				judge(run, j)
			})
		}
		for _, more := range rest {
			j.Part(func() { more(o, j) })
		}
	})
}

// all are all suspensions whose times are known.
func (o CoursesObservation) all() (all []CourseRun) {
	for _, round := range o.Rounds {
		all = append(all, round.Courses...)
	}
	return slices.DeleteFunc(append(all, o.Ends...), func(r CourseRun) bool { return r.Slow })
}

// unmoved ends the judge if something was taken meanwhile that must be refused: what comes after it shows nothing.
func (r CourseRun) unmoved(j *scenarios.Judge) {
	for k, reply := range r.Meanwhile {
		if k > 0 && k <= len(r.Steps) && r.Steps[k-1].During.Intent.Body.Key("status").String() != host.Suspended {
			return // it waits no more, which is asked elsewhere
		}
		id, wrong := map[Meanwhile]scenarios.RequirementID{
			Misfit: refuses[r.Plan.Response], Stranger: openintent.OIP0025A5, Finish: openintent.OIP0025L2,
		}[Meanwhile(reply.Asked)]
		if wrong && reply.Ok() {
			j.Violates(id, reply.Status, "setup failed: "+reply.Asked+" was taken while the intent waits")
		}
	}
}

// someCourses is like ofCourses, where there need not be a suspension with what the judge asks for.
func someCourses(judge func(CourseRun, *scenarios.Judge) (asked bool)) scenarios.Question {
	return scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
		o.givenTimer(j)
		some := false
		for _, run := range o.all() {
			j.Part(func() {
				run.unmoved(j)
				some = judge(run, j) || some
			})
		}
		if !some && o.Platform {
			j.NotOffered("suspension.default_retry_policy of the server says what such a record does not say")
		}
		if !some {
			j.Block("setup failed: no such suspension went on to its end", "remind of suspensions and end them; other scenarios test that")
		}
	})
}

// givenTimer ends the judge if the server has no timer at all, or all took too long.
func (o CoursesObservation) givenTimer(j *scenarios.Judge) {
	if len(o.all()) == 0 {
		j.Block("the drive itself took so long that what it saw before each attempt may have been after it",
			"certify from a machine and over a line that are less busy, or with fewer --workers")
	}
	acted := false
	for _, run := range o.Rounds[0].Courses {
		for _, log := range []host.Log{run.After.Log, run.Before.Log} {
			acted = acted || len(log.OfType(host.EventRenotified, host.EventExpired).Values) > 0
		}
		acted = acted || run.End.Reached || slices.ContainsFunc(run.Steps, func(s CourseStep) bool { return s.Reached.Reached })
	}
	if !acted && !j.Firm() {
		j.NotThere(o.Rounds[0].Courses[0].Suspension.Status.Status, "a server that reminds, or that ends a suspension nobody answers")
	}
}

// what names the suspension in reports.
func (r CourseRun) what() fmt.Stringer { return named{r.Suspension.ID, r.Course} }

// named names a suspension when a report is written.
type named struct {
	id string
	model.Course
}

func (n named) String() string {
	return fmt.Sprintf("suspension %.8s of %d attempts, %d s apart", n.id, n.Attempts, n.Interval)
}

// told returns the events of a type about the suspension on the last log that was read of it.
func (r CourseRun) told(kind openintentv1.EventType) wire.Found {
	return r.log().Of(kind, r.Suspension.ID)
}

// waiting is like told, without what came of attempts that were not to be made any more: it was answered before.
func (r CourseRun) waiting(kind openintentv1.EventType) wire.Found {
	last := math.MaxInt
	if r.Answer.Ok() {
		last = 1 + len(r.Steps)
	}
	return r.told(kind).Where(func(e wire.Value) bool { return host.AttemptOf(e) <= int64(last) })
}

func (r CourseRun) log() host.Log {
	switch {
	case r.AfterLate.Log.Read.Present():
		return r.AfterLate.Log
	case len(r.Steps) > 0:
		return r.Steps[len(r.Steps)-1].During.Log
	}
	return r.Before.Log
}

// alone reports whether the record has no policy.
func (r CourseRun) alone() bool { return r.Suspension.SentMember("retry_policy") == nil }

// due are the attempts after the first that were to be made.
func (r CourseRun) due() (all []int64) {
	for _, s := range r.Steps {
		all = append(all, int64(s.Attempt))
	}
	return all
}

// refused reports whether its answer was not taken: then it goes on, and that is judged with the answer.
func (r CourseRun) refused() bool { return r.Plan.During > 0 && !r.Answer.Ok() }

// given ends the judge unless all attempts were made that came up.
func (r CourseRun) given(j *scenarios.Judge) {
	r.log().Readable(j)
	for _, s := range r.Steps {
		if status := s.Before.Intent.Body.Key("status"); !s.Reached.Reached && status.String() != host.Suspended {
			j.Violates(openintent.OIP0026J1, status, "setup failed: the intent does not wait between reminders")
		}
		j.Need(openintent.OIP0026N3, s.Reached)
	}
}

// early returns what a log had of an attempt before that was due.
func (r CourseRun) early(s CourseStep, kind openintentv1.EventType) wire.Found {
	return s.Before.Log.Of(kind, r.Suspension.ID).Where(func(e wire.Value) bool { return host.AttemptOf(e) >= int64(s.Attempt) })
}

func (r CourseRun) judgeReminded(j *scenarios.Judge) {
	c := r.Course
	if r.alone() || r.refused() {
		return
	}
	for _, s := range r.Steps {
		s.Before.Log.Readable(j)
		if !s.Reached.Reached && s.Before.Intent.Body.Key("status").String() != host.Suspended {
			j.Check(openintent.OIP0026J1, s.Before.Intent.Body.Key("status")).
				To(check.Equal(host.Suspended), "status before attempt %d of %s", s.Attempt, r.what())
			return
		}
		j.Check(openintent.OIP0026N3, s.Reached).To(check.Reached(), "attempt %d of %s", s.Attempt, r.what())
		j.Check(openintent.OIPREAD5, r.early(s, host.EventRenotified)).
			To(check.Len(0), "reminders of attempt %d before it is due, of %s", s.Attempt, r.what())
		j.Check(openintent.OIP0026J1, s.During.Intent.Body.Key("status")).
			To(check.Equal(host.Suspended), "status during attempt %d of %s", s.Attempt, r.what())
	}
	sent := r.waiting(host.EventRenotified)
	for _, id := range (scenarios.IDs{openintent.OIP0026H1, openintent.OIP0026E1}) {
		later := sent.Where(func(e wire.Value) bool { return host.AttemptOf(e) != 1 }) // of the first attempt others ask
		j.Check(id, later.Each("/payload/attempt")).To(host.Attempts(r.due()...), "reminders of %s", r.what())
	}
	for _, e := range sent.Values {
		p, n := e.Key("payload"), host.AttemptOf(e)
		j.Check(openintent.OIP0026E3, p.Key("suspension_id")).To(check.Equal(r.Suspension.ID), "suspension_id of attempt %d", n)
		j.Check(openintent.OIP0026E3, p.Key("max_attempts")).To(check.Equal(c.Attempts), "max_attempts of attempt %d of %s", n, r.what())
		if n > 1 {
			j.Check(openintent.OIP0026E3, p.Key("next_attempt_at")).
				To(r.Suspension.NextAttempt(c.Interval, int(n), c.Attempts), "next_attempt_at of attempt %d of %s", n, r.what())
		}
	}
}

func (r CourseRun) judgeEscalated(j *scenarios.Judge) {
	if r.refused() {
		return
	}
	r.given(j)
	var steps []int64
	for _, next := range r.Course.Reminders[:len(r.Steps)] {
		if next.Escalates {
			steps = append(steps, int64(next.Attempt))
		}
	}
	told, sent := r.waiting(host.EventEscalated), r.waiting(host.EventRenotified)
	for _, id := range (scenarios.IDs{openintent.OIP0026N4, openintent.OIP0026E2}) {
		j.Check(id, told.Each("/payload/attempt")).To(host.Attempts(steps...), "steps that triggered, of %s", r.what())
	}
	for k, s := range r.Steps {
		if len(r.early(s, host.EventRenotified).Values) == 0 { // else the whole attempt is early
			j.Check(openintent.OIP0026N4, r.early(s, host.EventEscalated)).To(check.Len(0), "steps of attempt %d before it is due", s.Attempt)
		}
		next := r.Course.Reminders[k]
		of := func(all wire.Found) []wire.Value {
			return all.Where(func(e wire.Value) bool { return host.AttemptOf(e) == int64(s.Attempt) }).Values
		}
		for _, e := range of(told) {
			j.Check(openintent.OIP0026E4, e.At("/payload/suspension_id")).To(check.Equal(r.Suspension.ID), "suspension_id of the step")
			j.Check(openintent.OIP0026E4, e.At("/payload/channel_hint")).
				To(oneOfTexts(next.Channels), "channel_hint of the step of attempt %d of %s", s.Attempt, r.what())
			j.Check(openintent.OIP0026E4, e.At("/payload/escalated_to")).
				To(host.TextOrNone(next.To), "escalated_to of the step of attempt %d of %s", s.Attempt, r.what())
		}
		for _, e := range of(sent) {
			j.Check(openintent.OIP0026N5, e.At("/payload/channel_hint")).
				To(oneOfTexts(next.Channels), "channel_hint of attempt %d of %s", s.Attempt, r.what())
			j.Check(openintent.OIP0026N5, e.At("/payload/notify_to")).
				To(host.TextOrNone(next.To), "notify_to of attempt %d of %s", s.Attempt, r.what())
		}
	}
}

// oneOfTexts expects one of these texts, of which "" is none.
func oneOfTexts(all []string) check.Matcher {
	return check.That(fmt.Sprintf("one of %q", all), func(v any) bool {
		s, isText := v.(string)
		return slices.Contains(all, s) && (isText || v == nil)
	})
}

// ended ends the judge unless the suspension was left alone and ended. It reports whether it was left alone.
func (r CourseRun) ended(j *scenarios.Judge) bool {
	if r.Plan.During > 0 {
		return false
	}
	r.given(j)
	id := scenarios.RequirementID(openintent.OIP0026N6)
	if r.alone() {
		id = openintent.OIP0026B1
	}
	j.Need(id, r.End)
	return true
}

// inWindow checks that the suspension ends with its window, and not before.
func (r CourseRun) inWindow(j *scenarios.Judge, ids ...scenarios.RequirementID) {
	for _, id := range ids {
		j.Check(id, r.Before.Intent.Body.Key("status")).
			To(check.Equal(host.Suspended), "status before the end of the window, of %s", r.what())
		j.Check(id, r.Before.Log.Of(host.EventExpired, r.Suspension.ID)).
			To(check.Len(0), "%s before the end of the window, of %s", host.EventExpired, r.what())
		j.Check(id, r.End).To(check.Reached(), "the end of %s", r.what())
	}
}

func (r CourseRun) judgeEnded(j *scenarios.Judge) {
	if r.Plan.During > 0 {
		return
	}
	r.given(j)
	if !r.alone() {
		r.inWindow(j, openintent.OIP0026N6, openintent.OIP0026N7)
	}
	if !r.End.Reached {
		return
	}
	c, record := r.Course, r.After.Intent.Body.At("/state/_suspension")
	if filled := r.Suspension.Shown().Key("expires_at"); r.Suspension.Expires == "" && filled.String() != "" {
		j.Check(openintent.OIP0026N7, filled).To(r.Suspension.Due(c.Interval, c.Attempts),
			"expires_at that the server filled in, of %s", r.what())
	}
	j.Check(openintent.OIP0026E5, r.told(host.EventExpired)).To(check.Len(1), "%s of %s", host.EventExpired, r.what())
	r.inOrder(j)
	j.Check(openintent.OIP0025F3, record.Key("resolution")).To(check.Equal("expired"), "resolution of %s", r.what())
	j.Check(openintent.OIP0026X3, record.Key("retry_policy")).
		To(check.SameAs(r.Suspension.Shown().Key("retry_policy")), "retry_policy of %s, as before its end", r.what())
	if c.Source == model.Policy {
		r.fell(j, openintent.OIP0026B2)
	}
	if c.Source == model.Record { // which fallback that is, is asked elsewhere
		return
	}
	id := scenarios.RequirementID(openintent.OIP0025F2)
	if !c.Continues() {
		id = openintent.OIP0025F1
	}
	r.fell(j, id)
	r.value(j)
}

// fell checks which fallback was applied, by the status of the intent (OIP-R12, OIP-R13).
func (r CourseRun) fell(j *scenarios.Judge, id scenarios.RequirementID) {
	status, c := r.After.Intent.Body.Key("status"), r.Course
	expired := len(r.told(host.EventExpired).Values) > 0 &&
		r.After.Intent.Body.At("/state/_suspension/resolution").String() == "expired"
	want := []any{host.Abandoned}
	switch {
	case c.Continues():
		want = []any{host.Active, host.Completed}
	case expired:
		want = append(want, host.Suspended)
	}
	j.Check(id, status).To(check.OneOf(want...), "status after fallback %s, of %s", c.Fallback, r.what())
}

// value checks what became of the fallback value: where an intent goes on, its record or an event has it, and whatever stands for an
// answer is it. Where it fails, nothing stands for an answer.
func (r CourseRun) value(j *scenarios.Judge) {
	record, sent := r.After.Intent.Body.At("/state/_suspension"), r.Suspension.SentMember("fallback_value")
	response := record.Key("response")
	if !r.Course.Continues() {
		if sent != nil {
			j.Check(openintent.OIP0025F1, response).NotTo(check.Equal(sent), "response after fallback fail, of %s", r.what())
		}
		return
	}
	if response.Present() && response.Actual() != nil {
		j.Check(openintent.OIP0025F2, response).To(check.Equal(sent), "response after fallback %s, of %s", r.Course.Fallback, r.what())
		return
	}
	value := record.Key("fallback_value")
	for _, v := range r.After.Log.All().Where(ofSuspension(r.Suspension.ID)).Each("/payload/value").Values {
		value = v
	}
	j.Check(openintent.OIP0025F2, value).To(check.Equal(sent), "the fallback value of %s, in the record or an event", r.what())
}

func (r CourseRun) judgeInherits(j *scenarios.Judge) bool {
	if r.Course.Source != model.Record || !r.ended(j) {
		return false
	}
	r.fell(j, openintent.OIP0026H8)
	return true
}

func (r CourseRun) judgeAlone(j *scenarios.Judge) bool {
	if !r.alone() || !r.ended(j) {
		return false
	}
	r.inWindow(j, openintent.OIP0026B1, openintent.OIP0026L2)
	j.Check(openintent.OIP0026B1, r.told(host.EventRenotified)).To(check.Len(0), "reminders without a policy, of %s", r.what())
	return true
}

// judgeUnlimited is about what a server does with such a policy: what a resolver makes of it is asked elsewhere.
func (r CourseRun) judgeUnlimited(j *scenarios.Judge) bool {
	policy, _ := r.Suspension.SentMember("retry_policy").(map[string]any)
	if _, said := policy["max_attempts"]; policy == nil || said || !r.ended(j) {
		return false
	}
	r.inWindow(j, openintent.OIP0026N7)
	j.Check(openintent.OIP0026H1, r.told(host.EventRenotified)).To(check.Len(0), "reminders of a policy without max_attempts, of %s", r.what())
	return true
}

func (r CourseRun) judgeAnswered(j *scenarios.Judge) {
	if r.Plan.During == 0 {
		return
	}
	r.given(j)
	j.Check(openintent.OIP0026N9, r.Answer.Status).To(check.Status(2), "%s of %s", r.Answer.Asked, r.what())
	if !r.Answer.Ok() {
		return
	}
	first := r.Answered.Intent.Body // what an answer leaves is asked elsewhere
	if status := first.Key("status"); status.String() != host.Active {
		j.Violates(openintent.OIP0025A15, status, "setup failed: an intent that was answered is not active")
	}
	record := first.At("/state/_suspension")
	if is := record.Key("resolution"); !same(is, "responded") {
		j.Violates(openintent.OIP0025A13, is, "setup failed: the record of an intent that was answered does not say so")
	}
	if is := record.Key("response"); !same(is, decoded(r.Plan.Answer)) {
		j.Violates(openintent.OIP0025A13, is, "setup failed: the record of an intent that was answered has another response")
	}
	for _, seen := range []host.Look{r.After, r.AfterLate} {
		for _, pointer := range []string{"/status", "/state/_suspension/resolution", "/state/_suspension/response"} {
			j.Check(openintent.OIPREAD9, seen.Intent.Body.At(pointer)).
				To(check.SameAs(first.At(pointer)), "%s of %s, of %s", pointer, seen.Intent.Asked, r.what())
		}
	}
	for _, kind := range []openintentv1.EventType{host.EventRenotified, host.EventEscalated} {
		j.Check(openintent.OIPREAD4, r.told(kind)).To(check.Len(len(r.Answered.Log.Of(kind, r.Suspension.ID).Values)),
			"%s, as many as when it was answered, of %s", kind, r.what())
	}
	j.Check(openintent.OIPREAD4, r.told(host.EventExpired)).To(check.Len(0), "%s after the answer, of %s", host.EventExpired, r.what())
	j.Check(openintent.OIP0026K4, r.Late.Status).To(check.Status(4), "%s, of %s, which was answered", r.Late.Asked, r.what())
	r.untouched(j, openintent.OIP0026K4)
}

// same reports whether a value is the one that was sent.
func same(is wire.Value, want any) bool {
	ok, _ := check.Equal(want).MatchSeen(is)
	return ok
}

// untouched checks that the last answer changed nothing.
func (r CourseRun) untouched(j *scenarios.Judge, id scenarios.RequirementID) {
	for _, pointer := range []string{"/state", "/version", "/status"} {
		j.Check(id, r.AfterLate.Intent.Body.At(pointer)).
			To(check.SameAs(r.After.Intent.Body.At(pointer)), "%s after the late answer, of %s", pointer, r.what())
	}
}

func (r CourseRun) judgeLate(j *scenarios.Judge) {
	if !r.ended(j) {
		return
	}
	j.Check(openintent.OIPREAD3, r.Late.Status).To(check.Status(4), "%s, of %s", r.Late.Asked, r.what())
	record := r.AfterLate.Intent.Body.At("/state/_suspension")
	j.Check(openintent.OIPREAD3, record.Key("resolution")).To(check.Equal("expired"), "resolution after the late answer, of %s", r.what())
	r.untouched(j, openintent.OIPREAD3)
}
