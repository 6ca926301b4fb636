package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios/wire"
)

// The flags and variables of further principals. The variable of the voters holds keys separated by commas.
const (
	otherKeyFlag        = "--tenant-b-key"
	otherKeyVariable    = "ASSAY_TENANT_B_KEY"
	voterKeyFlag        = "--voter-key"
	voterKeyVariable    = "ASSAY_VOTER_KEYS"
	lowScopeKeyFlag     = "--low-scope-key"
	lowScopeKeyVariable = "ASSAY_LOW_SCOPE_KEY"
	hostSecretFlag      = "--host-secret"
	hostSecretVariable  = "ASSAY_HOST_SECRET"
)

// principals holds the flags for the keys of further principals.
type principals struct {
	other    string
	voters   []string
	lowScope string
	secret   string // of the host, and no key
}

func (p *principals) register(f *pflag.FlagSet) {
	f.StringVar(&p.other, strings.TrimPrefix(otherKeyFlag, "--"), "",
		"`KEY` of another tenant, for what tenants must not see of each other; or set "+otherKeyVariable)
	f.StringArrayVar(&p.voters, strings.TrimPrefix(voterKeyFlag, "--"), nil,
		"`KEY` of a further principal of the same tenant, for votes; may be repeated; or set "+voterKeyVariable+" to keys separated by commas")
	f.StringVar(&p.lowScope, strings.TrimPrefix(lowScopeKeyFlag, "--"), "",
		"`KEY` of the same tenant that may make and read runs and not answer interrupts; or set "+lowScopeKeyVariable)
	f.StringVar(&p.secret, strings.TrimPrefix(hostSecretFlag, "--"), "",
		"`VALUE` that the target keeps as a secret, made for this: it is sent in texts that must not be kept with it; or set "+hostSecretVariable)
}

// fill adds the keys to the target. Every key must be different, because each stands for another principal.
func (p *principals) fill(t *wire.Target) error {
	known := []string{t.Key}
	take := func(flag, variable, typed, whose string) (string, error) {
		from, key := flag, typed
		if key == "" {
			from, key = variable, os.Getenv(variable)
		}
		if key == "" {
			return "", nil
		}
		return distinct(&known, from, key, whose)
	}
	var err error
	if t.OtherKey, err = take(otherKeyFlag, otherKeyVariable, p.other, "another tenant"); err != nil {
		return err
	}
	if t.LowScopeKey, err = take(lowScopeKeyFlag, lowScopeKeyVariable, p.lowScope, "somebody who may not answer interrupts"); err != nil {
		return err
	}
	if t.HostSecret, err = take(hostSecretFlag, hostSecretVariable, p.secret, "the vault of the target, and no key"); err != nil {
		return err
	}
	from, keys := voterKeyFlag, p.voters
	if set := os.Getenv(voterKeyVariable); len(keys) == 0 && set != "" {
		from, keys = voterKeyVariable, strings.Split(set, ",")
	}
	for _, key := range keys {
		if key, err = distinct(&known, from, strings.TrimSpace(key), "a further principal"); err != nil {
			return err
		}
		t.VoterKeys = append(t.VoterKeys, key)
	}
	return nil
}

// distinct returns the key, or an error if it is empty or already known. The error must not repeat the key.
func distinct(known *[]string, from, key, whose string) (string, error) {
	switch {
	case key == "":
		return "", usage("certify %s: the key is empty: give that of %s", from, whose)
	case key == (*known)[0]:
		return "", usage("certify %s: it is the same as the key: give that of %s", from, whose)
	case slices.Contains(*known, key):
		return "", usage("certify %s: it is the same as another key that was given: give that of %s", from, whose)
	}
	*known = append(*known, key)
	return checkKey(from, key)
}

// again returns flags for the same principals, with variables or placeholders instead of keys; see [certifyFlags.words].
func (p *principals) again(toRun bool) (words []string) {
	if p.other != "" {
		words = append(words, otherKeyFlag, secretIn(otherKeyVariable, toRun))
	}
	for i := range p.voters {
		key := `'...'`
		if toRun {
			key = secretIn(fmt.Sprintf("ASSAY_VOTER_KEY_%d", i+1), toRun)
		}
		words = append(words, voterKeyFlag, key)
	}
	if p.lowScope != "" {
		words = append(words, lowScopeKeyFlag, secretIn(lowScopeKeyVariable, toRun))
	}
	if p.secret != "" {
		words = append(words, hostSecretFlag, secretIn(hostSecretVariable, toRun))
	}
	return words
}

// invent makes up missing keys, for a specimen that is started with them. Three voters make a majority differ from one
// and from all.
func invent(t *wire.Target) {
	for _, key := range []*string{&t.Key, &t.OtherKey, &t.LowScopeKey, &t.HostSecret} {
		if *key == "" {
			*key = rand.Text()
		}
	}
	if len(t.VoterKeys) == 0 {
		t.VoterKeys = []string{rand.Text(), rand.Text(), rand.Text()}
	}
}
