package wire

import "syscall"

// killSession kills a process and all that stayed in its group.
func killSession(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // there may be nobody left
}

// survivor is a process that is left of a turn.
type survivor struct {
	pid  int // negative: a whole group
	name string
}

func (s survivor) kill() { _ = syscall.Kill(s.pid, syscall.SIGKILL) }

// groupLeft is what can be told of a group on any system: that somebody is left in it.
func groupLeft(leader int) []survivor {
	if syscall.Kill(-leader, 0) != nil {
		return nil
	}
	return []survivor{{-leader, "a process of its group"}}
}
