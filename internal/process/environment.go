package process

import (
	"slices"
	"strings"
)

// kept are the variables that a plugin gets of its gateway's environment, beside those that begin with LC_.
var kept = []string{"PATH", "HOME", "TZ", "LANG", "LANGUAGE", "TMPDIR"}

// MinimalEnvironment is what a program that is not trusted gets to see of an environment: where programs and its home are,
// and what language and time go by. also names further variables to let through.
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
