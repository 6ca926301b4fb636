package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// smallBlocks bounds a store so that its server begins a new block every 32 kB.
const smallBlocks = 127_000

var checked = Options{Checked: true, MaxBytes: smallBlocks}

// acknowledged is what a store has promised: the entries of each log, and the logs that are marked.
type acknowledged struct {
	logs    map[string][]Entry
	pending []string
}

// filled makes a folder with a few blocks of logs that lie across each other.
func filled(t *testing.T) (dir string, a acknowledged) {
	t.Helper()
	dir, a.logs = t.TempDir(), map[string][]Entry{}
	o := checked
	o.Dir = dir
	s := openStore(t, o)
	for n := 0; n < 12; n++ {
		log := fmt.Sprintf("run-%d", n)
		if n%3 == 0 {
			if err := s.MarkPending(t.Context(), log); err != nil {
				t.Fatal(err)
			}
			a.pending = append(a.pending, log)
		}
	}
	for i := range 120 {
		log := fmt.Sprintf("run-%d", i*5%12)
		data := []byte(payload(log, i))[:min(len(payload(log, i)), 700)]
		var after uint64
		if n := len(a.logs[log]); n > 0 {
			after = a.logs[log][n-1].Revision
		}
		a.logs[log] = append(a.logs[log], Entry{mustAppend(t, s, log, after, string(data)), data})
	}
	slices.Sort(a.pending)
	mustClose(t, s)
	return dir, a
}

// tree is what is in a folder, but for the lock.
func tree(t *testing.T, dir string) map[string]uint64 {
	t.Helper()
	files := map[string]uint64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockFile {
			return err
		}
		b, err := os.ReadFile(path)
		h := fnv.New64a()
		h.Write(b)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = h.Sum64()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkDamaged looks at a folder that something was done to: it is told, or harmless. What is told can be repaired, and then a log is
// as it was acknowledged or refused.
func checkDamaged(t *testing.T, dir string, a acknowledged) (told bool) {
	t.Helper()
	before := tree(t, dir)
	x, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := checked
	o.Dir = dir
	if x.Whole() {
		checkLogs(t, o, a, nil)
		return false
	}
	s, err := Open(t.Context(), o)
	if err == nil {
		mustClose(t, s)
		t.Fatalf("opened although %s", x.Damages)
	}
	wantError(t, err, ErrDamaged)
	for _, l := range x.Logs[:min(len(x.Logs), mostNamed)] {
		if !strings.Contains(err.Error(), l.String()) {
			t.Errorf("the error does not name %s: %v", l, err)
		}
	}
	if !strings.Contains(err.Error(), "assay simhost doctor --data "+dir) {
		t.Errorf("the error does not say what to type: %v", err)
	}
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Fatalf("a folder that is refused was changed")
	}
	t.Logf("%s: %s", x.Damages, x.Logs)
	r, err := RepairStore(dir)
	if err != nil {
		t.Fatalf("after %s: %v", x.Damages, err)
	}
	aside := map[string]uint64{}
	if r.Aside != "" {
		aside = tree(t, r.Aside)
	}
	after := tree(t, dir)
	for _, l := range x.Logs {
		if !slices.ContainsFunc(r.Left.Earlier, func(e DamagedLog) bool { return e.Number == l.Number && e.Name == l.Name }) {
			t.Errorf("after the repair %s is not named", l)
		}
	}
	for file, sum := range before {
		if after[file] != sum && aside[file] != sum {
			t.Errorf("%s was changed and not copied aside", file)
		}
	}
	refused := map[uint64]bool{}
	for _, l := range x.Logs {
		refused[l.Number] = true
	}
	checkLogs(t, o, a, refused)
	if x, err = Examine(dir); err != nil || !x.Whole() || len(x.Earlier) != len(refused) {
		t.Errorf("repaired and used: %v, error %v; %d logs are said to have been damaged, want %d", x.Damages, err, len(x.Earlier),
			len(refused))
	}
	return true
}

