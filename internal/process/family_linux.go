package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// reaper makes the kernel hand orphans to this process while programs run: PR_SET_CHILD_SUBREAPER(2const). So every
// descendant of a program stays a descendant of ours.
type reaper struct {
	programs int
	works    bool
	ours     bool // we turned it on
}

const (
	setSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	getSubreaper = 37 // PR_GET_CHILD_SUBREAPER
)

func (r *reaper) enter() {
	r.programs++
	if r.programs > 1 {
		return
	}
	if on, err := subreaper(); err == nil && on {
		r.works, r.ours = true, false
		return
	}
	_, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	r.works, r.ours = failed == 0, failed == 0
}

func (r *reaper) leave() {
	r.programs--
	if r.programs == 0 && r.ours {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 0, 0)
	}
}

// subreaper reports whether orphans are handed to this process already.
func subreaper() (bool, error) {
	var on int32
	_, _, failed := syscall.RawSyscall(
		syscall.SYS_PRCTL, getSubreaper, uintptr(unsafe.Pointer(&on)), 0) //nolint:gosec // prctl fills it in
	if failed != 0 {
		return false, failed
	}
	return on != 0, nil
}

// status is the status of a process in /proc.
type status struct {
	pid, parent, group, session int
	name                        string
	start                       uint64
	dead                        bool
}

// statOf reads the status of a process; ok is false if it is gone. See proc_pid_stat(5).
func statOf(pid int) (s status, ok bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	text := string(raw)
	open, shut := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')') // the name may hold both
	if open < 0 || shut < open {
		return s, false
	}
	fields := strings.Fields(text[shut+1:]) // from the third on: state, parent, group, session
	if len(fields) < 20 {
		return s, false
	}
	number := func(field int) int {
		n, _ := strconv.Atoi(fields[field-3]) // the kernel writes numbers there
		return n
	}
	return status{
		pid: pid, name: text[open+1 : shut], dead: strings.ContainsAny(fields[0], "ZXx"),
		parent: number(4), group: number(5), session: number(6), start: uint64(max(0, number(22))),
	}, true
}

func startOf(pid int) uint64 {
	s, _ := statOf(pid)
	return s.start
}

// strangers reports whether a program that has ended may have relatives: children of ours that are not members.
func (f *registry) strangers() bool {
	f.mu.Lock()
	works := f.reaper.works
	f.mu.Unlock()
	threads, err := os.ReadDir("/proc/self/task")
	if !works || err != nil {
		return true
	}
	members := f.all()
	for _, thread := range threads {
		children, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		if os.IsNotExist(err) {
			if _, err := os.Stat("/proc/self/task/" + thread.Name()); err == nil {
				return true // the kernel has no list of children
			}
			continue // the thread is gone
		}
		if err != nil {
			return true
		}
		for word := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(word); err != nil || members[pid] == nil {
				return true
			}
		}
	}
	return false
}

// relatives returns the processes that a program left behind, or with nil any program. It leaves out processes that are
// known to belong to another program, and, for a process that left group, session and home, waits for the last program
// that may have started it. It also collects dead orphans. The caller prevents further starts meanwhile.
func (f *registry) relatives(of *member) []relative {
	f.mu.Lock()
	works := f.reaper.works
	f.mu.Unlock()
	members, processes := f.all(), everybody()
	self := os.Getpid()
	own := processes[self].session
	var out []relative
	for pid, s := range processes {
		if pid == self || of != nil && pid == of.pid {
			continue
		}
		root, climbed := s, 0
		for root.parent != self && climbed < len(processes) { // up to a child of ours
			above, known := processes[root.parent]
			if !known {
				break
			}
			root, climbed = above, climbed+1
		}
		// A child of ours in our own session was not started by this package, and an older one not by these programs.
		descends := root.parent == self && root.session != own &&
			(of == nil && started(root, nil, members) || of != nil && of.start <= root.start)
		if works && !descends {
			continue
		}
		if s.dead {
			if s.parent == self && descends && members[pid] == nil {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
			continue
		}
		owner := ownerOf(s, members)
		for at := s; owner == nil && at.pid != root.pid; owner = ownerOf(at, members) {
			at = processes[at.parent]
		}
		switch {
		case owner == nil && !descends:
		case of == nil, owner == of:
			out = append(out, relative{pid, s.name})
		case owner == nil && !started(root, of, members):
			out = append(out, relative{pid, s.name})
		}
	}
	return out
}

// started reports whether a program, other than not, may have started a process.
func started(s status, not *member, members map[int]*member) bool {
	for _, m := range members {
		if m != not && m.start <= s.start {
			return true
		}
	}
	return false
}

// ownerOf returns the program that a process belongs to by its ids, folder or environment, nil if they do not say.
func ownerOf(s status, members map[int]*member) *member {
	if m := members[s.pid]; m != nil {
		return m
	}
	if m := members[s.session]; m != nil {
		return m
	}
	if m := members[s.group]; m != nil {
		return m
	}
	var environment []byte
	var at string
	for _, m := range members {
		if m.home == "" {
			continue
		}
		if at == "" && environment == nil {
			at, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.pid)) // not readable for processes of other users
			environment, _ = os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.pid))
			environment = append(environment, 0)
		}
		if at == m.home || strings.HasPrefix(at, m.home+"/") || bytes.Contains(environment, []byte("="+m.home+"/")) {
			return m
		}
	}
	return nil
}

// everybody returns the status of each visible process of the machine.
func everybody() map[int]status {
	out := map[int]status{}
	proc, err := os.Open("/proc")
	if err != nil {
		return out
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return out
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, ok := statOf(pid); ok {
			out[pid] = s
		}
	}
	return out
}
