package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// LifecycleObservation holds the replies to steps that the state machine lacks, and to the same steps where it has
// them.
type LifecycleObservation struct {
	Draft      host.Reply `json:"draft"` // the reply to suspending a draft
	DraftEnd   host.Reply `json:"draftEnd"`
	Done       host.Reply `json:"done"` // the reply to suspending a completed intent
	DoneEnd    host.Reply `json:"doneEnd"`
	Active     host.Reply `json:"active"`     // the reply to suspending an active intent
	Completing host.Reply `json:"completing"` // the reply to completing that intent while it is suspended
	Waiting    host.Reply `json:"waiting"`
	Answer     host.Reply `json:"answer"`
	Completed  wire.Wait  `json:"completed"` // after the answer
	Bare       host.Reply `json:"bare"`      // the reply to completing one that was suspended without a record; there need be none
	BareEnd    host.Reply `json:"bareEnd"`
}

var lifecycleSteps = &scenarios.Drive[LifecycleObservation]{
	ID: "openintent/lifecycle", Title: "suspends intents in every status, and completes one that waits",
	Sends: []string{
		"POST /intents, 3 times", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"POST /intents/{id}/suspend/respond", "GET /intents/{id}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LifecycleObservation) {
		s := host.Open(ctx, c)
		for _, k := range []struct {
			status     string
			reply, end *host.Reply
		}{{host.Draft, &o.Draft, &o.DraftEnd}, {host.Completed, &o.Done, &o.DoneEnd}} {
			before := k.status
			if k.status == host.Completed {
				before = host.Active
			}
			i := s.NewIntent(ctx, k.status, before, nil)
			if k.status == host.Completed {
				i.Finish(ctx)
			}
			err := scenarios.Try(func() { i.Record(ctx, s.Question("text")) })
			if !host.IsBlocked(err) { // a server may refuse the record already
				scenarios.End(err)
			}
			*k.reply = i.Set(ctx, host.Suspended, "suspend one that is "+k.status)
			*k.end = i.Read(ctx, "the intent that was "+k.status)
		}
		i, sus := s.Waiting(ctx, "active")
		o.Active = sus.Status
		o.Completing = i.Set(ctx, host.Completed, "complete one that waits")
		o.Waiting = i.Read(ctx, "the intent after that")
		if o.Waiting.Body.Key("status").String() != host.Suspended { // nothing is left to answer
			return
		}
		o.Answer = i.MustAnswer(ctx, sus.ID, "go on")
		i.Set(ctx, host.Completed, "complete it after the answer")
		o.Completed = i.Becomes(ctx, "the answered intent is completed", host.Completed)
		if c.Depth > scenarios.Quick {
			bare := s.NewIntent(ctx, "bare", host.Active, nil)
			if now := bare.Set(ctx, host.Suspended, "suspend one without a record"); now.Body.Key("status").String() == host.Suspended {
				o.Bare = bare.Set(ctx, host.Completed, "complete one that waits and has no record yet")
				o.BareEnd = bare.Read(ctx, "the intent without a record after that")
			}
		}
	},
}

// LeasesObservation holds the replies to requests for leases on suspended intents, and on an active one.
type LeasesObservation struct {
	Waits     string       `json:"waits,omitempty"`   // the id of the suspended intent whose lease runs out
	Active    string       `json:"active,omitempty"`  // that of the active one
	Seconds   int          `json:"seconds,omitempty"` // of the lease, where the server gave no short one
	Held      host.Reply   `json:"held"`
	Renewed   host.Reply   `json:"renewed"`   // while the intent is suspended
	Taken     host.Reply   `json:"taken"`     // a short lease
	Strangers []host.Reply `json:"strangers"` // to another agent, after the lease ran out on the suspended intent
	Status    wire.Value   `json:"status"`    // of that intent then
	Free      host.Reply   `json:"free"`      // to another agent, after the lease ran out on an active intent
	// Also holds claims on other suspended intents.
	Also []Overrun `json:"also,omitempty"`
	// Second is the reply to another agent's claim on a second part of the suspended intent, whose lease has run out as well.
	Second host.Reply `json:"second,omitzero"`
}

