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

// build identifies this Assay, as assay version --json prints it.
type build struct {
	Version   string           `json:"version"`
	Commit    string           `json:"commit"`    // "" if the build did not know it
	Committed time.Time        `json:"committed"` // zero if the build did not know it
	Modified  bool             `json:"modified"`  // files had changed since that commit
	Go        string           `json:"go"`
	Platform  string           `json:"platform"` // GOOS/GOARCH
	Suites    []protocolSuites `json:"suites"`
}

// protocolSuites summarizes the suites for one kind of target.
type protocolSuites struct {
	Protocol  string `json:"protocol"`
	Target    string `json:"target"` // kind of target
	Scenarios int    `json:"scenarios"`
	Digest    string `json:"digest"` // results with the same digest can be compared
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

func suitesFor(kind protocols.Kind) (protocolSuites, error) {
	asked := kind.Suites()
	digest, err := scenarios.SuiteDigest(asked...)
	of := protocolSuites{Protocol: kind.Row.ID, Target: kind.Name, Digest: digest}
	for _, s := range asked {
		of.Scenarios += len(s.Scenarios)
	}
	return of, err
}

func (b build) write(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "assay %s (%s %s)\n", b.Version, b.Go, b.Platform)
	if b.Commit != "" {
		with := ""
		if b.Modified {
			with = ", with changes"
		}
		fmt.Fprintf(&text, "commit %s of %s%s\n", b.Commit, b.Committed.Format(time.RFC3339), with)
	}
	for _, s := range b.Suites {
		fmt.Fprintf(&text, "suites for a %-9s %-15s %3d scenarios  sha256:%s\n", s.Target, s.Protocol, s.Scenarios, s.Digest)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// built returns the build without its suites.
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
			b.Committed, _ = time.Parse(time.RFC3339, s.Value) // the go command writes this format
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// released is the version that the build of a release sets. All other builds rely on the version that Go recorded.
var released string

// version returns the version of a release, else the one that Go recorded for the module, else "dev".
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
