package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// The walk-through of docs/openintent.md is run as it stands: each command, and what it must print.
func TestOpenIntentWalkThrough(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the walk-through needs %s", tool)
		}
	}
	doc, err := os.ReadFile("../../docs/openintent.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := consoleSteps(string(doc))
	if len(steps) < 15 {
		t.Fatalf("the document has %d commands", len(steps))
	}
	out, err := walk(t, steps, freeAddress(t))
	for try := 1; try < 5 && strings.Contains(out, "address already in use"); try++ { // somebody was quicker
		out, err = walk(t, steps, freeAddress(t))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed := printedBy(t, steps, out)
	for i, s := range steps {
		if printed[i] != s.prints {
			t.Errorf("%s\nprints %q\nthe document says %q", s.command, printed[i], s.prints)
		}
	}
}

// stepMark is printed before each command.
const stepMark = "=====step"

// scriptOf runs the commands one after the other; [printedBy] tells what each printed.
func scriptOf(steps []consoleStep) string {
	var script strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&script, "echo %s\n%s\n", stepMark, s.command)
	}
	return script.String()
}

// printedBy splits the output of [scriptOf] by command.
func printedBy(t *testing.T, steps []consoleStep, out string) []string {
	t.Helper()
	printed := strings.Split(out, stepMark+"\n")[1:]
	if len(printed) != len(steps) {
		t.Fatalf("%d of %d commands ran:\n%s", len(printed), len(steps), out)
	}
	return printed
}

// walk runs the commands one after the other, with the host at this address: the document listens where the command does by
// default, and here that port may be taken.
func walk(t *testing.T, steps []consoleStep, address string) (printed string, err error) {
	t.Helper()
	text := strings.ReplaceAll(scriptOf(steps), "127.0.0.1:7411", address)
	text = strings.Replace(text, "--protocol openintent", "--protocol openintent --listen "+address, 1)
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text+"\nkill %1; wait %1 || true")
	cmd.Dir = t.TempDir() // assay is on the PATH, see TestMain
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// consoleStep is a command of a document, and what it prints there.
type consoleStep struct{ command, prints string }

// consoleSteps are the commands in the console blocks of a document.
func consoleSteps(doc string) (steps []consoleStep) {
	in := false
	for line := range strings.Lines(doc) {
		command, starts := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch last := len(steps) - 1; {
		case strings.HasPrefix(line, "```"):
			in = line == "```console\n"
		case !in:
		case starts:
			steps = append(steps, consoleStep{command: strings.TrimSuffix(command, "\n")})
		case goesOn:
			steps[last].command += "\n" + strings.TrimSuffix(more, "\n")
		default:
			steps[last].prints += line
		}
	}
	return steps
}
