package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/nearest"
)

// maxFile bounds a file of pipelines and a manifest, in bytes.
const maxFile = 1 << 20

// document is a YAML file while it is read. What is wrong with it is collected, each with file and line.
type document struct {
	path     string
	problems []error
}

// open reads the file's one document. Its root is nil where it is empty.
func openDocument(path string) (*document, *yaml.Node, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(content) > maxFile {
		return nil, nil, fmt.Errorf("%s: larger than %d bytes", path, maxFile)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	var root yaml.Node
	err = decoder.Decode(&root)
	if errors.Is(err, io.EOF) {
		return &document{path: path}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: write one document into the file, without ---", path)
	}
	return &document{path: path}, resolved(root.Content[0]), nil
}

// wrong notes a problem at a node.
func (d *document) wrong(at *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, fmt.Errorf("%s: %w", d.place(at), fmt.Errorf(format, args...)))
}

func (d *document) place(at *yaml.Node) string { return fmt.Sprintf("%s:%d", d.path, at.Line) }

// field is an entry of a mapping.
type field struct{ key, value *yaml.Node }

// fields are the entries of a mapping in their order. known lists the keys that there may be; nil: any.
func (d *document) fields(n *yaml.Node, what string, known []string) []field {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "%s is a mapping of keys to values", what)
		return nil
	}
	var out []field
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f := field{n.Content[i], resolved(n.Content[i+1])}
		switch key := f.key.Value; {
		case f.key.Kind != yaml.ScalarNode:
			d.wrong(f.key, "a key of %s is a word", what)
		case seen[key]:
			d.wrong(f.key, "%s has %q twice", what, key)
		case known != nil && !slices.Contains(known, key):
			d.wrong(f.key, "%s has no %q%s: there is %s", what, key, meant(key, known), strings.Join(known, ", "))
		default:
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// word is a text that is not empty.
func (d *document) word(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		d.wrong(n, "%s is a word", what)
		return ""
	}
	return n.Value
}

// list are the elements of a sequence.
func (d *document) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, "%s is a list", what)
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out[i] = resolved(c)
	}
	return out
}

// json is a node as JSON.
func (d *document) json(n *yaml.Node, what string) json.RawMessage {
	var value any
	err := n.Decode(&value)
	var raw json.RawMessage
	if err == nil {
		raw, err = json.Marshal(value)
	}
	if err != nil {
		d.wrong(n, "%s cannot be written as JSON: %w", what, err)
		return nil
	}
	return raw
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// meant asks for the known name that is nearest to one that is not known.
func meant(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
