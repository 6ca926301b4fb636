// Package operations sends every operation of the contract with credentials that do not open it, and with requests that do not fit it.
package operations

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CredentialsSuite returns the scenarios about every operation, asked for by those who may not use it.
func CredentialsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "credentials", Title: "every operation of the contract, sent with credentials that must not work",
		Scenarios: []scenarios.Scenario{
			everyWayRefused, everyWayUnlearned, everyWayWithoutEffect, everyTokenRefused, everyRunApart, everyFileApart, everyGoalApart,
		},
	}
}

// needed are the operations that every host has.
var needed = []string{"createRun", "getRun", "cancelRun", "pollRunEvents", "streamRunEvents"}

var everyWayRefused = scenarios.Scenario{
	ID: "openwop/credentials/every-way-refused",
	Title: "every operation, with any parameters, refuses a missing, empty, malformed or nearly right credential, and the refusal " +
		"discloses nothing",
	Proves: scenarios.IDs{openwop.OWPERR1, openwop.OWPERR2},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		all := slices.Concat(o.Made.Marks[run], o.Made.Marks[file], o.Made.Marks[goal])
		o.eachStranger(j, func(_ Round, a access.Asked) {
			id := rule(a.Caller)
			if j.Check(id, a.Existing.Status).To(check.Status(refusals(a)...), "%s", a.Existing.Asked) {
				j.Check(id, a.Existing.Body).To(unmarked(all), "%s", a.Existing.Asked)
			}
			if code, _ := a.Existing.Status.Int(); code != http.StatusUnauthorized && !host.NotThere(int(code)) {
				j.Find("", "%s is refused with HTTP %d in place of 401", a.Existing.Asked, code)
			}
		})
	}),
}

// refusals are the statuses that a caller without access is refused with. Of what not every host has, the text does not say whether the
// credential is looked at first; nor how a credential is refused that cannot be read.
func refusals(a access.Asked) []int {
	switch {
	case !slices.Contains(needed, a.Operation):
		return []int{4, http.StatusNotImplemented}
	case a.Caller == access.Empty || a.Caller == access.Malformed:
		return []int{http.StatusUnauthorized, http.StatusBadRequest}
	}
	return []int{http.StatusUnauthorized}
}

// unmarked expects that none of these texts stands in a value.
func unmarked(marks []string) check.Matcher {
	return check.That("nothing of what is there", func(v any) bool {
		return !slices.ContainsFunc(marks, func(mark string) bool { return host.Holds(v, mark) })
	})
}

// A host must check the credential before it looks for what is asked for.
var everyWayUnlearned = scenarios.Scenario{
	ID:     "openwop/credentials/every-way-unlearned",
	Title:  "a refusal has the same status, code and members whether or not the resource exists",
	Proves: scenarios.IDs{openwop.OWPERR3},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		refused := false
		o.eachStranger(j, func(_ Round, a access.Asked) {
			if a.Missing.Asked != "" {
				refused = checkUnlearned(j, openwop.OWPERR3, a) || refused
			}
		})
		if !refused {
			j.Block("no caller without a credential is refused", "demand the credential of every operation but those that are open to all")
		}
	}),
}

// checkUnlearned checks that what is there is refused as what never was. It reports false, and checks nothing, where a caller is let in
// to both: nothing was refused.
func checkUnlearned(j *scenarios.Judge, id scenarios.RequirementID, a access.Asked) bool {
	if host.Succeeded(a.Existing.Status) && host.Succeeded(a.Missing.Status) {
		return false
	}
	existing, missing := host.Answered(a.Existing), host.Answered(a.Missing)
	_ = j.Check(id, existing.Status).To(check.SameAs(missing.Status), "%s", existing.Asked) &&
		j.Check(id, existing.Code()).To(check.SameAs(missing.Code()), "its code") &&
		j.Check(id, existing.Body).To(host.MembersOf(missing.Body), "its members")
	return true
}

