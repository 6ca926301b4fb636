package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shared are the rooms of OpenWOP's suites that every theme may use.
var shared = ours("scenarios/openwop/host", "scenarios/openwop/claims", "scenarios/openwop/fixture", "scenarios/openwop/dialect")

// borrowed are the themes that judge a drive of another: the very same run answers both questions.
var borrowed = map[string][]string{
	"control": {"loop"},
	"loop":    {"bounds", "handoff", "interrupts", "replay"},
}

// A theme knows the host and what can be claimed, and no other theme, but for those whose drives it judges as well.
func TestThemesKeepToThemselves(t *testing.T) {
	const themes = module + "/scenarios/openwop/"
	seen := 0
	for _, p := range packages(t) {
		theme, ok := strings.CutPrefix(p.ImportPath, themes)
		if !ok || slices.Contains(shared, p.ImportPath) || strings.HasPrefix(theme, "hosttest") || strings.HasPrefix(theme, "testdata") {
			continue
		}
		seen++
		for _, used := range p.Imports {
			other, ok := strings.CutPrefix(used, themes)
			if ok && !slices.Contains(shared, used) && !slices.Contains(borrowed[theme], other) {
				t.Errorf("theme %s uses theme %s: what both need belongs into host", theme, other)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d themes were found", seen)
	}
}

// A room is about one thing: whoever walks through the suites meets no package of more than 40 files.
func TestRoomsAreSmall(t *testing.T) {
	const most = 40
	for _, p := range packages(t) {
		dir, ok := strings.CutPrefix(p.ImportPath, module+"/scenarios/openwop")
		if !ok {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../../scenarios/openwop", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		if len(files) == 0 {
			if _, err := os.Stat(filepath.Join("../../scenarios/openwop", dir)); err != nil {
				t.Errorf("%s: %v", p.ImportPath, err)
			}
		}
		if len(files) > most {
			t.Errorf("%s has %d files, and %d are the most: is it about two things?", p.ImportPath, len(files), most)
		}
	}
}
