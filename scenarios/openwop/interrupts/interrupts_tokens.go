package interrupts

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// What an interrupt's token allows, and for how long.

// given blocks the judge unless both runs waited.
func (o TokensObservation) given(j *scenarios.Judge) {
	o.First.given(j)
	o.Second.given(j)
}

var tokenShows = scenarios.Scenario{
	ID:     "openwop/interrupts/token-shows",
	Title:  "a token shows the kind, the key, the data and the end of its interrupt, without another credential",
	Proves: scenarios.IDs{openwop.OWPINT36},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(tokensUsed, func(o TokensObservation, j *scenarios.Judge) {
		o.given(j)
		for _, shown := range []host.Answered{o.Inspected, o.Other} {
			if !j.Check(openwop.OWPINT36, shown.Status).To(check.Status(http.StatusOK), "%s", shown.Asked) {
				return
			}
			j.Check(openwop.OWPINT36, shown.Body.Key("key")).To(check.Text(), "its key")
			if o.Event {
				j.Check(openwop.OWPINT36, shown.Body.Key("kind")).To(check.Equal("external-event"), "its kind")
				j.Check(openwop.OWPINT36, shown.Body.At("/data/eventType")).To(check.Text(), "the type of event in its data")
				j.Check(openwop.OWPINT36, shown.Body.Key("expiresAt")).To(host.Timestamp(), "when it ends")
				continue
			}
			j.Check(openwop.OWPINT36, shown.Body.Key("kind")).To(check.Equal("approval"), "its kind")
			j.Check(openwop.OWPINT36, shown.Body.At("/data/actions")).To(check.That("a list with accept and reject", func(v any) bool {
				return host.Holds(v, "accept") && host.Holds(v, "reject")
			}), "the actions in its data")
			j.Check(openwop.OWPINT36, shown.Body.Key("expiresAt")).To(host.Timestamp(), "when it ends")
		}
		if o.Draft != "" {
			j.Check(openwop.OWPINT36, o.Inspected.Body.Key("data")).To(host.Holding(o.Draft), "its data, of a random draft")
		}
	}),
}

var tokenAnswers = scenarios.Scenario{
	ID:     "openwop/interrupts/token-answers",
	Title:  "the token of an interrupt answers it without another credential",
	Proves: scenarios.IDs{openwop.OWPINT37},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(tokensUsed, func(o TokensObservation, j *scenarios.Judge) {
		o.given(j)
		o.First.unspoilt(j, openwop.OWPINT39, o.Forged...)
		if !j.Check(openwop.OWPINT37, o.Used.Status).To(check.Status(2), "%s", o.Used.Asked) || !j.Check(openwop.OWPINT37,
			o.FirstEnd.Ended).To(check.Reached(), "after it was answered") {
			return
		}
		o.FirstEnd.Readable(j)
		j.Check(openwop.OWPINT37, o.FirstEnd.Status()).To(check.Equal("completed"), "status of the run")
		if o.First.Ours {
			j.Check(openwop.OWPINT37, carried(o.FirstEnd)).To(someHolding(o.Used.Marker), "what the run was given, behind the gate")
		}
	}),
}

// The controls are the first use of one token, and the other token's run, which
// waited until it was cancelled.
var tokenSpent = scenarios.Scenario{
	ID:     "openwop/interrupts/token-spent",
	Title:  "a token that was used, and one whose run was cancelled, is refused and changes nothing",
	Proves: scenarios.IDs{openwop.OWPINT38},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(tokensUsed, func(o TokensObservation, j *scenarios.Judge) {
		o.given(j)
		o.Used.accepted(j, openwop.OWPINT16, o.FirstEnd)
		j.Check(openwop.OWPINT38, o.Again.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone), "%s", o.Again.Asked)
		checkUntouched(j, openwop.OWPINT38, o.FirstEnd, o.Again.After, o.Again.Asked)
		checkNoTrace(j, openwop.OWPINT38, o.Again.After, o.Again)
		if !host.Succeeded(o.Cancelled.Status) || o.SecondEnd.Status().String() != "cancelled" {
			j.Block("setup failed: the waiting run cannot be cancelled: HTTP "+o.Cancelled.Status.JSON(), "serve {cancel run}")
		}
		j.Check(openwop.OWPINT38, o.Late.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone), "%s", o.Late.Asked)
		checkUntouched(j, openwop.OWPINT38, o.SecondEnd, o.Late.After, o.Late.Asked)
		checkNoTrace(j, openwop.OWPINT38, o.Late.After, o.Late)
		for _, a := range []Response{o.Again, o.Late} {
			if code := a.HTTPStatus(); code == http.StatusNotFound || code == http.StatusGone {
				j.Find("", "%s is refused with HTTP %d; 409 is the canonical refusal", a.Asked, code)
			}
		}
	}),
}

