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

// Process is a plugin executable as a target: each turn is a process of its own, which reads a request on its standard
// input, writes an answer on its standard output, and ends.
type Process struct {
	Name     string            // as reports show it
	Command  []string          // the program, by a path or by a name to be found on PATH, and its arguments
	Dir      string            // where it starts; "" = a new, empty folder each turn
	Env      map[string]string // beside PATH, HOME, TZ, LANG, LANGUAGE, TMPDIR and LC_*
	Declared []byte            // a JSON document: what it says of itself
	Secrets  []string          // kept out of every record, as are values of Env whose names say so
	Here     Program           // in place of the command, which is not started: the program as a function
}

// KillPoint is when a turn's process is killed on purpose.
type KillPoint = process.KillPoint

// Kill points, in the order in which a process passes them.
const (
	KillNever       = process.KillNever
	KillBeforeInput = process.KillBeforeInput
	KillHalfInput   = process.KillHalfInput
	KillAfterInput  = process.KillAfterInput
	KillAtOutput    = process.KillAtOutput
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
		err = &failure{kind: notStarted{}, doing: clip(p.Command[0]), cause: err}
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

// Retain leaves of the transcript nothing but the entries of these turns, which are all different, in this order. A drive
// that looked for the shortest way to something calls it before it returns: values that were minted before are of entries
// that have another number now, or are gone, and have to be minted again.
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

// CheckProgram says whether a target's program is there and can be executed. The error says how to mend it.
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

// clean takes secrets out of everything that is kept of a turn.
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
	var text strings.Builder
	text.WriteString(s.Unread)
	for _, other := range []struct{ name, text string }{{"it printed", s.Output}, {"its standard error says", s.Errors}} {
		if said := strings.TrimSpace(other.text); said != "" {
			text.WriteString("; " + other.name + ": " + strings.ToValidUTF8(said[:min(len(said), most)], ""))
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
