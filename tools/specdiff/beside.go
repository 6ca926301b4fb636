package specdiff

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/tools/specdiff/goapi"
)

// files is what stands beside the documents of a spec folder, and the ids of its schemas, which no bundle keeps.
type files struct {
	rows  *node            // requirements by id
	other map[string]*node // fixtures, profiles and readings by path
	ids   map[string]*node // $id and $schema of schema files by path
}

// readFiles reads them from a folder. A document that is named by itself has none beside it. Files that are no JSON or
// YAML are left to [specgen.Read], which has refused them if they matter.
func readFiles(dir string) (*files, error) {
	f := &files{rows: &node{kids: map[string]*node{}}, other: map[string]*node{}, ids: map[string]*node{}}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return f, nil // one document
	}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == "." || err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != ".":
			return fs.SkipDir
		case err != nil || d.IsDir() || !d.Type().IsRegular():
			return err
		}
		ledger := name == "requirements.yaml" || path.Dir(name) == "requirements" && path.Ext(name) == ".yaml"
		other := path.Dir(name) == "fixtures" && path.Ext(name) == ".json" || path.Dir(name) == "profiles" && path.Ext(name) == ".yaml" ||
			name == "readings.yaml"
		schema := strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), ".schema")
		if !ledger && !other && !schema {
			return nil
		}
		raw, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		v, err := value(name, raw)
		if err != nil {
			return nil
		}
		switch o, _ := v.(map[string]any); {
		case ledger:
			f.ledger(o, name)
		case other:
			f.other[name] = plainNode(v, name+"#")
		default:
			n := &node{at: name + "#", kids: map[string]*node{}}
			for _, k := range []string{"$id", "$schema"} {
				if id, ok := o[k]; ok {
					n.kids[k] = &node{at: n.at + "/" + k, raw: id}
				}
			}
			f.ids[name] = n
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read spec folder: %w", err)
	}
	return f, nil
}

func (f *files) ledger(o map[string]any, name string) {
	rows, _ := o["requirements"].([]any)
	for i, row := range rows {
		r, _ := row.(map[string]any)
		if id, ok := r["id"].(string); ok {
			f.rows.kids[id] = plainNode(row, name+"#/requirements/"+strconv.Itoa(i))
		}
	}
}

// value decodes a file, numbers as they are written.
func value(name string, raw []byte) (any, error) {
	var v any
	if path.Ext(name) == ".json" {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		return v, d.Decode(&v)
	}
	err := yaml.Unmarshal(raw, &v)
	return normal(v), err
}

// normal turns what YAML gives into what JSON gives.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, sub := range v {
			v[k] = normal(sub)
		}
		return v
	case map[any]any:
		out := map[string]any{}
		for k, sub := range v {
			out[fmt.Sprint(k)] = normal(sub)
		}
		return out
	case []any:
		for i, sub := range v {
			v[i] = normal(sub)
		}
		return v
	case nil, string, bool:
		return v
	}
	return json.Number(fmt.Sprint(v))
}

// plainNode is a document that is no OpenAPI: its lists of objects are compared entry by entry.
func plainNode(v any, at string) *node {
	n := &node{at: at, raw: v}
	switch v := v.(type) {
	case map[string]any:
		n.kids = map[string]*node{}
		for k, sub := range v {
			n.kids[k] = plainNode(sub, at+"/"+jsonpointer.Escape(k))
		}
	case []any:
		if !slices.ContainsFunc(v, func(e any) bool { _, object := e.(map[string]any); return object }) {
			return n
		}
		n.list = []*node{}
		for i, e := range v {
			n.list = append(n.list, plainNode(e, at+"/"+strconv.Itoa(i)))
		}
	}
	return n
}

// wordsOfRow are the members of a requirement that only say it in other words, or where it comes from.
var wordsOfRow = []string{"text", "why", "line", "hash", "section", "source", "issue"}

// beside lists the changes of what is in no document.
func beside(a, b *files) []Change {
	var out []Change
	add := func(of Subject, prefix string, n, m *node) {
		d := &differ{}
		d.compare(n, m, nil)
		for _, found := range d.found {
			c := Change{Severity: Unjudged, Breaks: []Party{}, Place: Place{Subject: of}, Places: []Place{{Subject: of}}, Findings: []Finding{}}
			if found.old != nil {
				c.Before = found.old.at
			}
			if found.new != nil {
				c.After = found.new.at
			}
			c.Text = found.fileWords(prefix)
			if found.reordered || found.spelling {
				c.Severity = Text
			}
			if of.Kind == Requirement {
				c.keys = []key{{text: goapi.Letters(of.Name)}}
				rowSeverity(&c, found)
			}
			if prefix == "schema" {
				c.Severity = Warning
			}
			out = append(out, c)
		}
	}
	both := func(x, y map[string]*node) []string {
		all := maps.Clone(x)
		maps.Copy(all, y)
		return slices.Sorted(maps.Keys(all))
	}
	for _, id := range both(a.rows.kids, b.rows.kids) {
		add(Subject{Requirement, id}, "requirement", a.rows.kids[id], b.rows.kids[id])
	}
	for _, name := range both(a.other, b.other) {
		add(Subject{File, name}, "file", a.other[name], b.other[name])
	}
	for _, name := range both(a.ids, b.ids) {
		if a.ids[name] != nil && b.ids[name] != nil {
			add(Subject{File, name}, "schema", a.ids[name], b.ids[name])
		}
	}
	return out
}

func (m difference) fileWords(prefix string) string {
	names := make([]string, len(m.path))
	for i, s := range m.path {
		names[i] = s.name
	}
	where := strings.Join(names, "/")
	switch {
	case where == "" && m.old == nil:
		return "the " + prefix + " is new"
	case where == "" && m.new == nil:
		return "the " + prefix + " is gone"
	case m.reordered:
		return fmt.Sprintf("`%s` stands in another order", where)
	case m.old == nil:
		return fmt.Sprintf("added `%s` %s", where, shown(m.new.raw))
	case m.new == nil:
		return fmt.Sprintf("removed `%s` %s", where, shown(m.old.raw))
	}
	return fmt.Sprintf("`%s` changed from %s to %s", where, shown(m.old.raw), shown(m.new.raw))
}

// rowSeverity says what a requirement's change means: a further MUST is a promise that servers of the old spec do not know.
func rowSeverity(c *Change, m difference) {
	must := func(n *node) bool {
		if n == nil {
			return false
		}
		if row, ok := n.raw.(map[string]any); ok {
			return row["level"] == "MUST"
		}
		return n.raw == "MUST"
	}
	switch {
	case len(m.path) > 0 && slices.Contains(wordsOfRow, m.path[0].name):
		c.Severity = Text
	case (len(m.path) == 0 || m.path[0].name == "level") && must(m.new) && !must(m.old):
		c.Severity, c.Breaks = Additive, []Party{Servers}
	default:
		c.Severity = Additive
	}
}
