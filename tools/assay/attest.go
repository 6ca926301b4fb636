package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/attest"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/tools/verify"
)

const attestLong = `Says what a bundle shows in statements of in-toto, signed, for policy engines and
registries: the result of its tests (test-result v0.1) and, if profiles are
certified, a summary with a property for each (svr v0.1). The subject is the bundle,
by the SHA-256 of its file. They go into --out, one DSSE envelope a line.

The bundle is verified first: one that is not what it says gets no statement. A part
gets no summary, and neither does a profile that is not certified. The same bundle
gives the same statements, so assay verify --attestation checks them to the byte.

Exit codes:
  0  the statements are written
  1  the bundle is not what it says, or another version of the suites made it
  2  the command was not understood, or the file is no bundle`

func newAttest() *cobra.Command {
	var keyFile, out string
	cmd := &cobra.Command{
		Use:   "attest BUNDLE",
		Short: "Sign what a bundle shows, for other people's tools",
		Long:  attestLong,
		Example: "  assay attest evidence.tar.gz --sign assay.key\n" +
			"  assay verify evidence.tar.gz --key assay.key.pub --attestation evidence.tar.gz" + attest.Suffix,
		Args: args("BUNDLE"),
		RunE: func(cmd *cobra.Command, bundles []string) error {
			name := bundles[0]
			if keyFile == "" {
				return usage("attest: statements are signed: give a key with --sign KEY (assay keygen makes one)")
			}
			if !cmd.Flags().Changed("out") {
				out = name + attest.Suffix
			}
			if out == "" {
				return usage("attest --out: name a file")
			}
			key, err := bundle.ReadPrivateKey(keyFile)
			if err != nil {
				return usage("attest --sign: %w", err)
			}
			b, err := bundle.ReadFile(name)
			if err != nil {
				return usage("attest %s: it cannot be read as a bundle: %w", name, err)
			}
			if v := verify.Bundle(b, verify.Options{Version: version()}); !v.Honest {
				return &exit{Code: exitFailed, Cause: fmt.Errorf("attest %s: it is not what it says: %s: assay verify %s tells all of it",
					name, v.Problems[0].Text, textsafe.Shell(name))}
			}
			doc, err := reports.ParseResults(b.Results)
			if err != nil { // verify read them
				return err
			}
			statements, err := attest.Of(b, doc)
			if err != nil {
				return fmt.Errorf("attest %s: %w", name, err)
			}
			content, err := attest.Sign(statements, key)
			if err != nil {
				return fmt.Errorf("attest %s: %w", name, err)
			}
			if err := os.WriteFile(out, content, 0o644); err != nil { //nolint:gosec // statements are for others to read
				return usage("attest --out: %w", err)
			}
			var text strings.Builder
			for _, s := range statements {
				text.WriteString(textsafe.Line(attested(s)) + "\n")
			}
			if len(statements) == 1 {
				text.WriteString("no summary: no profile is certified\n")
			}
			fmt.Fprintf(&text, "signed in %s: assay verify %s --key %s --attestation %s\n", out, textsafe.Shell(name),
				textsafe.Shell(keyFile+bundle.PublicSuffix), textsafe.Shell(out))
			_, err = cmd.OutOrStdout().Write([]byte(text.String()))
			return err
		},
	}
	cmd.Flags().StringVar(&keyFile, "sign", "", "`FILE` with the private key that signs the statements")
	cmd.Flags().StringVar(&out, "out", "", "`FILE` for the statements (default BUNDLE"+attest.Suffix+")")
	return cmd
}

// attested says for people what a statement says.
func attested(s attest.Statement) string {
	if s.SVR != nil {
		return "summary: " + strings.Join(s.SVR.Properties, ", ")
	}
	return fmt.Sprintf("test result: %s, %d passed, %d with warnings, %d failed", s.TestResult.Result, len(s.TestResult.PassedTests),
		len(s.TestResult.WarnedTests), len(s.TestResult.FailedTests))
}
