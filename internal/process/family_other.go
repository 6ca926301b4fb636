//go:build !linux

package process

import "syscall"

// reaper: orphans are init's here.
type reaper struct{}

func (reaper) enter() {}
func (reaper) leave() {}

func startOf(int) uint64 { return 0 }

func (*registry) strangers() bool { return true }

// relatives are what is left of a program's group, which it led, or with nil of all groups. Whoever left its group is not
// seen.
func (f *registry) relatives(of *member) (out []relative) {
	for pid, m := range f.all() {
		if (of == nil || m == of) && syscall.Kill(-pid, 0) == nil {
			out = append(out, relative{-pid, "a process of its group"})
		}
	}
	return out
}
