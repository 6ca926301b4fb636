package wire

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// survivors are the processes that are left of one that led a session and had its home in folder: those of its group
// and its session, and those that left both and still have its environment, or stand in its folder. Ones that are dead
// and not yet buried do not count.
func survivors(leader int, folder string) []survivor {
	proc, err := os.Open("/proc")
	if err != nil {
		return groupLeft(leader)
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return groupLeft(leader)
	}
	wrapped := lastPID() < leader // ids are given out in order, and start anew at the end
	var out []survivor
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid < leader && !wrapped || pid == os.Getpid() {
			continue
		}
		s, ok := stat(pid)
		if ok && (s.group == leader || s.session == leader || lives(pid, folder)) {
			out = append(out, survivor{pid, s.name})
		}
	}
	return out
}

// status is what /proc tells of a process.
type status struct {
	name           string
	group, session int
}

// stat reads a process's status; ok is false where it is gone or dead. See proc_pid_stat(5).
func stat(pid int) (s status, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	text := string(raw)
	open, shut := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')') // the name may hold both
	if open < 0 || shut < open {
		return s, false
	}
	fields := strings.Fields(text[shut+1:]) // state, parent, group, session
	if len(fields) < 4 || strings.ContainsAny(fields[0], "ZXx") {
		return s, false
	}
	s.name = text[open+1 : shut]
	s.group, _ = strconv.Atoi(fields[2])
	s.session, _ = strconv.Atoi(fields[3])
	return s, true
}

// lives says whether a process was given folder as its home, or stands in it.
func lives(pid int, folder string) bool {
	at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err == nil && (at == folder || strings.HasPrefix(at, folder+"/")) {
		return true
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(environment, []byte("="+folder+"/"))
}

// lastPID is the process id that was given out last.
func lastPID() int {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 5 {
		return 0
	}
	last, _ := strconv.Atoi(fields[4])
	return last
}
