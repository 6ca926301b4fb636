package scenarios

import "sync"

// Learned holds what drives found out about a target that all of them need. Its methods may be called concurrently.
type Learned struct {
	mu    sync.Mutex
	facts map[string]*learned
}

type learned struct {
	mu    sync.Mutex
	known bool
	text  string
}

// Once returns what find returned for this question: the first drive that asks finds out, and others wait for it. If find ends
// its drive, the next drive finds out.
func (l *Learned) Once(question string, find func() string) string {
	l.mu.Lock()
	if l.facts == nil {
		l.facts = map[string]*learned{}
	}
	f := l.facts[question]
	if f == nil {
		f = &learned{}
		l.facts[question] = f
	}
	l.mu.Unlock()

	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		f.text = find()
		f.known = true
	}
	return f.text
}
