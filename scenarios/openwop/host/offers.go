package host

import (
	"context"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
)

// Lists reports whether the host lists all these workflows under /fixtures. The list is a claim, not a proof: a listed
// fixture may still fail.
func (h Host) Lists(workflows ...string) bool {
	var listed []string
	for _, f := range claims.Family(h.Discovery, "fixtures").Items() {
		listed = append(listed, f.String())
	}
	return !slices.ContainsFunc(workflows, func(w string) bool { return !slices.Contains(listed, w) })
}

// Offers reports whether drives can use all these workflows: the published ones that the host lists, those that it runs
// although it does not list them, and ours only if its engine obeys them.
func (h Host) Offers(workflows ...string) bool {
	return !slices.ContainsFunc(workflows, func(w string) bool { return unfit(h, w) != "" })
}

// AnyOf returns the first of these workflows that the host lists, else the first that it runs, "" if there is none.
func (h Host) AnyOf(workflows ...string) string {
	listed := func(w string) bool { return h.Lists(w) && h.Offers(w) }
	for _, fit := range []func(string) bool{listed, func(w string) bool { return h.Offers(w) }} {
		if i := slices.IndexFunc(workflows, fit); i >= 0 {
			return workflows[i]
		}
	}
	return ""
}

// Lacks ends the drive, because the host offers none of the workflows that would do. It says what is wrong with those that the host
// has.
func (h Host) Lacks(what string, workflows ...string) {
	for _, w := range workflows {
		if why := unfit(h, w); why != "" && why != absent {
			scenarios.End(Untaught(what+": "+why, w))
		}
	}
	scenarios.End(scenarios.Block(what, fixture.Load))
}

// Untaught blocks a scenario because the host lists a workflow that it does not run.
func Untaught(reason, workflow string) error {
	return scenarios.Block(reason, "teach the engine what "+workflow+" needs (docs/seams.md), or leave it out of /fixtures")
}

const (
	// absent is why a workflow cannot be used that the host does not know.
	absent = "the host does not have it"

	own        = "assay-" // begins the id of each fixture of ours
	supervisor = "core.orchestrator.supervisor"
	planPort   = "mockDispatchPlan"
	delayPort  = "delayMs" // engines that are built on the published fixtures read it
)

// unfit returns why drives cannot use a workflow, "" if they can. A control run of it says so, once for the target: a host may list
// what its engine understands otherwise, and run what it does not list. A published fixture that is listed needs no control. One of
// ours that is not listed is used only if it takes nothing from what the run is given, and none that is not listed if the host makes
// runs of workflows that nobody has.
func unfit(h Host, workflow string) string {
	listed, ours := h.Lists(workflow), strings.HasPrefix(workflow, own)
	f, known := knownTo(h, workflow)
	switch {
	case listed && !ours:
		return ""
	case !known || !listed && (ours && f.ported || runsAnything(h)):
		return absent
	}
	return h.Learn("fixture "+workflow, func(ctx context.Context) string { return trial{h, f}.control(ctx) })
}

func knownTo(h Host, workflow string) (Fixture, bool) {
	all := knownFixtures(h)
	i := slices.IndexFunc(all, func(f Fixture) bool { return f.id == workflow })
	if i < 0 {
		return Fixture{}, false
	}
	return all[i], true
}

// Timeout returns the ms after which the interrupt of a fixture ends by itself.
func (h Host) Timeout(workflow string) int64 {
	f, _ := knownTo(h, workflow)
	return f.timeout
}

// Setting returns what the config of a fixture's node that interrupts says about this, nil if it says nothing.
func Setting(h Host, workflow, member string) any {
	f, _ := knownTo(h, workflow)
	return f.gate[member]
}
