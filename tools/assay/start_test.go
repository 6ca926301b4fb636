package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What a package of ours may allocate before main, and all of them: room for ledgers, claims and faults as they are written
// down, and not for anything that is parsed, compiled or decoded of them.
const (
	mostAtStart    = 192 << 10
	mostAtStartAll = 800 << 10
)

// A command that prints a list starts in milliseconds because nothing is made before it is needed. Of time nothing can be said
// on every machine; the runtime says what each package allocates.
func TestStartMakesNothing(t *testing.T) {
	assay, err := exec.LookPath("assay") // testscript.Main put it there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), assay, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("assay version: %v\n%s", err, told.String())
	}
	const module = "github.com/openassay/assay"
	inits := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes,`).FindAllStringSubmatch(told.String(), -1)
	var packages []string
	all := 0
	for _, init := range inits {
		packages = append(packages, init[1])
		bytes, err := strconv.Atoi(init[2])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(init[1], module) {
			continue
		}
		all += bytes
		if bytes > mostAtStart {
			t.Errorf("%s allocates %d bytes before main, more than %d: make it when it is first used, with sync.OnceValue or "+
				"internal/lazyregexp", init[1], bytes, mostAtStart)
		}
	}
	if all > mostAtStartAll {
		t.Errorf("our packages allocate %d bytes before main, more than %d: GODEBUG=inittrace=1 assay version tells of each", all, mostAtStartAll)
	}
	// The libraries that compile schemas at start are what the heap is given room for.
	place := func(path string) int {
		for i, p := range packages {
			if p == path {
				return i
			}
		}
		t.Fatalf("%s is not among the %d packages that are initialised", path, len(packages))
		return 0
	}
	for _, costly := range []string{"github.com/santhosh-tekuri/jsonschema/v5", "github.com/santhosh-tekuri/jsonschema/v6"} {
		if heap := module + "/internal/startheap"; place(heap) > place(costly) {
			t.Errorf("%s is initialised after %s: what that allocates is collected", heap, costly)
		}
	}
}
