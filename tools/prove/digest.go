package prove

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// digest identifies the subject of a protocol's matrix at a depth, regardless of any selection: every fault that shows there, with its
// words, every honest host, and every scenario with its requirements.
func digest(p *scenarios.Protocol, depth scenarios.Depth) string {
	type scenario struct {
		ID     scenarios.ScenarioID
		Proves []scenarios.RequirementID
	}
	var about struct {
		Faults    []protocols.Fault
		Honest    []string
		Scenarios []scenario
	}
	hosts, _ := AtDepth(Hosts(), depth)
	for _, h := range hosts {
		switch {
		case h.Protocol() != p:
		case h.Fault != nil:
			about.Faults = append(about.Faults, *h.Fault)
		default:
			about.Honest = append(about.Honest, h.Name)
		}
	}
	for _, suite := range Suites() {
		if suite.Protocol != p {
			continue
		}
		for _, s := range suite.Scenarios {
			if s.Depth > depth {
				continue
			}
			about.Scenarios = append(about.Scenarios, scenario{s.ID, s.Proves})
		}
	}
	return sum(about)
}

// profilesDigest identifies the profiles that the hosts of a protocol can be certified for.
func profilesDigest(p *scenarios.Protocol) string {
	digests := map[string]string{}
	for _, profile := range newest(p) {
		digests[profile.ID] = profile.Digest
	}
	return sum(digests)
}

func sum(about any) string {
	encoded, err := json.Marshal(about)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	sum := sha256.Sum256(encoded)
	return "sha256:" + hex.EncodeToString(sum[:])
}
