package prove

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Committed reads the kill matrix of a depth that [Write] left in dir. The error is [ErrStale] with the first difference if the
// matrix does not cover today's faults, honest hosts and scenarios.
func Committed(dir string, depth scenarios.Depth) (results.KillMatrix, error) {
	path := filepath.Join(dir, JSONName(depth))
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return results.KillMatrix{}, fmt.Errorf("%w: there is no %s", ErrStale, path)
	}
	if err != nil {
		return results.KillMatrix{}, fmt.Errorf("read the kill matrix: %w", err)
	}
	var m results.KillMatrix
	if err := json.Unmarshal(raw, &m); err != nil {
		return results.KillMatrix{}, fmt.Errorf("read the kill matrix %s: %w", path, err)
	}
	if what := outdated(m, depth); what != "" {
		return results.KillMatrix{}, fmt.Errorf("%w: %s: %s", ErrStale, path, what)
	}
	return m, nil
}

// outdated returns why a matrix does not match today's hosts and scenarios, or "".
func outdated(m results.KillMatrix, depth scenarios.Depth) string {
	if string(m.Depth) != depthWord(depth) {
		return fmt.Sprintf("its depth is %q", m.Depth)
	}
	if m.Schema != results.KillMatrixSchemaAssayKillMatrix3 {
		return fmt.Sprintf("its schema is %q", m.Schema)
	}
	there := map[string]bool{}
	digests := map[string]string{}
	for _, p := range m.Protocols {
		digests[p.Protocol] = p.Digest
		for _, h := range p.Honest {
			there[h.Host] = true
		}
		for _, f := range p.Faults {
			there[f.ID] = true
		}
	}
	for _, p := range protocols.Values() {
		if digests[p.ID] != digest(p, depth) {
			return "the faults, honest hosts or scenarios of " + p.ID + " have changed since"
		}
	}
	for _, p := range m.Protocols {
		if what := outdatedProfiles(p); what != "" {
			return what
		}
	}
	hosts, _ := AtDepth(Hosts(), depth)
	for _, h := range hosts {
		if !there[h.Name] {
			return "it leaves out " + h.Name
		}
	}
	return ""
}

// outdatedProfiles returns how the profiles of a matrix differ from those of today, or "".
func outdatedProfiles(m results.ProvedProtocol) string {
	if m.Profiles == nil {
		return "" // not proved
	}
	var was, is []string
	for _, p := range m.Profiles {
		was = append(was, p.ID+" "+p.Digest)
	}
	if row := protocols.ByID(m.Protocol); row != nil {
		for _, p := range newest(row.Protocol) {
			is = append(is, p.ID+" "+p.Digest)
		}
	}
	if !slices.Equal(was, is) {
		return "the profiles of " + m.Protocol + " have changed since"
	}
	return ""
}

// Pair is a fault and a check that kills it.
type Pair struct{ Fault, Scenario, Requirement string }

func (p Pair) String() string {
	return fmt.Sprintf("%s is killed by %s, which cites %s", p.Fault, p.Scenario, p.Requirement)
}

// Compare returns the pairs that only before has, and the pairs that only now has, by fault. It ignores faults that
// only one of them knows.
func Compare(before, now results.KillMatrix) (lost, gained []Pair) {
	was, is := pairs(before), pairs(now)
	return without(was, is), without(is, was)
}

// pairs returns the pairs of each fault.
func pairs(m results.KillMatrix) map[string][]Pair {
	out := map[string][]Pair{}
	for _, p := range m.Protocols {
		for _, f := range p.Faults {
			out[f.ID] = []Pair{}
			for _, k := range f.Kills {
				out[f.ID] = append(out[f.ID], Pair{f.ID, k.Scenario, k.Requirement})
			}
		}
	}
	return out
}

// without returns the pairs of a that b lacks, for the faults that both know.
func without(a, b map[string][]Pair) (left []Pair) {
	for _, fault := range slices.Sorted(maps.Keys(a)) {
		known, ok := b[fault]
		for _, p := range a[fault] {
			if ok && !slices.Contains(known, p) {
				left = append(left, p)
			}
		}
	}
	return left
}
