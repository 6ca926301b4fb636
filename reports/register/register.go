// Package register keeps a file in which a certification announces itself before its first request, so that one that ended
// badly and was dropped leaves a hole. Each line has the digest of the line before it. What deleting the whole file would
// hide, or keeping two, no register can show.
package register

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports/bundle"
)

// mostBytes bounds a register. A line has some hundred bytes.
const mostBytes = 64 << 20

// first is the previous digest of the first line.
var first = strings.Repeat("0", sha256.Size*2)

// Begin adds a plan to the register at path, which it makes if it is not there. It refuses a register whose chain is broken.
func Begin(path string, at time.Time, plan results.RegisteredPlan) (results.Registered, error) {
	return add(path, results.RegisterLine{At: at.UTC(), Plan: &plan})
}

// Stamp adds what a time-stamping authority replied of the line of a plan: a TimeStampResp (RFC 3161) of its digest.
func Stamp(path string, at time.Time, of results.Registered, reply []byte) error {
	_, err := add(path, results.RegisterLine{At: at.UTC(), Timestamp: &results.RegisteredTimestamp{Of: of.Number, Reply: reply}})
	return err
}

// End adds how the certification of a plan ended. root is that of its evidence, "" without a bundle.
func End(path string, at time.Time, of results.Registered, exitCode int, root string) error {
	end := results.RegisteredEnd{Of: of.Number, ExitCode: int64(exitCode)}
	if root != "" {
		end.Root = &root
	}
	_, err := add(path, results.RegisterLine{At: at.UTC(), End: &end})
	return err
}

// add appends a line. The lock keeps another process from appending to the same end.
func add(path string, l results.RegisterLine) (at results.Registered, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return at, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return at, fmt.Errorf("lock %s: %w", path, err)
	}
	r, err := read(f)
	if err != nil {
		return at, fmt.Errorf("%s: %w", path, err)
	}
	l.Schema, l.Number, l.Previous = results.RegisterLineSchemaAssayRegister1, int64(len(r.Lines)+1), r.last()
	encoded, err := json.Marshal(l)
	if err != nil {
		return at, err
	}
	if _, err := f.Write(append(encoded, '\n')); err != nil {
		return at, err
	}
	return results.Registered{Number: l.Number, Digest: bundle.Digest(encoded)}, f.Sync()
}

// Register is the content of a register whose chain is whole.
type Register struct {
	Lines   []results.RegisterLine
	Digests []string // of each line
}

// Read reads a register. The error names the line at which its chain is broken.
func Read(path string) (*Register, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	r, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func read(from io.Reader) (*Register, error) {
	raw, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > mostBytes:
		return nil, fmt.Errorf("it has more than %d MiB: begin another register", mostBytes>>20)
	case len(raw) > 0 && raw[len(raw)-1] != '\n':
		return nil, errors.New("its last line is cut short: mend it from a copy, or begin another register")
	}
	schema, err := lineSchema()
	if err != nil {
		return nil, err
	}
	r := &Register{}
	for text := range bytes.Lines(raw) {
		text = bytes.TrimSuffix(text, []byte("\n"))
		var l results.RegisterLine
		n := int64(len(r.Lines) + 1)
		if problems := schema.Validate(text); len(problems) > 0 {
			return nil, fmt.Errorf("line %d is none of a register: %s", n, problems[0])
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if l.Number != n || l.Previous != r.last() {
			return nil, fmt.Errorf("line %d does not follow the line before it: a line was changed, added or taken out", n)
		}
		r.Lines, r.Digests = append(r.Lines, l), append(r.Digests, bundle.Digest(text))
	}
	return r, nil
}

func (r *Register) last() string {
	if len(r.Digests) == 0 {
		return first
	}
	return r.Digests[len(r.Digests)-1]
}

// Plan returns the plan at a place, nil if another line or none stands there.
func (r *Register) Plan(at results.Registered) *results.RegisterLine {
	if at.Number < 1 || at.Number > int64(len(r.Lines)) || r.Digests[at.Number-1] != at.Digest || r.Lines[at.Number-1].Plan == nil {
		return nil
	}
	return &r.Lines[at.Number-1]
}

// Ended returns how the certification of the plan in line number ended, nil if no line says so.
func (r *Register) Ended(number int64) *results.RegisteredEnd {
	for _, l := range r.Lines {
		if l.End != nil && l.End.Of == number {
			return l.End
		}
	}
	return nil
}

// Timestamp returns the timestamp of the plan in line number, nil if no line has one. Its reply has not been read.
func (r *Register) Timestamp(number int64) *results.RegisteredTimestamp {
	for _, l := range r.Lines {
		if l.Timestamp != nil && l.Timestamp.Of == number {
			return l.Timestamp
		}
	}
	return nil
}

// lineSchema compiles the schema when the first register is read, not at start.
var lineSchema = validate.Later(results.Bundled, "Register")

// Binary returns the digest of the program that runs.
func Binary() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
