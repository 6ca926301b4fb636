package prove

import (
	"fmt"
	"path"
	"slices"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/simhost/fault"
)

// Hosts are all that Assay is proved on: the honest ones, and one to each fault.
func Hosts() []Host {
	hosts := Honest()
	for _, f := range fault.All() {
		hosts = append(hosts, Faulty(f))
	}
	return hosts
}

// Matching are the plain honest host and those with the faults whose ids match one of the patterns, as path.Match has
// it. A pattern that none matches is an error that names the nearest id.
func Matching(patterns ...string) ([]Host, error) {
	hosts := Honest()[:1]
	all := fault.All()
	for _, pattern := range patterns {
		matches := func(f fault.Fault) bool {
			ok, err := path.Match(pattern, f.ID)
			return err == nil && ok
		}
		if !slices.ContainsFunc(all, matches) {
			return nil, &NoFaultError{pattern, nearest.Name(pattern, fault.IDs())}
		}
		for _, f := range all {
			if matches(f) && !slices.ContainsFunc(hosts, func(h Host) bool { return h.Name == f.ID }) {
				hosts = append(hosts, Faulty(f))
			}
		}
	}
	return hosts, nil
}

// NoFaultError means that no fault is called so.
type NoFaultError struct{ Pattern, Near string }

func (e *NoFaultError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("no fault matches %q", e.Pattern)
	}
	return fmt.Sprintf("no fault matches %q: did you mean %q?", e.Pattern, e.Near)
}