// Overrun is a claim by another agent on an intent whose lease has run out.
type Overrun struct {
	Of    string     `json:"of"` // how the intent differs from the plain one
	Reply host.Reply `json:"reply"`
	Still wire.Value `json:"still"` // the status of the intent after that
}

// secondScope is a part of an intent beside the usual one.
const secondScope = "review"

var leaseRenewed = &scenarios.Drive[LeasesObservation]{
	ID: "openintent/lease-renewed", Title: "renews a lease on an intent that waits",
	Sends: []string{"POST /intents", "POST /intents/{id}/leases", "PATCH /intents/{id}/leases/{lease}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LeasesObservation) {
		s := host.Open(ctx, c)
		i := s.NewIntent(ctx, "leased", host.Active, nil)
		seconds := 0
		o.Held, seconds = i.AnyLease(ctx, "a lease")
		i.Suspend(ctx, s.Question("text"))
		o.Renewed = i.Renew(ctx, "renew the lease", o.Held.Body.Key("id").String(), 10*seconds)
	},
}

// shortLeases are durations in seconds. The longer ones are for a server that is slow to suspend an intent.
var shortLeases = []int{1, 4, 16}

// afterLease is the time after the end of a lease at which the other agent tries.
const afterLease = 600 * time.Millisecond

// leases are intents under leases that run out at about the same time.
type leases struct {
	waits, free *host.Intent // one that is suspended, and one that is active
	also        []lent       // others that are suspended; none at quick
	taken       host.Reply
	second      bool // two parts of the suspended intent are leased
	overdue     bool // a lease may have run out before its intent was suspended, which would prove nothing
}

// lent is a suspended intent with a lease. of says how it differs from the plain one.
type lent struct {
	*host.Intent
	of string
}

// leased makes intents under leases of so many seconds.
func leased(ctx context.Context, s *host.Server, c *scenarios.Conn, seconds int) (l leases) {
	l.waits = s.NewIntent(ctx, "leased", host.Active, nil)
	l.free = s.NewIntent(ctx, "leased", host.Active, nil)
	l.free.MustLease(ctx, "a short lease, elsewhere", seconds)
	suspend := func(i *host.Intent) host.Reply {
		began := c.Now()
		taken := i.MustLease(ctx, "a short lease", seconds)
		if i == l.waits && c.Depth > scenarios.Quick {
			l.second = i.Lease(ctx, "a short lease of another part", secondScope, seconds).Ok()
		}
		i.Suspend(ctx, s.Question("text"))
		l.overdue = l.overdue || c.Now().Sub(began) >= time.Duration(seconds)*time.Second
		return taken
	}
	if l.taken = suspend(l.waits); c.Depth == scenarios.Quick {
		return l
	}
	renewed := s.NewIntent(ctx, "leased", host.Active, nil)
	lease := suspend(renewed).Body.Key("id").String()
	if renewed.Renew(ctx, "renew the lease for as short a time", lease, seconds).Ok() {
		l.also = append(l.also, lent{renewed, "the lease was renewed meanwhile"})
	}
	for _, k := range []struct {
		of      string
		suspend func(i *host.Intent) bool
	}{
		{"it was suspended without a record", func(i *host.Intent) bool {
			return i.Set(ctx, host.Suspended, "suspend one without a record").Ok()
		}},
		// The lease runs out, and is asked for, in the second of the windows.
		{"somebody is reminded of it", func(i *host.Intent) bool {
			err := scenarios.Try(func() { i.Suspend(ctx, s.Question("text").Retried(reminders, seconds, nil)) })
			if !host.IsBlocked(err) { // a server may take no such record
				scenarios.End(err)
			}
			return err == nil
		}},
	} {
		i, began := s.NewIntent(ctx, "leased", host.Active, nil), c.Now()
		i.MustLease(ctx, "a short lease", seconds)
		if k.suspend(i) && c.Now().Sub(began) < time.Duration(seconds)*time.Second {
			l.also = append(l.also, lent{i, k.of})
		}
	}
	return l
}

