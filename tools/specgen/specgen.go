// Package specgen turns a spec folder (OpenAPI 3.1, JSON Schema 2020-12, fixtures, requirements) into one Go package.
//
// It bundles the schemas by their $ids, never over the network, and writes types, a server and a client for them. It adds
// an event registry, the embedded schemas and fixtures, and the requirements as constants. The same folder gives the same
// bytes everywhere.
package specgen

import (
	"cmp"
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
	Spec    string // the spec: a folder, or its main file
	Into    string // the folder of the generated package
	Package string // the package's name
	House   bool   // also apply the rules for Assay's own specs
	// Majors means that Spec holds a spec folder for each major version of a protocol, like v1. The package then has
	// the requirements and readings of them all, and nothing else.
	Majors bool
	// Ledgerless leaves the requirements and readings out: another package has those of all major versions.
	Ledgerless bool
	Only       []string // of types, client and server what is to be made; types come with both others. nil: all
	// Unknown says what becomes of members that a schema does not name: keep (also ""); declared, which keeps them where the
	// schema speaks of them; or drop, which keeps those that have a schema.
	Unknown string
	// Initialisms are words that Go names write in capitals, beside the usual ones.
	Initialisms []string
	Strict      bool // a finding is a mistake
	// Remotes says where documents of other places lie on this machine: the start of their URIs, and a file or a folder.
	Remotes map[string]string
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
	// Findings are slips of the spec that do not keep the package from being made: an example that its schema refuses, a
	// pattern that Go cannot match.
	Findings []*SpecError
	Unused   []string // files of the folder that may belong to a spec, and that nothing refers to
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
	f, err := load(o.Spec, o.House, o.Remotes)
	if err != nil {
		return nil, err
	}
	c, err := read(f)
	if err != nil {
		return nil, err
	}
	if o.Ledgerless {
		c.rows, c.readings = nil, nil
	}
	files, err := c.files(ctx, o)
	if err != nil {
		return nil, err
	}
	out := &Output{Into: o.Into, Files: files, Findings: c.findings.distinct()}
	if !o.House {
		out.Unused = f.unused()
	}
	if o.Strict && len(out.Findings) > 0 {
		return nil, c.findings.err()
	}
	return out, nil
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
func read(f *folder) (*contract, error) {
	var c contract
	var ledgerErr, readingsErr, profilesErr, namesErr, bundleErr, eventsErr error
	c.rows, ledgerErr = readLedger(f)
	c.readings, readingsErr = readReadings(f, c.rows)
	if f.house {
		c.profiles, profilesErr = readProfiles(f)
	}
	lintErr := lint(f)
	names, namesErr := nameSchemas(f)
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
	c := golang.Config{Package: o.Package, Initialisms: o.Initialisms, Unknown: cmp.Or(o.Unknown, "keep"),
		Client: o.makes("client"), Server: o.makes("server")}
	if o.House {
		// Hosts fold absent and null into one, and pass unknown members on from the bytes that they got.
		c.Initialisms, c.Unknown, c.Pointers = houseInitialisms, "drop", true
	}
	return c
}

// reserved returns what the files of a contract declare beside its types.
func (c *contract) reserved() []string {
	names := []string{"Bundled", "ComponentPointer"}
	if len(c.events) > 0 {
		names = append(names, "DecodePayload", "EventFamilies", "EventFamily", "EventOf", "EventSpec", "EventTypes", "Events")
	}
	if len(c.folder.fixtures) > 0 {
		names = append(names, "Fixtures")
	}
	if c.rows != nil {
		names = append(names, "Profiles", "Readings", "Requirement", "Requirements")
	}
	return names
}

func (o Options) makes(part string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, part) }

// Parts are the values that Options.Only takes.
var Parts = []string{"types", "client", "server"}

// Unknowns are the values that Options.Unknown takes.
var Unknowns = []string{"keep", "declared", "drop"}

// OptionsError says what is wrong with Options.
type OptionsError struct{ text string }

func (e *OptionsError) Error() string { return "generate: " + e.text }

func (o Options) check() error {
	bad := func(format string, args ...any) error { return &OptionsError{fmt.Sprintf(format, args...)} }
	if !token.IsIdentifier(o.Package) || o.Package == "main" || !unicode.IsLower(rune(o.Package[0])) {
		return bad("%q is no name for a package to import: choose a lower-case word", o.Package)
	}
	for _, part := range o.Only {
		if !slices.Contains(Parts, part) {
			return bad("%s: only %q: choose among %s", o.Package, part, strings.Join(Parts, ", "))
		}
	}
	if o.Unknown != "" && !slices.Contains(Unknowns, o.Unknown) {
		return bad("%s: unknown members %q: choose one of %s", o.Package, o.Unknown, strings.Join(Unknowns, ", "))
	}
	if o.Into == "" {
		return bad("%s: no folder to write to: name one", o.Package)
	}
	if _, err := os.Stat(o.Spec); err != nil {
		return bad("read the spec: %v", err)
	}
	return nil
}

func (c *contract) files(ctx context.Context, options Options) (map[string][]byte, error) {
	o, pkg := options.goConfig(), options.Package
	o.Doc = c.packageDoc(pkg)
	o.Client, o.Server = o.Client && c.folder.root != nil, o.Server && c.folder.root != nil
	o.Reserved = c.reserved()
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
	if c.folder.house {
		return files, nil // tests of each spec check its examples
	}
	c.checkPaths()
	data, err := encode(c.doc)
	if err != nil {
		return nil, err
	}
	return files, c.checkExamples(data)
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
