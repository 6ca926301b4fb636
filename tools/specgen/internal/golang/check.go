package golang

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// oldest is the version of Go that generated code needs.
const oldest = "go1.24"

// Owners says which part of the document each declaration of generated code comes from, as JSON pointers.
type Owners struct {
	decls   map[string]string // by name
	methods map[string]string // of clients, servers and responses, by name
}

func newOwners() *Owners { return &Owners{map[string]string{}, map[string]string{}} }

// Check type-checks a generated package. What it finds is a fault of the generator, as a *Problem for each part of the
// document that the code does not compile for.
func Check(files map[string][]byte, owners *Owners) error {
	if owners == nil {
		owners = newOwners()
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	pkg := ""
	for _, name := range keys(files) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return errors.Join(owners.unparsed(name, files[name], err))
		}
		if bytes.Contains(files[name][:f.Package-f.FileStart], []byte("//go:build")) {
			return errors.Join(notGo("", name+" has a build constraint, which a comment brought in"))
		}
		parsed, pkg = append(parsed, f), f.Name.Name
	}
	var faults []error
	seen := map[string]bool{}
	conf := types.Config{Importer: stubImporter{}, GoVersion: oldest, Error: func(err error) {
		fault := types.Error{}
		if !errors.As(err, &fault) {
			faults = append(faults, err)
			return
		}
		pointer := owners.at(parsed, fault.Pos)
		if len(faults) < mostFaults && !seen[pointer] {
			seen[pointer] = true
			at := set.Position(fault.Pos)
			faults = append(faults, notGo(pointer, fmt.Sprintf("%s, line %d: %s", at.Filename, at.Line, fault.Msg)))
		}
	}}
	if err := typeCheck(conf, pkg, set, parsed); err != nil && len(faults) == 0 {
		return err
	}
	return errors.Join(faults...)
}

// typeCheck runs the type checker. Where that panics, the compiler, which shares its code, would not take the package either.
func typeCheck(conf types.Config, pkg string, set *token.FileSet, files []*ast.File) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(notGo("", fmt.Sprintf("the type checker gave up: %v", p)))
		}
	}()
	_, err = conf.Check(pkg, set, files, nil)
	return err
}

const mostFaults = 20

// notGo is the problem of a part of the document for which the generator writes code that does not compile.
func notGo(pointer, why string) *Problem {
	return problem(pointer, "rename it (x-go-name), write it in another way or leave it out, and report the fault, please",
		"the Go made of it does not compile, which is a fault of the generator (%s)", why)
}

// at returns the pointer of what stands at a position.
func (o *Owners) at(files []*ast.File, pos token.Pos) string {
	var around []ast.Node // the nodes around the position, the innermost last
	for _, f := range files {
		if pos < f.FileStart || pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || pos > n.End() {
				return false
			}
			around = append(around, n)
			return true
		})
	}
	for _, n := range slices.Backward(around) {
		if _, whole := n.(*ast.File); whole {
			break
		}
		if f, ok := n.(*ast.FuncDecl); ok && f.Recv != nil {
			if p, known := o.methods[f.Name.Name]; known {
				return p
			}
			n = f.Recv
		}
		found := ""
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && found == "" {
				found = cmp.Or(o.decls[id.Name], o.methods[id.Name])
			}
			return found == ""
		})
		if found != "" {
			return found
		}
	}
	return ""
}

var identifier = lazyregexp.New(`[\p{L}_][\p{L}\p{Nd}_]*`)

// unparsed returns the problem of code that is no Go: its pointer is that of the nearest declaration before the mistake.
func (o *Owners) unparsed(file string, src []byte, err error) error {
	var where scanner.ErrorList
	if !errors.As(err, &where) {
		return err
	}
	lines := strings.SplitAfter(string(src), "\n")
	pointer := ""
	for _, line := range slices.Backward(lines[:min(where[0].Pos.Line, len(lines))]) {
		for _, id := range identifier.FindAllString(line, -1) {
			pointer = cmp.Or(pointer, o.decls[id], o.methods[id])
		}
		if pointer != "" {
			break
		}
	}
	return notGo(pointer, fmt.Sprintf("%s: %s", file, where[0].Msg))
}