// checkLogs opens a store twice: each log is as it was acknowledged, or refused, where it is among those; an append gets a new
// revision.
func checkLogs(t *testing.T, o Options, a acknowledged, refused map[uint64]bool) {
	t.Helper()
	var more Entry
	for round := range 2 {
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for log, want := range a.logs {
			got, err := s.Read(t.Context(), log, 0)
			switch {
			case refused[nameOf(log)]:
				wantError(t, err, ErrDamaged)
				if _, err := s.Append(t.Context(), log, 0, nil); !errors.Is(err, ErrDamaged) {
					t.Errorf("append to %s, which is damaged: %v", log, err)
				}
			case err != nil:
				t.Error(err)
			case !slices.EqualFunc(got, want, func(a, b Entry) bool { return a.Revision == b.Revision && bytes.Equal(a.Data, b.Data) }):
				t.Errorf("%s has %d entries, and not the %d that were acknowledged", log, len(got), len(want))
			}
		}
		pending := mustPending(t, s)
		for _, log := range a.pending {
			if !slices.Contains(pending, log) && !refused[nameOf(log)] {
				t.Errorf("the mark of %s is lost", log)
			}
		}
		for _, log := range pending {
			if !slices.Contains(a.pending, log) {
				t.Errorf("%s was never marked", log)
			}
		}
		if round == 0 {
			more = Entry{mustAppend(t, s, "more", 0, "more"), []byte("more")}
			for log, entries := range a.logs {
				if last := entries[len(entries)-1].Revision; last >= more.Revision {
					t.Errorf("revision %d was used again, of %s", last, log)
				}
			}
		} else if got := mustRead(t, s, "more", 0); !slices.Equal(got, []string{"more"}) {
			t.Errorf("what was appended after it is %q", got)
		}
		mustClose(t, s)
	}
}

func blocksOf(t *testing.T, dir, stream string) []string {
	t.Helper()
	files := &files{dir: dir}
	indices, err := files.blockIndices(stream)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range indices {
		names = append(names, filepath.Join(dir, blockFile(stream, i)))
	}
	return names
}

// change rewrites a file.
func change(t *testing.T, name string, by func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, by(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 0x10
		return b
	}
}

func TestDamage(t *testing.T) {
	block := func(n int, by func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			all := blocksOf(t, dir, logStream)
			if n < 0 {
				n += len(all)
			}
			change(t, all[n], by)
		}
	}
	mark := func(by func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, blocksOf(t, dir, pendingStream)[0], by) }
	}
	file := func(name string, by func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, filepath.Join(dir, name), by) }
	}
	without := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	logs, marked := streamFiles(logStream), streamFiles(pendingStream)
	for name, test := range map[string]struct {
		do       func(t *testing.T, dir string)
		harmless bool
		lost     int // logs, at least
	}{
		"nothing":                          {do: func(*testing.T, string) {}, harmless: true},
		"header, the size":                 {do: block(0, flip(0)), lost: 1},
		"header, its flag":                 {do: block(0, flip(3)), lost: 1},
		"header, the sequence":             {do: block(1, flip(4)), lost: 1},
		"header, the time":                 {do: block(1, flip(13)), lost: 1},
		"header, the size of the name":     {do: block(1, flip(20)), lost: 1},
		"the name of the log":              {do: block(1, flip(27)), lost: 1},
		"the size of the message's header": {do: block(1, flip(fixedAndName)), lost: 1},
		"middle of a block":                {do: block(1, func(b []byte) []byte { return flip(len(b) / 2)(b) }), lost: 1},
		"the end of a block":               {do: block(1, flip(-1)), lost: 1},
		"the last append":                  {do: block(-1, flip(-20)), lost: 1},
		"a block cut in the middle":        {do: block(1, half), lost: 2},
		"the last block cut":               {do: block(-1, func(b []byte) []byte { return b[:len(b)-1] }), lost: 1},
		"the last block cut at an append":  {do: cutLastAppend, lost: 1},
		"the last block empty":             {do: block(-1, func([]byte) []byte { return nil }), lost: 1},
		"zeros in a block":                 {do: block(1, func(b []byte) []byte { clear(b[100:5000]); return b }), lost: 2},
		"rubbish between appends":          {do: insertRubbish},
		"rubbish behind the log":           {do: block(-1, func(b []byte) []byte { return append(b, "no record"...) }), harmless: true},
		"a block twice":                    {do: copyBlock},
		"a block is missing":               {do: withoutBlock(logStream, 1), lost: 2},
		"the last block is missing":        {do: withoutBlock(logStream, -1), lost: 1},
		"two blocks swapped":               {do: swapBlocks},
		"all blocks are missing":           {do: without(filepath.Join(logs, "msgs")), lost: 12},
		"a block of another folder":        {do: foreignBlock, lost: 2},
		"the index":                        {do: file(filepath.Join(logs, "msgs", "index.db"), flip(40)), harmless: true},
		"the index is missing":             {do: without(filepath.Join(logs, "msgs", "index.db")), harmless: true},
		"the index cut":                    {do: file(filepath.Join(logs, "msgs", "index.db"), half), harmless: true},
		"the description":                  {do: file(filepath.Join(logs, "meta.inf"), flip(30))},
		"the description is missing":       {do: without(filepath.Join(logs, "meta.inf"))},
		"its checksum":                     {do: file(filepath.Join(logs, "meta.sum"), flip(3))},
		"the stream is missing":            {do: without(logs), lost: 12},
		"everything of the server":         {do: without("jetstream"), lost: 12},
		"a line of the ledger":             {do: file(ledgerFile, flip(5*lineSize+2))},
		"the head of the ledger":           {do: file(ledgerFile, flip(3))},
		"the ledger cut":                   {do: file(ledgerFile, half), harmless: true},
		"the ledger is missing":            {do: without(ledgerFile)},
		"a mark":                           {do: mark(flip(30))},
		"the marks cut":                    {do: mark(half)},
		"the marks' block is missing":      {do: withoutBlock(pendingStream, 0)},
		"the marks' stream is missing":     {do: without(marked)},
		"the marks' description":           {do: file(filepath.Join(marked, "meta.inf"), half)},
		"a slot":                           {do: file(marksFile, flip(slotSize+1))},
		"the head of the slots":            {do: file(marksFile, flip(0))},
		"the slots cut":                    {do: file(marksFile, func(b []byte) []byte { return b[:slotSize+5] }), harmless: true},
		"the slots are missing":            {do: without(marksFile)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, a := filled(t)
			if n := len(blocksOf(t, dir, logStream)); n < 3 {
				t.Fatalf("%d blocks, want some more", n)
			}
			test.do(t, dir)
			x, err := Examine(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(x.Logs) < test.lost || test.lost == 0 && len(x.Logs) > 0 {
				t.Errorf("lost appends have %q, want %d; %q", x.Logs, test.lost, x.Damages)
			}
			for _, l := range x.Logs {
				if l.Name == "" {
					// Nothing but the index names a log that is gone.
					if _, err := os.Stat(filepath.Join(dir, logs, "msgs", "index.db")); err == nil {
						t.Errorf("the name of log %x is not found", l.Number)
					}
				}
			}
			if told := checkDamaged(t, dir, a); told == test.harmless {
				t.Errorf("told is %v: %q", told, x.Damages)
			}
		})
	}
}

