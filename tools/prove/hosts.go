package prove

import (
	"fmt"
	"path"
	"slices"

	"github.com/openassay/assay/internal/nearest"
	agentfault "github.com/openassay/assay/simhost/agent/fault"
	"github.com/openassay/assay/simhost/fault"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
)

// Hosts are all that the kill matrix is made of: the honest hosts and agents, and one to each fault.
func Hosts() []Host {
	return slices.Concat(Honest(), HonestAgents(), HonestIntents(), faultyHosts(), faultyAgents(), faultyIntents())
}

// faultyHosts are a simulated host to each fault of it.
func faultyHosts() (hosts []Host) {
	for _, f := range fault.All() {
		hosts = append(hosts, Faulty(f))
	}
	return hosts
}

// faultyAgents are an agent to each fault of it.
func faultyAgents() (hosts []Host) {
	for _, f := range agentfault.All() {
		hosts = append(hosts, FaultyAgent(f))
	}
	return hosts
}

// faultyIntents are an OpenIntent server to each fault of it.
func faultyIntents() (hosts []Host) {
	for _, f := range intentfault.All() {
		hosts = append(hosts, FaultyIntents(f))
	}
	return hosts
}

// Matching are those with the faults whose ids match one of the patterns, as path.Match has it, and before them the plain
// honest ones of their kinds. A pattern that none matches is an error that names the nearest id.
func Matching(patterns ...string) ([]Host, error) {
	all := slices.Concat(faultyHosts(), faultyAgents(), faultyIntents())
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
	for _, honest := range []Host{Honest()[0], HonestAgents()[0], HonestIntents()[0]} {
		if slices.ContainsFunc(all, func(h Host) bool { return h.Protocol() == honest.Protocol() }) {
			hosts = append(hosts, honest)
		}
	}
	return append(hosts, all...), nil
}

// NoFaultError means that no fault is called so.
type NoFaultError struct{ Pattern, Near string }

func (e *NoFaultError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("no fault matches %q", e.Pattern)
	}
	return fmt.Sprintf("no fault matches %q: did you mean %q?", e.Pattern, e.Near)
}
