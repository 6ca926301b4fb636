package state

// Remote is where a child is that a peer runs.
type Remote struct {
	Peer   string `json:"peer"`            // its name here
	RunID  string `json:"runId,omitzero"`  // the child's id there, once it is created
	HostID string `json:"hostId,omitzero"` // of that host
	EndID  string `json:"endId,omitzero"`  // eventId there of what ended the child
}

// Origin is the run on another host that dispatched a run.
type Origin struct {
	RunID        string `json:"runId"`
	HostID       string `json:"hostId"`
	WellKnownURL string `json:"wellKnownUrl,omitzero"`
	Depth        int    `json:"depth"` // of the run that was dispatched
}

// ID is the child's id where it runs.
func (c *Child) ID() string {
	if c.Remote != nil {
		return c.Remote.RunID
	}
	return c.RunID
}

// EndCause is what ended the child, and the host on which that is, "" for this one.
func (c *Child) EndCause(local string) (eventID, hostID string) {
	if c.Remote == nil || c.Remote.EndID == "" {
		return local, ""
	}
	return c.Remote.EndID, c.Remote.HostID
}

// Depth is how many runs are above this one.
func (s *State) Depth() int {
	switch {
	case s.Created.Parent != nil:
		return s.Created.Parent.Depth
	case s.Created.Origin != nil:
		return s.Created.Origin.Depth
	}
	return 0
}

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
