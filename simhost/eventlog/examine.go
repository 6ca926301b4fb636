package eventlog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/eventlog/internal/blocks"
)

// Examination is what the files of a store look like while nobody has it open.
type Examination struct {
	Dir     string
	Appends uint64 // that are whole
	Damages []Damage
	Logs    []DamagedLog // that lost an acknowledged append to these damages, by name
	Earlier []DamagedLog // that did earlier, and were repaired around: they stay refused

	files *files
	extra []*block          // copies of others
	seen  []span            // whole appends, by sequence
	fill  []sequencedLine   // lines that the ledger should have of whole appends, and has not
	lost  map[uint64]uint64 // sequence -> name of the append that is missing
	gone  map[uint64]bool   // names in Earlier
	heal  map[uint64]bool   // lines of the ledger that say nothing
	marks map[uint64]bool   // marked logs whose marks are missing
}

// Damage is one thing that is wrong.
type Damage struct {
	File     string // below the folder of the store
	From, To int64  // bytes; both 0 where it is about the whole file
	What     string // is wrong, a sentence without its subject
}

func (d Damage) String() string {
	switch {
	case d.From == 0 && d.To == 0:
		return d.File + ": " + d.What
	case d.From == d.To:
		return fmt.Sprintf("%s, byte %d: %s", d.File, d.From, d.What)
	default:
		return fmt.Sprintf("%s, bytes %d to %d: %s", d.File, d.From, d.To-1, d.What)
	}
}

// DamagedLog is a log that lost appends.
type DamagedLog struct {
	Name    string // "" where nothing in the folder says it any more
	Number  uint64 // that the ledger knows it by
	Appends int    // that it lost
}

func (l DamagedLog) String() string {
	if l.Name == "" {
		return fmt.Sprintf("a log whose name is lost (number %016x)", l.Number)
	}
	return l.Name
}

// Whole reports whether nothing is wrong now.
func (x *Examination) Whole() bool { return len(x.Damages) == 0 }

// ErrNoStore means that a folder holds no store.
var ErrNoStore = errors.New("the folder holds no logs: name the one that --data was given")

// Examine looks at the files of a store, all of them, and changes nothing. The error is ErrLocked where somebody has the
// store open, ErrNoStore where the folder holds none.
func Examine(dir string) (x *Examination, err error) {
	err = locked(dir, func(dir string) error {
		x, err = examine(dir)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("examine the logs in %s: %w", dir, err)
	}
	return x, nil
}

// locked runs do on the folder of a store that exists, with the folder for itself.
func locked(dir string, do func(dir string) error) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	held := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	if !held(lockFile) && !held(ledgerFile) && !held("jetstream") {
		return ErrNoStore
	}
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(lock)) }()
	return do(dir)
}

func examine(dir string) (*Examination, error) {
	f, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	x := &Examination{
		Dir: dir, files: f, lost: map[uint64]uint64{}, gone: map[uint64]bool{}, heal: map[uint64]bool{}, marks: map[uint64]bool{},
	}
	x.order()
	x.compare()
	x.place()
	x.lookAtMarks()
	x.lookAtStreams()
	if err := x.name(); err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Examination) add(file string, from, to int, what string, args ...any) {
	x.Damages = append(x.Damages, Damage{File: file, From: int64(from), To: int64(to), What: fmt.Sprintf(what, args...)})
}

// order finds what is whole, and blocks that do not stand where they belong.
func (x *Examination) order() {
	logs := x.files.logs
	slices.SortFunc(logs, func(a, b *block) int {
		return cmp.Or(cmp.Compare(a.home, b.home), abs(a.index-a.home)-abs(b.index-b.home))
	})
	var last uint64
	var all []span
	for i, b := range logs {
		file := blockFile(logStream, b.index)
		if b.index != b.home {
			x.add(file, 0, 0, "it is what belongs into %s: blocks were mixed up", blocks.File(b.home))
		}
		if i > 0 && logs[i-1].home == b.home {
			b.extra = true
			continue
		}
		for _, s := range b.spans {
			if s.from <= last {
				x.add(file, s.offset, s.end, "%s stand behind append %d", appends(s.from, s.to), last)
			}
			last = max(last, s.to)
		}
		all = append(all, b.spans...)
		x.fill = append(x.fill, b.unlined...)
	}
	x.files.logs = slices.DeleteFunc(logs, func(b *block) bool {
		if b.extra {
			x.extra = append(x.extra, b)
		}
		return b.extra
	})
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range all {
		if n := len(x.seen); n > 0 && s.from <= x.seen[n-1].to+1 {
			x.seen[n-1].to = max(x.seen[n-1].to, s.to)
		} else {
			x.seen = append(x.seen, span{from: s.from, to: s.to})
		}
	}
	for _, s := range x.seen {
		x.Appends += s.to - s.from + 1
	}
}

