//go:build !linux

package process

import "syscall"

// reaper does nothing here: orphans go to init.
type reaper struct{}

func (reaper) enter() {}
func (reaper) leave() {}

func startOf(int) uint64 { return 0 }

func (*registry) strangers() bool { return true }

// relatives returns the processes that a program left in its group, or those of all groups if of is nil. It does not
// find a process that left its group.
func (f *registry) relatives(of *member) (out []relative) {
	for pid, m := range f.all() {
		if (of == nil || m == of) && syscall.Kill(-pid, 0) == nil {
			out = append(out, relative{-pid, "a process of its group"})
		}
	}
	return out
}
