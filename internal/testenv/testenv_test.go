package testenv

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("TESTENV_CHILD") != "" {
		Disinherit()
		out, err := exec.Command("sh", "-c", "kill -HUP $$; kill -INT $$; echo it goes on").CombinedOutput()
		os.Stdout.WriteString(string(out) + "\n")
		if err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestFactorOf(t *testing.T) {
	for _, test := range []struct {
		took     time.Duration
		variable string
		want     float64
	}{
		{usual, "", leastFactor},
		{usual / 4, "", leastFactor},
		{2 * usual, "", 2 * leastFactor},
		{time.Hour, "", mostFactor},
		{usual, "2.5", 2.5 * leastFactor},
		{time.Hour, "10", 10 * mostFactor},
		{usual, "much", leastFactor},
		{usual, "0", leastFactor},
		{usual, "-1", leastFactor},
		{usual, "Inf", leastFactor},
		{usual, "NaN", leastFactor},
	} {
		if got := factorOf(test.took, test.variable); got != test.want {
			t.Errorf("%s and %q: %v, want %v", test.took, test.variable, got, test.want)
		}
	}
}

func TestPatienceIsAtLeastWhatIsAskedFor(t *testing.T) {
	t.Logf("the measured work took %s", measure())
	if got := Patience(time.Second); got < leastFactor*time.Second {
		t.Errorf("%s for a second", got)
	}
	deadline, ok := Soon(t, time.Second).Deadline()
	if !ok || time.Until(deadline) > Patience(time.Second) {
		t.Errorf("soon is %v", deadline)
	}
	n := 0
	Until(t, "three looks", time.Second, func() bool { n++; return n == 3 })
}

// A program ends by signals even if its parent was started by nohup.
func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	defer signal.Reset(syscall.SIGHUP, syscall.SIGINT)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "TESTENV_CHILD=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "hangup") || strings.Contains(string(out), "it goes on") {
		t.Errorf("%v: %s", err, out)
	}
}
