package golang

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The declarations of the packages that generated code may import: a release checks what it writes where there is no Go.
//
//go:embed stubs/*.txt
var stubFiles embed.FS

// importable lists the packages that a generated package may import.
func importable() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Values(imports)), "cmp", "embed", "maps")))
}

func stubFile(path string) string { return strings.ReplaceAll(path, "/", ".") + ".txt" }

func stubPath(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".txt"), ".", "/")
}

// library holds the stubs that were needed so far.
var library = struct {
	sync.Mutex
	packages map[string]*types.Package
}{packages: map[string]*types.Package{}}

// stubImporter imports stubs. A locked one is at work for a stub, which holds the lock.
type stubImporter struct{ locked bool }

func (i stubImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if !i.locked {
		library.Lock()
		defer library.Unlock()
	}
	if p := library.packages[path]; p != nil {
		return p, nil
	}
	src, err := stubFiles.ReadFile("stubs/" + stubFile(path))
	if err != nil {
		return nil, fmt.Errorf("generated code cannot import %s", path)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, stubFile(path), src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true, Importer: stubImporter{locked: true}}
	p, err := conf.Check(path, set, []*ast.File{f}, nil)
	if err != nil {
		return nil, err
	}
	library.packages[path] = p
	return p, nil
}
