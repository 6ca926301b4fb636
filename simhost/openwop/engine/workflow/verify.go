package workflow

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// KeyVerdicts is the port or config that says what a supervisor's verifier finds, result by result.
const KeyVerdicts = "mockVerdicts"

// maxVerdicts bounds the script of a verifier, and maxCriteria the keys in one of its verdicts.
const (
	maxVerdicts = 256
	maxCriteria = 64
)

// verdict is what a verifier finds in one result.
type verdict struct {
	Verdict    openwopv1.AgentVerifiedPayloadVerdict `json:"verdict"`
	Criteria   []string                              `json:"criteria"`
	Confidence *float64                              `json:"confidence"`
}

// ParseVerdicts reads the script of a verifier: an array of {"verdict": ..., "criteria": [...], "confidence": ...}.
func ParseVerdicts(script any) ([]verdict, *Misfit) {
	if script == nil {
		return nil, nil
	}
	list, ok := script.([]any)
	if !ok || len(list) > maxVerdicts {
		return nil, misfits("", "must be an array of at most %d verdicts", maxVerdicts)
	}
	verdicts := make([]verdict, len(list))
	for i, value := range list {
		raw, err := json.Marshal(value)
		if err == nil {
			err = strictly(raw, &verdicts[i])
		}
		v := verdicts[i]
		switch {
		case err != nil:
			return nil, misfits(Index(i), "must be {verdict, criteria, confidence}: %v", err)
		case !v.Verdict.Valid():
			return nil, misfits(Index(i)+".verdict", "must be pass, fail or revise")
		case checkConfidence(v.Confidence) != nil:
			return nil, misfits(Index(i)+".confidence", "must be 0 to 1")
		case len(v.Criteria) > maxCriteria || slices.ContainsFunc(v.Criteria, func(key string) bool { return key == "" || len(key) > maxName }):
			return nil, misfits(Index(i)+".criteria", "must be at most %d keys of 1 to %d bytes", maxCriteria, maxName)
		case len(slices.Compact(slices.Sorted(slices.Values(v.Criteria)))) < len(v.Criteria):
			return nil, misfits(Index(i)+".criteria", "names a key twice")
		}
	}
	return verdicts, nil
}

// checkVerdicts reads the verifier's script as it stands when the run begins.
func (p *Program) checkVerdicts(inputs map[string]any) error {
	script, field := p.scripted(KeyVerdicts, inputs)
	if _, wrong := ParseVerdicts(script); wrong != nil {
		return p.refuseScript(KeyVerdicts, field, wrong)
	}
	return nil
}
