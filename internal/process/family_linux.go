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

// reaper has the kernel hand orphans to this process while programs are under way: PR_SET_CHILD_SUBREAPER(2const). So
// whoever descends from one is a descendant of ours, whatever it does.
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

// subreaper says whether orphans are handed to this process already.
func subreaper() (bool, error) {
	var on int32
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, getSubreaper, uintptr(unsafe.Pointer(&on)), 0); failed != 0 { //nolint:gosec // prctl fills it in
		return false, failed
	}
	return on != 0, nil
}

// status is what /proc tells of a process.
type status struct {
	pid, parent, group, session int
	name                        string
	start                       uint64
	dead                        bool
}

// statOf reads the status of a process; ok is false where it is gone. See proc_pid_stat(5).
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

// strangers says whether there may be relatives of a program that has ended: children of ours that are no programs.
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
				return true // the kernel does not tell
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

// relatives are the processes that are left of a program, or with nil of any. What can be told to be another program's is
// not among them. What cannot, since it left group, session and home, is left to the last program that may have started
// it. Those that are dead and nobody's to bury are buried. The caller keeps programs from being started meanwhile.
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
		for root.parent != self && climbed < len(processes) { // up to the child of ours that it descends from
			above, known := processes[root.parent]
			if !known {
				break
			}
			root, climbed = above, climbed+1
		}
		// A child of ours in our own session is no program of this package, and one that was there before is none of these.
		descends := root.parent == self && root.session != own && (of == nil && started(root, nil, members) || of != nil && of.start <= root.start)
		if works && !descends {
			continue
		}
		if s.dead {
			if s.parent == self && descends && members[pid] == nil {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
			continue
		}
		owner := theirs(s, members)
		for at := s; owner == nil && at.pid != root.pid; owner = theirs(at, members) {
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

// started says whether a program other than one may have started a process.
func started(s status, not *member, members map[int]*member) bool {
	for _, m := range members {
		if m != not && m.start <= s.start {
			return true
		}
	}
	return false
}

// theirs is the program that a process says it belongs to, nil where it says nothing.
func theirs(s status, members map[int]*member) *member {
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
			at, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.pid)) // that of another user's process is not told
			environment, _ = os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.pid))
			environment = append(environment, 0)
		}
		if at == m.home || strings.HasPrefix(at, m.home+"/") || bytes.Contains(environment, []byte("="+m.home+"/")) {
			return m
		}
	}
	return nil
}

// everybody is the status of each process of the machine that we may see.
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
