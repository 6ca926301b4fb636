package golang

import (
	"context"
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Draws(200)
	if testenv.Long() {
		if err := flag.Set("rapid.checks", "2000"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// Whatever a document says, it becomes Go that compiles, or it is refused with the pointer of what cannot become Go.
func TestEachDocumentCompilesOrIsRefused(t *testing.T) { rapid.Check(t, compilesOrIsRefused) }

func FuzzEachDocumentCompilesOrIsRefused(f *testing.F) { f.Fuzz(rapid.MakeFuzz(compilesOrIsRefused)) }

func compilesOrIsRefused(t *rapid.T) {
	doc, c := document(t), config(t)
	before, _ := json.Marshal(doc)
	made, err := Generate(context.Background(), doc, c)
	if after, _ := json.Marshal(doc); string(after) != string(before) {
		t.Fatalf("the document was changed:\n%s\n%s", before, after)
	}
	if err != nil {
		refusals(t, doc, err)
		return
	}
	if err := Check(made.Files, made.Owners); err != nil {
		t.Fatalf("%v\n%s", err, before)
	}
}

// refusals checks that each problem leads to a place in the document, and is none of the generator itself.
func refusals(t *rapid.T, doc object, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("refused without a pointer: %v", err)
	}
	for _, err := range joined.Unwrap() {
		p, ok := err.(*Problem)
		if !ok {
			t.Fatalf("refused without a pointer: %v", err)
		}
		if strings.Contains(p.Text, "fault of the generator") {
			raw, _ := json.Marshal(doc)
			t.Fatalf("%v\n%s", err, raw)
		}
		if err := look(doc, p.Pointer); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func parse(t testing.TB, doc string) object {
	t.Helper()
	return decodeDocument([]byte(doc))
}

// supportDeclarations lists the exported declarations of the support code.
func supportDeclarations(t testing.TB) []string {
	t.Helper()
	files, err := fs.Glob(supportFiles, "support/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		src, err := supportFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range f.Scope.Objects {
			if !token.IsExported(name) {
				continue
			}
			out = append(out, name)
		}
	}
	return out
}
