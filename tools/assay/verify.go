package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/scenarios"
	challenges "github.com/openassay/assay/scenarios/challenge"
	"github.com/openassay/assay/tools/verify"
)

const verifyLong = `Reads a bundle that assay certify --bundle wrote, without any network. It checks
the digests of everything in it and, with --key, who signed it; then it judges the
transcripts again and derives every verdict, the status of every requirement, claim
and profile, the totals and the exit code, and compares them with results.json.

It also says what it cannot prove: that the target really sent what stands there.

--attestation holds statements of assay attest to what the bundle gives, and refuses
one that says anything else. --timestamp reads what a time-stamping authority signed
of it, and --tsa-cert says which authorities to believe, here and in --register.

--live asks the host at URL a random tenth of the scenarios again, whole drives of
them, and compares the verdicts, if all else holds. Nothing else of this command
uses the network. It has a seed and names of its own, so that answers which somebody
recorded do not fit. The flags of certify that say how to ask begin with --live-.

Where the certification showed its passes able to fail, so does verify, with the
same seed, and compares: it changes what the target sent, many times, in the ways
that break each requirement, and judges again. A pass that no such change turns has
shown nothing. --challenge does so for any bundle, and lists them; --seed draws other
places and values.

Exit codes:
  0  all that the bundle says follows from what is in it
  1  something does not, or another version of the suites made it; each is told.
     With --challenge also: a requirement rests on passes alone that nothing turns.
     With --live also: a verdict differs, or nothing was shown to be as it was
  2  the command was not understood, or the file is no bundle
  130  interrupted: while the passes were challenged, nothing is said of the bundle;
     while the host was asked again, nothing of the host`

const verifyExample = `  assay certify http://localhost:3000 --bundle evidence.tar.gz --sign assay.key
  assay verify evidence.tar.gz --key assay.key.pub
  assay verify evidence.tar.gz --challenge --seed 7
  assay verify evidence.tar.gz --key assay.key.pub --attestation evidence.tar.gz.intoto.jsonl
  assay verify evidence.tar.gz --live http://localhost:3000 --live-key-file key
  assay verify evidence.tar.gz --timestamp evidence.tar.gz.tsr --tsa-cert tsa.pem`

func newVerify() *cobra.Command {
	var keyFile, registerFile string
	var asJSON, challenge bool
	var seed uint64
	var beside besides
	var live liveFlags
	cmd := &cobra.Command{
		Use:     "verify BUNDLE",
		Short:   "Check a certification that somebody else made",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    args("BUNDLE"),
		RunE: func(cmd *cobra.Command, bundles []string) error {
			o := verify.Options{Version: version()}
			if keyFile != "" || cmd.Flags().Changed("key") {
				var err error
				if o.Key, err = bundle.ReadPublicKey(keyFile); err != nil {
					return usage("verify --key: %w", err)
				}
			}
			if registerFile != "" || cmd.Flags().Changed("register") {
				var err error
				if o.Register, err = register.Read(registerFile); err != nil {
					return usage("verify --register: %w", err)
				}
				o.RegisterFile = registerFile
			}
			if err := beside.read(cmd.Flags().Changed, &o); err != nil {
				return err
			}
			switch {
			case challenge:
				o.Challenge = &seed
			case cmd.Flags().Changed("seed"):
				return usage("verify --seed: it draws what --challenge changes: add --challenge")
			}
			again, err := live.read(cmd)
			if err != nil {
				return err
			}
			b, err := bundle.ReadFile(bundles[0])
			if err != nil {
				return usage("verify %s: it cannot be read as a bundle: %w", bundles[0], err)
			}
			if o.Live, err = live.asking(cmd.Context(), again, b.Manifest); err != nil {
				return err
			}
			watch, end := challenging(cmd.Context(), cmd.ErrOrStderr())
			o.Watch = watch
			report := verify.Bundle(b, o)
			if end(); report.Interrupted {
				return &exit{Code: scenarios.ExitInterrupted, Cause: fmt.Errorf("verify: %w: nothing is said of the bundle",
					challenges.ErrInterrupted)}
			}
			return showVerified(cmd, report, bundles[0], asJSON)
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "`FILE` with the public key that has to have signed it")
	cmd.Flags().StringVar(&registerFile, "register", "", "`FILE` of certify --register that has to hold its plan; says what else it holds")
	beside.register(cmd.Flags())
	live.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as a JSON object")
	cmd.Flags().BoolVar(&challenge, "challenge", false, "change what the target sent, and show which passes could have failed")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "`N` that draws the places and values of --challenge")
	return cmd
}

// showVerified prints the report on a bundle. The error carries the exit code.
func showVerified(cmd *cobra.Command, r *verify.Report, name string, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		if err := writeJSON(out, "verify", r); err != nil {
			return err
		}
	} else if err := r.Text(out, name); err != nil {
		return err
	}
	if r.Live != nil && r.Live.Interrupted {
		return &exit{Code: scenarios.ExitInterrupted}
	}
	if !r.Honest || !r.Sensitive() || !r.Live.Agrees() {
		return &exit{Code: exitFailed}
	}
	return nil
}

const keygenLong = `Makes an Ed25519 key to sign bundles with: the private one, as PKCS#8 in PEM, in
FILE, which only you may read; the public one, as PKIX in PEM, in FILE.pub, which
others check your bundles with. Neither file may be there already.`

func newKeygen() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "keygen",
		Short:   "Make a key to sign bundles of evidence with",
		Long:    keygenLong,
		Example: "  assay keygen --out assay.key\n  assay certify http://localhost:3000 --bundle evidence.tar.gz --sign assay.key",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usage("keygen --out: name a file")
			}
			id, err := bundle.GenerateKey(file)
			if err != nil {
				return &exit{Code: scenarios.ExitUsage, Cause: fmt.Errorf("keygen: %w", err)}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "key %s\nprivate key in %s: keep it to yourself\npublic key in %s: hand it out\n", id,
				file, file+bundle.PublicSuffix)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "out", "assay.key", "`FILE` for the private key; the public one goes into FILE"+bundle.PublicSuffix)
	return cmd
}
