package state

// scripted is what the supervisor's port of this name holds now, or else its config.
func (s *State) scripted(key string) any {
	n := s.Program.Supervisor()
	for _, p := range n.Ports {
		if p.Name != key {
			continue
		}
		if value, _ := s.portValue(p); value != nil {
			return value
		}
	}
	return n.Config[key]
}
