// Package worlds asks whether everything that shows intents, and what contains and carries them out, agrees with what the texts say,
// after each turn of a drawn world, by whatever route it is read.
package worlds

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// Suite compares a whole world with what its turns say.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID:    "worlds",
		Title: "a drawn world of intents, portfolios, tasks, plans and claims: after each turn, every route that shows it against the texts",
		Scenarios: slices.Concat([]scenarios.Scenario{
			{
				ID:     "openintent/worlds/world-dependents",
				Title:  "whoever depends on what waits is blocked until that is completed, whenever it became a dependent and however the wait ends",
				Proves: scenarios.IDs{openintent.OIP0026R2, openintent.OIP0026R2C, openintent.OIP0026R2D, openintent.OIP00022},
				Claim:  claims.Graph, Ask: of(dependents, nil),
			},
			{
				ID:     "openintent/worlds/world-apart",
				Title:  "no turn of an intent changes the status of its parent, its children and siblings, or of what has nothing to do with it",
				Proves: scenarios.IDs{openintent.OIP0026R1, openintent.OIP00024}, Claim: claims.Graph, Ask: of(apart, nil),
			},
			{
				ID:     "openintent/worlds/world-wired",
				Title:  "a phase is paused by its coordinator whichever of its inputs comes from the phase that waits",
				Proves: scenarios.IDs{openintent.OIP0026P4}, Claim: claims.With(claims.Coordinator, claims.Graph),
				Ask: of(wired, func(o WorldObservation, j *scenarios.Judge) {
					if !o.Program.Coordinated {
						j.NotThere(o.Start.Graph.Status, "a coordinator with the suspension_policy block_dependents (POST /coordinators)")
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-counted",
				Title:  "the parent and its graph count the children that wait and those that are completed, after each turn of any of them",
				Proves: scenarios.IDs{openintent.OIP0026R4, openintent.OIP00023}, Claim: claims.Graph,
				Ask: of(counted, func(o WorldObservation, j *scenarios.Judge) {
					if len(o.Start.aggregates()) == 0 {
						j.NotThere(o.Start.Graph.Body, host.ParentAggregateThere)
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-members",
				Title:  "a portfolio counts the members that wait, also those that came or went while they waited, by every route that shows it",
				Proves: scenarios.IDs{openintent.OIP0026R4B, openintent.OIP0026R4C}, Claim: inFolders,
				Ask: of(flagged, func(o WorldObservation, j *scenarios.Judge) {
					for _, l := range []host.Locator{host.PortfolioFlag, host.PortfolioCount} {
						o.folder(j, l, host.PortfolioFlagsThere)
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-summed-up",
				Title:  "a portfolio is completed, failed or in progress as its members are, whatever ended them and whatever their roles are",
				Proves: scenarios.IDs{openintent.OIP0026R4D, openintent.OIP0026R4E, openintent.OIP0026R4F, openintent.OIP0026R1C}, Claim: inFolders,
				Ask: of(worded, func(o WorldObservation, j *scenarios.Judge) {
					if at := o.folder(j, host.PortfolioAggregate, host.PortfolioWordThere); at.Place.Pointer == "/status" {
						j.NotThere(o.Start.Folders[0].Status, host.PortfolioWordThere)
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-tasks",
				Title:  "all running tasks of what waits are blocked and say why by every route, and no task says so when it goes on",
				Proves: scenarios.IDs{openintent.OIP0026R3, openintent.OIP0026R3B, openintent.OIP0026R3C, openintent.OIP0026R3D},
				Claim:  inPlans, Ask: of(mirrored, WorldObservation.hasTasks),
			},
			{
				ID:     "openintent/worlds/world-plans",
				Title:  "each plan lists its tasks that wait, those of its list and those that name it, and no task of what goes on or has ended",
				Proves: scenarios.IDs{openintent.OIP0026R4G, openintent.OIP0026R4H}, Claim: inPlans,
				Ask: of(listed, func(o WorldObservation, j *scenarios.Judge) {
					o.hasTasks(j)
					for _, m := range o.moments() {
						if at := m.suspendedTasks(0); !at.Present() {
							j.NotThere(at.Value, host.SuspendedTasksThere)
						}
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-routes",
				Title:  "graphs, lists of members and the lists of ready and blocked intents agree with what each intent shows of itself",
				Proves: scenarios.IDs{openintent.OIPREAD16, openintent.OIPREAD17},
				Claim:  claims.Graph,
				Ask: of(routes, func(o WorldObservation, j *scenarios.Judge) {
					if !o.Start.Ready.Ok() || !o.Start.Held.Ok() {
						j.NotThere(o.Start.Ready.Status, "the children that are ready and blocked, at GET /intents/{id}/ready and /blocked")
					}
				}),
			},
			{
				ID:     "openintent/worlds/world-answered",
				Title:  "each answer makes its intent active, whatever else waits and whatever is around it",
				Proves: scenarios.IDs{openintent.OIP0025A15}, Claim: claims.With(claims.Core, claims.Graph), Ask: of(answered, nil),
			},
			{
				ID:     "openintent/worlds/world-lapsed",
				Title:  "an intent whose window passes goes on or is abandoned as its fallback says, whatever waits for it",
				Proves: scenarios.IDs{openintent.OIP0025F1, openintent.OIP0025F2}, Claim: claims.With(claims.Notifier, claims.Core, claims.Graph),
				Ask: of(lapsed, moved),
			},
			{
				ID:     "openintent/worlds/world-ended",
				Title:  "the deadline of a portfolio abandons a member that waits, also one that was in an older portfolio first",
				Proves: scenarios.IDs{openintent.OIP0026R5}, Claim: claims.With(claims.Deadline, claims.Portfolio, claims.Core, claims.Graph),
				Ask: of(ended, func(o WorldObservation, j *scenarios.Judge) {
					moved(o, j)
					o.hasFolders(j)
				}),
			},
		}, claimScenarios, turnScenarios, eventScenarios),
	}
}

// What the drive needs beside what a scenario is about.
var (
	inFolders = claims.With(claims.Portfolio, claims.Graph, claims.Core)
	inPlans   = claims.With(claims.Plan, claims.Graph, claims.Core)
)

// of judges a part of all that must be seen, if what it is about is there.
func of(which part, there func(WorldObservation, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawn, func(o WorldObservation, j *scenarios.Judge) {
		if there != nil {
			there(o, j)
		}
		for _, m := range o.moments() {
			for _, e := range m.expected() {
				if e.part == which {
					j.Check(e.id, e.value).To(e.want, "%s", e.what)
				}
			}
		}
		o.through(j)
	})
}

// through blocks the judge unless all turns were taken: what comes later was not asked.
func (o WorldObservation) through(j *scenarios.Judge) {
	if n := len(o.Turns); n < len(o.Program.Steps) {
		t := o.Program.Steps[n]
		j.Block(fmt.Sprintf("setup failed: the world came to its end before turn %d, to %s intent %d", n+1, t.Do, t.Intent),
			"let intents be suspended, answered, completed and abandoned; other scenarios test that")
	}
	if ms := o.moments(); len(ms) > 0 && ms[len(ms)-1].astray() {
		j.Block("setup failed: the intents have gone another way than their turns say", "keep what the other scenarios of this suite ask for")
	}
}

// moved ends the judge where no clock is moved: other scenarios wait for short times.
func moved(o WorldObservation, j *scenarios.Judge) {
	if !slices.ContainsFunc(o.Program.Steps, turns) {
		j.NotOffered("a clock that a drive can move; other scenarios wait for short times")
	}
}

// hasFolders ends the judge if the server has no portfolios.
func (o WorldObservation) hasFolders(j *scenarios.Judge) {
	if len(o.Folders) == 0 {
		j.NotThere(o.Start.Graph.Status, host.PortfoliosThere)
	}
}

// folder looks for what portfolios show, and ends the judge if it is not there.
func (o WorldObservation) folder(j *scenarios.Judge, l host.Locator, what string) host.Located {
	o.hasFolders(j)
	at := host.Locate(l, host.Named("portfolio", o.Start.Folders[0].Body))
	if !at.Present() {
		j.NotThere(o.Start.Folders[0].Status, what)
	}
	return at
}

// hasTasks ends the judge if there are none that mirror anything: of those that ran none shows anything of the first suspension.
func (o WorldObservation) hasTasks(j *scenarios.Judge) {
	if len(o.Tasks) == 0 {
		j.NotThere(o.Start.Graph.Status, host.PlansThere)
	}
	for _, m := range o.moments() {
		for k, work := range m.Program.Works {
			task := m.taken.After.Tasks[k].Body
			if work.Runs && m.shown(work.Intent) == host.Suspended && m.before.status(work.Intent).String() == host.Active {
				if host.StatusOf(task).String() == "running" && task.Key("blocked_reason").String() == "" {
					j.NotThere(task, host.MirrorThere)
				}
				return
			}
		}
	}
}
