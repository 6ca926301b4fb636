package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/replace"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/expectations"
)

// expected holds the known failures, and the file that lists them as it was when the command began.
type expected struct {
	list    *expectations.List
	content []byte
	there   bool // whether the file exists
	update  bool // rewrite the list after the run
}

// expect compares a report with the expectations and records the known failures in the stamp. wrong lists the mistakes
// in the file, one a line; unwritten tells why the file could not be rewritten. An interrupted run reports no mistakes
// and rewrites nothing.
func (c *certify) expect(report *scenarios.Report, stamp *reports.Stamp) (wrong, unwritten error) {
	e := c.expected
	judged := e.list.Judge(report, known().Suites, time.Now())
	stamp.Known, stamp.Elsewhere = judged.Known, judged.Elsewhere
	interrupted := stamp.ExitCode == scenarios.ExitInterrupted
	switch {
	case e.update && interrupted:
		fmt.Fprintf(c.stderr, "assay: certify: interrupted: %s stays as it is\n", e.list.File)
	case e.update:
		judged, unwritten = c.rewrite(report, judged)
		stamp.Known, stamp.Elsewhere = judged.Known, judged.Elsewhere
	}
	if len(e.list.Entries) == 0 && len(judged.Known)+len(judged.Elsewhere) == 0 {
		return nil, unwritten
	}
	stamp.Expectations = &results.Expectations{File: e.list.File, Problems: []results.ExpectationProblem{}}
	if interrupted {
		return nil, unwritten
	}
	stamp.Expectations.Problems = append(stamp.Expectations.Problems, judged.Problems...)
	stamp.ExitCode = stamp.ExitCodeOf(report)
	var problems []error
	for _, p := range judged.Problems {
		problems = append(problems, fmt.Errorf("certify: %s:%d: %s", e.list.File, p.Line, p.Text))
	}
	return errors.Join(problems...), unwritten
}

// rewrite updates the list in the file and judges the report by the new list, whose new entries need no reason yet.
func (c *certify) rewrite(report *scenarios.Report, judged *expectations.Judgement) (*expectations.Judgement, error) {
	e := c.expected
	content, list, change, err := e.list.Update(e.content, judged)
	if err == nil && !bytes.Equal(content, e.content) {
		err = e.write(content)
	}
	if err != nil {
		return judged, &exit{Code: exitFailed, Cause: fmt.Errorf("certify --update-expectations: %s: %w", e.list.File, err)}
	}
	why := ""
	if change.Added > 0 {
		why = ": say why, and link the issue, where it says TODO"
	}
	fmt.Fprintf(c.stderr, "assay: certify: %s: %s%s\n", list.File, change, why)
	list.Draft = true
	return list.Judge(report, known().Suites, time.Now()), nil
}

// write replaces the file atomically. It refuses a file that has changed since it was read.
func (e expected) write(content []byte) error {
	path, err := filepath.EvalSymlinks(e.list.File)
	mode := fs.FileMode(0o644)
	switch info, missing := os.Stat(e.list.File); {
	case errors.Is(missing, fs.ErrNotExist) && !e.there:
		path = e.list.File
	case missing != nil:
		return missing
	case err != nil:
		return err
	default:
		mode = info.Mode().Perm()
		if now, err := os.ReadFile(path); err != nil || !e.there || !bytes.Equal(now, e.content) {
			return errors.Join(err, errors.New("it was changed while the target was certified, and stays as it is: certify again"))
		}
	}
	return replace.File(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
