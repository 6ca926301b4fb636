// Package coordinator asks about the effects of each suspension policy of a coordinator.
package coordinator

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite coordinator.
func Suite() scenarios.Suite {
	type judge = func(CoordinatorObservation, *scenarios.Judge)
	one := func(name, title string, proves scenarios.IDs, judge judge) scenarios.Scenario {
		return scenarios.Scenario{
			ID: scenarios.ScenarioID("openintent/coordinator/" + name), Title: title, Proves: proves,
			Claim: claims.With(claims.Coordinator, claims.Graph),
			Ask: scenarios.Ask(coordinators, func(o CoordinatorObservation, j *scenarios.Judge) {
				o.givenPolicies(j)
				judge(o, j)
			}),
		}
	}
	return scenarios.Suite{
		ID: "coordinator", Title: "coordinators: what each suspension policy brings about",
		Scenarios: []scenarios.Scenario{
			one("policy-kept", "a coordinator lease keeps and shows its suspension_policy, which is isolate where none is named",
				scenarios.IDs{openintent.OIP0026P1, openintent.OIP0026P2}, CoordinatorObservation.judgeKept),
			one("unknown-policy", "a suspension_policy that is none of the three is refused",
				scenarios.IDs{openintent.OIPREAD8}, CoordinatorObservation.judgeUnknown),
			one("escalates", "under escalate a suspension is escalated",
				scenarios.IDs{openintent.OIP0026P5}, CoordinatorObservation.judgeEscalates),
			one("blocks-dependents", "under block_dependents the phases that are wired to the suspended one are paused",
				scenarios.IDs{openintent.OIP0026P4}, CoordinatorObservation.judgePauses),
			one("isolates", "under isolate nothing is escalated and nothing is paused",
				scenarios.IDs{openintent.OIP0026P3}, CoordinatorObservation.judgeIsolates),
			one("isolates-by-default", "under a lease that names no policy nothing is escalated and nothing is paused",
				scenarios.IDs{openintent.OIP0026P3}, CoordinatorObservation.judgeIsolatesByDefault),
		},
	}
}

const policy = host.SuspensionPolicy

// givenPolicies ends the judge if coordinators know no suspension policy at all.
func (o CoordinatorObservation) givenPolicies(j *scenarios.Judge) {
	for _, c := range []Coordinated{o.Escalate, o.Pause} {
		if c.Acted.Reached || c.Lease.Body.Key(policy).Present() || c.Shown.Body.Key(policy).Present() {
			return
		}
	}
	j.NotThere(o.Escalate.Lease.Body.Key(policy), "a suspension_policy of coordinator leases")
}

func (o CoordinatorObservation) judgeKept(j *scenarios.Judge) {
	for _, c := range []Coordinated{o.Escalate, o.Pause, o.Isolate} {
		j.Check(openintent.OIP0026P1, c.Lease.Body.Key(policy)).
			To(check.Equal(c.Policy), "suspension_policy of the lease")
		if c.Shown.Ok() {
			j.Check(openintent.OIP0026P1, c.Shown.Body.Key(policy)).
				To(check.Equal(c.Policy), "suspension_policy of the lease, read again")
		}
	}
	for n, lease := range o.Defaults {
		j.Check(openintent.OIP0026P2, lease.Body.Key(policy)).
			To(check.Equal("isolate"), "suspension_policy of a lease of type %s that names none", host.CoordinatorTypes[n])
	}
}

func (o CoordinatorObservation) judgeUnknown(j *scenarios.Judge) {
	j.Check(openintent.OIPREAD8, o.Bogus.Status).To(check.Status(4), "a suspension_policy of no text")
}

// judgeEscalates accepts an escalation in any of its places (OIP-R104).
func (o CoordinatorObservation) judgeEscalates(j *scenarios.Judge) {
	if j.Check(openintent.OIP0026P5, o.Escalate.Acted).To(check.Reached()) {
		j.Check(openintent.OIP0026P5, o.Escalate.Acted.Last).To(check.That("an escalation, or a coordinator that waits itself", func(v any) bool {
			event, _ := v.(map[string]any)
			status, _ := v.(string)
			return event["event_type"] == string(host.EventEscalation) || host.IsSuspended(status)
		}), "what shows it")
	}
	if o.Again.What != "" {
		j.Check(openintent.OIP0026P5, o.Again).To(check.Reached())
	}
}

func (o CoordinatorObservation) judgePauses(j *scenarios.Judge) {
	j.Check(openintent.OIP0026P4, o.Pause.Acted).To(check.Reached())
	j.Check(openintent.OIP0026P4, o.Pause.Wired.Body.Key("status")).To(check.That("neither going on nor at an end", func(v any) bool {
		s, _ := v.(string)
		return paused(s)
	}), "status of the phase that takes its input from the suspended one")
}

func (o CoordinatorObservation) judgeIsolates(j *scenarios.Judge) { o.judgeInert(j, o.Isolate) }

// judgeIsolatesByDefault leaves a lease alone that shows another policy than isolate: that isolate is what it gets is a SHOULD of its
// own.
func (o CoordinatorObservation) judgeIsolatesByDefault(j *scenarios.Judge) {
	all := []wire.Value{o.Unnamed.Lease.Body.Key(policy), o.Unnamed.Shown.Body.Key(policy)}
	for _, lease := range o.Defaults {
		all = append(all, lease.Body.Key(policy))
	}
	for _, shown := range all {
		if shown.Actual() != nil && shown.String() != "isolate" {
			j.Block("a lease that names no suspension_policy has "+shown.JSON(), "have isolate where a lease names no suspension_policy")
		}
	}
	o.judgeInert(j, o.Unnamed)
}

// judgeInert expects that a coordinator does nothing. It has a control: one of the other policies has an effect.
func (o CoordinatorObservation) judgeInert(j *scenarios.Judge, c Coordinated) {
	if !o.Pause.Acted.Reached {
		j.Need(openintent.OIP0026P5, o.Escalate.Acted)
	}
	c.Other.HasStatus(j)
	switch status := c.Other.Body.Key("status"); status.String() {
	case host.Active:
	case host.Suspended:
		j.Violates(openintent.OIP0026R1, status, "a phase that takes no input from the suspended one is suspended, too")
	default: // it depends on nothing
		j.Violates(openintent.OIP00024, status, "a phase that takes no input from the suspended one is "+status.JSON())
	}
	c.Parent.Log.Readable(j)
	c.Waits.Log.Readable(j)
	for _, log := range []host.Log{c.Parent.Log, c.Waits.Log} {
		j.Check(openintent.OIP0026P3, log.OfType(host.EventEscalation)).To(check.Len(0), "%s", host.EventEscalation)
	}
	for _, phase := range []struct {
		what   string
		status wire.Value
	}{{"the wired phase", c.Wired.Body.Key("status")}, {"the other phase", c.Other.Body.Key("status")}} {
		j.Check(openintent.OIP0026P3, phase.status).To(check.Equal(host.Active), "status of %s", phase.what)
	}
}
