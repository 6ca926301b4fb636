package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios/wire"
)

// The flags and the variable of the second host, for scenarios between two hosts.
const (
	secondHostFlag        = "--second-host"
	secondHostKeyFlag     = "--second-host-key"
	secondHostKeyVariable = "ASSAY_SECOND_HOST_KEY"
)

// secondHost holds the flags for another host that the target works with.
type secondHost struct{ url, key string }

func (s *secondHost) register(f *pflag.FlagSet) {
	f.StringVar(&s.url, strings.TrimPrefix(secondHostFlag, "--"), "",
		"base `URL` of another host, to which the target hands runs under the name "+wire.SecondName)
	f.StringVar(&s.key, strings.TrimPrefix(secondHostKeyFlag, "--"), "",
		"`KEY` for that host, the target's own there, so that both see the same runs; or set "+secondHostKeyVariable)
}

// fill adds the second host to the target.
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

// again returns the flags that name the same host; see [certifyFlags.words].
func (s *secondHost) again(toRun bool) (words []string) {
	if u, err := wire.ParseBase(s.url); err == nil {
		words = append(words, secondHostFlag, textsafe.Shell(u.Redacted()))
	}
	if s.key != "" {
		words = append(words, secondHostKeyFlag, secretIn(secondHostKeyVariable, toRun))
	}
	return words
}
