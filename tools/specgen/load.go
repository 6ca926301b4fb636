package specgen

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// document is one file of a spec folder: the OpenAPI document, a JSON Schema, or a file that one of these refers to.
type document struct {
	file   string // as shown in errors: the folder as it was named, joined with rel
	rel    string // below the spec folder, with slashes; it begins with ../ where the file lies outside
	id     string // the schema's $id, empty where it has none
	tree   object
	isRoot bool       // the OpenAPI document
	within []resource // its parts that have an $id of their own, inner ones last
	base   string     // the URI that its references are relative to
}

// folder is a spec folder read into memory.
type folder struct {
	dir      string               // as it was named
	files    fs.FS                // below dir
	root     *document            // the OpenAPI document, nil in a folder of schemas only
	schemas  []*document          // sorted by rel
	byRel    map[string]*document // root, schemas, and what they refer to
	ids      map[string]place     // absolute URI -> what has it as its $id
	anchors  map[string]place     // absolute URI with the name of an anchor
	fixtures map[string][]byte    // file name -> content, of fixtures/*.json
	ledgers  map[string][]byte    // requirements.yaml, or the files of requirements/, one a theme: relative path -> content
	profiles map[string][]byte    // profiles/*.yaml: relative path -> content
	readings []byte               // readings.yaml, nil without one
	others   []string             // files that may belong to the spec if something refers to them
	broken   map[string]error     // files that were asked for and cannot be read
	remotes  map[string]string    // what URIs begin with -> where such documents lie
	house    bool
}

const (
	ledgerName   = "requirements.yaml"
	ledgerFolder = "requirements"
)

