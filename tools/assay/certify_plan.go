package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
)

// printPlan prints what a run would send. It does not ask the target for its claims, so a run may send less.
func (c *certify) printPlan() error {
	picked, err := c.options.Select.Pick(c.suites...)
	if err != nil {
		return notSelected(err)
	}
	drives := []scenarios.DriveMeta{{
		ID: "discovery", Title: "fetches the discovery document, which says what is claimed",
		Sends: []string{"GET " + c.suites[0].Protocol.DiscoveryPath},
	}}
	if c.target.wire.Process != nil {
		drives[0].Title, drives[0].Sends = "reads the profile and the manifest, which say what is claimed", []string{"nothing"}
	}
	asking := map[string][]string{}
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
	fmt.Fprintf(&b, "%d scenarios, %d drives, each once; what the target does not claim is left out. Nothing was sent.\n",
		len(picked), len(drives))
	_, err = c.stdout.Write([]byte(b.String()))
	return err
}
