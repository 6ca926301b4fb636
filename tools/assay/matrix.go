package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/replace"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/reports/matrix"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

const matrixLong = `Reads results.json files, or folders that hold one, and writes a table for each
protocol among them: a row a family of requirements, a column a target. A cell says
what the family came to, how it was seen, and how many days ago; where report.html
lies beside the results it links there. Targets that were asked other questions are
marked as not comparable.

Certification bundles of %s, versions 1 and 2, can stand
among the files. They are shown in a table of their own: others say so.

With --out DIR it writes matrix.md and matrix.html there, with links relative to DIR.

--diff A B tells what changed for one target between two certifications.

Exit codes:
  2  the command was not understood, or a file cannot be read
  1  with --diff: something got worse
  0  all else`

// matrixFlags holds the flags of matrix.
type matrixFlags struct {
	out  string
	diff bool
	json bool
}

func newMatrix() *cobra.Command {
	o := &matrixFlags{}
	cmd := &cobra.Command{
		Use:   "matrix RESULTS...",
		Short: "Compare certifications: requirement families by target, as Markdown and HTML",
		Long:  fmt.Sprintf(matrixLong, protocols.OwnSuite().Title),
		Example: `  assay matrix out-a out-b/results.json > matrix.md
  assay matrix out-* bundle.json --out site
  assay matrix --diff last-week today`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := o.check(paths); err != nil {
				return err
			}
			if o.diff {
				return diffResults(cmd.OutOrStdout(), paths[0], paths[1], o.json)
			}
			return o.run(cmd.OutOrStdout(), paths, time.Now())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "`DIR` for matrix.md and matrix.html (default Markdown on standard output)")
	f.BoolVar(&o.diff, "diff", false, "tell what changed between two results of one target; exit code 1 when something got worse")
	f.BoolVar(&o.json, "json", false, "with --diff: print it as JSON")
	return cmd
}

func (o *matrixFlags) check(paths []string) error {
	switch {
	case o.json && !o.diff:
		return usage("assay matrix --json: it goes with --diff: results.json files are the matrix as data")
	case o.diff && o.out != "":
		return usage("assay matrix --diff: it prints what changed: leave out --out")
	case o.diff && len(paths) != 2:
		return usage("assay matrix --diff: it compares two results, and %d are named: write assay matrix --diff BEFORE AFTER", len(paths))
	case len(paths) == 0:
		return usage("assay matrix: RESULTS is missing: name a results.json, or the folder that assay certify --out wrote")
	}
	return nil
}

func (o *matrixFlags) run(stdout io.Writer, paths []string, now time.Time) error {
	var all []matrix.Certification
	var bundles []*conformance.Bundle
	from := o.out
	if from == "" {
		from = "." // links are relative to where the shell redirects the output
	}
	for _, path := range paths {
		doc, theirs, file, err := reports.LoadForMatrix(path, protocols.OwnSuite())
		switch {
		case err != nil:
			return &exit{Code: scenarios.ExitUsage, Cause: err}
		case theirs != nil:
			bundles = append(bundles, theirs)
		default:
			all = append(all, matrix.Certification{Results: *doc, Link: matrix.Beside(file, from)})
		}
	}
	m := matrix.New(known().Ledgers(), now, all, bundles...)
	if o.out == "" {
		return m.Markdown(stdout)
	}
	return writeMatrix(stdout, m, o.out)
}

// writeMatrix writes both files. It replaces each of them atomically.
func writeMatrix(stdout io.Writer, m *matrix.Matrix, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("assay matrix --out %s: %w: give another folder", dir, err)
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{reports.MatrixName, m.Markdown}, {matrix.PageName, m.HTML}} {
		path := filepath.Join(dir, file.name)
		if err := replace.File(path, 0o644, file.write); err != nil {
			return usage("assay matrix --out: write %s: %w: give another folder", path, err)
		}
		fmt.Fprintln(stdout, path)
	}
	return nil
}

// diffResults prints the changes between two results. The error carries the exit code.
func diffResults(stdout io.Writer, before, after string, asJSON bool) error {
	a, err := reports.Load(before)
	if err != nil {
		return &exit{Code: scenarios.ExitUsage, Cause: err}
	}
	b, err := reports.Load(after)
	if err != nil {
		return &exit{Code: scenarios.ExitUsage, Cause: err}
	}
	d, err := matrix.Compare(a, b)
	if err != nil {
		return usage("assay matrix --diff: %w", err)
	}
	if asJSON {
		err = matrix.WriteJSON(stdout, d)
	} else {
		err = matrix.WriteText(stdout, d)
	}
	if err == nil && d.Worse > 0 {
		return &exit{Code: exitFailed}
	}
	return err
}
