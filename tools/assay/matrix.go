package main

import (
	"github.com/spf13/cobra"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

func newMatrix() *cobra.Command {
	return &cobra.Command{
		Use:     "matrix RESULTS...",
		Short:   "Compare certifications: requirement families by target, as Markdown",
		Long:    "Reads results.json files, or folders that hold one, and prints a Markdown table for each\nprotocol among them: a row a family of requirements, a column a target.",
		Example: "  assay matrix out-a out-b/results.json > matrix.md",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return usage("assay matrix: RESULTS is missing: name a results.json, or the folder that assay certify --out wrote")
			}
			docs := make([]results.Results, len(paths))
			for i, path := range paths {
				var err error
				if docs[i], err = reports.Load(path); err != nil {
					return &exit{scenarios.ExitUsage, err}
				}
			}
			return reports.Matrix(cmd.OutOrStdout(), known().Ledgers(), docs...)
		},
	}
}
