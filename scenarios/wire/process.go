package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/internal/process"
)

// Process is an executable as a target. Each turn is a new process, which reads a request from standard input, writes
// an answer to standard output and exits.
type Process struct {
	Name     string            // in reports
	Command  []string          // the program, as a path or a name on PATH, and its arguments
	Dir      string            // its working folder; "" is a new, empty one for each turn
	Env      map[string]string // in addition to PATH, HOME, TZ, LANG, LANGUAGE, TMPDIR and LC_*
	Declared []byte            // its discovery document, as JSON
	Secrets  []string          // never recorded, like values of Env with such names
	Here     Program           // a function that runs instead of the command; nil for none
}

// KillPoint says when to kill the process of a turn on purpose.
type KillPoint = process.KillPoint

// Kill points, in the order in which a process reaches them.
const (
	KillNever       = process.KillNever
	KillBeforeInput = process.KillBeforeInput
	KillHalfInput   = process.KillHalfInput
	KillAfterInput  = process.KillAfterInput
	KillAtOutput    = process.KillAtOutput
)

// Turn is a process to start.
type Turn struct {
	Input   []byte            // all of its standard input
	Label   string            // its purpose, in words of the scenario
	Timeout time.Duration     // after which it is killed; 0 is [Limits].Request
	Env     map[string]string // overrides the target's own
	Kill    KillPoint
	// KillAfter kills it that long after its input, unless it has ended; 0 does not.
	KillAfter time.Duration
	// Writes names an empty folder. If it is set, KillAfter counts from the moment something appears in the folder.
	Writes string

	misfit string // see [Misfit]
}

// Ended is a turn that is over, for a drive. [Ended.Value] and [Ended.Part] mint values for judges.
type Ended struct {
	Output   []byte // not redacted; for the drive only. Empty if it is not JSON.
	TimedOut bool   // it was killed at its deadline
	Killed   bool   // it was killed on purpose

	Took time.Duration // from its start to its end; 0 for a program of this process
	Busy time.Duration // in which it had a processor

	exchange   int
	transcript *Transcript
}

// Spawned is a turn as recorded.
type Spawned struct {
	Command     []string `json:"command"`
	Input       string   `json:"stdin"` // the start, if it is long
	InputBytes  int64    `json:"stdinBytes"`
	Output      string   `json:"stdout,omitempty"` // the start, if it is too long to keep
	OutputBytes int64    `json:"stdoutBytes"`
	Errors      string   `json:"stderr,omitempty"` // the start, if it is long
	ErrorBytes  int64    `json:"stderrBytes,omitempty"`
	Exit        *int     `json:"exit,omitempty"`      // the exit code, if it exited by itself
	Ended       string   `json:"ended,omitempty"`     // how it ended otherwise
	Unread      string   `json:"unread,omitempty"`    // why the output is not JSON
	Survivors   []string `json:"survivors,omitempty"` // names of processes that it left behind, which were killed
	Litter      []string `json:"litter,omitempty"`    // files that it left in its new working folder
	Misfit      string   `json:"misfit,omitempty"`    // as in [Request]
}

// Exchange returns the number of the turn's entry in the transcript.
func (e *Ended) Exchange() int { return e.exchange }

// Value mints the value at a JSON pointer of the answer.
func (e *Ended) Value(pointer string) Value {
	return e.mint(Ref{Exchange: e.exchange, Pointer: pointer})
}

// Part mints another part of the turn: see [Ref].
func (e *Ended) Part(name string) Value { return e.mint(Ref{Exchange: e.exchange, Part: name}) }

func (e *Ended) mint(ref Ref) Value {
	v, err := e.transcript.value(ref)
	if err != nil {
		return Value{ref: ref}
	}
	return v
}

// Decode returns the decoded answer, for a drive that has to use it, with numbers as json.Number; nil if it is not
// JSON.
func (e *Ended) Decode() any {
	v, err := decode(string(e.Output))
	if err != nil {
		return nil
	}
	return v
}

