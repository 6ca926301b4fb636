package verify

import (
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/tools/internal/protocols"
)

// asked returns the suites of each kind of target.
func asked() (all [][]scenarios.Suite) {
	for _, kind := range protocols.Kinds(protocols.Table) {
		all = append(all, kind.Suites())
	}
	return all
}

// selectionOf returns the selection of a narrowed run.
func selectionOf(f *results.Filter) (scenarios.Selection, error) {
	s := reports.Selection(f)
	if s.Filter == "" {
		return s, nil
	}
	var err error
	s.Match, err = ginkgosuite.ParseFilter(s.Filter)
	return s, err
}

// suites returns the suites that the bundle was made with. ok is false if this Assay has others and so cannot judge.
func (v *run) suites(selection scenarios.Selection) (suites []scenarios.Suite, ok bool) {
	protocol := v.given.Target.Protocol
	all := slices.DeleteFunc(asked(), func(s []scenarios.Suite) bool { return s[0].Protocol.ID != protocol })
	if len(all) == 0 {
		v.tell("version", "it is about the protocol %s, which this Assay does not know: its verdicts were not derived again", protocol)
		return nil, false
	}
	for _, suites := range all {
		digest, err := selection.Digest(suites...)
		if err != nil || digest != v.given.Assay.SuiteDigest {
			continue
		}
		if has := suites[0].Protocol.SpecDigest(); has != v.Made.SpecDigest {
			v.tell("version", "it was made by assay %s of another version of the spec (digest %s; this is assay %s, %s): its "+
				"verdicts were not derived again: "+
				"verify it with the Assay that made it", v.Made.Version, short(v.Made.SpecDigest), v.by.Version, short(has))
			return nil, false
		}
		if v.given.Salt != nil {
			if suites, err = scenarios.Salted(*v.given.Salt, suites); err != nil {
				v.tell("report", "results.json: %s", err)
				return nil, false
			}
		}
		return suites, true
	}
	has, err := selection.Digest(all[0]...)
	if err != nil {
		has = "without what it selects"
	}
	v.tell("version", "it was made by assay %s with another version of the suites (digest %s; this is assay %s, %s): its "+
		"verdicts were not derived again: "+
		"verify it with the Assay that made it", v.Made.Version, short(v.given.Assay.SuiteDigest), v.by.Version, short(has))
	return nil, false
}

// short returns the start of a digest, enough for people to distinguish it.
func short(digest string) string {
	if len(digest) != 64 {
		return digest
	}
	return digest[:12] + "…"
}
