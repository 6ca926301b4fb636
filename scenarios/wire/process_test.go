package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/scenarios/wire"
)

// shell returns a client of a plugin that is a shell command.
func shell(t *testing.T, script string, change func(*wire.Process, *wire.Limits)) *wire.Client {
	t.Helper()
	p, limits := wire.Process{Name: "./plugin", Command: []string{"sh", "-c", script}}, wire.DefaultLimits()
	if change != nil {
		change(&p, &limits)
	}
	n, err := wire.NewNetwork(wire.Target{Process: &p}, wire.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c := n.Client("drive")
	t.Cleanup(c.Close)
	return c
}

func spawn(t *testing.T, c *wire.Client, turn wire.Turn) *wire.Ended {
	t.Helper()
	e, err := c.Spawn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestATurnIsOneProcess(t *testing.T) {
	defer goleak.VerifyNone(t)
	folder, err := wire.NewFolder("written-")
	if err != nil {
		t.Fatal(err)
	}
	defer wire.RemoveFolder(folder)
	const echo = `printf '{"got":'; cat; printf ',"exit":7}'; echo oh dear >&2; exit 7`
	for _, c := range []struct {
		name, script   string
		change         func(*wire.Process, *wire.Limits)
		turn           wire.Turn
		exit, output   string
		stderr, litter string
	}{
		{"echoes its input", echo, nil, wire.Turn{Input: []byte(`"hey"`)}, `7`, `{"exit":7,"got":"hey"}`, "oh dear\n", `[]`},
		{"prints nothing", `exit 0`, nil, wire.Turn{Input: []byte("x")}, `0`, `"nothing was printed"`, "", `[]`},
		{"prints garbage", `echo hey; echo why >&2`, nil, wire.Turn{}, `0`,
			`"it is no JSON document: invalid character 'h' looking for beginning of value; it printed: hey; its standard error says: why"`,
			"why\n", `[]`},
		{"prints two documents", `echo '{} {}'`, nil, wire.Turn{}, `0`,
			`"it is no JSON document: more than one JSON document; it printed: {} {}"`, "", `[]`},
		{"is killed by a signal", `kill -KILL $$`, nil, wire.Turn{}, `"signal: killed"`, `"nothing was printed"`, "", `[]`},
		{"never ends", `sleep 60`, nil, wire.Turn{Timeout: 50 * time.Millisecond}, `"killed at its deadline of 50ms"`,
			`"nothing was printed"`, "", `[]`},
		{"never ends, and its children neither", `sleep 60 & sleep 61`, nil, wire.Turn{Timeout: 50 * time.Millisecond},
			`"killed at its deadline of 50ms"`, `"nothing was printed"`, "", `[]`},
		{"does not read a large input", `echo '{}'`, nil, wire.Turn{Input: make([]byte, 1<<20)}, `0`, `{}`, "", `[]`},
		{"leaves files", `touch here; mkdir there; echo '{}'`, nil, wire.Turn{}, `0`, `{}`, "", `["here","there"]`},
		{"prints without end", `yes`, func(_ *wire.Process, l *wire.Limits) { l.OutputBytes, l.OutputKept = 100_000, 1000 }, wire.Turn{},
			`"killed after more than 100000 bytes of output"`,
			`"more than 100000 bytes were printed; it printed: ` + strings.Repeat(`y\n`, 100) + `"`, "", `[]`},
		{"killed before its input", `cat >/dev/null; echo '{}'; sleep 60`, nil,
			wire.Turn{Input: []byte("x"), Kill: wire.KillBeforeInput}, `"killed on purpose before its input"`,
			`"nothing was printed"`, "", `[]`},
		{"killed at its output", `echo '{}'; sleep 60`, nil, wire.Turn{Kill: wire.KillAtOutput},
			`"killed on purpose at the first byte of its output"`, `{}`, "", `[]`},
		{"killed after a while", `sleep 60`, nil, wire.Turn{KillAfter: time.Millisecond},
			`"killed on purpose 1ms after its input"`, `"nothing was printed"`, "", `[]`},
		{"killed while it writes", `echo begun >here; sleep 60`, func(p *wire.Process, _ *wire.Limits) { p.Dir = folder },
			wire.Turn{KillAfter: time.Millisecond, Writes: folder}, `"killed on purpose 1ms after it began to write"`,
			`"nothing was printed"`, "", `[]`},
		{"takes what the turn sets", `printf '{"a":"%s","b":"%s"}' "$A" "$B"`,
			func(p *wire.Process, _ *wire.Limits) { p.Env = map[string]string{"A": "1", "B": "1"} },
			wire.Turn{Env: map[string]string{"B": "2"}}, `0`, `{"a":"1","b":"2"}`, "", `[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := spawn(t, shell(t, c.script, c.change), c.turn)
			if got := e.Part("exit").JSON(); got != c.exit {
				t.Errorf("exit %s, want %s", got, c.exit)
			}
			if got, _ := json.Marshal(e.Part("output").Actual()); string(got) != c.output {
				t.Errorf("output %s, want %s", got, c.output)
			}
			if got := e.Part("stderr").String(); got != c.stderr {
				t.Errorf("stderr %q, want %q", got, c.stderr)
			}
			if got := e.Part("litter").JSON(); got != c.litter {
				t.Errorf("litter %s, want %s", got, c.litter)
			}
			if got := e.Part("survivors").JSON(); got != "[]" {
				t.Errorf("survivors %s", got)
			}
		})
	}
}

// alive reports whether the process runs whose id a plugin wrote.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ") // a zombie
}

func TestNothingOutlivesATurn(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir, err := wire.NewFolder("assay-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const waits = ` while ! test -s FILE; do sleep 0.01; done; echo '{}'`
	for name, script := range map[string]string{
		"a child that holds the pipes": `sleep 61 & echo $! >FILE; echo '{}'`,
		"a child that let go":          `sleep 61 >/dev/null 2>&1 </dev/null & echo $! >FILE; echo '{}'`,
		"a child that hears no hangup": `(trap '' HUP TERM INT; echo $(exec sh -c 'echo $PPID') >FILE; while :; do sleep 1; done) &` +
			waits,
		"a child in its own session": `command -v setsid >/dev/null || exit 3; ` +
			`setsid sh -c 'echo $$ >FILE; exec sleep 61 >/dev/null 2>&1' &` + waits,
		"a daemon without a mark": `command -v setsid >/dev/null && test -d /proc/self || exit 3; ` +
			`setsid sh -c 'cd /; env -i sh -c "echo \$\$ >FILE; exec sleep 61" >/dev/null 2>&1 </dev/null &';` + waits,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			e := spawn(t, shell(t, strings.ReplaceAll(script, "FILE", file), nil), wire.Turn{Timeout: 20 * time.Second})
			if e.Part("exit").JSON() == "3" {
				t.Skip("there is no setsid here, or no /proc")
			}
			if got := e.Value("").JSON(); got != "{}" {
				t.Errorf("answered %s", got)
			}
			if len(e.Part("survivors").Items()) == 0 {
				t.Error("no survivor is told")
			}
			if alive(t, file) {
				t.Error("it still runs")
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		file := filepath.Join(dir, "interrupted")
		ctx, cancel := context.WithCancel(t.Context())
		c := shell(t, `sleep 61 & echo $! >`+file+`; sleep 62`, nil)
		go func() {
			for {
				if raw, _ := os.ReadFile(file); len(raw) > 1 {
					cancel()
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		if _, err := c.Spawn(ctx, wire.Turn{Timeout: time.Minute}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if alive(t, file) {
			t.Error("it still runs")
		}
	})
}

func TestAPluginSeesLittleOfItsSurroundings(t *testing.T) {
	t.Setenv("ASSAY_TEST_SECRET", "k-of-the-operator")
	t.Setenv("LC_TIME", "C")
	e := spawn(t, shell(t,
		`env | cut -d= -f1 | sort | tr "\\n" " " >&2; echo >&2; id -u; ls -A "$HOME" "$TMPDIR" . >&2; touch "$HOME/x" "$TMPDIR/y" z`,
		nil), wire.Turn{})
	names := strings.Fields(strings.Split(e.Part("stderr").String(), "\n")[0])
	minimal := strings.Fields("PATH HOME TZ LANG LANGUAGE TMPDIR PWD OLDPWD SHLVL _") // the last four are a shell's own
	for _, name := range names {
		if !strings.HasPrefix(name, "LC_") && !slices.Contains(minimal, name) {
			t.Errorf("it sees %s", name)
		}
	}
	if !strings.Contains(" "+strings.Join(names, " "), " LC_TIME") {
		t.Errorf("it does not see LC_TIME: %q", names)
	}
	if os.Geteuid() == 0 && e.Value("").JSON() == "0" {
		t.Error("it runs as root")
	}
	if e.Part("exit").JSON() != "0" {
		t.Errorf("it could not write its own folders: %s", e.Part("stderr").String())
	}
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	dir, err := wire.NewFolder("assay-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"no-such-program-here":        "check the command",
		filepath.Join(dir, "missing"): "check the command",
		plain:                         "make it executable",
	} {
		p := wire.Process{Name: "./plugin", Command: []string{command}, Declared: []byte(`{}`)}
		n, err := wire.NewNetwork(wire.Target{Process: &p}, wire.Options{Limits: wire.DefaultLimits()})
		if err != nil {
			t.Fatal(err)
		}
		c := n.Client("drive")
		defer c.Close()
		if _, err := c.Discover(t.Context(), ""); !errors.Is(err, wire.ErrNoAnswer) || !strings.Contains(err.Error(), want) && os.Geteuid() != 0 {
			t.Errorf("%s: %v", command, err)
		}
		if _, err := c.Spawn(t.Context(), wire.Turn{}); !errors.Is(err, wire.ErrNoAnswer) {
			t.Errorf("start %s: %v", command, err)
		}
	}
}

// A recorded process can be judged again from disk, and holds no secret.
func TestAProcessIsReadFromItsTranscript(t *testing.T) {
	c := shell(t, `cat >/dev/null; echo '{"a":["k-very-secret-1"]}'; echo k-very-secret-1 >&2; exit 4`,
		func(p *wire.Process, _ *wire.Limits) { p.Env = map[string]string{"API_KEY": "k-very-secret-1"} })
	e := spawn(t, c, wire.Turn{Input: []byte(`{"key":"k-very-secret-1"}`), Label: "a turn"})
	files, err := wire.NewFolder("assay-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(files)
	if err := os.WriteFile(filepath.Join(files, "plan.md"), []byte("k-very-secret-1!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(files, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(files, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := c.ReadFolder("the workspace", files)
	if err != nil {
		t.Fatal(err)
	}
	type seen struct{ First, Exit, Output, Errors, Plan, Link, Fifo wire.Value }
	before := seen{e.Value("/a/0"), e.Part("exit"), e.Part("output"), e.Part("stderr"), read.Value("/plan.md/text"),
		read.Value("/link/kind"), read.Value("/fifo/kind")}
	written, err := json.Marshal(c.Transcript())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(written), "k-very-secret-1") {
		t.Errorf("the transcript holds a secret: %s", written)
	}
	raw, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	var transcript wire.Transcript
	var after seen
	if err := errors.Join(json.Unmarshal(written, &transcript), json.Unmarshal(raw, &after), wire.Bind(&after, &transcript)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		name, want    string
		before, after wire.Value
	}{
		{"first", `"<secret:1>"`, before.First, after.First}, {"exit", `4`, before.Exit, after.Exit},
		{"output", `{"a":["<secret:1>"]}`, before.Output, after.Output},
		{"stderr", `"<secret:1>\n"`, before.Errors, after.Errors}, {"plan", `"<secret:1>!"`, before.Plan, after.Plan},
		{"link", `"link"`, before.Link, after.Link}, {"fifo", `"other"`, before.Fifo, after.Fifo},
	} {
		var plain strings.Builder
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(p.before.Actual()); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(plain.String()); got != p.want || p.before.JSON() != p.after.JSON() {
			t.Errorf("%s is %s, and %s when it is read again; want %s", p.name, got, p.after.JSON(), p.want)
		}
	}
	if string(e.Output) != "{\"a\":[\"k-very-secret-1\"]}\n" {
		t.Errorf("the drive sees %s", e.Output)
	}
}

// The text lets a plugin print 10 MiB, so that much is kept and decoded. One byte more is the plugin's to answer for, and said.
func TestOutputIsKeptUpToTheCapOfTheText(t *testing.T) {
	const most = 10 << 20
	for length, fits := range map[int]bool{most: true, most + 1: false} {
		script := fmt.Sprintf(`printf '"'; head -c %d /dev/zero | tr '\0' x; printf '"'`, length-2)
		c := shell(t, script, func(_ *wire.Process, l *wire.Limits) { *l = wire.DefaultLimits() })
		e, err := c.Spawn(t.Context(), wire.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := e.Decode().(string); fits != (len(text) == length-2) {
			t.Errorf("%d bytes are there of an output of %d", len(text), length)
		}
		if said := e.Part("output").String(); !fits && !strings.Contains(said, "more than 10485760 bytes were printed") {
			t.Errorf("%d bytes: %.200q", length, said)
		}
	}
}

func TestAnAnswerOverTheLimitsIsNoViolation(t *testing.T) {
	for name, script := range map[string]string{
		"too deep": `i=0; while [ $i -lt 70 ]; do printf '['; i=$((i+1)); done; i=0; while [ $i -lt 70 ]; do printf ']'; i=$((i+1)); done`,
		"too long": `printf '"'; head -c 3000 /dev/zero | tr '\0' x; printf '"'`,
	} {
		c := shell(t, script, func(_ *wire.Process, l *wire.Limits) { l.OutputKept = 2000 })
		if _, err := c.Spawn(t.Context(), wire.Turn{}); !errors.Is(err, wire.ErrOverLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A turn that is cut off because our time is over is no program that cannot be started.
func TestOurTimeIsOver(t *testing.T) {
	c := shell(t, "cat >/dev/null; sleep 60", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := c.Spawn(ctx, wire.Turn{Label: "turn"})
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, wire.ErrNoAnswer) {
		t.Errorf("%v", err)
	}
}
