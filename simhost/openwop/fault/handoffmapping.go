package fault

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// handoffMappingFaults are about what mappings carry.
var handoffMappingFaults = []Fault{
	{
		ID:      "handoff.unmapped-harvested",
		Title:   "where nothing at all is mapped back every worker that completes is harvested",
		Looks:   "output.harvested stands on the log of a loop that maps nothing back",
		Breaks:  []string{openwop.OWP0037B1},
		Replace: harvesting(func(h rules.Harvest) bool { return h.Child == openwopv1.RunStatusCompleted && !h.Maps }),
	},
	{
		ID:      "handoff.failed-harvested",
		Title:   "a worker that fails is harvested as far as it came",
		Looks:   "output.harvested follows child.failed, and the parent's variable has changed",
		Breaks:  []string{openwop.OWP0037B2, openwop.OWP0037B3},
		Spots:   []int{14},
		Replace: harvesting(func(h rules.Harvest) bool { return h.Child == openwopv1.RunStatusFailed && len(h.Mapping) > 0 }),
	},
	{
		ID:      "handoff.cancelled-harvested",
		Title:   "a worker that is cancelled is harvested as far as it came",
		Looks:   "output.harvested follows child.cancelled",
		Breaks:  []string{openwop.OWP0037B2, openwop.OWP0037B3},
		Replace: harvesting(func(h rules.Harvest) bool { return h.Child == openwopv1.RunStatusCancelled && len(h.Mapping) > 0 }),
	},
	{
		ID:     "handoff.later-results-lost",
		Title:  "of the workers of a decision only the first brings anything back",
		Looks:  "output.harvested stands on the log, and the parent's variable is as it was",
		Breaks: []string{openwop.OWP0037A4},
		Replace: func(s *rules.Set) {
			harvested := s.Handoff.Harvested
			s.Handoff.Harvested = func(h rules.Harvest) map[string]any {
				values := harvested(h)
				if values != nil && !h.First {
					return map[string]any{}
				}
				return values
			}
		},
	},
	{
		ID:     "handoff.nothing-found-unharvested",
		Title:  "a worker is not harvested if its mapping finds nothing to bring back",
		Looks:  "no output.harvested follows child.completed, and none of the variables that the mapping names has a value",
		Breaks: []string{openwop.OWP0037B1},
		Depth:  "standard", // at quick each worker has something to bring back
		Replace: func(s *rules.Set) {
			harvested := s.Handoff.Harvested
			s.Handoff.Harvested = func(h rules.Harvest) map[string]any {
				if values := harvested(h); len(values) > 0 {
					return values
				}
				return nil
			}
		},
	},
	{
		ID:     "handoff.first-worker-short-of-inputs",
		Title:  "the first worker of a decision is given one of the inputs that are mapped to it, and none of the others",
		Looks:  "the snapshot of the child lacks an input whose source has a value",
		Breaks: []string{openwop.OWPDSP16, openwop.OWP0037A4},
		Twin:   "there values of some kinds are left out for every worker, here all but one for the first",
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				if g.Brought == nil && len(inputs) > 1 {
					delete(inputs, slices.Min(slices.Collect(maps.Keys(inputs))))
				}
				return inputs
			}
		},
	},
	{
		ID:     "handoff.empty-values-not-given",
		Title:  "a variable that is false, 0 or empty is taken for one without a value, unless it is a text",
		Looks:  "the snapshot of the child lacks an input whose source is false, 0, {} or []",
		Breaks: []string{openwop.OWPDSP16, openwop.OWP0037A4},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				maps.DeleteFunc(inputs, looksEmpty)
				return inputs
			}
		},
	},
	{
		ID:     "handoff.null-members-not-given",
		Title:  "members of an object that are null are dropped when it is handed on",
		Looks:  "an input of a child lacks a member that its source has",
		Breaks: []string{openwop.OWPDSP16, openwop.OWP0037A4},
		Twin:   "there a value is lost, here a member of one",
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				for name, value := range inputs {
					if object, is := value.(map[string]any); is {
						object = maps.Clone(object)
						maps.DeleteFunc(object, func(_ string, member any) bool { return member == nil })
						inputs[name] = object
					}
				}
				return inputs
			}
		},
	},
	{
		ID:     "handoff.empty-values-not-brought-back",
		Title:  "what a worker brings back is kept only if it is not false, 0, {} or []",
		Looks:  "output.harvested stands on the log, and the parent's variable is as it was",
		Breaks: []string{openwop.OWP0037A4, openwop.OWPDSP20},
		Replace: func(s *rules.Set) {
			harvested := s.Handoff.Harvested
			s.Handoff.Harvested = func(h rules.Harvest) map[string]any {
				values := harvested(h)
				maps.DeleteFunc(values, looksEmpty)
				return values
			}
		},
	},
	{
		ID:     "handoff.unset-given-empty",
		Title:  "a variable without a value is handed on as an empty text, where the mapping is the default one",
		Looks:  "a child has an empty input whose source the parent never had",
		Breaks: []string{openwop.OWPDSP17},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				for name := range g.Default {
					if _, set := inputs[name]; !set && g.Own == nil {
						inputs[name] = ""
					}
				}
				return inputs
			}
		},
	},
	{
		ID:     "handoff.default-inputs-added",
		Title:  "a worker with an input mapping of its own is given what the default one names as well",
		Looks:  "a child has an input that only the default mapping has",
		Breaks: []string{openwop.OWPDSP18},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				if g.Default != nil && g.Own != nil {
					both := maps.Clone(g.Default)
					maps.Copy(both, g.Own)
					g.Own = both
				}
				return given(g)
			}
		},
	},
	{
		ID:     "handoff.inputs-from-before-decision",
		Title:  "all workers of a decision are given what the parent had before the first of them",
		Looks:  "the second worker lacks what the first has just brought back",
		Breaks: []string{openwop.OWPDSP19},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				g.Variables = maps.Clone(g.Variables)
				maps.DeleteFunc(g.Variables, func(name string, _ any) bool {
					_, brought := g.Brought[name]
					return brought
				})
				return given(g)
			}
		},
	},
	{
		ID:     "handoff.checksum-as-encoded",
		Title:  "the checksum is made over the JSON as the host's own encoder writes it, which is not the canonical form",
		Looks:  "attestation.checksum fits what the child put out only where that has no <, >, & and no line separator",
		Breaks: []string{openwop.OWPDSP27},
		Twin:   "there nothing fits the checksum, here most does",
		Replace: func(s *rules.Set) {
			s.Handoff.Canonical = func(json []byte) ([]byte, error) { return json, nil }
		},
	},
	{
		ID:     "handoff.checksum-of-something-else",
		Title:  "the checksum is made over the outputs in a wrapper of the host's own",
		Looks:  "attestation.checksum of output.harvested fits nothing that the child put out",
		Breaks: []string{openwop.OWPDSP27},
		// The log has no outputs, and of a digest nobody sees what it was made over: that of another wrapper does.
		Event: steps(func(p *chainStep) {
			if p.Attestation != nil {
				sum := sha256.Sum256([]byte(`{"outputs":"` + p.Attestation.Checksum + `"}`))
				p.Attestation.Checksum = hex.EncodeToString(sum[:])
			}
		}),
	},
}

// looksEmpty tells the values that a careless host takes for none, but for texts.
func looksEmpty(_ string, value any) bool {
	switch value := value.(type) {
	case bool:
		return !value
	case float64:
		return value == 0
	case json.Number:
		return value == "0"
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// harvesting has these children harvested as well.
func harvesting(also func(rules.Harvest) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		harvested := s.Handoff.Harvested
		s.Handoff.Harvested = func(h rules.Harvest) map[string]any {
			if also(h) {
				return rules.Pick(h.Mapping, h.Variables)
			}
			return harvested(h)
		}
	}
}
