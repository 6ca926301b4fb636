package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inRooms are the protocols whose suites stand in rooms by theme.
var inRooms = []string{"openwop", "openintent", "agenticloop"}

// shared are the rooms of a protocol that every theme may use.
var shared = []string{"host", "claims", "dialect", "fixture", "model", "salt"}

// borrowed are the themes that judge a drive of another: the very same run answers both questions.
var borrowed = map[string][]string{
	"openwop/control": {"loop"},
	"openwop/loop":    {"bounds", "handoff", "interrupts", "replay"},
	// It holds whole runs to the rules of these.
	"openwop/programs": {"bounds", "handoff", "loop", "replay"},

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

// A room is about one thing: whoever walks through the suites and the simulated hosts meets no package of more than 40 files.
func TestRoomsAreSmall(t *testing.T) {
	const most = 40
	for _, p := range packages(t) {
		dir, ok := strings.CutPrefix(p.ImportPath, module+"/")
		if !ok || !strings.HasPrefix(dir, "scenarios") && !strings.HasPrefix(dir, "simhost") {
			continue
		}
		if files := sources(t, dir); len(files) > most {
			t.Errorf("%s has %d files, and %d are the most: is it about two things?", p.ImportPath, len(files), most)
		}
	}
}

// surfaces implement a generated contract, which has a method for each operation.
var surfaces = []string{"simhost/openwop/surface.Host", "simhost/openintent.Host"}

// A type that does everything is about nothing.
func TestTypesAreSmall(t *testing.T) {
	const most = 60
	seen := 0
	for _, p := range packages(t) {
		dir, ok := strings.CutPrefix(p.ImportPath, module+"/")
		if !ok || !strings.HasPrefix(dir, "scenarios") && !strings.HasPrefix(dir, "simhost") {
			continue
		}
		methods := map[string]int{}
		for _, file := range sources(t, dir) {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
					methods[receiver(f.Recv.List[0].Type)]++
				}
			}
		}
		for name, n := range methods {
			seen++
			if n > most && !slices.Contains(surfaces, dir+"."+name) {
				t.Errorf("%s.%s has %d methods, and %d are the most: is it several types?", dir, name, n, most)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d types were found", seen)
	}
}

// sources returns the files of a package without its tests.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", dir, err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
