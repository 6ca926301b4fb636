package scenarios

import "slices"

// Reading is what this project takes the texts of a protocol to say where they say nothing, or two things. Readings stand
// beside the requirements, in readings.yaml.
type Reading struct {
	ID        string   // OWP-R12
	Title     string   // what it is about
	Sentences []string // the requirements whose texts leave it open
	Open      string   // what they leave open
	Accept    string   // what is accepted
	Refuse    string   // what is not
	Why       string
	Scenarios []string // that go by it
	Unused    string   // why none does
}

// ReadingsOf are the readings that are about a requirement.
func (p *Protocol) ReadingsOf(id RequirementID) (about []Reading) {
	for _, r := range p.Readings {
		if slices.Contains(r.Sentences, string(id)) {
			about = append(about, r)
		}
	}
	return about
}
