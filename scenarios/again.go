package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Again asks a part of a certification's scenarios once more, and so finds hosts that behave only while they believe
// that they are looked at. Each time it draws a third of those that passed or failed, another order, other names and
// other values. All of it follows from the seed and the run id of the certification.
type Again struct {
	Times int
	Over  time.Duration // the times lie within it, from the end of the certification on
	// Salts are those of which the target has the fixtures, for one time each, in turn; nil leaves the names of the
	// fixtures as they were.
	Salts []string

	Now  func() time.Time                           // default time.Now
	Wait func(context.Context, time.Duration) error // default [wire.Pause]
	Told func(n int, at time.Duration, asked int)   // is called before the n-th time, counted from 1; nil for nobody
}

// Repetition is one time at which a part of the scenarios was asked again.
type Repetition struct {
	At          time.Duration // since the certification was over, as drawn
	Started     time.Time     // zero if it was not begun
	Seconds     float64
	Seed        uint64
	RunID       RunID
	Salt        string
	Asked       []ScenarioID // in the order in which they were asked
	Stopped     string       // why nothing was asked, "" if it was
	Differences []Difference
	Breaches    []Breach // of requirements that were not seen violated before; the drive is below [RepetitionDir]
	Fault       string   // of Assay outside all scenarios, "" for none
	Report      *Report  // nil if nothing was asked, or if it was derived
}

// Difference is a scenario that came out otherwise when it was asked again.
type Difference struct {
	Scenario    ScenarioID
	Before, Now Verdict
	Reason      string
}

// share is the part of the scenarios that is asked again each time: one in so many.
const share = 3

// Ask asks the target again and adds what came of it to the report, whose options, target and suites these are. It
// returns the error of the context if that ends, and keeps what was seen until then.
func (a Again) Ask(ctx context.Context, target wire.Target, r *Report, o Options, suites ...Suite) error {
	if a.Now == nil {
		a.Now = time.Now
	}
	if a.Wait == nil {
		a.Wait = wire.Pause
	}
	over, spent := a.Now(), r.Spent
	plan, err := a.plan(r)
	if err != nil {
		return err
	}
	defer func() {
		r.repeated()
		r.derive(r.discovery())
	}()
	for n, next := range plan {
		if err := a.Wait(ctx, next.At-a.Now().Sub(over)); err != nil {
			return err
		}
		if a.Told != nil {
			a.Told(n+1, next.At, len(next.Asked))
		}
		left, some := spent.Left(o.Most)
		if !some { // which says nothing of the target
			next.Stopped = "the operator allows no more: what there was is spent"
			r.Repetitions = append(r.Repetitions, next)
			continue
		}
		next.ask(ctx, target, r, o, left, suites)
		if next.Report != nil {
			spent = spent.Plus(next.Report.Spent)
		}
		if err := ctx.Err(); err != nil { // its scenarios were cut off, which says nothing of the target
			return err
		}
		next.compare(n+1, r)
		r.Repetitions = append(r.Repetitions, next)
	}
	return nil
}

// plan draws what is asked when, in the order of time.
func (a Again) plan(r *Report) ([]Repetition, error) {
	var decided []ScenarioID
	for _, o := range r.Outcomes {
		if o.Verdict == Passed || o.Verdict == Failed {
			decided = append(decided, o.Scenario.ID)
		}
	}
	d := NewDraws(r.Seed, r.RunID.ID, "again")
	at := make([]time.Duration, a.Times)
	for n := range at {
		at[n] = time.Duration(d.Float64() * float64(a.Over))
	}
	slices.Sort(at)
	out := make([]Repetition, a.Times)
	for n := range out {
		out[n] = Repetition{At: at[n], Seed: d.Uint64() >> 32, RunID: RunID{ID: d.name(), Given: true}, Salt: r.Protocol.Salt}
		if len(a.Salts) > 0 {
			out[n].Salt = a.Salts[n%len(a.Salts)]
			if !IsSalt(out[n].Salt) || r.Protocol.Salted == nil {
				return nil, fmt.Errorf("fixtures of %s with names drawn from %q: give %s, for a protocol that has fixtures", r.Protocol.ID,
					out[n].Salt, SaltForm)
			}
		}
		for _, i := range d.random.Perm(len(decided))[:(len(decided)+share-1)/share] {
			out[n].Asked = append(out[n].Asked, decided[i])
		}
	}
	return out, nil
}

