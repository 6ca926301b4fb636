package golang

import (
	"flag"
	"fmt"
	"go/build"
	values "go/constant"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the stubs and the golden files again")

// The generator type-checks what it writes against stubs, because a release runs where there is no Go. This test makes
// them of the toolchain's packages, so that a new Go that changes these packages is noticed.
func TestStubsAreOfThisToolchain(t *testing.T) {
	// A test that was built with -trimpath does not know where the toolchain lies.
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
	real := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	w := &stubWriter{listed: map[string]bool{}, opaque: map[string]map[string]*types.TypeName{}}
	for _, path := range importable() {
		w.listed[path] = true
	}
	stubs := map[string]string{}
	for _, path := range importable() {
		pkg, err := real.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		stubs[path] = w.whole(pkg)
	}
	for path, names := range w.opaque {
		stubs[path] = w.outline(path, names)
	}
	there, err := stubFiles.ReadDir("stubs")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		path := stubPath(f.Name())
		if stubs[path] == "" {
			t.Errorf("stubs/%s: nothing needs it: remove it", f.Name())
		}
	}
	for _, path := range slices.Sorted(maps.Keys(stubs)) {
		want, err := format.Source([]byte(stubs[path]))
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, stubs[path])
		}
		if *update {
			if err := os.WriteFile("stubs/"+stubFile(path), want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := stubFiles.ReadFile("stubs/" + stubFile(path))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not the toolchain's (-toolchain +stub), run go test ./tools/specgen/internal/golang -run Stubs -update:\n%s",
				path, diff)
		}
	}
}

// stubWriter writes packages as source that has their declarations only. Packages that generated code cannot import are
// outlines: the names that others mention, without what lies behind them.
type stubWriter struct {
	listed map[string]bool
	opaque map[string]map[string]*types.TypeName
	pkg    *types.Package
	uses   map[string]bool
	hidden map[string]*types.TypeName // unexported types of the package that exported ones mention
	b      strings.Builder
}

func (w *stubWriter) qualify(p *types.Package) string {
	if p == w.pkg {
		return ""
	}
	w.uses[p.Path()] = true
	return p.Name()
}

// text writes a type and notes the types that it mentions.
func (w *stubWriter) text(t types.Type) string {
	w.visit(t, map[types.Type]bool{})
	return unnamed.ReplaceAllString(types.TypeString(t, w.qualify), "")
}

// unnamed are the names that the compiler gives to results without one.
var unnamed = regexp.MustCompile(`#rv\d+ `)

func (w *stubWriter) visit(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	mention := func(n *types.TypeName) {
		switch {
		case n.Pkg() == nil:
		case n.Pkg() == w.pkg:
			if !n.Exported() {
				w.hidden[n.Name()] = n
			}
		case !w.listed[n.Pkg().Path()]:
			path := n.Pkg().Path()
			if w.opaque[path] == nil {
				w.opaque[path] = map[string]*types.TypeName{}
			}
			w.opaque[path][n.Name()] = n
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		mention(t.Obj())
	case *types.Named:
		mention(t.Obj())
		for a := range t.TypeArgs().Types() {
			w.visit(a, seen)
		}
	case *types.Pointer:
		w.visit(t.Elem(), seen)
	case *types.Slice:
		w.visit(t.Elem(), seen)
	case *types.Array:
		w.visit(t.Elem(), seen)
	case *types.Chan:
		w.visit(t.Elem(), seen)
	case *types.Map:
		w.visit(t.Key(), seen)
		w.visit(t.Elem(), seen)
	case *types.Signature:
		for v := range t.Params().Variables() {
			w.visit(v.Type(), seen)
		}
		for v := range t.Results().Variables() {
			w.visit(v.Type(), seen)
		}
		for p := range t.TypeParams().TypeParams() {
			w.visit(p.Constraint(), seen)
		}
	case *types.Struct:
		for f := range t.Fields() {
			w.visit(f.Type(), seen)
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			w.visit(m.Type(), seen)
		}
		for e := range t.EmbeddedTypes() {
			w.visit(e, seen)
		}
	case *types.Union:
		for term := range t.Terms() {
			w.visit(term.Type(), seen)
		}
	}
}

func (w *stubWriter) whole(pkg *types.Package) string {
	w.pkg, w.uses, w.hidden = pkg, map[string]bool{}, map[string]*types.TypeName{}
	w.b.Reset()
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			w.object(o)
		}
	}
	done := map[string]bool{}
	for more := true; more; {
		more = false
		for _, name := range slices.Sorted(maps.Keys(w.hidden)) {
			if !done[name] {
				done[name], more = true, true
				w.object(w.hidden[name])
			}
		}
	}
	return w.file()
}