// compare finds what the ledger knows and the log lacks, and the reverse.
func (x *Examination) compare() {
	ledger := x.files.ledger
	switch {
	case errors.Is(x.files.noLedger, errNoLedger):
		x.add(ledgerFile, 0, lineSize, "its first bytes are not those of a ledger")
	case x.files.noLedger != nil && x.Appends > 0:
		x.add(ledgerFile, 0, 0, "is missing, so nothing says what was acknowledged: it was lost, or an earlier version wrote the folder")
	}
	seen := x.seen
	for sequence := uint64(1); sequence <= ledger.last(); sequence++ {
		for len(seen) > 0 && seen[0].to < sequence {
			seen = seen[1:]
		}
		there := len(seen) > 0 && seen[0].from <= sequence
		switch l := ledger.line(sequence); {
		case l.kind == badLine:
			at := int(sequence) * lineSize //nolint:gosec // it lies within a file that was read
			x.add(ledgerFile, at, at+lineSize, "the line of append %d was changed", sequence)
			x.heal[sequence] = true
		case !there && l.kind == stored:
			x.lost[sequence] = l.name
		case !there && l.kind == lost:
			x.gone[l.name] = true
		}
	}
}

// place says where in the files the appends were that are missing.
func (x *Examination) place() {
	var last uint64
	placed := map[uint64]bool{}
	for i, b := range x.files.logs {
		file := blockFile(logStream, b.index)
		other := slices.Clone(b.other)
		for _, g := range b.gaps {
			from, to := max(last, g.After), x.nextBehind(i, g.To)
			var missing []uint64
			for sequence := from + 1; sequence < to && sequence <= x.files.ledger.last(); sequence++ {
				if _, is := x.lost[sequence]; is && !placed[sequence] {
					missing, placed[sequence] = append(missing, sequence), true
				}
			}
			isTail := i == len(x.files.logs)-1 && g.To == b.size
			switch {
			case len(missing) > 0 && slices.ContainsFunc(missing, func(m uint64) bool { return slices.Contains(other, m) }):
				x.add(file, g.From, g.To, "it holds something else than was acknowledged as %s", listed(missing))
			case len(missing) > 0:
				x.add(file, g.From, g.To, "it cannot be read, %s stood there", listed(missing))
			case !isTail: // there, it is what a crash leaves of an append that nobody was promised
				x.add(file, g.From, g.To, "it is no record")
			}
		}
		for _, s := range b.spans {
			last = max(last, s.to)
		}
	}
	var rest []uint64
	for sequence := range x.lost {
		if !placed[sequence] {
			rest = append(rest, sequence)
		}
	}
	slices.Sort(rest)
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n] == rest[n-1]+1 {
			n++
		}
		file, at := x.before(rest[0])
		x.add(file, at, at, "%s are missing behind it", appends(rest[0], rest[n-1]))
		rest = rest[n:]
	}
}

// nextBehind is the first sequence that stands behind an offset of a block, or in a later block; the highest number where
// none does.
func (x *Examination) nextBehind(i, offset int) uint64 {
	for ; i < len(x.files.logs); i, offset = i+1, 0 {
		for _, s := range x.files.logs[i].spans {
			if s.offset >= offset {
				return s.from
			}
		}
	}
	return ^uint64(0)
}

// before is where the append before one that is missing ends.
func (x *Examination) before(sequence uint64) (file string, offset int) {
	for _, b := range x.files.logs {
		for _, s := range b.spans {
			if s.from < sequence && sequence <= s.to+1 {
				return blockFile(logStream, b.index), s.end
			}
		}
	}
	return filepath.Join(streamFiles(logStream), "msgs"), 0
}

