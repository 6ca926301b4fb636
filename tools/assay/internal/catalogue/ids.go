package catalogue

import "github.com/openassay/assay/scenarios"

// IDs returns the ids in the list of a kind (see [Kinds]), in its order. It returns nil for an unknown kind.
func (c *Catalogue) IDs(kind string) []string {
	switch kind {
	case "scenarios":
		return each(c.scenarios(), func(s Scenario) string { return s.ID })
	case "suites":
		return each(c.Suites, func(s scenarios.Suite) string { return s.ID })
	case "requirements":
		return each(c.requirements(), func(r Requirement) string { return r.ID })
	case "readings":
		return each(c.readings(), func(r Reading) string { return r.ID })
	case "claims":
		return each(c.claims(), func(claim Claim) string { return claim.ID })
	case "faults":
		return each(c.faults(), func(f Fault) string { return f.ID })
	case "variations":
		return each(c.variations(), func(v Variation) string { return v.ID })
	case "profiles":
		return each(c.profiles(), func(p Profile) string { return p.ID })
	}
	return nil
}
