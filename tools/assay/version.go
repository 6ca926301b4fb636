package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// build is which Assay this is, as assay version --json prints it.
type build struct {
	Version   string       `json:"version"`
	Commit    string       `json:"commit"`    // "" where the build did not know it
	Committed time.Time    `json:"committed"` // zero where the build did not know it
	Modified  bool         `json:"modified"`  // files had changed since that commit
	Go        string       `json:"go"`
	Platform  string       `json:"platform"` // GOOS/GOARCH
	Suites    []suitesOfIt `json:"suites"`
}

// suitesOfIt says what is asked of a target that speaks one protocol.
type suitesOfIt struct {
	Protocol  string `json:"protocol"`
	Target    string `json:"target"` // what speaks it
	Scenarios int    `json:"scenarios"`
	Digest    string `json:"digest"` // results with the same can be compared
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Show which Assay this is, and which suites it holds",
		Example: "  assay version\n  assay version --json",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := built()
			for _, kind := range protocols.Kinds(protocols.All()) {
				of, err := suitesFor(kind)
				if err != nil {
					return fmt.Errorf("assay version: %w", err)
				}
				b.Suites = append(b.Suites, of)
			}
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(b)
			}
			return b.write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func suitesFor(kind protocols.Kind) (suitesOfIt, error) {
	asked := kind.Suites()
	digest, err := scenarios.SuiteDigest(asked...)
	of := suitesOfIt{Protocol: kind.Row.ID, Target: kind.Name, Digest: digest}
	for _, s := range asked {
		of.Scenarios += len(s.Scenarios)
	}
	return of, err
}

func (b build) write(w io.Writer) error {
	var said strings.Builder
	fmt.Fprintf(&said, "assay %s (%s %s)\n", b.Version, b.Go, b.Platform)
	if b.Commit != "" {
		with := ""
		if b.Modified {
			with = ", with changes"
		}
		fmt.Fprintf(&said, "commit %s of %s%s\n", b.Commit, b.Committed.Format(time.RFC3339), with)
	}
	for _, s := range b.Suites {
		fmt.Fprintf(&said, "suites for a %-9s %-15s %3d scenarios  sha256:%s\n", s.Target, s.Protocol, s.Scenarios, s.Digest)
	}
	_, err := io.WriteString(w, said.String())
	return err
}

// built is what the build knows of itself.
func built() build {
	b := build{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Committed, _ = time.Parse(time.RFC3339, s.Value) // the go command wrote it
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// released is the version of a release, which its build sets: the module's own version is only known where it came as one.
var released string

// version is what the build knows: a release's tag, or the commit it was built from, or "dev".
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