// The control is the first run, which its own token answers.
var tokenOwn = scenarios.Scenario{
	ID:     "openwop/interrupts/token-own",
	Title:  "a token answers the interrupt it was made for and no other, and one that nobody made answers none",
	Proves: scenarios.IDs{openwop.OWPINT4, openwop.OWPINT39},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(tokensUsed, func(o TokensObservation, j *scenarios.Judge) {
		o.given(j)
		for _, f := range o.Forged {
			j.Check(openwop.OWPINT39, f.Status).To(check.Status(4), "%s", f.Asked)
			o.First.checkUnmoved(j, openwop.OWPINT39, f.After, f.Asked)
		}
		host.SentinelEnded(j, o.Barrier)
		o.Used.taken(j)
		o.Second.checkUnmoved(j, openwop.OWPINT4, o.Untouched, "the token of the first was used")
		checkNoTrace(j, openwop.OWPINT4, o.Untouched, o.Used)
		o.Used.accepted(j, openwop.OWPINT16, o.FirstEnd)
		checkNoTrace(j, openwop.OWPINT39, o.FirstEnd, o.Forged...)
	}),
}

// leeway allows for time between the suspension and its token: a slow host may make the token only when it is read.
const leeway = 5 * time.Second

var tokenLife = scenarios.Scenario{
	ID:     "openwop/interrupts/token-life",
	Title:  "a token does not outlive the timeoutMs of its interrupt, and without one it ends after 30 minutes",
	Proves: scenarios.IDs{openwop.OWPINT40, openwop.OWPINT41},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(tokensUsed, func(o TokensObservation, j *scenarios.Judge) {
		o.given(j)
		if o.Timeout == 0 {
			j.Block("upstream's approval has no timeoutMs", "offer assay-approval or assay-scripted-artifact")
		}
		if !host.Succeeded(o.Inspected.Status) || !host.Succeeded(o.Other.Status) {
			const reason = "setup failed: the tokens do not show when they expire"
			for _, shown := range []host.Answered{o.Inspected, o.Other} {
				if shown.HTTPStatus()/100 == 4 {
					j.Violates(openwop.OWPINT36, shown.Status, reason)
				}
			}
			j.Block(reason, "serve {read token}")
		}
		j.Check(openwop.OWPINT40, o.Inspected.Body.Key("expiresAt")).To(endsIn(o.Timeout, o.First), "when the token ends")
		j.Check(openwop.OWPINT41, o.Other.Body.Key("expiresAt")).To(endsIn(30*time.Minute, o.Second), "when the token ends that has no timeoutMs")
	}),
}

// endsIn matches a time after the run's suspension and at most life later, by the host's own clock.
func endsIn(life time.Duration, g Gate) check.Matcher {
	suspended := suspensions(g.Log, g.Node)
	return check.That(fmt.Sprintf("after the suspension, and no later than %s after it", life), func(v any) bool {
		s, _ := v.(string)
		ends, err := time.Parse(time.RFC3339, s)
		since, known := host.TimeOf(suspended.Last())
		return err == nil && (!known || ends.After(since) && !ends.After(since.Add(life+leeway)))
	})
}

// waited blocks the judge unless the run waited. The log is enough: a short wait
// may end before a snapshot shows it.
func (o ExpiredObservation) waited(j *scenarios.Judge) {
	if o.End.Ended.Reached && len(suspensions(o.Log, o.Node).Values) > 0 {
		return
	}
	o.Log.Exists(j, openwop.OWPCAP19)
	o.Log.Readable(j)
	o.ran(j)
	j.Reach(o.Suspended, haveItWait)
}