// reminders are so many that the last window is far from over when somebody else asks for the lease.
const reminders = 5

var leaseKept = &scenarios.Drive[LeasesObservation]{
	ID: "openintent/lease-kept",
	Title: "lets short leases run out, on an intent that waits and on one that does not, and has somebody else take them; beyond " +
		"quick, also one that was renewed while its intent waits, and ones on an intent without a record and on one with reminders",
	Sends: []string{"POST /intents, twice", "POST /intents/{id}/leases, with two keys", "PATCH /intents/{id}/leases/{lease}"},
	Waits: 2 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *LeasesObservation) {
		s := host.Open(ctx, c)
		host.Second(c) // before anything is made
		lease, l := 0, leases{overdue: true}
		for _, lease = range shortLeases {
			refused := scenarios.Try(func() { l = leased(ctx, s, c, lease) })
			if host.IsBlocked(refused) {
				o.longLease(ctx, s, c, refused)
			}
			scenarios.End(refused)
			if o.Taken = l.taken; !l.overdue {
				break
			}
		}
		if l.overdue {
			scenarios.End(scenarios.Block(
				fmt.Sprintf("a lease of %d s ran out before its intent was suspended", lease), "answer faster"))
		}
		scenarios.End(wire.Pause(ctx, time.Duration(lease)*time.Second+afterLease))
		o.others(ctx, c, l)
	},
	Later: func(ctx context.Context, c *scenarios.Conn, o *LeasesObservation) {
		s := host.Open(ctx, c)
		o.others(ctx, c, leases{waits: s.Again(o.Waits, ""), free: s.Again(o.Active, "")})
	},
}

// longLease tries longer leases where the server gave no short one, and ends the drive: until the first that it gives has run out,
// or with the refusal of the short one.
func (o *LeasesObservation) longLease(ctx context.Context, s *host.Server, c *scenarios.Conn, refused error) {
	for _, lease := range scenarios.LongLimits() {
		err := scenarios.Try(func() {
			l := leased(ctx, s, c, int(lease.Seconds()))
			o.Taken, o.Waits, o.Active, o.Seconds = l.taken, l.waits.ID, l.free.ID, int(lease.Seconds())
		})
		switch {
		case err == nil:
			s.Until("a lease", lease+afterLease, host.NameOf(o.Waits), host.NameOf(o.Active))
		case !host.IsBlocked(err):
			scenarios.End(err)
		}
	}
	scenarios.End(refused)
}

// strangers is how often, at each depth, somebody else asks for the lease of the intent that waits.
var strangers = [scenarios.Deep + 1]int{1, 5, 6}

// others has another agent take the leases, which have run out.
func (o *LeasesObservation) others(ctx context.Context, c *scenarios.Conn, l leases) {
	other := host.Second(c)
	take := func(i *host.Intent) host.Reply {
		return i.LeaseAs(ctx, other, "somebody else's lease", max(60, o.Seconds))
	}
	for range strangers[c.Depth] {
		o.Strangers = append(o.Strangers, take(l.waits))
	}
	if l.second {
		o.Second = l.waits.LeaseOf(ctx, other, "somebody else's lease of the other part", secondScope, max(60, o.Seconds))
	}
	for _, k := range l.also {
		reply := take(k.Intent)
		still := k.Read(ctx, "the intent after that, where "+k.of).Body.Key("status")
		o.Also = append(o.Also, Overrun{k.of, reply, still})
	}
	o.Free = take(l.free)
	o.Status = l.waits.Read(ctx, "the intent that waits").Body.Key("status")
}
