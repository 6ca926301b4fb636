package process

import (
	"maps"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// family holds the running programs.
var family = &registry{members: map[int]*member{}}

// member is a running program.
type member struct {
	pid   int    // also its group and its session
	home  string // see Command.Home
	start uint64 // when it was started, in ticks since the boot of the machine; 0 if unknown
}

// relative is a process that a program left behind.
type relative struct {
	pid  int // negative: a whole group
	name string
}

func (r relative) kill() { _ = syscall.Kill(r.pid, syscall.SIGKILL) }

// registry holds the running programs. While there is one, the system hands their orphans to this process, if it can.
type registry struct {
	// starting is read-locked while a program is started and becomes a member. Whoever write-locks it sees no program
	// that is neither a member nor a relative.
	starting sync.RWMutex
	closed   bool // guarded by starting

	mu      sync.Mutex
	members map[int]*member
	reaper  reaper
}

// start starts a program and makes it a member.
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
	m.start = startOf(m.pid) // nobody has waited for it, so it exists even if it has ended
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[m.pid] = m
	return m, nil
}

// expect prepares for a program.
func (f *registry) expect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reaper.enter()
}

// all returns the running programs.
func (f *registry) all() map[int]*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.members)
}

// leave removes a program that has ended, unless it has relatives: then it returns those.
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
	if f.members[m.pid] == m { // its pid may have been reused
		delete(f.members, m.pid)
	}
	f.reaper.leave()
}

// Abandon kills every running program and what it started, removes every folder that NewFolder made, and prevents
// further starts. It is for a process that is about to exit.
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
