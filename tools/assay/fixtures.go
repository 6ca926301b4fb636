package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

func newFixtures() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fixtures",
		Short: "Workflows that a host loads to be certified in full",
		Args:  cobra.ArbitraryArgs,
		RunE:  group("command"),
	}
	var family, salt string
	export := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the fixture workflows into a folder, a JSON file each",
		Long: "Writes every fixture workflow as DIR/<workflow id>.json. Load them into your host and list\ntheir ids under " +
			"/fixtures of its discovery document. Files of these names are replaced.\n\n" +
			"With --for upstream, writes only those that an engine runs which is built on the published\nfixtures: their " +
			"supervisors have their plan in config.mockDispatchPlan, and no node reads a port.\nThey need not be listed.",
		Example: "  assay fixtures export ./fixtures\n  assay fixtures export --for upstream ./fixtures\n" +
			"  assay fixtures export --salt spring-tide ./fixtures",
		Args: args("DIR"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if family != "" && family != forUpstream {
				return usage("fixtures export --for %q: the families are %q and, without --for, all", family, forUpstream)
			}
			if salt != "" && !scenarios.IsSalt(salt) {
				return usage("fixtures export --salt: give %s", scenarios.SaltForm)
			}
			n, err := exportFixtures(dirs[0], family, salt)
			if err != nil {
				return fmt.Errorf("export the fixtures: %w: name a folder that can be written", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d fixtures in %s\n", n, dirs[0])
			return err
		},
	}
	export.Flags().StringVar(&family, "for", "", "write only those for engines built on the published fixtures: upstream")
	export.Flags().StringVar(&salt, "salt", "", "draw the names of workflows, nodes, variables and texts from this `TEXT`")
	cmd.AddCommand(export)
	return cmd
}

const (
	forUpstream = "upstream"
	scriptedTag = "scripted" // the tag of that family
)

// inFamily reports whether a fixture belongs to a family; all belong to "".
func inFamily(fixture []byte, family string) (bool, error) {
	if family == "" {
		return true, nil
	}
	var w struct {
		Metadata struct {
			Tags []string `json:"tags"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(fixture, &w)
	return slices.Contains(w.Metadata.Tags, scriptedTag), err
}

func exportFixtures(dir, family, salt string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for _, p := range protocols.Values() {
		if p.Fixtures == nil {
			continue
		}
		files, called := p.Fixtures, func(id string) string { return id }
		if salt != "" {
			salted, err := p.Salted(salt)
			if err != nil {
				return 0, err
			}
			files, called = salted.Fixtures, salted.Drawn
		}
		entries, err := fs.ReadDir(p.Fixtures, ".")
		if err != nil {
			return 0, err
		}
		for _, e := range entries {
			published, err := fs.ReadFile(p.Fixtures, e.Name())
			if err != nil {
				return 0, err
			}
			if belongs, err := inFamily(published, family); err != nil {
				return 0, fmt.Errorf("%s: %w", e.Name(), err)
			} else if !belongs {
				continue
			}
			name := called(strings.TrimSuffix(e.Name(), fixtureExt)) + fixtureExt
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return 0, err
			}
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
				return 0, err
			}
			written++
		}
	}
	return written, nil
}

const fixtureExt = ".json"
