package process

import (
	"slices"
	"strings"
)

// kept are the variables that [MinimalEnvironment] keeps, besides LC_*.
var kept = []string{"PATH", "HOME", "TZ", "LANG", "LANGUAGE", "TMPDIR"}

// MinimalEnvironment returns the part of an environment that an untrusted program may see: paths, home, time zone,
// language. also names further variables to keep.
func MinimalEnvironment(all []string, also ...string) []string {
	env := []string{}
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(kept, name) || strings.HasPrefix(name, "LC_") || slices.Contains(also, name) {
			env = append(env, variable)
		}
	}
	return env
}
