package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/reports/timestamp"
	"github.com/openassay/assay/scenarios"
)

const timestampLong = `Has a time-stamping authority (RFC 3161) sign the digest of a bundle and the time,
and keeps its reply in BUNDLE.tsr. So others see that the bundle was there then. Only
the digest is sent. assay certify --tsa does the same when the bundle is made.

openssl ts -verify -data BUNDLE -in BUNDLE.tsr -CAfile FILE checks it as well.`

func newTimestamp() *cobra.Command {
	var address, out string
	cmd := &cobra.Command{
		Use:   "timestamp BUNDLE",
		Short: "Have an authority sign when a bundle was there",
		Long:  timestampLong,
		Example: "  assay timestamp evidence.tar.gz --tsa https://tsa.example\n" +
			"  assay verify evidence.tar.gz --timestamp evidence.tar.gz" + timestamp.Suffix + " --tsa-cert tsa.pem",
		Args: args("BUNDLE"),
		RunE: func(cmd *cobra.Command, bundles []string) error {
			if err := timestamp.CheckURL(address); err != nil {
				return usage("timestamp --tsa: %w", err)
			}
			if !cmd.Flags().Changed("out") {
				out = bundles[0] + timestamp.Suffix
			}
			if out == "" {
				return usage("timestamp --out: name a file")
			}
			b, err := bundle.ReadFile(bundles[0])
			if err != nil {
				return usage("timestamp %s: it cannot be read as a bundle: %w", bundles[0], err)
			}
			t, err := timestamp.Ask(cmd.Context(), address, b.Digest)
			if err != nil {
				return &exit{Code: scenarios.ExitUnreachable, Cause: fmt.Errorf("timestamp: %w", err)}
			}
			if err := os.WriteFile(out, t.Reply, 0o644); err != nil { //nolint:gosec // a timestamp is for others to read
				return usage("timestamp --out: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, in %s: assay verify %s --timestamp %s\n", stamped(t), out,
				textsafe.Shell(bundles[0]), textsafe.Shell(out))
			return err
		},
	}
	cmd.Flags().StringVar(&address, "tsa", "", "`URL` of the authority")
	cmd.Flags().StringVar(&out, "out", "", "`FILE` for its reply (default BUNDLE"+timestamp.Suffix+")")
	return cmd
}

// stamped says for people what an authority signed.
func stamped(t *timestamp.Timestamp) string {
	return fmt.Sprintf("time-stamped at %s by %s", t.Time.Format(time.RFC3339), textsafe.Line(t.Authority()))
}

// checkAuthority validates --tsa.
func (e *evidence) checkAuthority(given func(flag string) bool) error {
	switch {
	case !given("tsa"):
		return nil
	case !given("bundle") && !given("register"):
		return usage("certify --tsa: it has a bundle or a plan time-stamped: add --bundle FILE, or --register FILE")
	}
	if err := timestamp.CheckURL(e.tsa); err != nil {
		return usage("certify --tsa: %w", err)
	}
	return nil
}

// stampPlan has the line of the plan time-stamped, before the first request.
func (e *evidence) stampPlan(ctx context.Context) error {
	if e.tsa == "" {
		return nil
	}
	t, err := timestamp.Ask(ctx, e.tsa, e.registered.Digest)
	if err != nil {
		return &exit{Code: scenarios.ExitUnreachable, Cause: fmt.Errorf("certify --tsa: %w: nothing was asked of the target", err)}
	}
	if err := register.Stamp(e.registerFile, time.Now(), *e.registered, t.Reply); err != nil {
		return usage("certify --register: %w", err)
	}
	return nil
}

// stampBundle has the bundle time-stamped that was written. words and option are for the line that names the bundle.
func (e *evidence) stampBundle(ctx context.Context) (words, option string, err error) {
	if e.tsa == "" {
		return "", "", nil
	}
	b, err := bundle.ReadFile(e.file)
	if err != nil { // it was read when it was written
		return "", "", err
	}
	t, err := timestamp.Ask(ctx, e.tsa, b.Digest)
	if err == nil {
		err = os.WriteFile(e.file+timestamp.Suffix, t.Reply, 0o644) //nolint:gosec // a timestamp is for others to read
	}
	if err != nil {
		return "", "", fmt.Errorf("certify --tsa: %w: assay timestamp %s --tsa %s asks again", err, textsafe.Shell(e.file),
			textsafe.Shell(e.tsa))
	}
	return ", " + stamped(t), " --timestamp " + textsafe.Shell(e.file+timestamp.Suffix), nil
}
