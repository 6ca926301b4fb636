package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a plugin executable as a target: each turn is a process of its own, which reads a request on its standard
// input, writes an answer on its standard output, and ends.
type Process struct {
	Name     string            // as reports show it
	Command  []string          // the program, by a path or by a name to be found on PATH, and its arguments
	Dir      string            // where it starts; "" = a new, empty folder each turn
	Env      map[string]string // beside PATH, HOME, TZ, LANG, LANGUAGE, TMPDIR and LC_*
	Declared []byte            // a JSON document: what it says of itself
	Here     Program           // in place of the command, which is not started: the program as a function
}

// KillPoint is when a turn's process is killed on purpose.
type KillPoint string

// Kill points, in the order in which a process passes them.
const (
	KillNever       KillPoint = ""
	KillBeforeInput KillPoint = "before its input"
	KillHalfInput   KillPoint = "in the middle of its input"
	KillAfterInput  KillPoint = "after its input"
	KillAtOutput    KillPoint = "at the first byte of its output"
)

// Turn is one process to be started.
type Turn struct {
	Input   []byte            // its standard input, to the end
	Label   string            // what it is for, in words of the scenario
	Timeout time.Duration     // its deadline, at which it is killed; 0 = [Limits].Request
	Env     map[string]string // over the target's own
	Kill    KillPoint
	// KillAfter kills it so long after its input, unless it has ended by then; 0 = not.
	KillAfter time.Duration
}

// Ended is a turn that is over. What a judge may see of it is minted by [Ended.Value] and its like.
type Ended struct {
	Output   []byte // not redacted: it never leaves the drive. Empty where it cannot be read as JSON.
	TimedOut bool   // it was killed at its deadline
	Killed   bool   // it was killed on purpose

	exchange   int
	transcript *Transcript
}

// Spawned is a turn as the transcript has it.
type Spawned struct {
	Command     []string `json:"command"`
	Input       string   `json:"stdin"` // the start of it, where it is long
	InputBytes  int64    `json:"stdinBytes"`
	Output      string   `json:"stdout,omitempty"` // the start of it, where it cannot be kept
	OutputBytes int64    `json:"stdoutBytes"`
	Errors      string   `json:"stderr,omitempty"` // the start of it, where it is long
	ErrorBytes  int64    `json:"stderrBytes,omitempty"`
	Exit        *int     `json:"exit,omitempty"`      // its exit code, where it ended by itself
	Ended       string   `json:"ended,omitempty"`     // how it ended, where it did not
	Unread      string   `json:"unread,omitempty"`    // why its output was not taken as JSON
	Survivors   []string `json:"survivors,omitempty"` // processes that it left behind, by name; they were killed
	Litter      []string `json:"litter,omitempty"`    // files that it left in the empty folder in which it started
}

// Exchange is the number of the turn's entry in the transcript.
func (e *Ended) Exchange() int { return e.exchange }

// Value mints the value at a JSON pointer of the answer.
func (e *Ended) Value(pointer string) Value {
	return e.mint(Ref{Exchange: e.exchange, Pointer: pointer})
}

// Part mints what the transcript knows beside the answer: see [Ref].
func (e *Ended) Part(name string) Value { return e.mint(Ref{Exchange: e.exchange, Part: name}) }

func (e *Ended) mint(ref Ref) Value {
	v, err := e.transcript.value(ref)
	if err != nil {
		return Value{ref: ref}
	}
	return v
}

// Decode returns the answer as Go values, numbers as json.Number, for a drive that has to act on it; nil where it is no JSON.
func (e *Ended) Decode() any {
	v, err := decode(string(e.Output))
	if err != nil {
		return nil
	}
	return v
}

// Spawn starts a turn, waits for its end and records it. However it ended, and whatever it printed, is no error; those are
// [ErrNoAnswer] where it could not be started, [ErrOverLimit] where its answer is larger or deeper than can be judged, and
// the context's. Nothing of it runs on when Spawn returns.
func (c *Client) Spawn(ctx context.Context, turn Turn) (*Ended, error) {
	p := c.network.target.Process
	if p == nil {
		return nil, fmt.Errorf("%s: the target is no executable: send it a request", turn.Label)
	}
	if err := c.network.pace.wait(ctx); err != nil {
		return nil, err
	}
	if turn.Timeout <= 0 {
		turn.Timeout = c.network.limits.Request
	}
	start := c.network.now()
	doing := "start " + clip(p.Command[0])
	r, err := run(ctx, p, turn, c.network.limits)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = &failure{kind: ErrNoAnswer, doing: doing, cause: startable(err)}
	}
	entry := Entry{Kind: "process", At: start.UTC(), Micros: c.network.now().Sub(start).Microseconds(), Label: turn.Label, Process: &r.Spawned}
	if err == nil {
		err = c.read(ctx, doing, r)
	}
	entry.Process.clean(c.network.redactor.Clean)
	if err != nil {
		entry.Error = c.network.redactor.Clean(err.Error())
	}
	if full := c.held.keep(doing, entry.bytes()); full != nil {
		entry.strip(full.Error())
		if err == nil {
			err = full
		}
	}
	n := c.transcript.add(entry)
	if err != nil {
		return nil, err
	}
	e := &Ended{TimedOut: r.timedOut, Killed: r.killed, exchange: n, transcript: c.transcript}
	if r.Unread == "" {
		e.Output = r.output
	}
	return e, nil
}

