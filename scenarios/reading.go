package scenarios

import "slices"

// Reading is a decision of this project where the texts of a protocol are silent or contradict each other. Readings are
// in readings.yaml, beside the requirements.
type Reading struct {
	ID        string   // OWP-R12
	Title     string   // what it is about
	Sentences []string // requirements whose texts leave it open
	Open      string   // what they leave open
	Accept    string   // what Assay accepts
	Refuse    string   // what it does not accept
	Why       string
	Scenarios []string // those that apply it
	Unused    string   // why none does
}

// ReadingsOf returns the readings of the sentences of a requirement.
func (p *Protocol) ReadingsOf(id RequirementID) (about []Reading) {
	for _, r := range p.Readings {
		if slices.Contains(r.Sentences, string(id)) {
			about = append(about, r)
		}
	}
	return about
}

// ReadingsBy returns the readings that a scenario applies.
func (p *Protocol) ReadingsBy(id ScenarioID) (applied []Reading) {
	for _, r := range p.Readings {
		if slices.Contains(r.Scenarios, string(id)) {
			applied = append(applied, r)
		}
	}
	return applied
}
