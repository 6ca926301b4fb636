package main

import (
	"github.com/spf13/pflag"

	"github.com/openassay/assay/reports/attest"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/timestamp"
	"github.com/openassay/assay/tools/verify"
)

// besides holds the flags of verify for what others say of a bundle, in files beside it.
type besides struct {
	timestamp, roots           string
	attestation, attestationBy string
}

func (b *besides) register(f *pflag.FlagSet) {
	f.StringVar(&b.attestation, "attestation", "", "`FILE` of assay attest with statements that have to be those that the bundle gives")
	f.StringVar(&b.attestationBy, "attestation-key", "", "`FILE` with the public key that has to have signed the statements (default that of --key)")
	f.StringVar(&b.timestamp, "timestamp", "", "`FILE` with the timestamp of the bundle, like evidence.tar.gz.tsr")
	f.StringVar(&b.roots, "tsa-cert", "", "PEM `FILE` of certificates of time-stamping authorities to believe")
}

// read reads the files. o already holds the key and the register.
func (b *besides) read(given func(flag string) bool, o *verify.Options) (err error) {
	if given("timestamp") {
		if o.Clock.Timestamp, err = timestamp.ReadFile(b.timestamp); err != nil {
			return usage("verify --timestamp: %w", err)
		}
	}
	if given("tsa-cert") {
		if o.Clock.Timestamp == nil && o.Register == nil {
			return usage("verify --tsa-cert: it says whom to believe about time: add --timestamp FILE, or --register FILE")
		}
		if o.Clock.Roots, err = timestamp.ReadRoots(b.roots); err != nil {
			return usage("verify --tsa-cert: %w", err)
		}
		o.Clock.RootsFile = b.roots
	}
	if given("attestation-key") && !given("attestation") {
		return usage("verify --attestation-key: it checks statements: add --attestation FILE")
	}
	if !given("attestation") {
		return nil
	}
	o.Attestation = &verify.Attestation{File: b.attestation, Key: o.Key}
	if o.Attestation.Statements, err = attest.ReadFile(b.attestation); err != nil {
		return usage("verify --attestation: %w", err)
	}
	if given("attestation-key") {
		if o.Attestation.Key, err = bundle.ReadPublicKey(b.attestationBy); err != nil {
			return usage("verify --attestation-key: %w", err)
		}
	}
	return nil
}
