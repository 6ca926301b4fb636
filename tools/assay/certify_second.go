package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop"
)

// The second host of what happens between two.
const (
	secondHostFlag        = "--second-host"
	secondHostKeyFlag     = "--second-host-key"
	secondHostKeyVariable = "ASSAY_SECOND_HOST_KEY"
)

// secondHost is another host that the target works with, as it was typed.
type secondHost struct{ url, key string }

func (s *secondHost) register(f *pflag.FlagSet) {
	f.StringVar(&s.url, strings.TrimPrefix(secondHostFlag, "--"), "", "base `URL` of another host, to which the target hands runs under the name "+wire.SecondName)
	f.StringVar(&s.key, strings.TrimPrefix(secondHostKeyFlag, "--"), "", "`KEY` for that host, the target's own there, so that both see the same runs; or set "+secondHostKeyVariable)
}

// fill puts the second host into the target.
func (s *secondHost) fill(t *wire.Target) error {
	from, key := secondHostKeyFlag, s.key
	if key == "" {
		from, key = secondHostKeyVariable, os.Getenv(secondHostKeyVariable)
	}
	if s.url == "" {
		if s.key != "" {
			return usage("certify %s: there is no second host: name it with %s", secondHostKeyFlag, secondHostFlag)
		}
		return nil
	}
	if _, err := wire.ParseBase(s.url); err != nil {
		return usage("certify %s: %w", secondHostFlag, err)
	}
	key, err := checkKey(from, key)
	t.SecondURL, t.SecondKey = s.url, key
	return err
}

// again are the flags that name the same host.
func (s *secondHost) again() (words []string) {
	if u, err := wire.ParseBase(s.url); err == nil {
		words = append(words, secondHostFlag, quote(u.Redacted()))
	}
	if s.key != "" {
		words = append(words, secondHostKeyFlag+` "$`+secondHostKeyVariable+`"`)
	}
	return words
}

// startSimhosts serves the simulated host for a target, and the second host that it works with, unless that was named. The
// addresses are filled in. fault is a violation that it commits, "" for none.
func startSimhosts(ctx context.Context, t *wire.Target, fault string, log io.Writer) (stop func(), err error) {
	o := hostFor(*t)
	if fault != "" {
		if o, err = breakingOptions(o, fault); err != nil {
			return nil, err
		}
	}
	stopSecond := func() {}
	if t.SecondURL == "" {
		t.SecondKey = rand.Text()
		t.SecondURL, stopSecond, err = startSimhost(ctx, openwop.Options{Key: t.SecondKey, HostID: "assay-simhost-second"}, log)
		if err != nil {
			return nil, err
		}
	}
	address, stopFirst, err := startSimhost(ctx, o.WithSecond(openwop.Peer{URL: t.SecondURL, Key: t.SecondKey}), log)
	if err != nil {
		stopSecond()
		return nil, err
	}
	t.URL = address
	return func() {
		stopFirst()
		stopSecond()
	}, nil
}
