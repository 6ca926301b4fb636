package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/scenarios"
)

// evidence holds the flags for the bundle of a run.
type evidence struct {
	file, keyFile string
	key           ed25519.PrivateKey

	registerFile string
	tsa          string // URL of a time-stamping authority
	binary       string // digest of this program
	registered   *results.Registered
	root         string // of the bundle that was written
	unstamped    error  // why the bundle that was written has no timestamp
}

func (e *evidence) register(f *pflag.FlagSet) {
	f.StringVar(&e.file, "bundle", "", "`FILE` for one archive with all evidence, which assay verify checks, like evidence.tar.gz")
	f.StringVar(&e.keyFile, "sign", "", "`FILE` with the private key that signs the bundle (assay keygen makes one)")
	f.StringVar(&e.registerFile, "register", "", "`FILE` that gets a line with the plan before the first request, and one with the end")
	f.StringVar(&e.tsa, "tsa", "", "`URL` of a time-stamping authority (RFC 3161) that signs when the bundle, and the plan of --register, were there")
}

// check validates the flags, so that a bundle that cannot be written or signed fails before anything is driven.
func (e *evidence) check(given func(flag string) bool, plan bool) error {
	if given("register") {
		switch {
		case e.registerFile == "":
			return usage("certify --register: name a file")
		case plan:
			return usage("certify --plan: it sends nothing, so there is nothing to register: leave out --register")
		}
	}
	if err := e.checkAuthority(given); err != nil {
		return err
	}
	if given("register") || given("bundle") {
		var err error
		if e.binary, err = register.Binary(); err != nil {
			return fmt.Errorf("certify: read the program, whose digest is kept: %w", err)
		}
	}
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

// setAside renames a bundle that an earlier run wrote: one that this run cannot write must not seem to be its own.
func (e *evidence) setAside() error {
	if e.file == "" {
		return nil
	}
	if err := reports.SetFileAside(e.file); err != nil {
		return usage("certify --bundle %s: what an earlier run wrote cannot be set aside: %w: name another file", e.file, err)
	}
	return nil
}

// takeBack undoes setAside.
func (e *evidence) takeBack() error {
	if e.file == "" {
		return nil
	}
	return reports.TakeFileBack(e.file)
}

// announce adds the plan to the register, if one was asked for.
func (e *evidence) announce(ctx context.Context, target string, o *scenarios.Options) error {
	o.Binary = e.binary
	if e.registerFile == "" {
		return nil
	}
	o.Announced = time.Now().UTC()
	at, err := register.Begin(e.registerFile, o.Announced, results.RegisteredPlan{
		Run:    reports.Run(o.Run(o.Announced)),
		Target: target, Seed: strconv.FormatUint(o.Seed, 10), Assay: version(), Binary: e.binary, Filter: reports.Filter(o.Select),
	})
	if err != nil {
		return usage("certify --register: %w", err)
	}
	e.registered = &at
	return e.stampPlan(ctx)
}

// ended adds how the certification ended to the register.
func (e *evidence) ended(code int) error {
	if e.registered == nil {
		return nil
	}
	if err := register.End(e.registerFile, time.Now(), *e.registered, code, e.root); err != nil {
		return fmt.Errorf("certify --register: %w", err)
	}
	return nil
}

// pack writes the bundle of a report if one was asked for. line tells the operator where it is.
func (e *evidence) pack(ctx context.Context, r *scenarios.Report, doc results.Results) (line string, err error) {
	if e.file == "" {
		return "", nil
	}
	made, err := bundle.Write(e.file, r, doc, bundle.Options{Key: e.key, Binary: e.binary, Registered: e.registered})
	if err != nil {
		return "", fmt.Errorf("write the bundle %s: %w", e.file, err)
	}
	e.root = made.Root
	if err := os.Remove(e.file + reports.EarlierSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("remove the earlier bundle: %w", err)
	}
	stamped, option := "", ""
	if stamped, option, err = e.stampBundle(ctx); err != nil {
		e.unstamped = &exit{Code: scenarios.ExitUnreachable, Cause: err}
	}
	if made.KeyID == "" {
		return fmt.Sprintf("evidence in %s, not signed (--sign KEY signs it)%s: assay verify %s%s\n", e.file, stamped,
			textsafe.Shell(e.file), option), nil
	}
	return fmt.Sprintf("evidence in %s, signed by %s%s: assay verify %s --key %s%s\n", e.file, made.KeyID, stamped, textsafe.Shell(e.file),
		textsafe.Shell(e.keyFile+bundle.PublicSuffix), option), nil
}
