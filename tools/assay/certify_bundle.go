package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
)

// evidence holds the flags for the bundle of a run.
type evidence struct {
	file, keyFile string
	key           ed25519.PrivateKey
}

func (e *evidence) register(f *pflag.FlagSet) {
	f.StringVar(&e.file, "bundle", "", "`FILE` for one archive with all evidence, which assay verify checks, like evidence.tar.gz")
	f.StringVar(&e.keyFile, "sign", "", "`FILE` with the private key that signs the bundle (assay keygen makes one)")
}

// check validates the flags, so that a bundle that cannot be written or signed fails before anything is driven.
func (e *evidence) check(given func(flag string) bool, plan bool) error {
	switch {
	case !given("bundle") && !given("sign"):
		return nil
	case !given("bundle"):
		return usage("certify --sign: it signs a bundle: name one with --bundle")
	case e.file == "":
		return usage("certify --bundle: name a file")
	case plan:
		return usage("certify --plan: it sends nothing, so there is no evidence: leave out --bundle")
	}
	if given("sign") {
		var err error
		if e.key, err = bundle.ReadPrivateKey(e.keyFile); err != nil {
			return usage("certify --sign: %w", err)
		}
	}
	if info, err := os.Stat(e.file); err == nil && info.IsDir() {
		return usage("certify --bundle %s: it is a folder: name a file", e.file)
	}
	dir := filepath.Dir(e.file)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return usage("certify --bundle %s: there is no folder %s: make it, or name another file", e.file, dir)
	case err != nil:
		return usage("certify --bundle: %w", err)
	case !info.IsDir():
		return usage("certify --bundle %s: %s is no folder: name another file", e.file, dir)
	}
	return nil
}

// pack writes the bundle of a report if one was asked for. line tells the operator where it is.
func (e *evidence) pack(r *scenarios.Report, doc results.Results) (line string, err error) {
	if e.file == "" {
		return "", nil
	}
	made, err := bundle.Write(e.file, r, doc, e.key)
	if err != nil {
		return "", fmt.Errorf("write the bundle %s: %w", e.file, err)
	}
	if made.KeyID == "" {
		return fmt.Sprintf("evidence in %s, not signed (--sign KEY signs it): assay verify %s\n", e.file, textsafe.Shell(e.file)), nil
	}
	return fmt.Sprintf("evidence in %s, signed by %s: assay verify %s --key %s\n", e.file, made.KeyID, textsafe.Shell(e.file),
		textsafe.Shell(e.keyFile+bundle.PublicSuffix)), nil
}