var (
	fixtureName    = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*\.json$`)
	schemaSuffixes = []string{".schema.json", ".schema.yaml", ".schema.yml"}
	extensions     = []string{".json", ".yaml", ".yml"}
	// A document says which it is by one of these members. Only files that have one are parsed.
	speaks = lazyregexp.New(`(?m)(?:^|[{,\s])["']?(openapi|swagger|\$schema)["']?\s*:`)
)

// load reads a spec: a folder, or a file and whatever it refers to.
func load(spec string, house bool, remotes map[string]string) (*folder, error) {
	info, err := os.Stat(spec)
	if err != nil {
		return nil, fmt.Errorf("read spec: %w", err)
	}
	dir := spec
	if !info.IsDir() {
		dir = filepath.Dir(spec)
	}
	f := newFolder(dir)
	f.house, f.remotes = house, remotes
	if info.IsDir() {
		err = f.walk(func(string) bool { return true })
	} else {
		err = f.begin(filepath.Base(spec))
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(f.schemas, func(a, b *document) int { return strings.Compare(a.rel, b.rel) })
	if f.root == nil && len(f.schemas) == 0 {
		return nil, &SpecError{File: spec, Problem: "holds neither an OpenAPI document nor a JSON Schema",
			Mend: "name the folder of a spec; a schema has $schema in it, or a name that ends in .schema.json"}
	}
	if f.root != nil {
		l := &linter{folder: f, bad: &problems{}}
		if l.version(f.root); l.bad.err() != nil {
			return nil, l.bad.err()
		}
	}
	return f, f.indexAll()
}

func newFolder(dir string) *folder {
	return &folder{dir: dir, files: os.DirFS(dir), byRel: map[string]*document{}, ids: map[string]place{}, anchors: map[string]place{},
		fixtures: map[string][]byte{}, ledgers: map[string][]byte{}, profiles: map[string][]byte{}, broken: map[string]error{}}
}

// loadLedger reads only the requirements and readings of a spec folder. Parsing its schemas would take far longer.
func loadLedger(dir string) (*folder, error) {
	f := newFolder(dir)
	return f, f.walk(func(rel string) bool { return isLedger(rel) || rel == readingsName })
}

// begin reads the one file that was named.
func (f *folder) begin(rel string) error {
	d, err := f.read(rel)
	if err != nil {
		return err
	}
	if isAPI(d.tree) {
		d.isRoot, f.root = true, d
		return nil
	}
	f.schemas = append(f.schemas, d)
	return nil
}

// walk reads the files of a spec folder that are wanted. It parses all of them before it reports, so that one run names
// every broken one.
func (f *folder) walk(wanted func(rel string) bool) error {
	var bad problems
	var roots []*document
	err := fs.WalkDir(f.files, ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(rel) {
			return nil
		}
		root, err := f.take(rel)
		if root != nil {
			roots = append(roots, root)
		}
		return bad.take(err)
	})
	if err != nil {
		return fmt.Errorf("read spec folder: %w", err)
	}
	f.choose(roots, &bad)
	return bad.err()
}

// choose settles which of several OpenAPI documents the folder is about: the one at its top, if only one lies there.
func (f *folder) choose(roots []*document, bad *problems) {
	top := slices.DeleteFunc(slices.Clone(roots), func(d *document) bool { return path.Dir(d.rel) != "." })
	if len(top) > 0 {
		roots = top
	}
	if modern := slices.DeleteFunc(slices.Clone(roots), func(d *document) bool { return d.tree["swagger"] != nil }); len(modern) > 0 {
		roots = modern
	}
	switch len(roots) {
	case 0:
	case 1:
		f.root = roots[0]
		f.root.isRoot = true
	default:
		var names []string
		for _, d := range roots {
			names = append(names, d.rel)
		}
		if more := len(names) - 5; more > 0 {
			names = append(names[:5], fmt.Sprintf("%d more", more))
		}
		bad.add(&SpecError{File: f.dir, Problem: fmt.Sprintf("holds %d OpenAPI documents (%s)", len(roots), strings.Join(names, ", ")),
			Mend: "name the one that is meant: --spec " + roots[0].file})
	}
}

// take reads one file, if it is of a kind that belongs to a spec. It returns an OpenAPI document.
func (f *folder) take(rel string) (root *document, err error) {
	read := func() ([]byte, error) { return fs.ReadFile(f.files, rel) }
	switch {
	case path.Dir(rel) == "fixtures":
		return nil, f.fixture(rel)
	case isLedger(rel):
		f.ledgers[rel], err = read()
		return nil, err
	case rel == readingsName:
		f.readings, err = read()
		return nil, err
	case path.Dir(rel) == profileFolder && path.Ext(rel) == ".yaml":
		f.profiles[rel], err = read()
		return nil, err
	case !slices.Contains(extensions, path.Ext(rel)), strings.HasSuffix(rel, ".bundled.json"):
		return nil, nil
	}
	data, err := read()
	if err != nil {
		return nil, err
	}
	said := speaks.FindSubmatch(data)
	if !hasSchemaSuffix(rel) && said == nil {
		f.others = append(f.others, rel)
		return nil, nil
	}
	d, err := f.document(rel, data)
	switch {
	case err != nil && !hasSchemaSuffix(rel) && string(said[1]) == "$schema":
		f.others = append(f.others, rel) // somebody's settings, with comments in them
		return nil, nil
	case err != nil:
		return nil, err
	case isAPI(d.tree):
		return d, nil
	case hasSchemaSuffix(rel) || isSchema(d.tree):
		f.schemas = append(f.schemas, d)
		return nil, nil
	}
	delete(f.byRel, rel)
	f.others = append(f.others, rel)
	return nil, nil
}

func (f *folder) fixture(rel string) error {
	if path.Ext(rel) != ".json" {
		return nil
	}
	if !fixtureName.MatchString(path.Base(rel)) {
		return &SpecError{File: f.shown(rel), Problem: "Go cannot embed a file of this name", Mend: "use letters, digits, dots and hyphens"}
	}
	b, err := fs.ReadFile(f.files, rel)
	if err != nil {
		return err
	}
	f.fixtures[path.Base(rel)] = b
	_, err = parse(f.shown(rel), b)
	return err
}

// isAPI reports whether a document says that it is OpenAPI, or what OpenAPI was called before.
func isAPI(tree object) bool {
	return asString(tree["openapi"]) != "" && tree["info"] != nil || tree["swagger"] != nil && tree["paths"] != nil
}

// isSchema reports whether a document says that it is a JSON Schema. Settings of other programs name a schema of theirs.
func isSchema(tree object) bool { return isDialect(asString(tree["$schema"])) }

// read reads a document from the disk, by its path relative to the folder.
func (f *folder) read(rel string) (*document, error) {
	if d := f.byRel[rel]; d != nil {
		return d, nil
	}
	if err := f.broken[rel]; err != nil {
		return nil, err
	}
	data, err := f.content(rel)
	if err == nil {
		var d *document
		if d, err = f.document(rel, data); err == nil {
			return d, nil
		}
	}
	f.broken[rel] = err
	return nil, err
}

func (f *folder) content(rel string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(rel)))
}

func (f *folder) document(rel string, data []byte) (*document, error) {
	file := f.shown(rel)
	v, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	tree, ok := v.(object)
	if !ok {
		return nil, &SpecError{File: file, Problem: "is not an object", Mend: "write the document as an object"}
	}
	d := &document{file: file, rel: rel, tree: tree}
	if id := asString(tree["$id"]); !isAPI(tree) {
		d.id = id
	}
	f.byRel[rel] = d
	return d, nil
}

func (f *folder) shown(rel string) string { return filepath.ToSlash(filepath.Join(f.dir, rel)) }

// unused lists the files of the folder that nothing refers to and that are no document by themselves.
func (f *folder) unused() []string {
	var out []string
	for _, rel := range f.others {
		if f.byRel[rel] == nil {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

func isLedger(rel string) bool {
	return rel == ledgerName || path.Dir(rel) == ledgerFolder && path.Ext(rel) == ".yaml"
}

func hasSchemaSuffix(rel string) bool {
	return slices.ContainsFunc(schemaSuffixes, func(s string) bool { return strings.HasSuffix(rel, s) })
}
