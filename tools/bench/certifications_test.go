package main

import (
	"testing"
	"time"
)

func TestCertificationsStandBesideTheCommittedFigures(t *testing.T) {
	c := certified{name: "OpenWOP", then: cost{400 * time.Millisecond, 2 * time.Second, 2_000_000}}
	got := table(c.rows(cost{500 * time.Millisecond, 1500 * time.Millisecond, 1_999_501}))
	want := "" +
		"one certification in process, OpenWOP, CPU  was 400ms   500ms (1.25 of it)\n" +
		"  wall                                      was 2s      1.5s (0.75 of it)\n" +
		"  allocations                               was 2000 k  2000 k (1.00 of it)\n"
	if got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

func TestEveryCertificationHasAFigure(t *testing.T) {
	for _, c := range certifications {
		if c.then.processor <= 0 || c.then.wall <= 0 || c.then.allocations == 0 || len(c.hosts()) == 0 {
			t.Errorf("%s: %+v", c.name, c.then)
		}
	}
}
