package handoff

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC 0063. The values are random, and so are their checksums.
var harvestAttested = scenarios.Scenario{
	ID:     "openwop/handoff/harvest-attested",
	Title:  "what is harvested of a worker comes with the SHA-256 of what that worker put out",
	Proves: scenarios.IDs{openwop.OWPDSP27},
	Claim:  claims.Attestation,
	Ask: scenarios.Ask(mappedLoops, func(o MappedObservation, j *scenarios.Judge) {
		if len(o.Harvests) == 0 {
			j.Block("no offered loop maps anything back", fixture.Load)
		}
		o.given(j)
		if !slices.ContainsFunc(o.Runs, MappedRun.attests) {
			j.Block("the host attests only what a parent asks for, and no fixture here asks",
				"attest the outputs of the workers of assay-loop-mapped")
		}
		for _, m := range o.Runs {
			j.Part(func() { m.checkAttested(j) })
		}
	}),
}

// attests reports whether any harvest has a checksum.
func (m MappedRun) attests() bool {
	return slices.ContainsFunc(m.Log.Phase(dialect.ChainPhaseOutputHarvested).Values,
		func(e wire.Value) bool { return e.At("/payload/attestation").Present() })
}

// checkAttested compares the checksums in a loop with the outputs of its workers.
func (m MappedRun) checkAttested(j *scenarios.Judge) {
	for i, keys := range m.Harvested {
		if keys == nil {
			continue
		}
		harvest := m.Log.Phase(dialect.ChainPhaseOutputHarvested).Where(func(e wire.Value) bool {
			return e.At("/payload/workerId").String() == m.Workers[i]
		})
		if len(harvest.Values) == 0 {
			unharvested(j, m.Log, m.Workers[i], "setup failed: a worker was not harvested in "+m.Way)
		}
		host.ChildServed(j, m.Children[i].Log.Created, m.Children[i].ID)
		j.Need(openwop.OWPDSP12, m.Children[i].Log.Ended) // it was harvested, so the parent says that it completed
		attested := harvest.Values[0].At("/payload/attestation")
		j.Check(openwop.OWPDSP27, attested.Key("algorithm")).To(check.Equal("sha256"), "algorithm of the checksum of %s", m.Workers[i])
		j.Check(openwop.OWPDSP27, attested.Key("checksum")).To(check.OneOf(m.sums(i)...), "checksum of what %s put out", m.Workers[i])
	}
}

// unharvested blocks the judge: a worker whose output is mapped was not harvested. If it completed, that is a violation.
func unharvested(j *scenarios.Judge, l host.RunLog, worker, reason string) {
	completed := l.Phase(dialect.ChainPhaseChildCompleted).Where(func(e wire.Value) bool {
		return e.At("/payload/workerId").String() == worker
	})
	if len(completed.Values) > 0 {
		j.Violates(openwop.OWP0037B1, completed, reason)
	}
	j.Block(reason, "have the workers of the fixture complete")
}

// sums returns the checksums that a host may give for a worker's output: of the
// outputs in its log, of its variables, or of the values mapped back.
func (m MappedRun) sums(worker int) (sums []any) {
	log := m.Children[worker].Log
	shown := []wire.Value{log.Ended.Last.Key("variables"), log.Ended.Last.Key("outputs")}
	for _, e := range log.OfType(dialect.RunCompleted).Values {
		shown = append(shown, e.At("/payload/outputs"), e.At("/payload/output"))
	}
	harvested := map[string]any{}
	for _, key := range m.Harvested[worker] {
		harvested[key] = m.Log.Ended.Last.Key("variables").Key(key).Actual()
	}
	outputs := []any{harvested}
	for _, v := range shown {
		if v.Present() {
			outputs = append(outputs, v.Actual())
		}
	}
	for _, o := range outputs {
		if sum, ok := checksum(dialect.Of(m.Log.Ended.Last).Variables(o)); ok {
			sums = append(sums, sum, "sha256:"+sum)
		}
	}
	return sums
}

// checksum returns the SHA-256, in hex, of a value as canonical JSON (RFC 8785).
// ok is false if the value has no canonical form, as with too large a number.
func checksum(value any) (sum string, ok bool) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "", false
	}
	canonical, err := jcs.Transform(encoded)
	if err != nil {
		return "", false
	}
	of := sha256.Sum256(canonical)
	return hex.EncodeToString(of[:]), true
}