// Spawn runs a turn to its end and records it. The error is [ErrNoAnswer] if it could not be started, [ErrOverLimit] if
// its answer is too large or too deep to judge, or the context's; how it ended and what it printed is no error. When
// Spawn returns, no process of the turn is left.
func (c *Client) Spawn(ctx context.Context, turn Turn) (*Ended, error) {
	p := c.network.target.Process
	if p == nil {
		return nil, fmt.Errorf("%s: the target is no executable: send it a request", turn.Label)
	}
	var err error
	if turn.misfit, err = c.fitsInput(ctx, turn.Input); err != nil {
		entry := newResult(p, turn, c.network.limits).Spawned
		entry.clean(c.network.redactor.Clean)
		c.transcript.add(Entry{Kind: "process", At: c.network.now().UTC(), Label: turn.Label, Process: &entry,
			Error: c.network.redactor.Clean(err.Error())})
		return nil, err
	}
	if err := c.network.budget.take(Spent{Requests: 1, Turns: 1}); err != nil {
		return nil, err
	}
	if err := c.network.throttle.enter(ctx, c); err != nil {
		return nil, err
	}
	defer c.network.throttle.leave()
	if turn.Timeout <= 0 {
		turn.Timeout = c.network.limits.Request
	}
	start := c.network.now()
	doing := "start " + clip(p.Command[0])
	r, err := run(ctx, p, turn, c.network.limits)
	if err != nil && ctx.Err() == nil { // else our time was over, which is not its fault
		err = &failure{kind: notStarted{}, doing: clip(p.Command[0]), cause: err}
	}
	entry := Entry{
		Kind: "process", At: start.UTC(), Micros: c.network.now().Sub(start).Microseconds(), Label: turn.Label,
		Process: &r.Spawned,
	}
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
	e := &Ended{TimedOut: r.timedOut, Killed: r.killed, Took: r.took, Busy: r.busy, exchange: n, transcript: c.transcript}
	if r.Unread == "" {
		e.Output = r.output
	}
	return e, nil
}

// Retain removes all entries from the transcript except those of these turns, which must differ, and puts these in this
// order. A drive that searched for the shortest way to something calls it before it returns. Values minted before are
// invalid afterwards, since the entries have new numbers.
func (c *Client) Retain(turns ...*Ended) {
	numbers := make([]int, len(turns))
	for i, e := range turns {
		numbers[i] = e.exchange
	}
	freed := c.transcript.retain(numbers)
	for i, e := range turns {
		e.exchange = i + 1
	}
	c.held.kept.Add(-freed)
	c.network.held.kept.Add(-freed)
}

// read vets the output of a process. Output that is not JSON is noted in r, for judges, and is no error.
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

// CheckProgram returns an error unless the program exists and can be executed. The error says how to repair that.
func (p *Process) CheckProgram() error {
	if p.Here != nil {
		return nil
	}
	if len(p.Command) == 0 {
		return errors.New("no command is given")
	}
	if p.Dir != "" {
		if info, err := os.Stat(p.Dir); err != nil {
			return fmt.Errorf("its working folder: %w: make it, or name another one as working_folder", err)
		} else if !info.IsDir() {
			return fmt.Errorf("its working folder %s is a file: name a folder as working_folder", filepath.Clean(p.Dir))
		}
	}
	return process.Check(p.Command[0], p.Dir, os.TempDir())
}

// clean removes secrets from a turn.
func (s *Spawned) clean(clean func(string) string) {
	each := func(list []string) []string {
		out := make([]string, len(list))
		for i, text := range list {
			out[i] = clean(printable(text))
		}
		return out
	}
	s.Command, s.Survivors, s.Litter = each(s.Command), each(s.Survivors), each(s.Litter)
	for _, text := range []*string{&s.Input, &s.Output, &s.Errors, &s.Ended, &s.Unread} {
		*text = clean(printable(*text))
	}
}

// part returns a part of a turn that a [Ref] can name, other than its answer:
//
//	exit       the exit code, or how it ended otherwise, in words
//	output     the JSON that it printed, or why there is none, in words
//	bytes      the number of bytes that it printed
//	stderr     the text of standard error
//	survivors  the processes that it left behind
//	litter     the files that it left in its working folder
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

// unread returns why there is no answer, with the start of what was printed.
func (s *Spawned) unread() string {
	const most = 200
	var text strings.Builder
	text.WriteString(s.Unread)
	for _, other := range []struct{ name, text string }{{"it printed", s.Output}, {"its standard error says", s.Errors}} {
		if shown := strings.TrimSpace(other.text); shown != "" {
			text.WriteString("; " + other.name + ": " + strings.ToValidUTF8(shown[:min(len(shown), most)], ""))
		}
	}
	return text.String()
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}
