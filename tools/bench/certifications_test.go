package main

import (
	"testing"
	"time"

	"github.com/openassay/assay/tools/internal/protocols"
)

func TestCertificationsStandBesideTheCommittedFigures(t *testing.T) {
	then := protocols.Cost{Processor: 400 * time.Millisecond, Wall: 2 * time.Second, Allocations: 2_000_000}
	now := protocols.Cost{Processor: 500 * time.Millisecond, Wall: 1500 * time.Millisecond, Allocations: 1_999_501}
	got := table(costs("OpenWOP", then, now))
	want := "" +
		"one certification in process, OpenWOP, CPU  was 400ms   500ms (1.25 of it)\n" +
		"  wall                                      was 2s      1.5s (0.75 of it)\n" +
		"  allocations                               was 2000 k  2000 k (1.00 of it)\n"
	if got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

func TestEveryCertificationHasAFigure(t *testing.T) {
	for _, row := range protocols.Table {
		if c := row.Cost; c.Processor <= 0 || c.Wall <= 0 || c.Allocations == 0 || len(row.Honest()) == 0 {
			t.Errorf("%s: %+v", row.Name(), c)
		}
	}
}
