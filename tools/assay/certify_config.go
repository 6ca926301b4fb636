package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/tools/assay/internal/expectations"
)

// configName is the file of parameters in the working folder, read unless --config names another.
const configName = "assay.yaml"

// notParameters lists flags that a file must not set: they describe one run, not the target.
var notParameters = []string{"config", "help", "plan", "json", "update-expectations", "launch", "check"}

// exclusiveFlags groups flags that exclude each other: one of them on the command line also overrides the others in the
// file.
var exclusiveFlags = [][]string{{"key", "key-file"}}

// readConfig sets flags from the file at path, or from assay.yaml if path is "" and that file exists. Flags on the
// command line win. It returns the failures that the file expects. No error repeats a key.
func readConfig(cmd *cobra.Command, path string) (expected, error) {
	name := path
	if path == "" {
		name = configName
	}
	none := expected{list: &expectations.List{File: name}}
	content, err := os.ReadFile(name)
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, usage("certify --config: %w", err)
	}
	c := config{name: name, flags: cmd.Flags(), typed: typed(cmd.Flags()), expected: none.list}
	if err := c.read(bytes.NewReader(content)); err != nil {
		return none, err
	}
	return expected{list: c.expected, content: content, there: true}, nil
}

// typed returns the flags that the command line sets, and those that they exclude.
func typed(flags *pflag.FlagSet) map[string]bool {
	out := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) {
		out[f.Name] = true
		for _, group := range exclusiveFlags {
			if slices.Contains(group, f.Name) {
				for _, name := range group {
					out[name] = true
				}
			}
		}
	})
	return out
}

// config is the state of reading a file of parameters.
type config struct {
	name  string
	flags *pflag.FlagSet
	typed map[string]bool

	expected *expectations.List // the failures that the file lists
}

func (c *config) read(r io.Reader) error {
	var document yaml.Node
	decoder := yaml.NewDecoder(r)
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) { // empty, or comments only
		return nil
	}
	if err != nil {
		return usage("certify: %s: %w", c.name, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return usage("certify: %s: it holds more than one document: leave one", c.name)
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return c.wrong(root, "write parameters as NAME: VALUE, by the names of the flags of assay certify")
	}
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if seen[key.Value] {
			return c.wrong(key, "%s is given twice", key.Value)
		}
		seen[key.Value] = true
		if key.Value == expectations.Key {
			if err := c.expect(value); err != nil {
				return err
			}
			continue
		}
		if key.Value == rolesKey && value.Kind == yaml.MappingNode {
			role := *key
			role.Value = "role"
			key, value = &role, pairs(value)
		}
		if err := c.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// expect reads the list of known failures.
func (c *config) expect(value *yaml.Node) error {
	list, err := expectations.Parse(c.name, value)
	if mistake, is := errors.AsType[*expectations.Mistake](err); is {
		return usage("certify: %s:%d: %s", c.name, mistake.Line, mistake.Problem)
	}
	c.expected = list
	return err
}

// wrong returns an error that names the file and the line of a node.
func (c config) wrong(at *yaml.Node, format string, args ...any) error {
	return usage("certify: %s:%d: %w", c.name, at.Line, fmt.Errorf(format, args...))
}

// set gives one flag its value, unless the command line sets it.
func (c config) set(key, value *yaml.Node) error {
	f := c.flags.Lookup(key.Value)
	if f == nil || slices.Contains(notParameters, key.Value) {
		return c.unknown(key)
	}
	values, err := c.values(f, value)
	if err != nil || c.typed[f.Name] {
		return err
	}
	many, isList := f.Value.(pflag.SliceValue)
	switch {
	case isList:
		err = many.Replace(values)
		f.Changed = true
	case value.Kind == yaml.SequenceNode:
		return c.wrong(value, "%s takes one value, not a list", f.Name)
	default:
		err = c.flags.Set(f.Name, values[0])
	}
	if err != nil {
		return c.wrong(value, "%s is not a %s: %s", f.Name, f.Value.Type(), meaning(f))
	}
	return nil
}

// unknown returns the error for an unknown key, with the nearest parameter.
func (c config) unknown(key *yaml.Node) error {
	var names []string
	for _, name := range namesOf(c.flags) {
		if !slices.Contains(notParameters, name) {
			names = append(names, name)
		}
	}
	names = append(names, expectations.Key)
	if near := nearest.Name(key.Value, names); near != "" {
		return c.wrong(key, "unknown parameter %q: did you mean %q?", key.Value, near)
	}
	return c.wrong(key, "unknown parameter %q: parameters have the names of the flags of assay certify, such as %s", key.Value,
		strings.Join(names[:3], ", "))
}

// values returns the value of a node, or each value of a list.
func (c config) values(f *pflag.Flag, node *yaml.Node) ([]string, error) {
	items := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	values := make([]string, len(items))
	for i, item := range items {
		var err error
		if values[i], err = c.value(f, item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// value returns the value of a node, which may refer to a variable or a file. It refuses a key written in the file
// itself, because such files are shared.
func (c config) value(f *pflag.Flag, node *yaml.Node) (string, error) {
	switch {
	case node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[1].Kind == yaml.ScalarNode:
		return c.lookUp(f, node.Content[0], node.Content[1])
	case node.Kind != yaml.ScalarNode, node.Tag == "!!null":
		return "", c.wrong(node, "%s: write a value, or where it is kept: {env: NAME} or {file: PATH}", f.Name)
	case isSecret(f):
		return "", c.wrong(node, "%s: a key does not belong into this file: write where it is kept, {env: NAME} or {file: PATH}", f.Name)
	}
	return node.Value, nil
}

// lookUp reads a value from an environment variable or a file.
func (c config) lookUp(f *pflag.Flag, how, where *yaml.Node) (string, error) {
	if c.typed[f.Name] { // the value is not used, so it may be missing
		return "", nil
	}
	var value string
	switch how.Value {
	case "env":
		value = os.Getenv(where.Value)
	case "file":
		content, err := os.ReadFile(where.Value)
		if err != nil {
			return "", c.wrong(where, "%s: %w", f.Name, err)
		}
		value = strings.TrimSpace(string(content))
	default:
		return "", c.wrong(how, "%s: %q is neither env nor file", f.Name, how.Value)
	}
	if value == "" {
		return "", c.wrong(where, "%s: the %s %s is empty or not set", f.Name, map[string]string{"env": "environment variable",
			"file": "file"}[how.Value], where.Value)
	}
	return value, nil
}

// isSecret reports whether the value of a flag is a credential.
func isSecret(f *pflag.Flag) bool { return f.Name == "key" || strings.HasSuffix(f.Name, "-key") }