// ask certifies the target for the scenarios of the repetition.
func (a *Repetition) ask(ctx context.Context, target wire.Target, r *Report, o Options, left wire.Spent, suites []Suite) {
	if len(a.Asked) == 0 {
		a.Stopped = "no scenario had passed or failed"
		return
	}
	o.Seed, o.RunID, o.Most = a.Seed, a.RunID.ID, left
	o.Announced, o.Launch, o.Resume, o.Nonce = time.Time{}, false, nil, ""
	o.Select = Selection{ExpectClaims: r.Select.ExpectClaims}
	for _, id := range a.Asked {
		o.Select.Scenarios = append(o.Select.Scenarios, string(id))
	}
	asked, err := inOrder(a.Asked, suites)
	if err == nil && a.Salt != r.Protocol.Salt {
		asked, err = Salted(a.Salt, asked)
	}
	var c *Certification
	if err == nil {
		c, err = Certify(ctx, target, o, asked...)
	}
	if err != nil {
		a.Stopped = err.Error()
		return
	}
	a.Report = c.Finish(context.WithoutCancel(ctx))
	a.Started, a.Seconds, a.Fault = a.Report.Started, a.Report.Seconds, a.Report.Fault
}

// inOrder returns a suite for each of these scenarios, in their order.
func inOrder(ids []ScenarioID, suites []Suite) ([]Suite, error) {
	of := map[ScenarioID]Suite{}
	for _, suite := range suites {
		for _, s := range suite.Scenarios {
			one := suite
			one.Scenarios = []Scenario{s}
			of[s.ID] = one
		}
	}
	out := make([]Suite, len(ids))
	for i, id := range ids {
		one, known := of[id]
		if !known {
			return nil, fmt.Errorf("the scenario %s is in none of the suites", id)
		}
		out[i] = one
	}
	return out, nil
}

// RepetitionDir returns the folder of the n-th repetition, counted from 1, below that of the certification.
func RepetitionDir(n int) string { return fmt.Sprintf("%s/%d", repetitionsDir, n) }

const repetitionsDir = "again"

// IsRepetitionDir reports whether a path is one that [RepetitionDir] returns.
func IsRepetitionDir(path string) bool {
	number, below := strings.CutPrefix(path, repetitionsDir+"/")
	n, err := strconv.Atoi(number)
	return below && err == nil && n > 0
}

// compare notes what came out otherwise than at first, and what was seen violated and was not before.
func (a *Repetition) compare(n int, r *Report) {
	before := map[ScenarioID]Outcome{}
	for _, o := range r.Outcomes {
		before[o.Scenario.ID] = o
	}
	if a.Report == nil {
		for _, id := range a.Asked {
			a.Differences = append(a.Differences, Difference{id, before[id].Verdict, Inconclusive, a.Stopped})
		}
		return
	}
	for _, o := range a.Report.Outcomes {
		if was := before[o.Scenario.ID].Verdict; o.Verdict != was && !unaffordable(o) {
			a.Differences = append(a.Differences, Difference{o.Scenario.ID, was, o.Verdict, o.told()})
		}
	}
	known := violated(r.Breaches)
	for _, b := range a.Report.Breaches {
		if slices.Contains(known, b.Requirement) {
			continue
		}
		b.By, b.Drive = ByRepetition, RepetitionDir(n)+"/"+b.Drive
		a.Breaches = append(a.Breaches, b)
	}
}

// unaffordable reports whether a scenario was not asked for want of requests, runs or turns, which says nothing of the target.
func unaffordable(o Outcome) bool {
	return o.Verdict == Blocked && strings.Contains(o.Reason, wire.ErrSpent.Error())
}

// told returns in a line why an outcome is what it is, "" for a pass.
func (o Outcome) told() string {
	if f := o.Failure; f != nil {
		return fmt.Sprintf("%s: expected %s, got %s", f.Requirement, f.Expected, f.Actual)
	}
	return o.Reason
}

// repeated takes up what repetitions have shown: a requirement that was violated in one is violated, and a pass that came to
// no verdict in one proves nothing. It changes nothing the second time.
func (r *Report) repeated() {
	for _, a := range r.Repetitions {
		for _, b := range a.Breaches {
			if !slices.Contains(r.Breaches, b) {
				r.Breaches = append(r.Breaches, b)
			}
		}
		for _, d := range a.Differences {
			i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.Scenario.ID == d.Scenario })
			if i >= 0 && d.Before == Passed && d.Now != Failed {
				r.Outcomes[i].unrepeated = true
			}
		}
	}
}

// brokeAgain reports whether Assay itself broke in a repetition.
func (r *Report) brokeAgain() bool {
	return slices.ContainsFunc(r.Repetitions, func(a Repetition) bool {
		return a.Fault != "" || slices.ContainsFunc(a.Differences, func(d Difference) bool { return d.Now == Broken })
	})
}