var everyWayWithoutEffect = scenarios.Scenario{
	ID:     "openwop/credentials/every-way-without-effect",
	Title:  "refused requests change nothing: runs, files and goals stay as they were",
	Proves: scenarios.IDs{openwop.OWPERR25},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		o.given(j)
		before := o.Before
		for i, r := range o.Rounds {
			if letIn := r.letIn(true); letIn != nil { // what it changed is no effect of a refusal, and may come later
				if i == 0 {
					j.Violates(rule(r.Caller), letIn.Status, "setup failed: "+letIn.Asked+" is not refused: HTTP "+letIn.Status.JSON())
				}
				return
			}
			for _, thing := range owned {
				checkSame(j, openwop.OWPERR25, o.Made, thing, before, r.After, "after a caller "+string(r.Caller))
			}
			before = r.After
		}
	}),
}

// letIn returns what a caller asked for and was not refused, nil for none. Of calls by token it knows only if it is told to.
func (r Round) letIn(tokens bool) *access.Answer {
	return access.LetIn(r.Asked, func(a access.Asked) bool { return tokens || !byToken(a) })
}

// checkSame checks that the things of a kind are as they were; who says since when. It reports whether there was anything to compare.
func checkSame(j *scenarios.Judge, id scenarios.RequirementID, made Made, thing string, before, after State, who string) bool {
	switch thing {
	case run:
		host.CheckSame(j, id, before.Ended, after.Ended, "the run that has ended, "+who)
		switch status := before.Held.Status().String(); {
		case made.Held == "" || host.IsTerminal(status): // it may have lasted no longer
		case host.IsWaiting(status):
			if j.Check(id, after.Held.Status()).To(host.Waiting(), "status of the run that waits, %s", who) {
				j.Check(id, host.Steps(after.Held).Each("/eventId")).To(check.SameAs(host.Steps(before.Held).Each("/eventId")),
					"steps of the run that waits, %s", who)
			}
		default:
			j.Check(id, after.Held.Status()).NotTo(check.OneOf("cancelled", "cancelling", "paused"), "status of the run that lasts, %s", who)
		}
	case file:
		if made.File == "" || !host.Succeeded(before.File.Status) {
			return false
		}
		for _, member := range []string{"content", "version"} {
			j.Check(id, after.File.Body.Key(member)).To(check.SameAs(before.File.Body.Key(member)), "%s of the file, %s", member, who)
		}
		j.Check(id, after.Files.Body.Key("files")).To(check.SameAs(before.Files.Body.Key("files")), "the list of files, %s", who)
	case goal:
		if made.Goal == "" || !host.Succeeded(before.Goal.Status) {
			return false
		}
		for _, member := range []string{"state", "objective", "completion", "continuation", "bounds", "progress"} {
			j.Check(id, after.Goal.Body.Key(member)).To(check.SameAs(before.Goal.Body.Key(member)), "%s of the goal, %s", member, who)
		}
		if !host.Holds(before.Goals.Body.Actual(), made.Strange) { // no request was let in that made one
			j.Check(id, after.Goals.Body).To(nowhere(made.Strange), "the list of goals, %s", who)
		}
	}
	return true
}

// nowhere expects that a list, in which others may have theirs, does not name something. It does not repeat the list.
func nowhere(id string) check.Matcher {
	return check.Seeing("does not name "+id, func(list wire.Seen) (ok bool, found string) {
		if host.Holds(list.Actual(), id) {
			return false, "it is named"
		}
		return true, "it is not named"
	})
}

// given blocks the judge unless there was something to ask for.
func (o Observation) given(j *scenarios.Judge) { o.Made.given(j, o.Before) }

func (m Made) given(j *scenarios.Judge, before State) {
	if !host.Succeeded(m.Run.Status) || m.Run.Body.Key("runId").String() == "" {
		j.Block("setup failed: the run cannot be made with the credential: HTTP "+m.Run.Status.JSON(), fixture.Load)
	}
	before.Ended.Readable(j)
}

// eachStranger judges each call of callers without access whose credential is no token.
func (o Observation) eachStranger(j *scenarios.Judge, judge func(Round, access.Asked)) {
	o.given(j)
	for _, r := range o.Rounds {
		for _, a := range r.Asked {
			if !byToken(a) {
				judge(r, a)
			}
		}
	}
}

// byToken reports whether the credential of a call is the token in its path.
func byToken(a access.Asked) bool { return wayOf(a).In(token) }

// wayOf returns the way of a call.
func wayOf(a access.Asked) access.Way { return scenarios.Get(Contract()).Way(a.Way) }

