package golang

import (
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
)

// given is a type that the schema names itself.
func (b *builder) given(name, at string) *goType {
	if name == "json.RawMessage" {
		return &goType{kind: anyKind}
	}
	if d := b.known[name]; d != nil {
		return &goType{kind: refKind, decl: d}
	}
	if e, err := parser.ParseExpr(name); err != nil || !b.isType(e) {
		return b.bad(problem(join(at, "x-go-type"), "take it out, or name a type of Go's own, such as int64, time.Duration or []string",
			"%q is no type that generated code can use: it imports the standard library only", name))
	}
	return &goType{kind: scalarKind, name: strings.TrimLeft(name, "*")} // a field is a pointer where it has to be
}

// basics are the predeclared types that have a form in JSON.
var basics = []string{"any", "bool", "byte", "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune",
	"string", "uint", "uint16",
	"uint32", "uint64", "uint8"}

// isType reports whether an expression is a type that generated code can use.
func (b *builder) isType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains(basics, e.Name)
	case *ast.StarExpr:
		return b.isType(e.X)
	case *ast.ArrayType:
		return e.Len == nil && b.isType(e.Elt)
	case *ast.MapType:
		key, ok := e.Key.(*ast.Ident)
		return ok && key.Name == "string" && b.isType(e.Value)
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		if !ok || imports[pkg.Name] == "" {
			return false
		}
		p, err := stubImporter{}.Import(imports[pkg.Name])
		if err != nil {
			return false
		}
		name, ok := p.Scope().Lookup(e.Sel.Name).(*types.TypeName)
		if !ok {
			return false
		}
		named, ok := name.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 {
			return false
		}
		switch named.Underlying().(type) {
		case *types.Interface, *types.Signature, *types.Chan:
			return false // these have no form in JSON
		}
		return !writesByPointer(named)
	}
	return false
}

// writesByPointer reports whether only a pointer to a type knows how to write it, as with big.Int: a value of it would be
// written as {}.
func writesByPointer(t *types.Named) bool {
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if types.NewMethodSet(t).Lookup(nil, name) != nil {
			return false
		}
	}
	of := types.NewMethodSet(types.NewPointer(t))
	return of.Lookup(nil, "MarshalJSON") != nil || of.Lookup(nil, "MarshalText") != nil
}
