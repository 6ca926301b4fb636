package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// chain is how many intents depend on each other in a row; whom each waits for is made before it.
var chain = &scenarios.Dimension{Name: "intents of a chain of dependencies", Least: 3, Most: [3]int{4, 6, 20}}

// DependenciesObservation is a chain of intents that was to be closed to a circle, and a dependent whose dependencies were taken away.
type DependenciesObservation struct {
	IDs     []string   `json:"ids"` // of the chain, the first of which waits for none
	Circles []Closing  `json:"circles"`
	Freed   []Releases `json:"freed"`
}

// Closing is a dependency of the first intent of a chain on another of it.
type Closing struct {
	On    int        `json:"on"`
	Reply host.Reply `json:"reply"`
	After host.Reply `json:"after"`
}

// Releases is a dependent before and after its dependencies that are not completed were taken away, one by one.
type Releases struct {
	Waits  string       `json:"waits"`  // the status of the last one that is taken away
	Before host.Reply   `json:"before"` // the dependent
	Open   host.Reply   `json:"open"`   // when one of them is left
	Taken  []host.Reply `json:"taken"`
	After  host.Reply   `json:"after"`
	// Apart is the dependent after a dependency that was removed is suspended again. Zero at quick.
	Apart host.Reply `json:"apart,omitzero"`
}

var dependencies = &scenarios.Drive[DependenciesObservation]{
	ID: "openintent/changed-dependencies",
	Title: "has intents depend on each other in a row and tries to close circles of each length, and takes dependencies away from one that " +
		"is blocked",
	Sends: []string{
		"POST /intents", "POST and DELETE /intents/{id}/dependencies", "POST /intents/{id}/state and /status", "GET /intents/{id}",
	},
	Dimensions: []*scenarios.Dimension{chain},
	Run: func(ctx context.Context, c *scenarios.Conn, o *DependenciesObservation) {
		s := host.Open(ctx, c)
		var row []*host.Intent
		var aside *host.Intent // nobody of the chain is waited for by it
		if c.Depth > scenarios.Quick {
			aside = s.NewIntent(ctx, "aside", host.Active, nil)
		}
		for n := range s.Draw(chain) {
			i := s.NewIntent(ctx, "chain", host.Active, nil)
			if n > 0 {
				// The circle may close through any of several dependencies.
				on := []*host.Intent{row[n-1]}
				if c.Depth > scenarios.Quick {
					on = [][]*host.Intent{{aside, row[n-1]}, {row[n-1], aside}, on}[(n-1+s.Rand.IntN(n))%3]
				}
				for _, other := range on {
					depend(ctx, i, other)
				}
			}
			row, o.IDs = append(row, i), append(o.IDs, i.ID)
		}
		for _, on := range s.Rand.Perm(len(row)) {
			k := Closing{On: on, Reply: row[0].DependOn(ctx, row[on])}
			k.After = row[0].Read(ctx, fmt.Sprintf("the first of a chain after it was to depend on the one %d behind it", on))
			o.Circles = append(o.Circles, k)
		}
		for _, waits := range []string{host.Suspended, host.Active, host.Abandoned} {
			o.Freed = append(o.Freed, release(ctx, s, waits))
		}
	},
}

func depend(ctx context.Context, i, on *host.Intent) {
	reply := i.DependOn(ctx, on)
	if host.MissingRoute(reply) {
		scenarios.End(scenarios.NotThere(reply.Status, "dependencies (POST /intents/{id}/dependencies)"))
	}
	if !reply.Ok() {
		i.SetUp("let an intent wait for another", reply)
	}
}

