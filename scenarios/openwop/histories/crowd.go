package histories

import "sync"

// crowd tells requests that were under way at once.
type crowd struct {
	mu        sync.Mutex
	now, ever int
}

// enter notes that a request is under way. The function that it returns ends it, and reports whether another was meanwhile.
func (c *crowd) enter() (beside func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.ever++
	began, alone := c.ever, c.now == 1
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
		return !alone || c.ever > began
	}
}