func (w *stubWriter) file() string {
	head := "package " + w.pkg.Name() + "\n\n"
	for _, path := range slices.Sorted(maps.Keys(w.uses)) {
		head += fmt.Sprintf("import %q\n", path)
	}
	return head + "\n" + w.b.String()
}

// outline writes the mentioned types of a package that generated code cannot import.
func (w *stubWriter) outline(path string, names map[string]*types.TypeName) string {
	w.uses = map[string]bool{}
	w.b.Reset()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w.pkg = names[name].Pkg()
		form := "struct{ _ int }"
		switch u := names[name].Type().Underlying().(type) {
		case *types.Basic:
			form = u.String()
		case *types.Interface:
			form = "interface{ hidden() }"
		}
		fmt.Fprintf(&w.b, "type %s %s\n", name, form)
	}
	return w.file()
}

func (w *stubWriter) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		value := o.Val().ExactString()
		if o.Val().Kind() == values.Float {
			value = o.Val().String()
		}
		kind := ""
		if b, basic := o.Type().(*types.Basic); !basic || b.Info()&types.IsUntyped == 0 {
			kind = w.text(o.Type())
		}
		fmt.Fprintf(&w.b, "const %s %s = %s\n", o.Name(), kind, value)
	case *types.Var:
		fmt.Fprintf(&w.b, "var %s %s\n", o.Name(), w.text(o.Type()))
	case *types.Func:
		w.function(o, "")
	case *types.TypeName:
		w.typeName(o)
	}
}

func (w *stubWriter) function(f *types.Func, receiver string) {
	body := ""
	if f.Signature().TypeParams().Len() > 0 {
		body = "{}" // go/types asks for one, which it does not read
	}
	fmt.Fprintf(&w.b, "func %s %s%s%s\n", receiver, f.Name(), strings.TrimPrefix(w.text(f.Signature()), "func"), body)
}

func (w *stubWriter) typeName(n *types.TypeName) {
	if a, ok := n.Type().(*types.Alias); ok {
		fmt.Fprintf(&w.b, "type %s = %s\n", n.Name(), w.text(a.Rhs()))
		return
	}
	named := n.Type().(*types.Named)
	var params, args []string
	for p := range named.TypeParams().TypeParams() {
		params = append(params, p.Obj().Name()+" "+w.text(p.Constraint()))
		args = append(args, p.Obj().Name())
	}
	list, of := "", n.Name()
	if len(params) > 0 {
		list, of = "["+strings.Join(params, ", ")+"]", n.Name()+"["+strings.Join(args, ", ")+"]"
	}
	form := ""
	switch u := named.Underlying().(type) {
	case *types.Struct:
		form = w.structure(u)
	case *types.Interface:
		form = w.text(exportedMethods(u))
	default:
		form = w.text(u)
	}
	fmt.Fprintf(&w.b, "type %s%s %s\n", n.Name(), list, form)
	methods := slices.SortedFunc(named.Methods(), func(x, y *types.Func) int { return strings.Compare(x.Name(), y.Name()) })
	for _, m := range methods {
		if !m.Exported() {
			continue
		}
		receiver := of
		if _, pointer := m.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*" + of
		}
		w.function(m, "("+receiver+")")
	}
}

// structure writes a struct's exported fields. Hidden ones leave a field behind, so that it compares as it does.
func (w *stubWriter) structure(s *types.Struct) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	hidden := false
	for f := range s.Fields() {
		switch {
		case f.Exported() && f.Embedded():
			b.WriteString(w.text(f.Type()) + "\n")
		case f.Exported():
			b.WriteString(f.Name() + " " + w.text(f.Type()) + "\n")
		default:
			hidden = true
		}
	}
	if hidden && types.Comparable(s) {
		b.WriteString("_ int\n")
	} else if hidden {
		b.WriteString("_ []int\n")
	}
	return b.String() + "}"
}

func exportedMethods(i *types.Interface) *types.Interface {
	var methods []*types.Func
	for m := range i.ExplicitMethods() {
		if m.Exported() {
			methods = append(methods, m)
		}
	}
	return types.NewInterfaceType(methods, slices.Collect(i.EmbeddedTypes()))
}