// release makes a dependent of three: one that waited and is completed now, one that is suspended, and one that comes to have a status.
func release(ctx context.Context, s *host.Server, waits string) (r Releases) {
	r.Waits = waits
	var all []*host.Intent
	for range 3 {
		all = append(all, s.NewIntent(ctx, "before", host.Active, nil))
	}
	dependent := s.NewIntent(ctx, "after", host.Active, nil)
	done, first, last := all[0], all[1], all[2]
	for _, n := range s.Rand.Perm(3) {
		depend(ctx, dependent, all[n])
	}
	sus := last.Suspend(ctx, s.Question("text"))
	waiting := first.Suspend(ctx, s.Question("text"))
	done.Finish(ctx)
	switch waits {
	case host.Active:
		last.MustAnswer(ctx, sus.ID, "go on")
	case host.Abandoned:
		last.MustAnswer(ctx, sus.ID, "go on")
		last.Must(ctx, host.Abandoned)
	}
	dependent.Becomes(ctx, "the dependent is blocked", host.Blocked)
	r.Before = dependent.Read(ctx, "the dependent before anything is taken from it")
	r.Taken = append(r.Taken, dependent.Free(ctx, first))
	r.Open = dependent.Read(ctx, "the dependent while one of its dependencies is "+waits)
	if r.Taken = append(r.Taken, dependent.Free(ctx, last)); r.Taken[1].Ok() {
		dependent.Becomes(ctx, "the dependent goes on", host.Active)
	}
	r.After = dependent.Read(ctx, "the dependent without what was "+waits)
	if s.Depth > scenarios.Quick && r.Taken[1].Ok() {
		first.MustAnswer(ctx, waiting.ID, "go on")
		first.Suspend(ctx, s.Question("text"))
		s.Barrier(ctx, 0)
		r.Apart = dependent.Read(ctx, "the dependent when what was taken from it waits again")
	}
	return r
}

var graphCircles = scenarios.Scenario{
	ID:     "openintent/graph/no-circles",
	Title:  "no dependency is taken that has intents wait for each other in a circle, whether of one, two or many",
	Proves: scenarios.IDs{openintent.OIP0002200}, Claim: claims.Graph,
	Ask: scenarios.Ask(dependencies, func(o DependenciesObservation, j *scenarios.Judge) {
		for _, k := range o.Circles {
			what := fmt.Sprintf("%s, in a circle of %d", k.Reply.Asked, k.On+1)
			j.Check(openintent.OIP0002200, k.Reply.Status).To(check.Status(4), "%s", what)
			j.Check(openintent.OIP0002200, k.After.Body.Key("depends_on")).
				To(check.That("nothing that waits for it", func(v any) bool {
					ids, _ := v.([]any)
					return !slices.Contains(ids, any(o.IDs[k.On]))
				}), "depends_on after %s", what)
		}
	}),
}

// graphFreed leaves servers alone that take no dependency away, and asks nothing where a dependent is blocked for another reason.
var graphFreed = scenarios.Scenario{
	ID: "openintent/graph/freed",
	Title: "a blocked intent goes on when the last dependency that is not completed is taken away, whether that waits, is active or was " +
		"abandoned, and not before",
	Proves: scenarios.IDs{openintent.OIP0002201, openintent.OIP00022}, Claim: claims.Graph,
	Ask: scenarios.Ask(dependencies, func(o DependenciesObservation, j *scenarios.Judge) {
		for _, r := range o.Freed {
			if host.MissingRoute(r.Taken[0]) {
				j.NotOffered("a way to take a dependency away (DELETE /intents/{id}/dependencies/{dependency})")
			}
			if is := r.Before.Body.Key("status"); is.String() != host.Blocked {
				j.Violates(openintent.OIP0026R2, is, "setup failed: what depends on a suspended intent is not blocked")
			}
			for _, taken := range r.Taken {
				if !taken.Ok() {
					j.Block("setup failed: "+taken.Asked+" was answered with HTTP "+taken.Status.JSON(),
						"take a dependency away from an intent that is blocked")
				}
			}
			j.Check(openintent.OIP00022, r.Open.Body.Key("status")).To(check.Equal(host.Blocked), "status of %s", r.Open.Asked)
			j.Check(openintent.OIP0002201, r.After.Body.Key("status")).To(check.Equal(host.Active), "status of %s", r.After.Asked)
			if r.Apart.Asked != "" {
				j.Check(openintent.OIP0002201, r.Apart.Body.Key("status")).To(check.Equal(host.Active), "status of %s", r.Apart.Asked)
			}
		}
	}),
}
