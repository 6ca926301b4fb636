package eventlog

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/openassay/assay/internal/testenv"
)

// TestFlips flips a byte at random places of a folder: each flip is told or harmless.
func TestFlips(t *testing.T) {
	places := 8
	if testenv.Long() {
		places = 400
	}
	random := rand.New(rand.NewPCG(19, 4))
	toldOf, all := map[string]int{}, map[string]int{}
	for i := range places {
		dir, a := filled(t)
		name, at := place(t, random, dir, i%2 == 0)
		bit := byte(1) << random.IntN(8)
		change(t, filepath.Join(dir, name), func(b []byte) []byte { b[at] ^= bit; return b })
		kind := filepath.Base(filepath.Dir(filepath.Dir(name))) + "/" + filepath.Base(name)
		all[kind]++
		t.Logf("flip %d: bit %x of byte %d of %s", i, bit, at, name)
		if checkDamaged(t, dir, a) {
			toldOf[kind]++
		}
		if t.Failed() {
			t.Fatalf("flip %d: bit %x of byte %d of %s", i, bit, at, name)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d flips, %d told, %d harmless", kind, all[kind], toldOf[kind], all[kind]-toldOf[kind])
	}
}

// place draws a byte of a folder: of all bytes, or of all files, as most bytes are in few of them.
func place(t *testing.T, random *rand.Rand, dir string, ofBytes bool) (name string, at int64) {
	t.Helper()
	var names []string
	sizes := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			rel := relative(t, dir, path)
			names = append(names, rel)
			sizes[rel] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if !ofBytes {
		name = names[random.IntN(len(names))]
		return name, random.Int64N(sizes[name])
	}
	var total int64
	for _, n := range names {
		total += sizes[n]
	}
	at = random.Int64N(total)
	for _, name = range names {
		if at < sizes[name] {
			break
		}
		at -= sizes[name]
	}
	return name, at
}

// A process that was killed leaves nothing that is damaged: an append, or a mark, that nobody was promised may be torn.
func TestKillIsNoDamage(t *testing.T) {
	for _, what := range []string{"append", "mark"} {
		t.Run(what, func(t *testing.T) {
			dir, lines := t.TempDir(), 0
			runAndKill(t, what, dir, func(string) bool {
				lines++
				return lines >= map[string]int{"append": 400, "mark": 3*enoughDead - 2}[what]
			})
			for range 2 {
				s, err := Open(t.Context(), Options{Dir: dir, Checked: true})
				if err != nil {
					t.Fatal(err)
				}
				mustClose(t, s)
			}
		})
	}
}

// What a crash tears off is told apart from damage by what was acknowledged.
func TestTornAppendIsNoDamage(t *testing.T) {
	dir, a := filled(t)
	all := blocksOf(t, dir, logStream)
	last := all[len(all)-1]
	b, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	record := b[lastAppend(t, dir, last):]
	change(t, last, func(b []byte) []byte { return append(b, record[:len(record)/2]...) })
	if checkDamaged(t, dir, a) {
		t.Error("half an append that nobody was promised is called damage")
	}
}

// Power that fails may leave a ledger behind the log, where each append waits for the disk: what is whole is entered again.
func TestLedgerIsMadeUpForTheLog(t *testing.T) {
	dir, a := filled(t)
	change(t, filepath.Join(dir, ledgerFile), func(b []byte) []byte {
		clear(b[10*lineSize : 20*lineSize])
		return b[:len(b)-3*lineSize-5]
	})
	s, err := Open(t.Context(), Options{Dir: dir, Checked: true, MaxBytes: smallBlocks})
	if err != nil {
		t.Fatalf("a ledger that lacks lines is called damage: %v", err)
	}
	mustClose(t, s)
	change(t, blocksOf(t, dir, logStream)[0], flip(5000))
	if !checkDamaged(t, dir, a) {
		t.Error("a flip is not told once the ledger was made up")
	}
}

// A block that was put back is taken again.
func TestDamageIsUndone(t *testing.T) {
	dir, a := filled(t)
	name := blocksOf(t, dir, logStream)[1]
	change(t, name, flip(5000))
	r, err := RepairStore(dir)
	if err != nil || len(r.Left.Earlier) != 1 {
		t.Fatalf("%v, error %v", r, err)
	}
	change(t, filepath.Join(r.Aside, relative(t, dir, name)), flip(5000))
	if err := os.Rename(filepath.Join(r.Aside, relative(t, dir, name)), name); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, streamFiles(logStream), "msgs", "index.db")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if checkDamaged(t, dir, a) {
		t.Error("what was put back is called damage")
	}
}

func TestExamineRefuses(t *testing.T) {
	empty := t.TempDir()
	_, err := Examine(empty)
	wantError(t, err, ErrNoStore)
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("it left %v, error %v", left, err)
	}
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	_, err = Examine(dir)
	wantError(t, err, ErrLocked)
	_, err = RepairStore(dir)
	wantError(t, err, ErrLocked)
	mustClose(t, s)
}
