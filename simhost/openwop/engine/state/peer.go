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

// HostID is the host that the child is on, "" for this one.
func (c *Child) HostID() string {
	if c.Remote == nil {
		return ""
	}
	return c.Remote.HostID
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
