package specgen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

var majorVersion = lazyregexp.New(`^v[0-9]+$`)

// tidy drops unused imports and formats. Unlike goimports it runs no go command and never guesses imports.
func tidy(src string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("generated code does not parse: %w", err)
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	unused := map[int]bool{} // line numbers
	for _, im := range f.Imports {
		if im.Name != nil && im.Name.Name == "_" || used[importName(im)] {
			continue
		}
		unused[fset.Position(im.Pos()).Line] = true
	}
	var b bytes.Buffer
	line := 0
	for l := range strings.Lines(src) {
		if line++; !unused[line] {
			b.WriteString(l)
		}
	}
	once, err := format.Source(b.Bytes())
	if err != nil {
		return nil, err
	}
	return format.Source(once) // the first pass moves comments, the second settles them
}

func importName(im *ast.ImportSpec) string {
	if im.Name != nil {
		return im.Name.Name
	}
	p, _ := strconv.Unquote(im.Path.Value) // checked by the parser
	if name := path.Base(p); !majorVersion.MatchString(name) {
		return name
	}
	return path.Base(path.Dir(p))
}
