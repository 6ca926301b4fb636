package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// extra is how long the command may take beyond its timeout: what was made is undone, which takes as long as the timeout at
// most, and the reports are written. The rest is for a machine that has other things to do.
var extra = testenv.Patience(20 * time.Second)

// timesHonest is how much more than an honest host a hostile one may have the command take of memory. What is kept of a
// target is bounded, whoever it is; what the collector of garbage leaves lying for a while comes on top, and how much that is
// is settled elsewhere. An attack that is not bounded takes hundreds of times as much.
const timesHonest = 2

// bounds are what the command is told of time.
type bounds struct{ timeout, patience time.Duration }

var (
	// hurried is for hosts that are hostile throughout: they are not given time.
	hurried = bounds{4 * time.Second, 150 * time.Millisecond}
	// unhurried is for hosts that are honest but for some of their replies: 20 s and 1 s, or more on a slow machine.
	unhurried = bounds{max(20*time.Second, testenv.Patience(5*time.Second)), max(time.Second, testenv.Patience(250*time.Millisecond))}
)

// ended is how one run of the command ended.
type ended struct {
	exit    int
	peak    int64 // bytes
	seconds float64
	said    string // on stdout and stderr
	out     string // folder of the reports
}

// measuring names the variable that has the test binary run a command, and write what that took into the file that it
// names. A process is never said to be smaller than the one that started it, so that one has to be small itself.
const measuring = "HOSTILE_MEASURE"

// measured is what a process took.
type measured struct {
	Exit int   `json:"exit"`
	Peak int64 `json:"peak"`
}

// measure runs a command in a process of its own.
func measure(file string, command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not tell how large a process was")
	}
	peak := usage.Maxrss
	if runtime.GOOS != "darwin" { // there it is bytes, elsewhere kilobytes
		peak *= 1 << 10
	}
	raw, err := json.Marshal(measured{cmd.ProcessState.ExitCode(), peak})
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// build makes the command.
func build(dir string) (string, error) {
	binary := filepath.Join(dir, "assay")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "github.com/openassay/assay/tools/assay").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return binary, nil
}

// certify runs the command against a host.
func certify(t *testing.T, binary, url string, b bounds) ended {
	t.Helper()
	dir := t.TempDir()
	e := ended{out: filepath.Join(dir, "out")}
	figures := filepath.Join(dir, "measured.json")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	deadline := b.timeout + extra
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, binary, "certify", url, "--protocol", "openwop", "--out", e.out, "--seed", "1",
		"--timeout", b.timeout.String(), "--patience", b.patience.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), measuring+"="+figures, "GOMEMLIMIT=", "GOGC=",
		"ASSAY_KEY="+key, "ASSAY_TENANT_B_KEY="+otherKey, "ASSAY_LOW_SCOPE_KEY="+lowScopeKey, "ASSAY_HOST_SECRET="+hostSecret,
		"ASSAY_VOTER_KEYS="+voterKeyOne+","+voterKeyTwo)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	start := time.Now()
	err = cmd.Run()
	e.seconds, e.said = time.Since(start).Seconds(), said.String()
	if ctx.Err() != nil {
		t.Fatalf("it did not end within %s", deadline)
	}
	if err != nil {
		t.Fatalf("measuring: %v\n%s", err, shortened(e.said))
	}
	raw, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	var m measured
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	e.exit, e.peak = m.Exit, m.Peak
	return e
}

func shortened(text string) string {
	if len(text) > 4000 {
		return text[:4000] + "…"
	}
	return strings.TrimSpace(text)
}
