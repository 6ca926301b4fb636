package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var shapeFaults = []Fault{
	{
		ID:     "shape.version-nought",
		Title:  "the execution model is advertised at a version that is none",
		Looks:  "multiAgent.executionModel.version is 0",
		Breaks: []string{openwop.OWP0061A2},
		Lies:   true,
		Under:  Under{Version: 1},
		Reply:  advertises(func(m *openwopv1.ExecutionModel) { m.Version = 0 }),
	},
	{
		ID:     "shape.supported-in-words",
		Title:  "the execution model says in a word that it is supported",
		Looks:  `multiAgent.executionModel.supported is "yes"`,
		Breaks: []string{openwop.OWP0037C1},
		Lies:   true,
		Reply:  saying("multiAgent/executionModel/supported", "yes"),
	},
	{
		ID:     "shape.resume-in-words",
		Title:  "the execution model says in a word that it resumes with state",
		Looks:  `multiAgent.executionModel.statefulResume is "yes"`,
		Breaks: []string{openwop.OWP0061A3},
		Lies:   true,
		Reply:  saying("multiAgent/executionModel/statefulResume", "yes"),
	},
	{
		ID:     "shape.resume-below-5",
		Title:  "a host below version 5 advertises that it resumes with state",
		Looks:  "statefulResume is true at version 4",
		Breaks: []string{openwop.OWP0061A4, openwop.OWP0061D1},
		Lies:   true,
		Under:  Under{Version: 4},
		Reply:  advertises(func(m *openwopv1.ExecutionModel) { m.StatefulResume = new(true) }),
	},
	{
		ID:     "shape.host-without-name",
		Title:  "a version that takes causation across hosts is advertised by a host that does not name itself",
		Looks:  "crossHostCausation.hostId is empty at version 5",
		Breaks: []string{openwop.OWP0061A1},
		Lies:   true,
		Reply: advertises(func(m *openwopv1.ExecutionModel) {
			if m.CrossHostCausation != nil {
				block := *m.CrossHostCausation
				block.HostID = ""
				m.CrossHostCausation = &block
			}
		}),
	},
	{
		ID:     "shape.divergence-not-declared",
		Title:  "a version that takes replay determinism is advertised with part of it",
		Looks:  "replayDeterminism.refusalDivergenceEmission is false at version 5",
		Breaks: []string{openwop.OWP0061A1},
		Lies:   true,
		Reply: advertises(func(m *openwopv1.ExecutionModel) {
			if m.ReplayDeterminism != nil {
				declared := *m.ReplayDeterminism
				declared.RefusalDivergenceEmission = new(false)
				m.ReplayDeterminism = &declared
			}
		}),
	},
	{
		ID:     "shape.experimental-undated",
		Title:  "an experimental execution model does not say until when",
		Looks:  "tier is experimental and experimentalUntil is missing",
		Breaks: []string{openwop.OWPCAP1},
		Lies:   true,
		Under:  Under{Experimental: true},
		Reply:  advertises(func(m *openwopv1.ExecutionModel) { m.ExperimentalUntil = nil }),
	},
	{
		ID:     "shape.iteration-below-5",
		Title:  "a host below version 5 counts its turns in the log",
		Looks:  "the decided events of a host at version 4 carry an iteration",
		Breaks: []string{openwop.OWP0061B3},
		Under:  Under{Version: 4},
		Replace: func(s *rules.Set) {
			s.Loop.Shows = func(int) bool { return true }
		},
	},
	{
		ID:     "shape.limit-not-clamped",
		Title:  "a run that asks for more turns, or nodes, than the host advertises gets them",
		Looks:  "a run with maxLoopIterations above limits.maxLoopIterations goes on beyond that limit",
		Breaks: []string{openwop.OWP0061E5, openwop.OWPBND5},
		Spots:  []int{7},
		Twin:   "there the own limit holds beside no other option, here it is not held to what was asked for",
		Replace: func(s *rules.Set) {
			takesAsked(s, turns)
			takesAsked(s, nodes)
			takesAsked(s, duration)
		},
	},
}

// advertises has discovery say something else of the execution model.
func advertises(otherwise func(*openwopv1.ExecutionModel)) mutate.ReplyFunc {
	return discovered(mutate.At("/multiAgent/executionModel", otherwise))
}
