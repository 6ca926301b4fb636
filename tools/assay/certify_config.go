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

// configName is the file of parameters that is read from the working folder where no other is named.
const configName = "assay.yaml"

// notParameters are flags that say what one run is to do, and nothing of the target.
var notParameters = []string{"config", "help", "plan", "json", "update-expectations"}

// oneOf are flags of which one is enough: where the command line has one of them, it wins over the others in the file too.
var oneOf = [][]string{{"key", "key-file"}}

// readConfig takes over the parameters in the file at path; "" is assay.yaml, if there is one. What was typed stays as it was
// typed. No error repeats a key. What the file expects of the target is returned.
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

// typed are the flags that the command line has, and those that these stand for.
func typed(flags *pflag.FlagSet) map[string]bool {
	out := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) {
		out[f.Name] = true
		for _, group := range oneOf {
			if slices.Contains(group, f.Name) {
				for _, name := range group {
					out[name] = true
				}
			}
		}
	})
	return out
}

// config is a file of parameters while it is read.
type config struct {
	name  string
	flags *pflag.FlagSet
	typed map[string]bool

	expected *expectations.List // what it says beside parameters
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
		if err := c.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// expect reads the failures that are known.
func (c *config) expect(value *yaml.Node) error {
	list, err := expectations.Parse(c.name, value)
	if mistake, is := errors.AsType[*expectations.Mistake](err); is {
		return usage("certify: %s:%d: %s", c.name, mistake.Line, mistake.Problem)
	}
	c.expected = list
	return err
}

// wrong says what is wrong at a place of the file.
func (c config) wrong(at *yaml.Node, format string, args ...any) error {
	return usage("certify: %s:%d: %w", c.name, at.Line, fmt.Errorf(format, args...))
}

// set gives one flag its value, unless the command line has it.
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

// unknown names the parameter that was probably meant.
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

// values are what stands for a flag: one value, or each of a list.
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

// value is one value: as it stands, or where it is kept. A key must not stand in the file, since such files are shared.
func (c config) value(f *pflag.Flag, node *yaml.Node) (string, error) {
	switch {
	case node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[1].Kind == yaml.ScalarNode:
		return c.kept(f, node.Content[0], node.Content[1])
	case node.Kind != yaml.ScalarNode, node.Tag == "!!null":
		return "", c.wrong(node, "%s: write a value, or where it is kept: {env: NAME} or {file: PATH}", f.Name)
	case isSecret(f):
		return "", c.wrong(node, "%s: a key does not belong into this file: write where it is kept, {env: NAME} or {file: PATH}", f.Name)
	}
	return node.Value, nil
}

// kept reads a value from where it is kept.
func (c config) kept(f *pflag.Flag, how, where *yaml.Node) (string, error) {
	if c.typed[f.Name] { // then it need not be there
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

// isSecret tells the flags whose value is a credential.
func isSecret(f *pflag.Flag) bool { return f.Name == "key" || strings.HasSuffix(f.Name, "-key") }