// fixedAndName is where the size of the first message's header begins in a block, where the log has a name of five letters.
const fixedAndName = 22 + len(logPrefix) + len("run-0")

func relative(t *testing.T, dir, path string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// lastAppend is where the last append of a block begins.
func lastAppend(t *testing.T, dir, name string) int {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.LastIndex(b, []byte(logPrefix+"run-")) - 22
}

func withoutBlock(stream string, n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		all := blocksOf(t, dir, stream)
		if err := os.Remove(all[(n+len(all))%len(all)]); err != nil {
			t.Fatal(err)
		}
	}
}

func cutLastAppend(t *testing.T, dir string) {
	all := blocksOf(t, dir, logStream)
	last := all[len(all)-1]
	at := lastAppend(t, dir, last)
	change(t, last, func(b []byte) []byte { return b[:at] })
}

func insertRubbish(t *testing.T, dir string) {
	name := blocksOf(t, dir, logStream)[1]
	at := lastAppend(t, dir, name)
	change(t, name, func(b []byte) []byte { return slices.Insert(b, at, []byte("rubbish that is not a record at all")...) })
}

func copyBlock(t *testing.T, dir string) {
	n := len(blocksOf(t, dir, logStream))
	if err := copyFile(filepath.Join(dir, blockFile(logStream, 1)), filepath.Join(dir, blockFile(logStream, n+1))); err != nil {
		t.Fatal(err)
	}
}

func swapBlocks(t *testing.T, dir string) {
	all := blocksOf(t, dir, logStream)
	for _, move := range [][2]string{{all[0], all[0] + ".x"}, {all[1], all[0]}, {all[0] + ".x", all[1]}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
}

// foreignBlock puts in a block that is whole in itself, of another folder that was filled in the same way.
func foreignBlock(t *testing.T, dir string) {
	other := t.TempDir()
	o := checked
	o.Dir = other
	s := openStore(t, o)
	after := uint64(0)
	for range 120 {
		after = mustAppend(t, s, "run-0", after, strings.Repeat("other", 120))
	}
	mustClose(t, s)
	if err := os.Rename(blocksOf(t, other, logStream)[1], blocksOf(t, dir, logStream)[1]); err != nil {
		t.Fatal(err)
	}
}
