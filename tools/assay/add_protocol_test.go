package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/internal/protocols/lamp"
)

// withLamp adds the toy protocol to the table until the test ends. The test must not be parallel.
func withLamp(t *testing.T) { withRow(t, lamp.Row) }

func withRow(t *testing.T, row *protocols.Row) {
	t.Helper()
	before := protocols.Table
	protocols.Table = append(slices.Clip(before), row)
	t.Cleanup(func() { protocols.Table = before })
}

// assay runs a command line, and returns what it printed.
func assay(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if got := execute(t.Context(), args, &out, &errs); got != code {
		t.Fatalf("assay %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &errs)
	}
	return out.String()
}

func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// A row and its rooms are all that a protocol takes: no command knows of it.
func TestAddAProtocol(t *testing.T) {
	for _, row := range protocols.Table {
		if row.Name() == lamp.Row.Name() {
			t.Fatal("the table has it already")
		}
	}
	withLamp(t)
	says(t, assay(t, 0, "list", "suites"), "brightness")
	says(t, assay(t, 0, "list", "faults"), "lamp.always-bright")
	says(t, assay(t, 0, "version"), "suites for a lamp      lamp/v1           1 scenarios")
	says(t, assay(t, 0, "explain", "LAMP-1"), "lamp/brightness/as-given", "the fault lamp.always-bright", "/dimmable == true")
	says(t, assay(t, 0, "explain", "lamp.always-bright"), "fault of the simulated lamp")

	dir := t.TempDir()
	says(t, assay(t, scenarios.ExitProved, "certify", "simhost", "--protocol", "lamp", "--out", dir), "lamp/v1")
	says(t, assay(t, 1, "certify", "simhost", "--fault", "lamp.always-bright", "--out", dir), "LAMP-1", "40", "100")
	says(t, assay(t, 0, "why", dir, "LAMP-1"), "LAMP-1  requirement, failed")

	says(t, assay(t, 0, "prove", "--protocol", "lamp", "--out", dir), "caught        lamp.always-bright  breaks LAMP-1",
		"killed by lamp/brightness/as-given, which cites LAMP-1", "1 honest hosts, 0 accused")
}

// A target is asked what it speaks, and one of the toy protocol is recognised among the others.
func TestAnAddedProtocolIsRecognised(t *testing.T) {
	withLamp(t)
	target, stop, err := lamp.Row.Honest()[0].Specimen.Start(t.Context(), wire.Target{}, protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	assay(t, scenarios.ExitProved, "certify", target.URL, "--out", dir)
	doc, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Target.Protocol != lamp.Protocol.ID || len(doc.Scenarios) != 1 || *doc.Target.Name != "lamp" {
		t.Errorf("certified as %+v, with %d scenarios", doc.Target, len(doc.Scenarios))
	}
	says(t, assay(t, 0, "doctor", target.URL), "lamp/v1", "1 of 1 claims")
}

// A drive that sends what the contract does not have is Assay's own mistake: exit code 6, the place, and nobody is blamed.
func TestOwnRequestsFitTheContract(t *testing.T) {
	row, suites := *lamp.Row, lamp.Suites()
	glaring := &scenarios.Drive[struct{}]{ID: "lamp/glaring", Run: func(ctx context.Context, c *scenarios.Conn, _ *struct{}) {
		c.Do(ctx, wire.Call{Method: http.MethodPut, Path: "/lamp", Body: map[string]any{"brightness": 140}})
	}}
	suites[0].Scenarios[0].Ask = scenarios.Ask(glaring, func(struct{}, *scenarios.Judge) {})
	row.Targets = []protocols.Target{{Name: "lamp", Suites: func() []scenarios.Suite { return suites }}}
	withRow(t, &row)
	says(t, assay(t, scenarios.ExitBroken, "certify", "simhost", "--protocol", "lamp", "--out", t.TempDir()),
		"1 broken", "drive lamp/glaring", "dim, PUT /lamp: body /brightness: must be at most 100, but is 140", "(exit 6)")
}

// Commands of one protocol stand in the help behind those that they name.
func TestOwnCommandsStandBehindOthers(t *testing.T) {
	names, own := commandNames(newRoot()), 0
	for _, row := range protocols.Table {
		for _, c := range row.Commands {
			own++
			if at := slices.Index(names, c.New().Name()); at < 1 || names[at-1] != c.After {
				t.Errorf("%s stands at %d of %v, and belongs behind %s", c.New().Name(), at, names, c.After)
			}
		}
	}
	if own == 0 {
		t.Error("no protocol has a command of its own")
	}
}

// The page shows the code of the toy protocol as it is.
func TestAddAProtocolPageQuotesTheCode(t *testing.T) {
	page, err := os.ReadFile("../../docs/add-a-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../internal/protocols/lamp/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	quoted := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(quoted) < 3 {
		t.Fatalf("the page quotes %d pieces of code", len(quoted))
	}
	for _, q := range quoted {
		if !strings.Contains(code.String(), q[1]) {
			t.Errorf("this stands on the page, and not in the code:\n%s", q[1])
		}
	}
}
