package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/tools/specgen"
)

// generateConfigName is the file of packages in the working folder, read unless --config names another.
const generateConfigName = "assay.generate.yaml"

// generateConfig is the content of the file. Paths are relative to it.
type generateConfig struct {
	Packages []struct {
		Spec        string            `yaml:"spec"`
		Into        string            `yaml:"into"`
		Package     string            `yaml:"package"`
		Only        []string          `yaml:"only"`
		Unknown     string            `yaml:"unknown"`
		Initialisms []string          `yaml:"initialisms"`
		Strict      bool              `yaml:"strict"`
		Map         map[string]string `yaml:"map"`
	} `yaml:"packages"`
}

var notFound = lazyregexp.New(`field (\S+) not found in type struct \{.*\}`)

// readGenerateConfig reads the packages of a file, or of assay.generate.yaml if name is "" and that exists; nil if not.
func readGenerateConfig(name string) ([]specgen.Options, error) {
	optional := name == ""
	if optional {
		name = generateConfigName
	}
	data, err := os.ReadFile(name)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("assay generate --config: %w", err)
	}
	var c generateConfig
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		said := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:")), " ")
		said = notFound.ReplaceAllString(said, "unknown field $1")
		return nil, usage("assay generate: %s: %s: it holds packages, a list of {spec, into, package, only, unknown, initialisms, strict, map}",
			name, said)
	}
	if len(c.Packages) == 0 {
		return nil, usage("assay generate: %s: names no package: write packages: [{spec: ./api, into: ./gen/acme}]", name)
	}
	var out []specgen.Options
	from := func(path string) string {
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(name), path)
	}
	for i, p := range c.Packages {
		if p.Spec == "" || p.Into == "" {
			return nil, usage("assay generate: %s: package %d needs spec and into", name, i+1)
		}
		o := specgen.Options{Spec: from(p.Spec), Into: from(p.Into), Package: p.Package, Only: p.Only, Unknown: p.Unknown,
			Initialisms: p.Initialisms, Strict: p.Strict, Remotes: map[string]string{}}
		if o.Package == "" {
			o.Package = packageOf(o.Into)
		}
		for uri, path := range p.Map {
			o.Remotes[uri] = from(path)
		}
		out = append(out, o)
	}
	return out, nil
}