// The control is the run that still waits.
var everyTokenRefused = scenarios.Scenario{
	ID: "openwop/credentials/every-token-refused",
	Title: "no interrupt can be answered with a nearly right token, one spliced from two, or one of a run that is over; showing it " +
		"to such a token is a finding",
	Proves: scenarios.IDs{openwop.OWPINT38, openwop.OWPINT39},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		o.given(j)
		asked := 0
		before := o.Before
		moved := false
		for _, r := range o.Rounds {
			moved = moved || r.letIn(false) != nil
			for _, a := range r.Asked {
				if !byToken(a) {
					continue
				}
				asked++
				id := scenarios.RequirementID(openwop.OWPINT39)
				if a.Caller == access.Expired {
					id = openwop.OWPINT38
				}
				if wayOf(a).Method == http.MethodGet {
					if host.Succeeded(a.Existing.Status) && a.Caller != access.Expired {
						j.Find("", "%s is answered", a.Existing.Asked)
					}
					continue
				}
				j.Check(id, a.Existing.Status).To(check.Status(4, http.StatusNotImplemented), "%s", a.Existing.Asked)
				if !moved { // by a token, and nothing else
					j.Check(id, host.Steps(r.After.Held).Each("/eventId")).To(check.SameAs(host.Steps(before.Held).Each("/eventId")),
						"steps of the run that waits, after that")
				}
			}
			before = r.After
		}
		if asked == 0 {
			j.Block("no run that waits shows a token", "show the interruptToken of a suspended run in its snapshot (docs/seams.md)")
		}
	}),
}

// apart returns a scenario about the things of a kind that belong to another tenant.
func apart(name, title string, claim scenarios.Claim, thing string, reads, writes scenarios.RequirementID) scenarios.Scenario {
	proves := scenarios.IDs{openwop.OWPISO2, reads}
	if writes != reads {
		proves = append(proves, writes)
	}
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openwop/credentials/" + name), Title: title, Proves: proves, Claim: claim,
		Ask: scenarios.Ask(otherTenant, func(o Observation, j *scenarios.Judge) {
			o.Tenants.Given(j)
			o.given(j)
			o.checkApart(j, thing, reads, writes)
		}),
	}
}

var (
	everyRunApart = apart("every-run-apart", "no operation shows another tenant anything of a run, or has an effect on it",
		claims.TenantsApart, run, openwop.OWPISO1, openwop.OWPISO3)
	everyFileApart = apart("every-file-apart", "no operation shows another tenant anything of a file, or has an effect on it",
		claims.TenantsFiles, file, openwop.OWPISO10, openwop.OWPISO10)
	everyGoalApart = apart("every-goal-apart", "no operation shows another tenant anything of a goal, or has an effect on it",
		claims.TenantsHaveGoal, goal, openwop.OWPISO4, openwop.OWPISO4)
)

// texts are the operations of which the text says by name that another tenant may not have them carried out. Whether the others have an
// effect is seen on what they are about.
var texts = []string{"cancelRun", "forkRun", "resolveInterruptByRun", "editGoal", "pauseGoal", "abandonGoal"}

func (o Observation) checkApart(j *scenarios.Judge, thing string, reads, writes scenarios.RequirementID) {
	if (thing == file && o.Made.File == "") || (thing == goal && o.Made.Goal == "") {
		j.Block("setup failed: there is nothing of the first tenant's that the other could ask for", host.GiveOtherKey)
	}
	for _, r := range o.Rounds {
		for _, a := range r.Asked {
			w := wayOf(a)
			id := reads
			if w.Method != http.MethodGet {
				id = writes
			}
			switch of := ownedBy(w); {
			case of == thing:
				if w.Method == http.MethodGet || slices.Contains(texts, a.Operation) {
					j.Check(id, a.Existing.Status).To(check.Status(4, http.StatusNotImplemented), "%s", a.Existing.Asked)
				}
				if a.Missing.Asked != "" {
					checkUnlearned(j, openwop.OWPISO2, a)
				}
				fallthrough
			case of == "" && w.Method == http.MethodGet:
				j.Check(reads, a.Existing.Body).To(unmarked(o.Made.Marks[thing]), "%s", a.Existing.Asked)
			}
		}
		checkSame(j, writes, o.Made, thing, o.Before, r.After, "after a caller "+string(r.Caller))
	}
}
