package eventlog

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	s := openStore(t, Options{Dir: dir})
	mustAppend(t, s, "a", 0, "one")
	for _, made := range []string{filepath.Dir(dir), dir} {
		info, err := os.Stat(made)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("%s has mode %o, want 700", made, mode)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemoryLeavesNoFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := openStore(t, Options{})
	mustAppend(t, s, "a", 0, "one")
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("TMPDIR holds %v, error %v", left, err)
	}
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sealed := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file": file, "beneath a file": filepath.Join(file, "x"), "sealed": sealed, "taken": taken} {
		t.Run(name, func(t *testing.T) {
			if name == "sealed" && os.Geteuid() == 0 {
				t.Skip("root writes everywhere")
			}
			s, err := Open(t.Context(), Options{Dir: dir})
			if err == nil {
				mustClose(t, s)
				t.Fatal("opened")
			}
			for _, part := range []string{dir, "--data"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestOneStoreADirectory(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	_, err := Open(t.Context(), Options{Dir: dir})
	wantError(t, err, ErrLocked)
	mustAppend(t, s, "a", 0, "the first goes on")
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "log", mustRead(t, s, "a", 0), []string{"the first goes on"})
}

// A process that is being started holds a copy of every open file until it runs: the folder is free all the same.
func TestClosedWhileAProcessStarts(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	held, err := syscall.Dup(int(s.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	mustClose(t, s)
	mustClose(t, openStore(t, Options{Dir: dir}))
}

// Whether the disk keeps its word cannot be tested here; that the server was told to ask it can.
func TestSyncAlways(t *testing.T) {
	for _, always := range []bool{false, true} {
		dir := t.TempDir()
		s := openStore(t, Options{Dir: dir, SyncAlways: always})
		if got := s.server.JetStreamConfig().SyncAlways; got != always {
			t.Errorf("SyncAlways is %v at the server, want %v", got, always)
		}
		mustAppend(t, s, "a", 0, "one")
		mustClose(t, s)
		s = openStore(t, Options{Dir: dir})
		wantEqual(t, "reopened", mustRead(t, s, "a", 0), []string{"one"})
	}
}

func TestLowerBoundOnReopen(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	data := strings.Repeat("x", 100_000)
	mustAppend(t, s, "a", 0, data)
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir, MaxBytes: 1000})
	wantEqual(t, "what was there before", mustRead(t, s, "a", 0), []string{data})
	_, err := s.Append(t.Context(), "b", 0, nil)
	wantError(t, err, ErrFull)
}
