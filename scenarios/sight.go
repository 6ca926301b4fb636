package scenarios

// Sight is something that was read and held to a rule for everything of its kind, whatever it was read for.
type Sight struct {
	Breach        // what it is, and where; Expected and Actual are said of a violation alone
	Held   bool   // it is as the rule has it
	Of     string // what the rule is about: the id of a run, a file, an intent
	// Alone: the rule holds where the transcript has all that anybody asked of it. Where others were at work, too, it says nothing.
	Alone bool
}

// Breached returns what of the drives violates a rule for everything of its kind.
func (p *Protocol) Breached(d Discovery, drives []DriveRecord) (all []Breach) {
	if p.Invariants == nil {
		return nil
	}
	p.Invariants(d, drives, func(s Sight) {
		if !s.Held {
			all = append(all, s.Breach)
		}
	})
	return all
}

// Observe holds what others did to the rules for everything of its kind. It passes on what counts for a host of that discovery
// document: see [Report.Breaches] for violations. What is held is passed on where the host makes the claim that the rule rests on.
func (p *Protocol) Observe(d Discovery, records []DriveRecord, see func(Sight)) {
	if p.Invariants == nil {
		return
	}
	p.Invariants(d, records, p.Counting(d, records, see))
}

// Counting returns a function that passes on the sights that count.
func (p *Protocol) Counting(d Discovery, records []DriveRecord, see func(Sight)) func(Sight) {
	r := Report{Protocol: p, Drives: records}
	return func(s Sight) {
		if s.Held && r.makes(s.Requirement, d) || !s.Held && r.violates(s.Requirement, s.Drive, s.Where, d) {
			see(s)
		}
	}
}
