// Package specgen turns a spec folder (OpenAPI 3.1, JSON Schema 2020-12, fixtures, requirements) into one Go package.
//
// It bundles the schemas by their $ids, never over the network, and writes types, a server and a client for them. It adds
// an event registry, the embedded schemas and fixtures, and the requirements as constants. The same folder gives the same
// bytes everywhere.
package specgen

import (
	"context"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/tools/specgen/internal/golang"
)

// Options names a spec folder and the Go package to generate from it.
type Options struct {
	Spec    string // the spec folder
	Into    string // the folder of the generated package
	Package string // the package's name
	House   bool   // also apply the rules for Assay's own specs
	// Majors means that Spec holds a spec folder for each major version of a protocol, like v1. The package then has
	// the requirements and readings of them all, and nothing else.
	Majors bool
	// Ledgerless leaves the requirements and readings out: another package has those of all major versions.
	Ledgerless bool
}

// Targets lists Assay's own spec folders below the project's root with their packages: for each protocol one package
// with the ledgers of all its major versions, and one for each of these, the newest first; and one for our own schemas.
func Targets(root string) []Options {
	specs, err := fs.Glob(os.DirFS(root), "spec/*/v*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.Reverse(specs)
	made := func(spec, name string) Options {
		return Options{Spec: filepath.Join(root, spec), Into: filepath.Join(root, "gen", name), Package: name, House: true}
	}
	var out []Options
	for i, spec := range specs {
		protocol := path.Dir(spec)
		if i == 0 || path.Dir(specs[i-1]) != protocol {
			all := made(protocol, path.Base(protocol))
			all.Majors = true
			out = append(out, all)
		}
		one := made(spec, path.Base(protocol)+path.Base(spec))
		one.Ledgerless = true
		out = append(out, one)
	}
	return append(out, made("spec/assay", "results"))
}

// Output is a generated package in memory.
type Output struct {
	Into  string            // target folder
	Files map[string][]byte // path below Into, with slashes -> content
}

// Generate builds the package of a spec folder in memory. It returns mistakes in the folder as *SpecError, joined and
// sorted if there are several.
func Generate(ctx context.Context, o Options) (*Output, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Majors {
		files, err := majors(o.Spec, o.Package)
		if err == nil {
			err = golang.Check(files, nil)
		}
		if err != nil {
			return nil, err
		}
		return &Output{Into: o.Into, Files: files}, nil
	}
	f, err := load(o.Spec)
	if err != nil {
		return nil, err
	}
	c, err := read(f, o.House)
	if err != nil {
		return nil, err
	}
	if o.Ledgerless {
		c.rows, c.readings = nil, nil
	}
	files, err := c.files(ctx, o.Package, o.goConfig())
	if err != nil {
		return nil, err
	}
	return &Output{Into: o.Into, Files: files}, nil
}

// contract is the content of a spec folder, ready for writing Go.
type contract struct {
	*bundled
	events []event
	rows   []ledgerRow // nil without a ledger

	types    map[string]string // name of a component -> its Go type, once these are known
	readings []reading         // nil without any
	profiles []frozenProfile
}

// read turns a loaded folder into its contract. It continues after a mistake where possible, to report many at once.
func read(f *folder, house bool) (*contract, error) {
	var c contract
	var ledgerErr, readingsErr, profilesErr, namesErr, bundleErr, eventsErr error
	c.rows, ledgerErr = readLedger(f)
	c.readings, readingsErr = readReadings(f, c.rows)
	if house {
		c.profiles, profilesErr = readProfiles(f)
	}
	lintErr := lint(f, house)
	names, namesErr := nameSchemas(f, house)
	if namesErr == nil {
		c.bundled, bundleErr = bundle(f, names)
		c.events, eventsErr = c.bundled.events()
	}
	var bad problems
	for _, err := range []error{ledgerErr, readingsErr, profilesErr, lintErr, namesErr, bundleErr, eventsErr} {
		if err := bad.take(err); err != nil {
			return nil, err
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return &c, nil
}

// houseInitialisms are the words that Assay's own packages write in capitals beside the usual ones.
var houseInitialisms = []string{"USD", "SSE", "MCP", "PII", "OIDC", "SLA"}

func (o Options) goConfig() golang.Config {
	if o.House {
		// Hosts fold absent and null into one, and pass unknown members on from the bytes that they got.
		return golang.Config{Initialisms: houseInitialisms, Unknown: "drop", Pointers: true}
	}
	return golang.Config{}
}

func (o Options) check() error {
	if !token.IsIdentifier(o.Package) || o.Package == "main" || !unicode.IsLower(rune(o.Package[0])) {
		return fmt.Errorf("generate: %q is no name for a package to import: choose a lower-case word", o.Package)
	}
	if o.Into == "" {
		return fmt.Errorf("generate %s: no folder to write to: name one", o.Package)
	}
	switch info, err := os.Stat(o.Spec); {
	case err != nil:
		return fmt.Errorf("read spec folder: %w", err)
	case !info.IsDir():
		return fmt.Errorf("read spec folder: %s is a file: name the folder that holds it", o.Spec)
	}
	return nil
}

func (c *contract) files(ctx context.Context, pkg string, o golang.Config) (map[string][]byte, error) {
	o.Package, o.Doc = pkg, c.packageDoc(pkg)
	o.Client, o.Server = c.folder.root != nil, c.folder.root != nil
	made, err := golang.Generate(ctx, c.doc, o)
	if err != nil {
		return nil, c.refused(err)
	}
	files := made.Files
	c.types = made.Types
	for _, more := range []func(pkg string) (map[string][]byte, error){
		c.registryFile, c.schemaFiles, c.fixtureFiles, c.requirementsFile, c.readingsFile, c.profilesFile,
	} {
		made, err := more(pkg)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, made)
	}
	if err := golang.Check(files, made.Owners); err != nil {
		return nil, c.refused(err)
	}
	return files, nil
}

// refused turns the problems of the bundled document into mistakes of the folder.
func (c *contract) refused(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var bad problems
	for _, err := range joined.Unwrap() {
		p, ok := err.(*golang.Problem)
		if !ok {
			return err
		}
		file, pointer := c.source(p.Pointer)
		bad.add(&SpecError{File: file, Pointer: pointer, Problem: p.Text, Mend: p.Mend})
	}
	return bad.err()
}

// source returns the place in the folder of a pointer into the bundled document.
func (b *bundled) source(pointer string) (file, at string) {
	if rest, ok := strings.CutPrefix(pointer, "/components/schemas/"); ok {
		name, below, _ := strings.Cut(rest, "/")
		if p, known := b.origin[jsonpointer.Unescape(name)]; known {
			if below != "" {
				below = "/" + below
			}
			return p.doc.file, p.pointer + below
		}
	}
	if b.folder.root == nil {
		return b.folder.dir, pointer
	}
	return b.folder.root.file, pointer
}

// packageDoc returns the package comment. It names no path: the package must not depend on where the spec lies.
func (b *bundled) packageDoc(pkg string) string {
	if b.folder.root == nil {
		return comment(fmt.Sprintf("Package %s holds the Go types of a folder of JSON Schemas, the schemas themselves, and its "+
			"events, fixtures and requirements where it has them.", pkg)) + "\n"
	}
	info := asObject(b.doc["info"])
	return comment(fmt.Sprintf("Package %s holds the types, the server and the client of %s (version %s), with its schemas, "+
		"and its events, fixtures and requirements where it has them.",
		pkg, asString(info["title"]), asString(info["version"]))) + "\n"
}
