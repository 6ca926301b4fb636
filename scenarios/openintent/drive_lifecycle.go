package openintent

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// LifecycleObservation are steps that the state machine does not have, and the same steps where it has them.
type LifecycleObservation struct {
	Draft      Reply     `json:"draft"` // to suspending one
	DraftEnd   Reply     `json:"draftEnd"`
	Done       Reply     `json:"done"` // to suspending one that is completed
	DoneEnd    Reply     `json:"doneEnd"`
	Active     Reply     `json:"active"`     // to suspending an active one, which there is
	Completing Reply     `json:"completing"` // to completing that one while it waits
	Waiting    Reply     `json:"waiting"`
	Answer     Reply     `json:"answer"`
	Completed  wire.Wait `json:"completed"` // after the answer
}

var lifecycleSteps = &scenarios.Drive[LifecycleObservation]{
	ID: "openintent/lifecycle", Title: "suspends intents in every status, and completes one that waits",
	Sends: []string{"POST /intents, 3 times", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LifecycleObservation) {
		s := open(ctx, c)
		for _, k := range []struct {
			status    string
			said, end *Reply
		}{{draft, &o.Draft, &o.DraftEnd}, {completed, &o.Done, &o.DoneEnd}} {
			i := s.mk(ctx, k.status, map[string]string{draft: draft, completed: active}[k.status], nil)
			if k.status == completed {
				i.finish(ctx)
			}
			if err := scenarios.Try(func() { i.record(ctx, s.question("text")) }); !isBlocked(err) { // a server may refuse that already
				scenarios.End(err)
			}
			*k.said = i.set(ctx, suspended, "suspend one that is "+k.status)
			*k.end = i.read(ctx, "the intent that was "+k.status)
		}
		i, sus := s.waiting(ctx, "active")
		o.Active = sus.Status
		o.Completing = i.set(ctx, completed, "complete one that waits")
		o.Waiting = i.read(ctx, "the intent after that")
		if o.Waiting.Body.Key("status").String() != suspended { // nothing waits any more
			return
		}
		o.Answer = i.mustAnswer(ctx, sus.ID, "go on")
		i.set(ctx, completed, "complete it after the answer")
		o.Completed = i.becomes(ctx, "the answered intent is completed", completed)
	},
}

// LeasesObservation are leases on intents that wait, and on one that does not.
type LeasesObservation struct {
	Held     Reply      `json:"held"`
	Renewed  Reply      `json:"renewed"`  // while the intent waits
	Taken    Reply      `json:"taken"`    // a short lease
	Stranger Reply      `json:"stranger"` // somebody else's, after it was over, while the intent waits
	Status   wire.Value `json:"status"`   // of the intent then
	Free     Reply      `json:"free"`     // the same on an intent that does not wait
}

const scope = "assay"

var leaseRenewed = &scenarios.Drive[LeasesObservation]{
	ID: "openintent/lease-renewed", Title: "renews a lease on an intent that waits",
	Sends: []string{"POST /intents", "POST /intents/{id}/leases", "PATCH /intents/{id}/leases/{lease}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LeasesObservation) {
		s := open(ctx, c)
		i := s.mk(ctx, "leased", active, nil)
		o.Held = i.mustLease(ctx, "a lease", 60)
		i.suspend(ctx, s.question("text"))
		o.Renewed = i.ask(ctx, "renew the lease", http.MethodPatch, at("/intents/%s/leases/%s", i.ID, o.Held.Body.Key("id").String()), map[string]any{"duration_seconds": 600})
	},
}

// mustLease claims a part of an intent, or stops the drive.
func (i *intent) mustLease(ctx context.Context, label string, seconds int) Reply {
	said := i.lease(ctx, label, scope, seconds)
	switch {
	case missingRoute(said):
		scenarios.End(scenarios.NotThere(said.Status, "leases on intents (POST "+i.prefix+"/intents/{id}/leases)"))
	case !said.ok() || said.Body.Key("id").String() == "":
		i.setUp("take a lease on an intent", said)
	}
	return said
}

// shortLeases are how long a lease is, in seconds: longer ones are for a server that takes that long to have an intent wait.
var shortLeases = []int{1, 4, 16}

// afterLease is how long after the end of a lease somebody else tries.
const afterLease = 600 * time.Millisecond

// leased makes an intent that waits and holds a lease, and one with a lease that does not wait. overdue says that the lease may
// have run out before the intent waited, which shows nothing.
func (s *server) leased(ctx context.Context, c *scenarios.Conn, seconds int) (waits, free *intent, taken Reply, overdue bool) {
	waits = s.mk(ctx, "leased", active, nil)
	free = s.mk(ctx, "leased", active, nil)
	free.mustLease(ctx, "a short lease, elsewhere", seconds)
	began := c.Now()
	taken = waits.mustLease(ctx, "a short lease", seconds)
	waits.suspend(ctx, s.question("text"))
	return waits, free, taken, c.Now().Sub(began) >= time.Duration(seconds)*time.Second
}

var leaseKept = &scenarios.Drive[LeasesObservation]{
	ID: "openintent/lease-kept", Title: "lets short leases run out, on an intent that waits and on one that does not, and has somebody else take them",
	Sends: []string{"POST /intents, twice", "POST /intents/{id}/leases, with two keys"}, Waits: 2 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *LeasesObservation) {
		s := open(ctx, c)
		other := second(c)
		var waits, free *intent
		lease, overdue := 0, true
		for _, lease = range shortLeases {
			waits, free, o.Taken, overdue = s.leased(ctx, c, lease)
			if !overdue {
				break
			}
		}
		if overdue {
			scenarios.End(scenarios.Block(fmt.Sprintf("a lease of %d s was over before the intent that it is on waited", lease), "answer faster"))
		}
		scenarios.End(wire.Pause(ctx, time.Duration(lease)*time.Second+afterLease))
		for _, k := range []struct {
			on   *intent
			said *Reply
		}{{waits, &o.Stranger}, {free, &o.Free}} {
			call := s.call("somebody else's lease", http.MethodPost, at("/intents/%s/leases", k.on.ID), map[string]any{"scope": scope, "duration_seconds": 60})
			reply := other.Do(ctx, call)
			if reply.Status == http.StatusUnauthorized {
				scenarios.End(unknownVoter())
				return
			}
			*k.said = replied(call.Label, reply)
		}
		now := waits.read(ctx, "the intent that waits")
		o.Status = now.Body.Key("status")
	},
}
