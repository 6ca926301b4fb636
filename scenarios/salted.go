package scenarios

import (
	"fmt"

	"github.com/openassay/assay/internal/lazyregexp"
)

// SaltForm says which salts are accepted.
const SaltForm = "1 to 64 visible characters of ASCII, without spaces"

var saltForm = lazyregexp.New(`^[!-~]{1,64}$`)

// IsSalt reports whether names of fixtures can be drawn from a text.
func IsSalt(text string) bool { return saltForm.MatchString(text) }

// Salted returns suites of one protocol for hosts that have its fixtures with names drawn from a salt. "" leaves them as they are.
func Salted(salt string, suites []Suite) ([]Suite, error) {
	if salt == "" || len(suites) == 0 {
		return suites, nil
	}
	p := suites[0].Protocol
	switch {
	case !IsSalt(salt):
		return nil, fmt.Errorf("the salt is not of %s", SaltForm)
	case p.Salted == nil:
		return nil, fmt.Errorf("%s has no fixtures whose names could be drawn", p.ID)
	}
	salted, err := p.Salted(salt)
	if err != nil {
		return nil, err
	}
	out := make([]Suite, len(suites))
	for i, s := range suites {
		s.Protocol = salted
		out[i] = s
	}
	return out, nil
}