var gateExpires = scenarios.Scenario{
	ID:     "openwop/interrupts/expires",
	Title:  "an approval that nobody answers in its timeoutMs is rejected by itself, and not before",
	Proves: scenarios.IDs{openwop.OWPINT44},
	Claim:  claims.InterruptExpiry,
	Ask: scenarios.Ask(approvalExpired, func(o ExpiredObservation, j *scenarios.Judge) {
		o.waited(j)
		j.Part(func() { checkRejected(j, openwop.OWPINT44, o.Gate, o.End, "reject", "timeout", "timed", "expired") })
		since, known := beganAt(o.End, o.Node)
		if ended := o.End.Terminals(); known && len(ended.Values) > 0 {
			j.Check(openwop.OWPINT44, ended.Last().Key("timestamp")).To(notBefore(since.Add(o.Timeout), rounding(o.End)),
				"when the run ended that had %s to wait", o.Timeout)
		}
		o.Asked.checkExpires(j)
		o.checkBranch(j)
	}),
}

// checkBranch expects a branch in which the time of the approval was over to have waited as long itself.
func (o ExpiredObservation) checkBranch(j *scenarios.Judge) {
	l := o.Branch
	ended, code := l.Terminals(), func(l host.RunLog) string { return l.Terminals().Last().At("/payload/error/code").JSON() }
	since, known := beganAt(l, o.Node)
	if l.RunID == "" || !known || len(ended.Values) == 0 || code(l) != code(o.End) {
		return
	}
	j.Check(openwop.OWPINT44, ended.Last().Key("timestamp")).To(notBefore(since.Add(o.Timeout), rounding(l)),
		"when a branch ended that had %s to wait", o.Timeout)
}

// checkExpires expects an approval that was asked about to be rejected by itself, if what it waits for now shows a timeoutMs.
func (o AskedExpired) checkExpires(j *scenarios.Judge) {
	requested := o.End.OfType(dialect.InterruptRequested).Where(func(e wire.Value) bool { return isOf(e, o.Node) })
	if len(requested.Values) < 2 || !requested.Last().At("/payload/timeoutMs").Present() {
		return
	}
	checkRejected(j, openwop.OWPINT44, o.Gate, o.End, "reject", "timeout", "timed", "expired")
}

// beganAt returns when the node started, and with it the timeout; if the log does not say, when it was suspended.
func beganAt(l host.RunLog, node string) (time.Time, bool) {
	began := l.OfType(dialect.NodeStarted).Where(func(e wire.Value) bool { return isOf(e, node) })
	began.Values = began.Values[:min(1, len(began.Values))] // a host may start the node again when it resumes
	if since, known := host.TimeOf(began.Last()); known {
		return since, true
	}
	return host.TimeOf(suspensions(l, node).Last())
}

// rounding returns how much the log's timestamps may be off: a second if none has a fraction.
func rounding(l host.RunLog) time.Duration {
	for _, e := range l.Events {
		if strings.Contains(e.Key("timestamp").String(), ".") {
			return 20 * time.Millisecond
		}
	}
	return time.Second
}

// notBefore matches a time no earlier than least, up to rounding.
func notBefore(least time.Time, lost time.Duration) check.Matcher {
	return check.That("no earlier than "+least.Format(time.RFC3339Nano), func(v any) bool {
		s, _ := v.(string)
		at, err := time.Parse(time.RFC3339, s)
		return err == nil && !at.Before(least.Add(-lost))
	})
}

var gateExpired = scenarios.Scenario{
	ID:     "openwop/interrupts/expired",
	Title:  "an approval whose time is over takes no answer any more, by its node or by its token",
	Proves: scenarios.IDs{openwop.OWPINT45},
	Claim:  claims.InterruptExpiry,
	Ask: scenarios.Ask(approvalExpired, func(o ExpiredObservation, j *scenarios.Judge) {
		o.waited(j)
		j.Need(openwop.OWPINT44, o.End.Ended)
		o.End.Readable(j)
		j.Check(openwop.OWPINT45, o.AtNode.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone),
			"%s at its node", o.AtNode.Asked)
		checkUntouched(j, openwop.OWPINT45, o.End, o.AtNode.After, o.AtNode.Asked)
		checkNoTrace(j, openwop.OWPINT45, o.AtNode.After, o.AtNode)
		if !o.Tokened {
			return
		}
		j.Check(openwop.OWPINT45, o.Token.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone), "%s", o.Token.Asked)
		if code := o.Token.HTTPStatus(); code == http.StatusNotFound {
			j.Find("", "%s is refused with HTTP %d; 410 is the canonical refusal", o.Token.Asked, code)
		}
		checkUntouched(j, openwop.OWPINT45, o.End, o.Token.After, o.Token.Asked)
		checkNoTrace(j, openwop.OWPINT45, o.Token.After, o.Token)
	}),
}
