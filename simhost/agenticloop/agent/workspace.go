package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// The files of a workspace.
const (
	contextFile = "context.md"
	memoryFile  = "memory.md"
	planFile    = "plan.md"
	traceFile   = "trace.jsonl"
	artifacts   = "artifacts"
)

// MaxFileBytes is how long memory.md and trace.jsonl may become; what would make them longer is not written.
const MaxFileBytes = 64 << 20

// workspace is the folder of a run's files. A nil one takes everything and keeps nothing. It never leaves the folder: not by a
// name, and not by a link that a tool has left there.
//
// The folder may be a clone whose files are also those of the job before. So no file is written over: a new one takes its name.
// That also means that a turn which is killed leaves each file as it was before or as it is after.
type workspace struct {
	root  *os.Root
	rules rules.Files
}

// replace gives a file new content.
func (w *workspace) replace(name string, content []byte) error {
	if w == nil || !w.rules.Writes(name) {
		return nil
	}
	if w.rules.InPlace(name) {
		return w.root.WriteFile(name, content, 0o644)
	}
	partial := path.Join(path.Dir(name), "."+path.Base(name)+".partial")
	if err := w.root.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a turn that was killed may have left one
	}
	f, err := w.root.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = w.root.Rename(partial, name)
	}
	if err != nil {
		return errors.Join(err, w.root.Remove(partial))
	}
	return nil
}

// extend adds to the end of a file, unless a turn that was killed has done so already.
func (w *workspace) extend(name string, added []byte) error {
	if w == nil || !w.rules.Writes(name) {
		return nil
	}
	before, err := w.read(name, MaxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(before)+len(added) > MaxFileBytes:
		return fmt.Errorf("extend %s: it would be longer than %d MiB", name, MaxFileBytes>>20)
	case bytes.HasSuffix(before, added):
		return nil
	}
	return w.replace(name, w.rules.Extended(name, before, added))
}

// ensure writes a file unless there is one.
func (w *workspace) ensure(name, content string) error {
	if w == nil || w.has(name) {
		return nil
	}
	return w.replace(name, []byte(content))
}

// read reads a file, so many bytes of it at most. Only a plain file is opened: a pipe would never end.
func (w *workspace) read(name string, most int) ([]byte, error) {
	if w == nil || !w.has(name) {
		return nil, fs.ErrNotExist
	}
	f, err := w.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(most)))
}

// has tells whether there is a plain file of this name.
func (w *workspace) has(name string) bool {
	if w == nil {
		return false
	}
	info, err := w.root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// artifact keeps a text as a file, and returns its path.
func (w *workspace) artifact(name string, text string) (string, error) {
	file := path.Join(artifacts, name)
	if err := w.folder(artifacts); err != nil {
		return "", err
	}
	return file, w.replace(file, []byte(text))
}

func (w *workspace) folder(name string) error {
	if w == nil {
		return nil
	}
	return w.root.MkdirAll(name, 0o755)
}

func (w *workspace) close() {
	if w != nil {
		_ = w.root.Close() // nothing is buffered
	}
}

// traced is a line of trace.jsonl: what one turn did.
type traced struct {
	At      string `json:"at"` // RFC 3339
	Job     string `json:"job"`
	Event   string `json:"event"`
	Run     string `json:"run"`
	Did     string `json:"did"` // asked, completed or escalated
	Step    int64  `json:"step,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Attempt int64  `json:"attempt,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func (l traced) line() []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // it holds texts and numbers
	}
	return append(out, '\n')
}
