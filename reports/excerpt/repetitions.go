package excerpt

import (
	"fmt"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Repetitions sums up the times at which a part of the scenarios was asked again; "" if there was none.
func Repetitions(doc results.Results) string {
	if len(doc.Repetitions) == 0 {
		return ""
	}
	asked := 0
	for _, a := range doc.Repetitions {
		asked += len(a.Asked)
	}
	times := textsafe.Count(len(doc.Repetitions), "time")
	if n := Different(doc); n > 0 {
		return fmt.Sprintf("%s, %d answers in all: %d came out otherwise than at first", times, asked, n)
	}
	return fmt.Sprintf("%s, %d answers in all: each came out as at first", times, asked)
}

// Different counts the scenarios that came out otherwise when they were asked again, each time.
func Different(doc results.Results) (n int) {
	for _, a := range doc.Repetitions {
		n += len(a.Differences)
	}
	return n
}

// Repetition describes one of these times, the n-th, in a line.
func Repetition(n int, a results.Repetition) string {
	at := time.Duration(a.At * float64(time.Second)).Round(100 * time.Millisecond)
	line := fmt.Sprintf("time %d, %s after the end: %s", n, at, textsafe.Count(len(a.Asked), "scenario"))
	switch {
	case a.Stopped != "":
		return line + ", not asked: " + textsafe.Line(a.Stopped)
	case a.Fault != "":
		return line + ": Assay itself broke: " + textsafe.Line(a.Fault)
	}
	return fmt.Sprintf("%s, %s otherwise, seed %d, run %s", line, none(len(a.Differences)), a.Seed, a.Run)
}

func none(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
