package prove

import (
	"fmt"
	"path"
	"slices"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Host is something to certify: a simulated host or a reference agent.
type Host struct {
	Name     string
	Specimen protocols.Specimen
	Fault    *protocols.Fault // nil for an honest host
}

// Protocol returns the protocol that a host speaks.
func (h Host) Protocol() *scenarios.Protocol { return h.Specimen.Protocol() }

// Hosts returns the subjects of the kill matrix: the honest hosts of all protocols, and one host for each fault.
func Hosts() []Host {
	var all []Host
	for _, row := range protocols.Table {
		all = append(all, Honest(row)...)
	}
	return append(all, faulty()...)
}

// AtDepth returns the hosts whose faults show at a depth, and how many it leaves out since theirs show only at a greater one.
func AtDepth(hosts []Host, depth scenarios.Depth) (shown []Host, leftOut int) {
	for _, h := range hosts {
		if h.Fault != nil && h.from() > depth {
			leftOut++
			continue
		}
		shown = append(shown, h)
	}
	return shown, leftOut
}

// from returns the depth from which the fault of a host shows.
func (h Host) from() scenarios.Depth {
	from, err := depthOf(h.Fault.Depth)
	if err != nil {
		panic("the fault " + h.Name + ": " + err.Error()) // a mistake in a row of ours
	}
	return from
}

// Honest returns the hosts of a protocol that keep every promise, named by the flags of the command that starts them.
func Honest(row *protocols.Row) []Host {
	var hosts []Host
	for _, h := range row.Honest() {
		hosts = append(hosts, Host{Name: h.Name, Specimen: h.Specimen})
	}
	return hosts
}

// Faulty returns the host that commits a fault.
func Faulty(f protocols.Fault) Host { return Host{Name: f.ID, Specimen: f.Specimen, Fault: &f} }

func faulty() []Host {
	var hosts []Host
	for _, f := range protocols.Faults() {
		hosts = append(hosts, Faulty(f))
	}
	return hosts
}

// Drawn returns the hosts with what can be set of their faults drawn from a seed. A fault has what is set of it in its id then.
func Drawn(hosts []Host, seed uint64) ([]Host, error) {
	drawn := slices.Clone(hosts)
	for i, h := range hosts {
		if h.Fault == nil {
			continue
		}
		spec := param.Join(h.Fault.ID, param.Drawn(h.Fault.ID, h.Fault.Params, seed))
		f, err := h.Fault.With(spec)
		if err != nil {
			return nil, err
		}
		f.ID = spec
		drawn[i] = Faulty(f)
	}
	return drawn, nil
}

// Matching returns the hosts of the faults whose ids match a pattern of path.Match, after the plain honest hosts of
// their protocols. A pattern without a match is an error that suggests the nearest id.
func Matching(patterns ...string) ([]Host, error) {
	all := faulty()
	var ids []string
	wanted := map[string]bool{}
	for _, h := range all {
		ids = append(ids, h.Name)
	}
	for _, pattern := range patterns {
		found := false
		for _, id := range ids {
			if ok, err := path.Match(pattern, id); err == nil && ok {
				found, wanted[id] = true, true
			}
		}
		if !found {
			return nil, &NoFaultError{pattern, nearest.Name(pattern, ids)}
		}
	}
	all = slices.DeleteFunc(all, func(h Host) bool { return !wanted[h.Name] })
	var hosts []Host
	for _, row := range protocols.Table {
		if slices.ContainsFunc(all, func(h Host) bool { return h.Protocol() == row.Protocol }) {
			hosts = append(hosts, Honest(row)[0])
		}
	}
	return append(hosts, all...), nil
}

// NoFaultError means that no fault matches a pattern.
type NoFaultError struct{ Pattern, Near string }

func (e *NoFaultError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("no fault matches %q", e.Pattern)
	}
	return fmt.Sprintf("no fault matches %q: did you mean %q?", e.Pattern, e.Near)
}
