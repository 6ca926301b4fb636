package specgen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// checkNames finds names that two parts of the generated package declare: a schema named like one of the client's
// types, say. oapi-codegen writes such packages without a warning, and they do not compile.
func (b *bundled) checkNames(files map[string][]byte) error {
	first := map[string]string{} // declared name -> file
	var bad problems
	for _, file := range sortedKeys(files) {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, files[file], parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read generated code: %w", err)
		}
		for _, name := range declared(f) {
			if first[name] == "" {
				first[name] = file
				continue
			}
			bad.add(b.collision(name, first[name], file))
		}
	}
	return bad.err()
}

func (b *bundled) collision(name, one, two string) *SpecError {
	e := &SpecError{File: b.folder.shown(""), Problem: fmt.Sprintf("the Go name %s would be declared in %s and %s", name, one, two),
		Mend: "rename the schema or operation behind it"}
	for _, component := range sortedKeys(b.origin) {
		if typeName(component) == name {
			e.File, e.Pointer = b.origin[component].doc.file, b.origin[component].pointer
		}
	}
	return e
}

// declared returns the names that a file declares at package level.
func declared(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	return names
}
