package wire

// Stored returns a transcript whose entries, so many, are read when they are needed. A read of the n-th, counted from 1, gives the same
// each time. Only the last one is kept, so a long transcript takes no more room than a short one.
func Stored(drive string, speech Speech, count int, read func(n int) *Entry) *Transcript {
	return &Transcript{Drive: drive, Speech: speech, stored: &stored{count: count, read: read}}
}

type stored struct {
	count int
	read  func(n int) *Entry
	n     int // the one that was read last, 0 for none
	entry *Entry
}

// at returns the n-th entry, nil if there is none.
func (s *stored) at(n int) *Entry {
	if n < 1 || n > s.count {
		return nil
	}
	if s.n != n {
		s.n, s.entry = n, s.read(n)
	}
	return s.entry
}
