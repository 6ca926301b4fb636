package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inRooms are the protocols whose suites stand in rooms by theme.
var inRooms = []string{"openwop", "openintent", "agenticloop"}

// shared are the rooms of a protocol that every theme may use.
var shared = []string{"host", "claims", "dialect", "fixture"}

// borrowed are the themes that judge a drive of another: the very same run answers both questions.
var borrowed = map[string][]string{
	"openwop/control": {"loop"},
	"openwop/loop":    {"bounds", "handoff", "interrupts", "replay"},

	"agenticloop/protocol":  {"correlation"},
	"agenticloop/security":  {"protocol"},
	"agenticloop/state":     {"budget", "correlation"},
	"agenticloop/workspace": {"state"},
}

// A theme knows the host and what can be claimed, and no other theme, but for those whose drives it judges as well.
func TestThemesKeepToThemselves(t *testing.T) {
	list := packages(t)
	for _, protocol := range inRooms {
		themes := module + "/scenarios/" + protocol + "/"
		seen := 0
		for _, p := range list {
			theme, ok := strings.CutPrefix(p.ImportPath, themes)
			if !ok || strings.HasSuffix(theme, "test") || strings.HasPrefix(theme, "testdata") {
				continue
			}
			seen++
			for _, used := range p.Imports {
				other, ok := strings.CutPrefix(used, themes)
				switch {
				case !ok || slices.Contains(borrowed[protocol+"/"+theme], other):
				case slices.Contains(shared, theme) && !slices.Contains(shared, other):
					t.Errorf("%s %s uses theme %s", protocol, theme, other)
				case !slices.Contains(shared, other):
					t.Errorf("%s theme %s uses theme %s: what both need belongs into host", protocol, theme, other)
				}
			}
		}
		if seen < 10 {
			t.Errorf("only %d themes of %s were found", seen, protocol)
		}
	}
}

// A room is about one thing: whoever walks through the suites meets no package of more than 40 files.
func TestRoomsAreSmall(t *testing.T) {
	const most = 40
	for _, p := range packages(t) {
		dir, ok := strings.CutPrefix(p.ImportPath, module+"/scenarios")
		if !ok {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../../scenarios", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		if len(files) == 0 {
			if _, err := os.Stat(filepath.Join("../../scenarios", dir)); err != nil {
				t.Errorf("%s: %v", p.ImportPath, err)
			}
		}
		if len(files) > most {
			t.Errorf("%s has %d files, and %d are the most: is it about two things?", p.ImportPath, len(files), most)
		}
	}
}
