package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/specgen"
)

const generateLong = `Makes Go code of a spec: types of every JSON Schema, a server and a client of an
OpenAPI document (3.0, 3.1 or 3.2), a registry of events, and the documents
themselves. The code needs nothing but the standard library.

--spec names a folder or a file of anybody's, in any layout; references lead to
files below it or beside it, and nothing is fetched. Without --spec it takes the
packages of assay.generate.yaml, or in a checkout of Assay the folders under
spec/. The same input gives the same bytes.

A mistake in the spec is reported with its file, its JSON pointer and what would
mend it (exit 2); what was generated before then stays as it is. A slip that
keeps nothing from being made, such as an example that its schema refuses, is
told and no mistake, except with --strict.`

// generateFlags are the flags of assay generate.
type generateFlags struct {
	specgen.Options
	config string
	check  bool
}

func newGenerate() *cobra.Command {
	var g generateFlags
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate Go types, server and client from a spec",
		Long:  generateLong,
		Example: "  assay generate\n  assay generate --check\n  assay generate --spec ./api --into ./gen/acme\n" +
			"  assay generate --spec ./api/openapi.yaml --into ./gen/acme --only types,client",
		Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			targets, err := g.targets(cmd)
			if err != nil {
				return err
			}
			return generate(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), targets, g.check)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.check, "check", false, "write nothing; fail and name the files that are not up to date")
	f.StringVar(&g.config, "config", "", "`FILE` with the packages to make (default "+generateConfigName+", if that exists)")
	f.StringVar(&g.Spec, "spec", "", "`DIR|FILE` with the spec")
	f.StringVar(&g.Into, "into", "", "`DIR` of the generated package; with --spec")
	f.StringVar(&g.Package, "package", "", "`NAME` of the generated package (default the last word of --into); with --spec")
	f.StringSliceVar(&g.Only, "only", nil, "make only these `PARTS`: types, client, server; with --spec")
	f.StringVar(&g.Unknown, "unknown", "keep", "members that a schema does not name are kept (keep), kept where it speaks of them\n"+
		"(declared), or only where it gives them a schema (drop); with --spec")
	f.StringSliceVar(&g.Initialisms, "initialisms", nil, "`WORDS` that names write in capitals, beside the usual ones; with --spec")
	f.BoolVar(&g.Strict, "strict", false, "a slip, such as an example that its schema refuses, is a mistake; with --spec")
	f.StringToStringVar(&g.Remotes, "map", nil, "where documents of other places lie: `URI=PATH`, both whole or both the start of many; with --spec")
	return cmd
}

// targets are the packages to make: the one that the flags name, those of a file, or Assay's own.
func (g *generateFlags) targets(cmd *cobra.Command) ([]specgen.Options, error) {
	if g.Spec != "" {
		if g.config != "" {
			return nil, usage("assay generate: --config names packages and --spec is one: leave one of the two out")
		}
		if g.Into == "" {
			return nil, usage("assay generate --spec: name the folder of the package with --into DIR")
		}
		if g.Package == "" {
			g.Package = packageOf(g.Into)
		}
		return []specgen.Options{g.Options}, nil
	}
	for _, name := range []string{"into", "package", "only", "unknown", "initialisms", "strict", "map"} {
		if cmd.Flags().Changed(name) {
			return nil, usage("assay generate: --%s goes with --spec", name)
		}
	}
	targets, err := readGenerateConfig(g.config)
	if err != nil || targets != nil {
		return targets, err
	}
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	return specgen.Targets(root), nil
}

// packageOf is the package that a folder is expected to hold.
func packageOf(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return filepath.Base(full)
	}
	return filepath.Base(dir)
}

// mostFindings bounds what is told of each package.
const mostFindings = 10

// generate generates all packages before it writes any, so that a mistake in one folder leaves all of them unchanged.
func generate(ctx context.Context, out, told io.Writer, targets []specgen.Options, check bool) error {
	var outputs []*specgen.Output
	var mistakes []error
	for _, t := range targets {
		o, err := specgen.Generate(ctx, t)
		mistakes = append(mistakes, err)
		outputs = append(outputs, o)
	}
	if err := errors.Join(mistakes...); err != nil {
		return err
	}
	stale := 0
	for _, o := range outputs {
		tell(told, o)
		if !check {
			if err := o.Write(); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %d files\n", o.Into, len(o.Files))
			continue
		}
		files, err := o.Stale()
		if err != nil {
			return err
		}
		for _, f := range files {
			fmt.Fprintln(out, f)
		}
		stale += len(files)
	}
	if stale > 0 {
		return &exit{Code: exitFailed, Cause: fmt.Errorf("generate --check: %d generated files are not what the spec gives: "+
			"run assay generate and commit the result", stale)}
	}
	return nil
}

// tell says which slips a spec has, and which of its files nothing refers to.
func tell(w io.Writer, o *specgen.Output) {
	for i, f := range o.Findings {
		if i == mostFindings {
			fmt.Fprintf(w, "finding: %d more; --strict tells all\n", len(o.Findings)-i)
			break
		}
		fmt.Fprintf(w, "finding: %v\n", f)
	}
	for i, f := range o.Unused {
		if i == mostFindings {
			fmt.Fprintf(w, "not used: %d more files\n", len(o.Unused)-i)
			break
		}
		fmt.Fprintf(w, "not used: %s: no document refers to it\n", f)
	}
}

var modulePattern = lazyregexp.New(`(?m)^module github\.com/openassay/assay$`)

// checkout returns the root of the Assay checkout around the working folder.
func checkout() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && modulePattern.Match(mod) {
			if relative, err := filepath.Rel(here, dir); err == nil {
				return relative, nil // short, and independent of the machine
			}
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", &exit{Code: scenarios.ExitUsage, Cause: errors.New("assay generate: this is no checkout of Assay, and has no " +
				generateConfigName + ": name your own spec with --spec and --into")}
		}
	}
}
