package eventlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
)

// childEnv makes the test binary do what it says to the store at dirEnv, in place of the tests.
const (
	childEnv = "EVENTLOG_TEST_CHILD"
	dirEnv   = "EVENTLOG_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		testenv.Draws(25)
		goleak.VerifyTestMain(m)
	case "append":
		appendForever(os.Getenv(dirEnv))
	case "mark":
		markForever(os.Getenv(dirEnv))
	case "overflow":
		appendUntilTheDiskRefuses(os.Getenv(dirEnv))
	default:
		panic("unknown " + childEnv)
	}
}

func child(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, dirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

const childLogs = 4

// payload makes entries of very different sizes, so that the kill finds writes of all kinds under way.
func payload(log string, i int) string {
	return fmt.Sprintf("%s %d %s", log, i, strings.Repeat("x", (i%7)*(i%7)*300))
}

// appendForever marks and fills a few logs side by side and says so, one line an append, after each acknowledgement.
func appendForever(dir string) {
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	var (
		out sync.Mutex
		wg  sync.WaitGroup
	)
	for n := range childLogs {
		wg.Go(func() {
			log, after := fmt.Sprintf("log-%d", n), uint64(0)
			if err := s.MarkPending(context.Background(), log); err != nil {
				panic(err)
			}
			for i := 0; ; i++ {
				revision, err := s.Append(context.Background(), log, after, []byte(payload(log, i)))
				if err != nil {
					panic(err)
				}
				out.Lock()
				fmt.Println(log, revision)
				out.Unlock()
				after = revision
			}
		})
	}
	wg.Wait()
}

// TestKill kills a process in the middle of its appends: what it saw acknowledged is there, in order, and at most the one
// append that was under way besides.
func TestKill(t *testing.T) {
	for run := range 3 {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			dir := t.TempDir()
			acknowledged := map[string][]uint64{}
			runAndKill(t, "append", dir, func(line string) (enough bool) {
				var log string
				var revision uint64
				if _, err := fmt.Sscan(line, &log, &revision); err != nil {
					return true // the kill cut this line
				}
				acknowledged[log] = append(acknowledged[log], revision)
				for n := range childLogs { // the scheduler may favour some
					if len(acknowledged[fmt.Sprintf("log-%d", n)]) < 50 {
						return false
					}
				}
				return true
			})
			for log, revisions := range acknowledged {
				checkSurvivors(t, dir, log, revisions)
			}
		})
	}
}

// runAndKill runs a child, shows its lines, and kills it when enough were seen; lines that it wrote before its end come
// after that.
func runAndKill(t *testing.T, what, dir string, see func(line string) (enough bool)) {
	t.Helper()
	cmd := child(t, what, dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for killed := false; lines.Scan(); {
		if enough := see(lines.Text()); !enough || killed {
			continue
		}
		_, err := Open(t.Context(), Options{Dir: dir})
		wantError(t, err, ErrLocked)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed = true
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the child was to be killed, but: %v", err)
	}
}

func checkSurvivors(t *testing.T, dir, log string, acknowledged []uint64) {
	t.Helper()
	s := openStore(t, Options{Dir: dir})
	if pending := mustPending(t, s); !slices.Contains(pending, log) {
		t.Errorf("the mark of %s is lost: pending is %q", log, pending)
	}
	entries, err := s.Read(t.Context(), log, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entries) - len(acknowledged); n < 0 || n > 1 {
		t.Fatalf("%d entries were acknowledged, %d are there", len(acknowledged), len(entries))
	}
	for i, e := range entries {
		if i < len(acknowledged) && e.Revision != acknowledged[i] {
			t.Fatalf("entry %d has revision %d, acknowledged was %d", i, e.Revision, acknowledged[i])
		}
		if want := payload(log, i); string(e.Data) != want {
			t.Fatalf("entry %d is %.40q, want %.40q", i, e.Data, want)
		}
	}
	mustAppend(t, s, log, entries[len(entries)-1].Revision, payload(log, len(entries)))
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	if got := mustRead(t, s, log, 0); len(got) != len(entries)+1 {
		t.Errorf("after one more append and a restart: %d entries, want %d", len(got), len(entries)+1)
	}
	mustClose(t, s)
}

const childStays = 5

// markForever marks a few logs for good, and others that it clears at once. It says how many of those it has cleared.
func markForever(dir string) {
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	for n := range childStays {
		if err := s.MarkPending(context.Background(), fmt.Sprintf("stays-%d", n)); err != nil {
			panic(err)
		}
	}
	for n := 0; ; n++ {
		log := fmt.Sprintf("goes-%d", n)
		if err := s.MarkPending(context.Background(), log); err != nil {
			panic(err)
		}
		s.ClearPending(log)
		fmt.Println(n)
	}
}

// TestKillAmongSweeps: a mark that was not cleared is there, however the sweeps were cut short.
func TestKillAmongSweeps(t *testing.T) {
	for run := range 4 {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			dir, cleared := t.TempDir(), 0
			runAndKill(t, "mark", dir, func(line string) (enough bool) {
				if n, err := strconv.Atoi(line); err == nil {
					cleared = max(cleared, n)
				}
				// Near the moment when the child starts a sweep.
				return cleared >= 3*enoughDead+run-2
			})
			s := openStore(t, Options{Dir: dir})
			pending := mustPending(t, s)
			for n := range childStays {
				if log := fmt.Sprintf("stays-%d", n); !slices.Contains(pending, log) {
					t.Errorf("the mark of %s is lost: pending are %d others", log, len(pending))
				}
			}
		})
	}
}

