// Package arch keeps the arrows between the packages: spec -> gen -> {scenarios, simhost} -> reports -> tools, and the
// heavy libraries where they belong.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/openassay/assay"

// pkg is what go list says of a package.
type pkg struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// within says whether a path is one of these packages, or below one.
func within(path string, roots ...string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

func ours(paths ...string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = module + "/" + p
	}
	return out
}

// lookAround reads every source folder. The go command remembers which folders a test read, and runs it again when a
// file in one of them has changed; of what go list reads on the test's behalf it knows nothing.
func lookAround(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// packages lists every package of the module with what it imports, itself and through others.
func packages(t *testing.T) []pkg {
	t.Helper()
	lookAround(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the packages: %v: is the go command on the PATH?", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 10 {
		t.Fatalf("only %d packages were found: the rules would hold of nothing", len(list))
	}
	return list
}

// rule keeps packages out of others. A rule of deps looks through everything that is linked in; one of imports looks
// at what stands in the files, tests included where tests is set.
type rule struct {
	name   string
	of     func(path string) bool // packages that the rule is about
	forbid func(path string) bool // what they may not use
	deps   bool
	tests  bool
}

var (
	heavy = []string{"github.com/nats-io/nats-server/v2", "github.com/getkin/kin-openapi", "github.com/oasdiff/oasdiff",
		"github.com/chromedp/chromedp"}
	ginkgo  = "github.com/onsi/ginkgo/v2"
	nats    = []string{"github.com/nats-io"}
	specLib = []string{"github.com/getkin/kin-openapi"}
)

var rules = []rule{
	{
		name: "scenarios and simhost know each other by the wire alone (scenarios)", deps: true, tests: false,
		of:     below("scenarios"),
		forbid: anyOf(ours("simhost")...),
	},
	{
		name: "scenarios and simhost know each other by the wire alone (simhost)", deps: true,
		of:     below("simhost"),
		forbid: anyOf(ours("scenarios")...),
	},
	{
		name: "a simulated host knows no other protocol (openwop)", deps: true, tests: true,
		of:     below("simhost/openwop"),
		forbid: anyOf(ours("simhost/openintent", "simhost/agenticloop", "gen/openintentv1", "gen/agenticloopv2")...),
	},
	{
		name: "a simulated host knows no other protocol (openintent)", deps: true, tests: true,
		of:     below("simhost/openintent"),
		forbid: anyOf(ours("simhost/openwop", "simhost/agenticloop", "gen/openwopv1", "gen/agenticloopv2")...),
	},
	{
		name: "a simulated host knows no other protocol (agenticloop)", deps: true, tests: true,
		of:     below("simhost/agenticloop"),
		forbid: anyOf(ours("simhost/openwop", "simhost/openintent", "gen/openwopv1", "gen/openintentv1")...),
	},
	{
		name: "what the simulated hosts share knows no protocol", deps: true, tests: true,
		of: below("simhost/eventlog", "simhost/clock", "simhost/console", "simhost/ids", "simhost/refusal", "simhost/serving",
			"simhost/internal"),
		forbid: anyOf(ours("simhost/openwop", "simhost/openintent", "simhost/agenticloop", "gen")...),
	},
	{
		name: "what happens in a run is told in the engine's own words, not in those of a version", deps: true,
		of:     below("simhost/openwop/engine/event"),
		forbid: anyOf(ours("gen", "simhost")...),
	},
	{
		name: "the rooms of an engine follow a run: codes, workflow, state, step, live (workflow)", deps: true,
		of:     below("simhost/openwop/engine/codes", "simhost/openwop/engine/workflow"),
		forbid: anyOf(ours("simhost/openwop/engine/state", "simhost/openwop/engine/step", "simhost/openwop/engine/live")...),
	},
	{
		name: "the rooms of an engine follow a run: codes, workflow, state, step, live (state)", deps: true,
		of:     below("simhost/openwop/engine/state"),
		forbid: anyOf(ours("simhost/openwop/engine/step", "simhost/openwop/engine/live")...),
	},
	{
		name: "the rooms of an engine follow a run: codes, workflow, state, step, live (step)", deps: true,
		of:     below("simhost/openwop/engine/step"),
		forbid: anyOf(ours("simhost/openwop/engine/live")...),
	},
	{
		name:   "only the engine takes steps",
		of:     not(below("simhost/openwop/engine")),
		forbid: anyOf(ours("simhost/openwop/engine/step")...),
	},
	{
		name: "a host knows of no fault", deps: true,
		of: func(path string) bool {
			openwop := ours("simhost/openwop/surface", "simhost/openwop/engine", "simhost/openwop/goal", "simhost/openwop/workspace",
				"simhost/openwop/memory")
			return within(path, openwop...) || path == ours("simhost/openintent")[0] || within(path, ours("simhost/openintent/engine")...)
		},
		forbid: anyOf(ours("simhost/openwop/fault", "simhost/openwop/faulty", "simhost/openintent/fault", "simhost/openintent/faulty")...),
	},
	{
		name: "the engine does not know its surface", deps: true,
		of:     below("simhost/openwop/engine", "simhost/openwop/goal", "simhost/openwop/workspace", "simhost/openwop/memory"),
		forbid: anyOf(ours("simhost/openwop/surface", "simhost/openwop/fault", "simhost/openwop/variation")...),
	},
	{
		name: "scenarios stays light: a vendor links it into a test", deps: true,
		of:     below("scenarios"),
		forbid: anyOf(heavy...),
	},
	{
		name: "nothing below reports knows reports, nothing below tools knows tools", deps: true,
		of:     below("gen", "scenarios", "simhost", "internal"),
		forbid: anyOf(ours("reports", "tools")...),
	},
	{
		name: "reports knows no tool and no host", deps: true,
		of:     below("reports"),
		forbid: anyOf(ours("tools", "simhost")...),
	},
	{
		name: "generated code stands on its own", deps: true,
		of: below("gen"),
		forbid: func(path string) bool {
			return within(path, module) && !within(path, ours("gen")...)
		},
	},
	{
		name: "small shared packages stand below everything but generated code", deps: true,
		of: below("internal"),
		forbid: func(path string) bool {
			return within(path, module) && !within(path, ours("gen", "internal")...)
		},
	},
	{
		name: "only ginkgosuite holds Ginkgo", tests: true,
		of:     not(below("scenarios/ginkgosuite")),
		forbid: anyOf(ginkgo),
	},
	{
		name: "the runner works without Ginkgo", deps: true,
		of: func(path string) bool {
			return within(path, ours("scenarios")...) && !within(path, ours("scenarios/ginkgosuite")...)
		},
		forbid: anyOf(ginkgo),
	},
	{
		name: "only the event log knows its store", tests: true,
		of:     not(below("simhost/eventlog")),
		forbid: anyOf(nats...),
	},
	{
		name: "only the generator knows the OpenAPI libraries, and what compares specs", tests: true,
		of:     not(below("tools/specgen", "tools/specdiff")),
		forbid: anyOf(specLib...),
	},
	{
		name: "only what compares specs knows the library that does", tests: true,
		of:     not(below("tools/specdiff")),
		forbid: anyOf("github.com/oasdiff/oasdiff"),
	},
	{
		name:   "the schema library stays behind one package",
		of:     not(below("internal/validate")),
		forbid: anyOf("github.com/santhosh-tekuri/jsonschema"),
	},
	{
		name:   "only tests, and packages for tests, ask how patient they have to be with a machine",
		of:     not(below("internal/browsertest", "simhost/internal/consoletest")),
		forbid: anyOf(ours("internal/testenv")...),
	},
	{
		name: "only the table of protocols knows their simulated hosts",
		of: func(path string) bool {
			return within(path, ours("tools", "reports")...) && !within(path, ours("tools/internal/protocols")...)
		},
		forbid: func(path string) bool {
			common := ours("simhost/clock", "simhost/console", "simhost/eventlog", "simhost/mutate", "simhost/param", "simhost/serving",
				"simhost/snapshot")
			return within(path, ours("simhost")...) && !within(path, common...)
		},
	},
	{
		name: "only the command, and the table with its own commands, parse command lines", tests: true,
		of:     not(below("tools/assay", "tools/internal")),
		forbid: anyOf("github.com/spf13"),
	},
}

func below(paths ...string) func(string) bool { return anyOf(ours(paths...)...) }

func anyOf(roots ...string) func(string) bool {
	return func(path string) bool { return within(path, roots...) }
}

func not(f func(string) bool) func(string) bool { return func(path string) bool { return !f(path) } }

func TestImportRules(t *testing.T) {
	list := packages(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			about := 0
			for _, p := range list {
				if !r.of(p.ImportPath) {
					continue
				}
				about++
				for _, used := range r.uses(p) {
					if r.forbid(used) {
						t.Errorf("%s uses %s", p.ImportPath, used)
					}
				}
			}
			if about == 0 {
				t.Error("it is about no package that exists")
			}
		})
	}
}

func (r rule) uses(p pkg) []string {
	used := p.Imports
	if r.deps {
		used = p.Deps
	}
	if r.tests {
		used = slices.Concat(used, p.TestImports, p.XTestImports)
	}
	return used
}

// What a rule forbids must be something that is really used somewhere: a library that was renamed would make the
// rule hold of nothing.
func TestRulesForbidWhatExists(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		for _, d := range p.Deps {
			used[d] = true
		}
	}
	for _, name := range []string{"github.com/nats-io/nats-server/v2/server", "github.com/getkin/kin-openapi/openapi3",
		"github.com/oasdiff/oasdiff/checker", ginkgo, "github.com/santhosh-tekuri/jsonschema/v5", "github.com/spf13/cobra"} {
		if !used[name] {
			t.Errorf("nothing uses %s any more: which name do the rules have to know now?", name)
		}
	}
}
