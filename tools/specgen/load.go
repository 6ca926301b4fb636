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

// document is one file of a spec folder: the OpenAPI document or one JSON Schema.
type document struct {
	file   string // as shown in errors: Options.Spec joined with rel
	rel    string // below the spec folder, with slashes
	id     string // the schema's $id, empty where it has none
	tree   object
	isRoot bool // the OpenAPI document
}

// folder is a spec folder read into memory.
type folder struct {
	dir      string               // Options.Spec
	files    fs.FS                // below dir
	root     *document            // openapi.yaml, nil in a folder of schemas only
	schemas  []*document          // sorted by rel
	byRel    map[string]*document // root and schemas
	byID     map[string]*document
	fixtures map[string][]byte // file name -> content, of fixtures/*.json
	ledgers  map[string][]byte // requirements.yaml, or the files of requirements/, one a theme: relative path -> content
	profiles map[string][]byte // profiles/*.yaml: relative path -> content
	readings []byte            // readings.yaml, nil without one
}

const (
	ledgerName   = "requirements.yaml"
	ledgerFolder = "requirements"
)

var (
	rootNames      = []string{"openapi.yaml", "openapi.yml", "openapi.json"}
	fixtureName    = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*\.json$`)
	schemaSuffixes = []string{".schema.json", ".schema.yaml", ".schema.yml"}
)

// load reads a spec folder.
func load(dir string) (*folder, error) {
	f, err := walk(dir, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	if f.root == nil && len(f.schemas) == 0 {
		return nil, &SpecError{File: dir, Problem: "holds neither openapi.yaml nor a *.schema.json", Mend: "name the folder of a spec"}
	}
	slices.SortFunc(f.schemas, func(a, b *document) int { return strings.Compare(a.rel, b.rel) })
	return f, f.indexIDs()
}

// loadLedger reads only the requirements and readings of a spec folder. Parsing its schemas would take far longer.
func loadLedger(dir string) (*folder, error) {
	return walk(dir, func(rel string) bool { return isLedger(rel) || rel == readingsName })
}

// walk reads the files of a spec folder that are wanted. It parses all of them before it reports, so that one run names
// every broken one.
func walk(dir string, wanted func(rel string) bool) (*folder, error) {
	f := &folder{dir: dir, byRel: map[string]*document{}, byID: map[string]*document{}, fixtures: map[string][]byte{},
		ledgers: map[string][]byte{}, profiles: map[string][]byte{}}
	var bad problems
	f.files = os.DirFS(dir)
	err := fs.WalkDir(f.files, ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && rel != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(rel) {
			return nil
		}
		return bad.take(f.take(rel))
	})
	if err != nil {
		return nil, fmt.Errorf("read spec folder: %w", err)
	}
	return f, bad.err()
}

// take reads one file, if it is of a kind that belongs to a spec.
func (f *folder) take(rel string) error {
	read := func() ([]byte, error) { return fs.ReadFile(f.files, rel) }
	switch {
	case path.Dir(rel) == "fixtures":
		if path.Ext(rel) != ".json" {
			return nil
		}
		if !fixtureName.MatchString(path.Base(rel)) {
			return &SpecError{File: f.shown(rel), Problem: "Go cannot embed a file of this name", Mend: "use letters, digits, dots and hyphens"}
		}
		b, err := read()
		if err != nil {
			return err
		}
		f.fixtures[path.Base(rel)] = b
		_, err = parse(f.shown(rel), b)
		return err
	case isLedger(rel):
		b, err := read()
		f.ledgers[rel] = b
		return err
	case rel == readingsName:
		var err error
		f.readings, err = read()
		return err
	case path.Dir(rel) == profileFolder && path.Ext(rel) == ".yaml":
		b, err := read()
		f.profiles[rel] = b
		return err
	case slices.Contains(rootNames, rel):
		if f.root != nil {
			return &SpecError{File: f.shown(rel), Problem: "second OpenAPI document beside " + f.root.rel, Mend: "keep one of the two"}
		}
		b, err := read()
		if err != nil {
			return err
		}
		f.root, err = f.document(rel, b)
		if err == nil {
			f.root.isRoot = true
		}
		return err
	case hasSchemaSuffix(rel):
		b, err := read()
		if err != nil {
			return err
		}
		d, err := f.document(rel, b)
		if err == nil {
			f.schemas = append(f.schemas, d)
		}
		return err
	}
	return nil
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
	d := &document{file: file, rel: rel, tree: tree, id: asString(tree["$id"])}
	f.byRel[rel] = d
	return d, nil
}

func (f *folder) shown(rel string) string { return filepath.ToSlash(filepath.Join(f.dir, rel)) }

func (f *folder) indexIDs() error {
	var bad problems
	for _, d := range f.schemas {
		if d.id == "" {
			continue
		}
		if first, taken := f.byID[d.id]; taken {
			bad.add(&SpecError{File: d.file, Pointer: "/$id", Problem: fmt.Sprintf("$id %s is also that of %s", d.id, first.file),
				Mend: "give one of the two another $id"})
			continue
		}
		f.byID[d.id] = d
	}
	return bad.err()
}

func isLedger(rel string) bool {
	return rel == ledgerName || path.Dir(rel) == ledgerFolder && path.Ext(rel) == ".yaml"
}

func hasSchemaSuffix(rel string) bool {
	return slices.ContainsFunc(schemaSuffixes, func(s string) bool { return strings.HasSuffix(rel, s) })
}
