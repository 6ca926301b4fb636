package state

// Lineage is where a run comes from.
type Lineage struct {
	Owner       string  // the tenant whose run it is; "" where it is nobody's
	ParentRunID string  // the run that dispatched it; "" where none of this host did, which goes for a fork too
	SourceRunID string  // the run that it is a fork of; "" where it is none
	Origin      *Origin // the run on another host that dispatched it; nil where none did
}

// Lineage is where the run comes from.
func (s *State) Lineage() (l Lineage) {
	if owner := s.Owner; owner != nil {
		l.Owner = owner.Tenant
	}
	if parent := s.Created.Parent; parent != nil {
		l.ParentRunID = parent.RunID
	}
	if fork := s.Created.Fork; fork != nil {
		l.SourceRunID = fork.RunID
	}
	l.Origin = s.Created.Origin
	return l
}