// read vets what a process printed. What is not JSON is told, and is no error: who printed it is judged for it.
func (c *Client) read(ctx context.Context, doing string, r *result) error {
	limits := c.network.limits
	switch {
	case r.OutputBytes == 0:
		r.Unread = "nothing was printed"
	case r.OutputBytes > limits.OutputBytes:
		r.Unread = fmt.Sprintf("more than %d bytes were printed", limits.OutputBytes)
	case r.OutputBytes > int64(len(r.output)):
		return overLimit(doing, "it printed %d bytes, of which %d can be kept", r.OutputBytes, len(r.output))
	default:
		weight, err := limits.vetted(doing, r.output)
		if errors.Is(err, ErrUnreadable) {
			r.Unread = err.Error()
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := decode(string(r.output)); err != nil {
			r.Unread = "it is no JSON document: " + err.Error()
			return nil
		}
		return c.held.decode(ctx, doing, weight)
	}
	return nil
}

// startable words why a program could not be started.
func startable(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: check the command, and the interpreter that its first line names", err)
	case errors.Is(err, fs.ErrPermission) && os.Geteuid() == 0:
		return fmt.Errorf("%w: it is started as user %d, who must be able to read its folder and to execute it", err, unprivileged)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make it executable (chmod +x)", err)
	case errors.As(err, &path) && errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w: begin it with a line that names its interpreter (#!/usr/bin/env python3)", err)
	}
	return err
}

// CheckProgram says whether a target's program is there and can be executed. The error says how to mend it.
func (p *Process) CheckProgram() error {
	if p.Here != nil {
		return nil
	}
	if len(p.Command) == 0 {
		return errors.New("no command is given")
	}
	program, err := exec.LookPath(p.Command[0])
	if err != nil {
		return startable(err)
	}
	if os.Geteuid() == 0 {
		if err := reachable(program); err != nil {
			return startable(err)
		}
	}
	if p.Dir != "" {
		if info, err := os.Stat(p.Dir); err != nil {
			return fmt.Errorf("its working folder: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("its working folder %s is a file", filepath.Clean(p.Dir))
		}
	}
	return nil
}

// reachable says whether a user without rights of its own can execute a program: root can execute nearly all, and the one
// as which it starts others cannot.
func reachable(program string) error {
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		owner, _ := info.Sys().(*syscall.Stat_t)
		if own := owner != nil && owner.Uid == unprivileged && info.Mode().Perm()&0o100 != 0; info.Mode().Perm()&0o001 == 0 && !own {
			return &fs.PathError{Op: "execute", Path: at, Err: fs.ErrPermission}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// clean takes secrets out of everything that is kept of a turn.
func (s *Spawned) clean(clean func(string) string) {
	each := func(list []string) []string {
		out := make([]string, len(list))
		for i, text := range list {
			out[i] = clean(printable([]byte(text)))
		}
		return out
	}
	s.Command, s.Survivors, s.Litter = each(s.Command), each(s.Survivors), each(s.Litter)
	for _, text := range []*string{&s.Input, &s.Output, &s.Errors, &s.Ended, &s.Unread} {
		*text = clean(printable([]byte(*text)))
	}
}

// part is what a [Ref] can name of a turn beside the JSON that it printed:
//
//	exit       its exit code; in words how it ended where it did not end by itself
//	output     the JSON that it printed, or in words why there is none
//	bytes      how many bytes it printed
//	stderr     the text of its standard error
//	survivors  the processes that it left behind
//	litter     the files that it left where it was started
func (s *Spawned) part(name string) (v any, known bool) {
	switch name {
	case "exit":
		if s.Exit == nil {
			return s.Ended, true
		}
		return json.Number(strconv.Itoa(*s.Exit)), true
	case "output":
		if s.Unread != "" {
			return s.unread(), true
		}
		doc, err := decode(s.Output)
		return doc, err == nil
	case "bytes":
		return json.Number(strconv.FormatInt(s.OutputBytes, 10)), true
	case "stderr":
		return s.Errors, true
	case "survivors":
		return list(s.Survivors), true
	case "litter":
		return list(s.Litter), true
	}
	return nil, false
}

// unread says why there is no answer, with the begin of what there is in its place.
func (s *Spawned) unread() string {
	const most = 200
	text := s.Unread
	for _, other := range []struct{ name, text string }{{"it printed", s.Output}, {"its standard error says", s.Errors}} {
		if said := strings.TrimSpace(other.text); said != "" {
			text += "; " + other.name + ": " + strings.ToValidUTF8(said[:min(len(said), most)], "")
		}
	}
	return text
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}
