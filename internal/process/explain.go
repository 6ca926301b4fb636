package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Check returns why a program could not be started, nil if it could. folders are those that it needs; "" is none.
func Check(program string, folders ...string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return Explain(err, program, folders...)
	}
	if named := interpreter(path); named != "" {
		if _, err := os.Stat(named); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: its first line names the interpreter %q, which is not there: mend the line", path, named)
		}
	}
	return reachAll(path, folders)
}

// Explain returns a better error for a program that could not be started: it says how to repair that.
func Explain(err error, program string, folders ...string) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		if found, missing := exec.LookPath(program); missing == nil {
			if kept := Check(found); kept != nil {
				return &explained{kept, err}
			}
		}
		return fmt.Errorf("%w: check the command, and the interpreter that its first line names", err)
	case errors.Is(err, fs.ErrPermission):
		if found, missing := exec.LookPath(program); missing == nil {
			if kept := reachAll(found, folders); kept != nil {
				return &explained{kept, err}
			}
		}
		return fmt.Errorf("%w: make it executable (chmod +x)", err)
	case errors.As(err, &path) && errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w: begin it with a line that names its interpreter (#!/usr/bin/env python3)", err)
	}
	return err
}

// explained is an error with a better message.
type explained struct{ words, cause error }

func (e *explained) Error() string   { return e.words.Error() }
func (e *explained) Unwrap() []error { return []error{e.words, e.cause} }

// reachAll returns an error for the first path that user Nobody may not use.
func reachAll(program string, folders []string) error {
	for _, path := range append([]string{program}, folders...) {
		if path == "" {
			continue
		}
		if err := Reach(path); errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// interpreter returns the interpreter in the first line of a script, "" if it is not a script.
func interpreter(program string) string {
	f, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	begin := make([]byte, 256) // as much as the kernel reads
	n, _ := io.ReadFull(f, begin)
	line, _, _ := strings.Cut(string(begin[:n]), "\n")
	line, script := strings.CutPrefix(line, "#!")
	if !script {
		return ""
	}
	named, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	named, _, _ = strings.Cut(named, "\t")
	return named
}
