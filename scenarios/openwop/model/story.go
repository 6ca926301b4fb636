package model

import (
	"maps"
	"slices"
)

// Story is what a run of a program must show in the end.
type Story struct {
	Turns     []Taken
	Breached  bool           // it was to take more turns than its bound: a breach, and the run failed
	Variables map[string]any // those that have a value
}

// Taken is a turn that was taken.
type Taken struct {
	Turn
	Handoffs []Handoff
}

// Handoff is a worker as its parent dispatched it.
type Handoff struct {
	Worker    string
	Inputs    map[string]any // what its run was given
	Unset     []string       // the inputs whose variable had no value, sorted
	Replaced  []string       // the inputs of the default mapping that its own does not have, sorted
	Harvested []string       // the parent's variables that took what it brought back, sorted; nil if nothing is mapped
}

// Workers are all workers in order.
func (s Story) Workers() []Handoff {
	var all []Handoff
	for _, t := range s.Turns {
		all = append(all, t.Handoffs...)
	}
	return all
}

// Questions is how many turns ask a person.
func (s Story) Questions() int {
	n := 0
	for _, t := range s.Turns {
		if t.Prompt != "" {
			n++
		}
	}
	return n
}

// Tell interprets the program: turn after turn, each worker completed before the next is dispatched, each with the variables as
// the one before left them (RFC 0037 A, RFC 0022 D), up to a decision to end or the bound (RFC 0061 E). workers are the workflows
// of the workers by id.
func (p Program) Tell(of Workflow, workers map[string]Workflow) Story {
	s := Story{Variables: maps.Clone(of.Variables)}
	maps.Copy(s.Variables, p.Inputs)
	for i, t := range p.Turns {
		if p.Bound > 0 && i >= p.Bound {
			s.Breached = true
			return s
		}
		taken := Taken{Turn: t}
		for _, worker := range t.Workers {
			taken.Handoffs = append(taken.Handoffs, s.handOver(of, worker, workers[worker]))
		}
		s.Turns = append(s.Turns, taken)
		if t.Reason != "" {
			break
		}
	}
	return s
}

// handOver runs a worker that does nothing but keep what it is given.
func (s *Story) handOver(of Workflow, worker string, w Workflow) Handoff {
	in, out := of.maps.of(worker)
	h := Handoff{Worker: worker, Inputs: map[string]any{}}
	for _, input := range slices.Sorted(maps.Keys(in)) {
		if value, has := s.Variables[in[input]]; has {
			h.Inputs[input] = value
		} else {
			h.Unset = append(h.Unset, input)
		}
	}
	for _, input := range slices.Sorted(maps.Keys(of.maps.In)) {
		if _, kept := in[input]; !kept {
			h.Replaced = append(h.Replaced, input)
		}
	}
	its := maps.Clone(w.Variables)
	maps.Copy(its, h.Inputs)
	for _, variable := range slices.Sorted(maps.Keys(out)) {
		if value, has := its[out[variable]]; has {
			s.Variables[variable] = value
			h.Harvested = append(h.Harvested, variable)
		}
	}
	return h
}
