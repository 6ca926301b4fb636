package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// A Program ends, is killed and is recorded like a process.
func TestAProgramOfThisProcessIsATarget(t *testing.T) {
	var begun int
	program := func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		begun++
		input, err := io.ReadAll(in)
		if err != nil {
			return 1
		}
		switch string(input) {
		case "hang":
			<-ctx.Done()
		case "flood":
			io.WriteString(out, strings.Repeat("x", 3000))
			return 0
		}
		fmt.Fprint(errs, "oh dear")
		json.NewEncoder(out).Encode(string(input))
		return 7
	}
	p := &wire.Process{Name: "here", Command: []string{"here"}, Here: program}
	limits := wire.DefaultLimits()
	limits.OutputBytes, limits.OutputKept = 2000, 2500
	n, err := wire.NewNetwork(wire.Target{Process: p}, wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("drive")
	t.Cleanup(c.Close)
	for _, x := range []struct {
		name                 string
		turn                 wire.Turn
		begins               int
		killed, timedOut     bool
		exit, output, stderr string
	}{
		{"ends", wire.Turn{Input: []byte("hey")}, 1, false, false, `7`, `"hey"`, `"oh dear"`},
		{"is killed at once", wire.Turn{Input: []byte("hey"), Kill: wire.KillBeforeInput}, 0, true, false,
			`"killed on purpose before its input"`, `"nothing was printed"`, `""`},
		{"is killed a moment later", wire.Turn{Input: []byte("hey"), KillAfter: time.Second}, 0, true, false,
			`"killed on purpose 1s after its input"`, `"nothing was printed"`, `""`},
		{"is killed as it answers", wire.Turn{Input: []byte("hey"), Kill: wire.KillAtOutput}, 1, true, false,
			`"killed on purpose at the first byte of its output"`, `"hey"`, `"oh dear"`},
		{"takes too long", wire.Turn{Input: []byte("hang"), Timeout: 20 * time.Millisecond}, 1, false, true,
			`"killed at its deadline of 20ms"`, `"hang"`, `"oh dear"`},
		{"prints too much", wire.Turn{Input: []byte("flood")}, 1, false, false, `0`,
			`"more than 2000 bytes were printed; it printed: ` + strings.Repeat("x", 200) + `"`, `""`},
	} {
		t.Run(x.name, func(t *testing.T) {
			begun = 0
			e := spawn(t, c, x.turn)
			if begun != x.begins || e.Killed != x.killed || e.TimedOut != x.timedOut {
				t.Errorf("begun %d times, killed %t, timed out %t", begun, e.Killed, e.TimedOut)
			}
			for part, want := range map[string]string{"exit": x.exit, "output": x.output, "stderr": x.stderr, "survivors": `[]`, "litter": `[]`} {
				if got := e.Part(part).JSON(); got != want {
					t.Errorf("%s is %s, want %s", part, got, want)
				}
			}
		})
	}
}

// Retain keeps some turns, and the others do not count towards the limits any more.
func TestOfWhatWasTriedTheTranscriptKeepsSome(t *testing.T) {
	echo := func(_ context.Context, in io.Reader, out, _ io.Writer) int {
		if _, err := io.Copy(out, in); err != nil {
			return 1
		}
		return 0
	}
	limits := wire.DefaultLimits()
	limits.DriveBytes = 4000
	n, err := wire.NewNetwork(wire.Target{Process: &wire.Process{Name: "here", Command: []string{"here"}, Here: echo}},
		wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("drive")
	t.Cleanup(c.Close)
	say := func(word string) *wire.Ended {
		return spawn(t, c, wire.Turn{Input: []byte(`"` + word + `"`), Label: word})
	}
	for range 20 { // more than the limit
		say("one")
		two, three := say("two"), say("three")
		_ = three.Value("") // decode it
		c.Retain(three, two)
		if got := three.Value("").String() + " " + two.Value("").String(); got != "three two" || three.Exchange() != 1 || two.Exchange() != 2 {
			t.Fatalf("the values are %s, of %d and %d", got, three.Exchange(), two.Exchange())
		}
		if c.Transcript().Len() != 2 || c.Transcript().Entry(1).Label != "three" || c.Transcript().Entry(2).Label != "two" {
			t.Fatalf("%d entries", c.Transcript().Len())
		}
	}
}
