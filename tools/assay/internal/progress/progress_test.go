package progress_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openassay/assay/tools/assay/internal/progress"
)

// clock is a time that the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newPrinter(out *bytes.Buffer, live bool, c *clock) *progress.Printer {
	return progress.New(out, live, c.now, "scenarios", "passed", "failed", "blocked", "broken")
}

func TestPlainLinesAreSparse(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1, 0)}
	p := newPrinter(&out, false, c)
	p.Say("certifying %s", "x")
	p.Begin(4)
	p.Ended("a/b/one", "passed", "")
	p.Ended("a/b/two", "failed", "got \x1b[31mred\nand more")
	c.at = c.at.Add(5 * time.Second)
	p.Ended("a/b/three", "passed", "")
	p.Ended("a/b/four", "blocked", "")
	p.End()
	want := `certifying x
failed  a/b/two: got \x1b[31mred\nand more
3 of 4 scenarios: 2 passed, 1 failed
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestLiveLineIsWrittenOver(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1, 0)}
	p := newPrinter(&out, true, c)
	p.Begin(2)
	p.Ended("a/b/"+strings.Repeat("long", 40), "passed", "")
	p.Ended("a/b/two", "broken", "a panic")
	p.End()
	const back = "\r\x1b[K"
	parts := strings.Split(out.String(), back)
	if len(parts) != 4 || parts[0] != "0 of 2 scenarios" || parts[3] != "" {
		t.Fatalf("got %q", parts)
	}
	if n := utf8.RuneCountInString(parts[1]); n > 78 || !strings.HasPrefix(parts[1], "1 of 2 scenarios: 1 passed  a/b/longlong") {
		t.Errorf("the second line has %d characters: %q", n, parts[1])
	}
	if parts[2] != "broken  a/b/two: a panic\n2 of 2 scenarios: 1 passed, 1 broken  a/b/two" {
		t.Errorf("the third part is %q", parts[2])
	}
}

// Without an outcome there is nothing to count.
func TestNothingBeforeTheFirstOutcome(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1, 0)}
	p := newPrinter(&out, false, c)
	p.Begin(4)
	c.at = c.at.Add(time.Hour)
	p.End()
	if out.Len() != 0 {
		t.Errorf("got %q", out.String())
	}
}

// What is blocked from the start has ended before it is known how many there are.
func TestNothingIsCountedOfNothing(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1, 0)}
	p := newPrinter(&out, false, c)
	p.Ended("a/b/one", "blocked", "")
	p.Begin(2)
	c.at = c.at.Add(5 * time.Second)
	p.Ended("a/b/two", "passed", "")
	if want := "2 of 2 scenarios: 1 passed, 1 blocked\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// What is left is told once a tenth is done, at the pace so far, and not when all is.
func TestTheRestIsEstimated(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1, 0)}
	p := newPrinter(&out, false, c)
	p.Estimate()
	p.Begin(20)
	for i := range 20 {
		c.at = c.at.Add(6 * time.Second)
		p.Ended("one", "passed", "")
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); i == 0 && strings.Contains(lines[0], "left") {
			t.Errorf("after one of twenty: %q", lines[0])
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := "4 of 20 scenarios: 4 passed, about 1m36s left"; lines[3] != want {
		t.Errorf("got %q, want %q", lines[3], want)
	}
	if want := "20 of 20 scenarios: 20 passed"; lines[19] != want {
		t.Errorf("got %q, want %q", lines[19], want)
	}
}
