package process

import (
	"maps"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// family knows the programs under way, and what they started.
var family = &registry{members: map[int]*member{}}

// member is a program under way.
type member struct {
	pid   int    // which is its group and its session too
	home  string // see Command.Home
	start uint64 // when it was started, in ticks since the machine was; 0 where that is not told
}

// relative is a process that is left of a program.
type relative struct {
	pid  int // negative: a whole group
	name string
}

func (r relative) kill() { _ = syscall.Kill(r.pid, syscall.SIGKILL) }

// registry holds the programs under way. While there is one, orphans of theirs are handed to this process, where the system
// can do that.
type registry struct {
	// starting is held by those who start a program, from before it is there until it is a member; who holds it alone sees
	// no program that is neither a member nor a relative.
	starting sync.RWMutex
	closed   bool // guarded by starting

	mu      sync.Mutex
	members map[int]*member
	reaper  reaper
}

// start starts a program and takes it in.
func (f *registry) start(cmd *exec.Cmd, home string) (*member, error) {
	f.starting.RLock()
	defer f.starting.RUnlock()
	if f.closed {
		return nil, ErrAbandoned
	}
	m := &member{home: home}
	f.expect()
	if err := cmd.Start(); err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.reaper.leave()
		return nil, err
	}
	m.pid = cmd.Process.Pid
	m.start = startOf(m.pid) // it is not waited for yet, so it is there even if it has ended
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[m.pid] = m
	return m, nil
}

// expect prepares for one more program.
func (f *registry) expect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reaper.enter()
}

// all are the programs under way.
func (f *registry) all() map[int]*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.members)
}

// leave lets a program go that has ended, unless there are relatives of it: then it returns them.
func (f *registry) leave(m *member) []relative {
	if !f.strangers() {
		f.forget(m)
		return nil
	}
	f.starting.Lock()
	defer f.starting.Unlock()
	left := f.relatives(m)
	if len(left) == 0 {
		f.forget(m)
	}
	return left
}

func (f *registry) forget(m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.members[m.pid] == m { // its number may be another's by now
		delete(f.members, m.pid)
	}
	f.reaper.leave()
}

// Abandon kills every program under way and what they started, removes every folder that NewFolder made, and has no other
// program started. It is for a process that is about to end.
func Abandon() {
	family.starting.Lock()
	family.closed = true
	family.starting.Unlock()
	for pid := range family.all() {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	for end := time.Now().Add(dying); time.Now().Before(end); time.Sleep(time.Millisecond) {
		left := family.relatives(nil)
		if len(left) == 0 {
			break
		}
		for _, r := range left {
			r.kill()
		}
	}
	folders.removeAll()
}