const fileLimit = 256 << 10

// appendUntilTheDiskRefuses may write no file beyond fileLimit. It answers with what the first and a later refused append
// said, and how many were acknowledged before.
func appendUntilTheDiskRefuses(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fileLimit, Max: fileLimit}); err != nil {
		panic(err)
	}
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	after, n := uint64(0), 0
	for {
		revision, err := s.Append(context.Background(), "a", after, []byte(payload("a", n)))
		if err != nil {
			fmt.Println(n)
			fmt.Println(errors.Is(err, ErrUnwritable), err)
			break
		}
		after, n = revision, n+1
	}
	_, err = s.Append(context.Background(), "b", 0, nil)
	fmt.Println(errors.Is(err, ErrUnwritable), err)
	entries, err := s.Read(context.Background(), "a", 0)
	fmt.Println(len(entries) >= n, err)
	fmt.Println(s.Close() == nil)
}

func TestDiskThatRefuses(t *testing.T) {
	dir := t.TempDir()
	out, err := child(t, "overflow", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var acknowledged int
	if _, err := fmt.Sscan(string(out), &acknowledged); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")[1:]
	for i, want := range []string{"true append to log", "true append to log", "true <nil>", "true"} {
		if i >= len(answers) || !strings.HasPrefix(answers[i], want) {
			t.Fatalf("answer %d does not begin with %q:\n%s", i, want, out)
		}
	}
	s := openStore(t, Options{Dir: dir}) // without the limit
	got := mustRead(t, s, "a", 0)
	if n := len(got) - acknowledged; n < 0 || n > 1 || acknowledged == 0 {
		t.Errorf("%d entries were acknowledged, %d are there", acknowledged, len(got))
	}
}

// TestTornFiles opens what a crash of the machine may leave: without the server's own summary, with the end of the last
// write missing, with rubbish after it.
func TestTornFiles(t *testing.T) {
	const entries = 20
	for name, test := range map[string]struct {
		tear func(t *testing.T, dir string)
		want int // entries that are still there
	}{
		"no index":                 {removeIndex, entries},
		"cut by one byte":          {cut(1), entries - 1},
		"cut to the header":        {cut(60), entries - 1},
		"cut, no index":            {func(t *testing.T, dir string) { cut(5)(t, dir); removeIndex(t, dir) }, entries - 1},
		"rubbish behind":           {rubbish, entries},
		"rubbish behind, no index": {func(t *testing.T, dir string) { rubbish(t, dir); removeIndex(t, dir) }, entries},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, Options{Dir: dir})
			after, want := uint64(0), []string(nil)
			for i := range entries {
				want = append(want, payload("a", i))
				after = mustAppend(t, s, "a", after, want[i])
			}
			mustClose(t, s)
			test.tear(t, dir)

			s = openStore(t, Options{Dir: dir})
			wantEqual(t, "torn", mustRead(t, s, "a", 0), want[:test.want])
			entries, err := s.Read(t.Context(), "a", 0)
			if err != nil {
				t.Fatal(err)
			}
			mustAppend(t, s, "a", entries[len(entries)-1].Revision, "more")
			mustClose(t, s)
			s = openStore(t, Options{Dir: dir})
			wantEqual(t, "appended to and reopened", mustRead(t, s, "a", 0), append(want[:test.want:test.want], "more"))
		})
	}
}

// A store whose description is broken is not taken for a new one.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	mustAppend(t, s, "a", 0, "one")
	mustClose(t, s)
	meta := filepath.Join(streamDir(dir), "meta.inf")
	sound, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(meta, sound[:len(sound)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), Options{Dir: dir}); err == nil {
		mustClose(t, s)
		t.Fatal("opened")
	}
	if !strings.Contains(err.Error(), "--data") {
		t.Errorf("%q does not name a mend", err)
	}
	if err := os.WriteFile(meta, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "put back", mustRead(t, s, "a", 0), []string{"one"})
}

// An entry that went bad on the disk is an error, never a log with a hole.
func TestDamagedEntry(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	after := uint64(0)
	for _, data := range []string{"first entry", "second entry", "third entry"} {
		after = mustAppend(t, s, "a", after, data)
	}
	mustClose(t, s)
	block := filepath.Join(streamDir(dir), "msgs", "1.blk")
	records, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(block, bytes.Replace(records, []byte("second"), []byte("zecond"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: dir})
	if entries, err := s.Read(t.Context(), "a", 0); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("read gave %d entries, error %v", len(entries), err)
	}
}

func streamDir(dir string) string {
	return filepath.Join(dir, "jetstream", "$G", "streams", logStream)
}

func removeIndex(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(streamDir(dir), "msgs", "index.db")); err != nil {
		t.Fatal(err)
	}
}

func cut(bytes int64) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		block := filepath.Join(streamDir(dir), "msgs", "1.blk")
		info, err := os.Stat(block)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(block, info.Size()-bytes); err != nil {
			t.Fatal(err)
		}
	}
}

func rubbish(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(streamDir(dir), "msgs", "1.blk"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, "\x50\x00\x00\x00 rubbish that is not a record"); err != nil {
		t.Fatal(err)
	}
}
