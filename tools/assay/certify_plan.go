package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/trace"
)

// printPlan prints what a run would send. It does not ask the target for its claims, so a run may send less.
func (c *certify) printPlan() error {
	picked, drives, asking, err := c.planned()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, d := range drives {
		fmt.Fprintf(&b, "%s  %s", d.ID, d.Title)
		if apart := d.Apart(); apart != "" {
			fmt.Fprintf(&b, " (%s)", apart)
		}
		b.WriteByte('\n')
		for _, s := range d.Sends {
			fmt.Fprintf(&b, "  sends  %s\n", s)
		}
		for _, s := range asking[d.ID] {
			fmt.Fprintf(&b, "  for    %s\n", s)
		}
		b.WriteByte('\n')
	}
	if sends := c.suites[0].Protocol.Probes(); len(sends) > 0 && !c.options.Select.Narrows() {
		b.WriteString("not-claimed  asks what the target does without claiming it, where no drive has shown it\n")
		for _, s := range sends {
			fmt.Fprintf(&b, "  sends  %s\n", s)
		}
		b.WriteByte('\n')
	}
	cost, err := c.estimate(drives)
	if err != nil {
		return err
	}
	if cost != "" {
		fmt.Fprintln(&b, cost)
	}
	fmt.Fprintf(&b, "%d scenarios, %d drives, each once; what the target does not claim is left out. Nothing was sent.\n",
		len(picked), len(drives))
	_, err = c.stdout.Write([]byte(b.String()))
	return err
}

// planned returns the selected scenarios, the drives behind them, and what each drive is for.
func (c *certify) planned() (picked []scenarios.Selected, drives []scenarios.DriveMeta, asking map[string][]string, err error) {
	if picked, err = c.options.Select.PickAt(c.options.Depth, c.suites...); err != nil {
		return nil, nil, nil, notSelected(err)
	}
	drives = []scenarios.DriveMeta{{
		ID: "discovery", Title: "fetches the discovery document, which says what is claimed",
		Sends: []string{"GET " + c.suites[0].Protocol.DiscoveryPath},
	}}
	if c.target.wire.Process != nil {
		drives[0].Title, drives[0].Sends = "reads the profile and the manifest, which say what is claimed", []string{"nothing"}
	}
	asking = map[string][]string{}
	for _, s := range picked {
		meta, driven := s.Suite.DriveOf(s.Scenario)
		if !driven {
			meta = drives[0]
		}
		if !slices.ContainsFunc(drives, func(d scenarios.DriveMeta) bool { return d.ID == meta.ID }) {
			drives = append(drives, meta)
		}
		asking[meta.ID] = append(asking[meta.ID], string(s.Scenario.ID)+": "+s.Scenario.Title)
	}
	return picked, drives, asking, nil
}

// estimate says what the drives will ask the target for, by what they asked a simulated host for; "" where that is not known.
func (c *certify) estimate(drives []scenarios.DriveMeta) (string, error) {
	costs, err := trace.Costs(c.suites[0].Protocol.ID, c.options.Depth)
	if err != nil || len(costs) == 0 {
		return "", err
	}
	var all wire.Spent
	for _, d := range drives {
		all = all.Plus(costs[d.ID])
	}
	return fmt.Sprintf("about %d requests, %d runs and %d planned turns at depth %s, as counted on a simulated host that claims everything",
		all.Requests, all.Runs, all.Turns, c.options.Depth), nil
}
