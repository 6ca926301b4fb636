// Package goapi compares what two versions of a generated Go package export, and says what became of it in the words of
// those whose programs use it. It knows Go alone: it reads source text, and nothing of the generator.
package goapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// What a declaration declares.
const (
	typeDecl   = "type"
	fieldDecl  = "field"
	methodDecl = "method" // of a type, or of an interface
	funcDecl   = "function"
	constDecl  = "constant"
	varDecl    = "variable"
)

// decl is one exported name.
type decl struct {
	kind  string
	owner string // the type of a field or method
	name  string
	text  string // type, signature or value
	json  string // name of a field in JSON
	omit  bool   // JSON leaves the field out when it is empty
	asks  bool   // a method of an interface: whoever implements it must have it
	shape string // of a type: all that it is, without its own name
}

func (d decl) key() string { return d.kind + " " + d.full() }

func (d decl) full() string {
	if d.owner == "" {
		return d.name
	}
	return d.owner + "." + d.name
}

// read lists the exported declarations of a package's files, by key.
func read(files map[string][]byte) (map[string]decl, error) {
	r := reader{decls: map[string]decl{}, shapes: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the generated %s: %w", name, err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				r.function(d)
			case *ast.GenDecl:
				r.general(d)
			}
		}
	}
	for k, d := range r.decls {
		if d.kind == typeDecl {
			slices.Sort(r.shapes[d.name])
			d.shape = word(d.name).ReplaceAllString(strings.Join(append(r.shapes[d.name], d.text), "\n"), "·")
			r.decls[k] = d
		}
	}
	return r.decls, nil
}

type reader struct {
	decls  map[string]decl
	shapes map[string][]string // by type: its fields, methods and constants
}

func (r *reader) add(d decl) {
	r.decls[d.key()] = d
	if d.owner != "" {
		of, _, _ := strings.Cut(d.owner, ".")
		r.shapes[of] = append(r.shapes[of], d.kind+" "+strings.TrimPrefix(d.full(), of)+" "+d.text+" "+d.json)
	}
}

func (r *reader) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	out := decl{kind: funcDecl, name: d.Name.Name, text: signature(d.Type)}
	if d.Recv != nil {
		receiver := strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
		receiver, _, _ = strings.Cut(receiver, "[")
		if !token.IsExported(receiver) {
			return
		}
		out.kind, out.owner = methodDecl, receiver
	}
	r.add(out)
}

// signature is without the names of parameters, which callers do not see.
func signature(t *ast.FuncType) string {
	bare := func(l *ast.FieldList) *ast.FieldList {
		if l == nil {
			return nil
		}
		out := &ast.FieldList{}
		for _, f := range l.List {
			for range max(1, len(f.Names)) {
				out.List = append(out.List, &ast.Field{Type: f.Type})
			}
		}
		return out
	}
	short := &ast.FuncType{TypeParams: t.TypeParams, Params: bare(t.Params), Results: bare(t.Results)}
	return strings.TrimPrefix(types.ExprString(short), "func")
}

func (r *reader) general(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				r.named(s)
			}
		case *ast.ValueSpec:
			kind := varDecl
			if d.Tok == token.CONST {
				kind = constDecl
			}
			r.values(kind, s)
		}
	}
}

func (r *reader) values(kind string, s *ast.ValueSpec) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		out := decl{kind: kind, name: name.Name}
		of := ""
		if s.Type != nil {
			of = types.ExprString(s.Type)
			out.text = of
		}
		if i < len(s.Values) && kind == constDecl {
			value := s.Values[i]
			if c, ok := value.(*ast.CallExpr); ok && s.Type == nil && len(c.Args) == 1 { // Kind("value")
				of = types.ExprString(c.Fun)
				out.text, value = of, c.Args[0]
			}
			out.text = strings.TrimSpace(out.text + " = " + types.ExprString(value))
		}
		r.add(out)
		if kind == constDecl && of != "" {
			_, value, _ := strings.Cut(out.text, " = ")
			r.shapes[of] = append(r.shapes[of], kind+" "+value)
		}
	}
}

func (r *reader) named(s *ast.TypeSpec) {
	out := decl{kind: typeDecl, name: s.Name.Name}
	if s.Assign.IsValid() {
		out.text = "= "
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		out.text += "struct"
		r.fields(s.Name.Name, t)
	case *ast.InterfaceType:
		out.text += "interface"
		r.methods(s.Name.Name, t)
	default:
		out.text += types.ExprString(t)
	}
	r.add(out)
}

func (r *reader) methods(owner string, t *ast.InterfaceType) {
	for _, m := range t.Methods.List {
		if f, ok := m.Type.(*ast.FuncType); ok {
			for _, name := range m.Names {
				if name.IsExported() {
					r.add(decl{kind: methodDecl, owner: owner, name: name.Name, text: signature(f), asks: true})
				} else {
					r.shapes[owner] = append(r.shapes[owner], "seal")
				}
			}
			continue
		}
		r.add(decl{kind: methodDecl, owner: owner, name: types.ExprString(m.Type), text: "(embedded)", asks: true})
	}
}

func (r *reader) fields(owner string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		names := f.Names
		if len(names) == 0 {
			of := types.ExprString(f.Type)
			short := strings.TrimPrefix(of, "*")
			short = short[strings.LastIndexByte(short, '.')+1:]
			names = []*ast.Ident{ast.NewIdent(short)}
		}
		for _, name := range names {
			if !name.IsExported() {
				continue
			}
			out := decl{kind: fieldDecl, owner: owner, name: name.Name, text: types.ExprString(f.Type)}
			out.json, out.omit = jsonName(f.Tag)
			if inner, written := within(f.Type); inner != nil {
				out.text = written
				r.fields(out.full(), inner)
			}
			r.add(out)
		}
	}
}

// within returns the struct that a field's type has written out, and the type without its fields.
func within(e ast.Expr) (*ast.StructType, string) {
	switch e := e.(type) {
	case *ast.StructType:
		return e, "struct"
	case *ast.StarExpr:
		s, text := within(e.X)
		return s, "*" + text
	case *ast.ArrayType:
		s, text := within(e.Elt)
		return s, "[]" + text
	case *ast.MapType:
		s, text := within(e.Value)
		return s, "map[" + types.ExprString(e.Key) + "]" + text
	}
	return nil, ""
}

func jsonName(tag *ast.BasicLit) (name string, omit bool) {
	if tag == nil {
		return "", false
	}
	text, err := strconv.Unquote(tag.Value)
	if err != nil {
		return "", false
	}
	name, options, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	return name, strings.Contains(options, "omit")
}
