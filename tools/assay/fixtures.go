package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/tools/internal/protocols"
)

func newFixtures() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fixtures",
		Short: "Workflows that a host loads to be certified in full",
		Args:  cobra.ArbitraryArgs,
		RunE:  group("command"),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "export DIR",
		Short: "Write the fixture workflows into a folder, a JSON file each",
		Long: "Writes every fixture workflow as DIR/<workflow id>.json. Load them into your host and list\ntheir ids under " +
			"/fixtures of its discovery document. Files of these names are replaced.",
		Example: "  assay fixtures export ./fixtures",
		Args:    args("DIR"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			n, err := exportFixtures(dirs[0])
			if err != nil {
				return fmt.Errorf("export the fixtures: %w: name a folder that can be written", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d fixtures in %s\n", n, dirs[0])
			return err
		},
	})
	return cmd
}

func exportFixtures(dir string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for _, p := range protocols.Values() {
		if p.Fixtures == nil {
			continue
		}
		entries, err := fs.ReadDir(p.Fixtures, ".")
		if err != nil {
			return 0, err
		}
		for _, e := range entries {
			content, err := fs.ReadFile(p.Fixtures, e.Name())
			if err != nil {
				return 0, err
			}
			if err := os.WriteFile(filepath.Join(dir, e.Name()), content, 0o644); err != nil {
				return 0, err
			}
			written++
		}
	}
	return written, nil
}