// lookAtMarks finds logs that were not finished and would not be taken up again.
func (x *Examination) lookAtMarks() {
	marked := map[uint64]bool{}
	for i, b := range x.files.pending {
		for subject := range b.names {
			marked[nameOf(strings.TrimPrefix(subject, pendingPrefix))] = true
		}
		for _, g := range b.gaps {
			if i < len(x.files.pending)-1 || g.To < b.size {
				x.add(blockFile(pendingStream, b.index), g.From, g.To, "it is no record")
			}
		}
	}
	switch {
	case errors.Is(x.files.noMarks, errNoLedger):
		x.add(marksFile, 0, slotSize, "its first bytes are not those of a file of marks")
	case x.files.noMarks != nil && len(marked) > 0:
		x.add(marksFile, 0, 0, "is missing: it was lost, or an earlier version wrote the folder")
	}
	for _, at := range x.files.badSlots {
		x.add(marksFile, int(at), int(at)+slotSize, "the slot was changed")
	}
	for name := range x.files.marks {
		if !marked[name] {
			x.marks[name] = true
		}
	}
	if len(x.marks) > 0 {
		x.add(filepath.Join(streamFiles(pendingStream), "msgs"), 0, 0, "lacks the marks of %d logs that are under way", len(x.marks))
	}
}

func (x *Examination) lookAtStreams() {
	used := map[string]bool{
		logStream:     x.Appends > 0 || len(x.lost) > 0 || len(x.gone) > 0,
		pendingStream: len(x.files.marks) > 0 || slices.ContainsFunc(x.files.pending, func(b *block) bool { return b.size > 0 }),
	}
	for _, stream := range slices.Sorted(maps.Keys(x.files.badStreams)) {
		if used[stream] {
			x.add(filepath.Join(streamFiles(stream), "meta.inf"), 0, 0, "%s", x.files.badStreams[stream])
		}
	}
}

// name finds the names of the logs that lost appends: in what is left of them, in the damage itself, and in the server's index.
func (x *Examination) name() error {
	counts := map[uint64]int{}
	for _, name := range x.lost {
		counts[name]++
	}
	if len(counts)+len(x.gone) == 0 {
		return nil
	}
	wanted := maps.Clone(x.gone)
	for name := range counts {
		wanted[name] = true
	}
	names, err := x.namesOf(wanted)
	if err != nil {
		return err
	}
	for name, n := range counts {
		x.Logs = append(x.Logs, DamagedLog{names[name], name, n})
	}
	for name := range x.gone {
		x.Earlier = append(x.Earlier, DamagedLog{names[name], name, 0})
	}
	byName := func(a, b DamagedLog) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	}
	slices.SortFunc(x.Logs, byName)
	slices.SortFunc(x.Earlier, byName)
	return nil
}

// namesOf finds the names of logs by their numbers; "" where nothing says one.
func (x *Examination) namesOf(numbers map[uint64]bool) (map[uint64]string, error) {
	names := make(map[uint64]string, len(numbers))
	for number := range numbers {
		names[number] = ""
	}
	folder := filepath.Join(x.Dir, streamFiles(logStream), "msgs")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := []string{filepath.Join(x.Dir, namesFile)}
	for _, e := range entries {
		files = append(files, filepath.Join(folder, e.Name()))
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		findNames(b, names)
	}
	return names, nil
}

// findNames looks in bytes of any kind for the subjects of logs whose numbers are wanted. That the number fits is proof enough.
func findNames(b []byte, wanted map[uint64]string) {
	for {
		at := bytes.Index(b, []byte(logPrefix))
		if at < 0 {
			return
		}
		b = b[at+len(logPrefix):]
		number := nameOf("")
		for n := 0; n < len(b) && n < mostName && isNameByte(b[n]); n++ {
			number = nameOn(number, b[n])
			if found, is := wanted[number]; is && found == "" {
				wanted[number] = string(b[:n+1])
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

func appends(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("append %d", from)
	}
	return fmt.Sprintf("appends %d to %d", from, to)
}

// listed names sequences in order, the middle ones of many left out.
func listed(sequences []uint64) string {
	return appends(sequences[0], sequences[len(sequences)-1])
}
