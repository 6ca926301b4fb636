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

const generateLong = `Makes Go code of a spec folder: types, a server and a client of openapi.yaml,
types of every JSON Schema, a registry of events, and the documents themselves.

Without --spec it does so for the folders under spec/ of the Assay checkout it
is run in, and writes gen/. With --spec it takes anybody's folder of JSON
Schemas, with or without an openapi.yaml. The same input gives the same bytes.

A mistake in the spec is reported with its file, its JSON pointer and what would
mend it (exit 2); what was generated before then stays as it is.`

func newGenerate() *cobra.Command {
	var spec, into, pkg string
	var check bool
	cmd := &cobra.Command{
		Use:     "generate",
		Short:   "Generate Go types, server and client from a spec folder",
		Long:    generateLong,
		Example: "  assay generate\n  assay generate --check\n  assay generate --spec ./schemas --into ./gen/acme --package acme",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			targets, err := generateTargets(spec, into, pkg)
			if err != nil {
				return err
			}
			return generate(cmd.Context(), cmd.OutOrStdout(), targets, check)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&check, "check", false, "write nothing; fail and name the files that are not up to date")
	f.StringVar(&spec, "spec", "", "`DIR` with the spec (default those of the checkout)")
	f.StringVar(&into, "into", "", "`DIR` of the generated package; with --spec")
	f.StringVar(&pkg, "package", "", "`NAME` of the generated package; with --spec")
	return cmd
}

func generateTargets(spec, into, pkg string) ([]specgen.Options, error) {
	if spec != "" {
		if into == "" || pkg == "" {
			return nil, usage("assay generate --spec: name the folder with --into DIR and the package with --package NAME")
		}
		return []specgen.Options{{Spec: spec, Into: into, Package: pkg}}, nil
	}
	if into != "" || pkg != "" {
		return nil, usage("assay generate: --into and --package go with --spec DIR")
	}
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	return specgen.Targets(root), nil
}

// generate generates all packages before it writes any, so that a mistake in one folder leaves all of them unchanged.
func generate(ctx context.Context, out io.Writer, targets []specgen.Options, check bool) error {
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
		return &exit{Code: exitFailed, Cause: fmt.Errorf("generate --check: %d generated files are not what spec/ gives: "+
			"run assay generate and commit the result", stale)}
	}
	return nil
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
			return "", &exit{Code: scenarios.ExitUsage, Cause: errors.New("assay generate: this is no checkout of Assay: " +
				"run it inside one, or name your own folder with --spec, --into and --package")}
		}
	}
}
