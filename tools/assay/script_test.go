package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "assay" { // we are the tests, and not the command that they start
		testenv.Disinherit()
		testenv.Parallel(2)
	}
	testscript.Main(m, map[string]func(){"assay": main})
}

// TestScript runs the real program in testdata/script.
func TestScript(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root) // of the checkout
			e.Setenv("CLOSED", closedPort(t))
			e.Setenv("FREE", freeAddress(t))
			e.Values[runningKey{}] = runningHosts{}
			// A plugin is started as another user where the tests are root's: that one must be able to read its folder, and
			// the program itself, which is the first on the path.
			bin, _, _ := strings.Cut(e.Getenv("PATH"), string(filepath.ListSeparator))
			return errors.Join(os.Chmod(filepath.Dir(e.WorkDir), 0o755), os.Chmod(e.WorkDir, 0o755), os.Chmod(filepath.Dir(bin), 0o755))
		},
		Condition: func(condition string) (bool, error) {
			if condition == "long" {
				return testenv.Long(), nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "alike": alike, "serve": serve, "intents": intents, "small": small, "host": simulatedHost,
			"stripped": strippedHost, "correlating": correlatingHost,
			"harmless": harmless, "eventful": eventful, "commandless": commandless, "gone": gone,
			"scripts": scripts, "typed": typedCommand, "limited": limited, "taken": taken, "logs": logs, "spoil": spoilLog,
			"behaves": behaves, "started": started, "stopped": endedHost, "answers": answers,
		},
	})
}

// closedPort is an address where nobody listens, nor will before the test ends: the socket there is ours, and does not listen.
func closedPort(t *testing.T) string {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(socket)
	t.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
}

var nextPort atomic.Int32

// freeAddress is an address where nobody listens, for a program that is started more than once. Its port is none of those that the
// system hands out, and no other script gets it.
func freeAddress(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+(os.Getpid()*17+int(nextPort.Add(1)))%10_000)
		if l, err := config.Listen(t.Context(), "tcp", address); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// exits CODE COMMAND... runs a command that must end with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// gone WORD fails where a process of the machine has this word on its command line.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone WORD")
	}
	out, err := exec.Command("ps", "-A", "-o", "args=").Output()
	ts.Check(err)
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, args[0]) {
			ts.Fatalf("it still runs: %s", line)
		}
	}
}

// serve [-hang|-drop] DOCUMENT starts a host that serves this discovery document at $URL, and 404 with that document to
// all else; with -hang it accepts all else and never answers, with -drop it closes the connection.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	hang, drop := len(args) == 2 && args[0] == "-hang", len(args) == 2 && args[0] == "-drop"
	if neg || len(args) != 1 && !hang && !drop {
		ts.Fatalf("usage: serve [-hang|-drop] DOCUMENT")
	}
	document := []byte(ts.ReadFile(args[len(args)-1]))
	over, end := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/.well-known/openwop":
		case drop:
			panic(http.ErrAbortHandler)
		case hang:
			select {
			case <-over.Done():
			case <-r.Context().Done():
			}
			return
		default:
			w.WriteHeader(http.StatusNotFound)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(document)
	}))
	ts.Defer(func() { end(); server.Close() })
	ts.Setenv("URL", server.URL)
}

// host [-fault ID|-vary ID] KEY [OTHERKEY [LOWSCOPEKEY VOTERKEY...]] starts a simulated host with this key at $URL, with that of
// another tenant, one that may not answer interrupts and those of voters.
func simulatedHost(ts *testscript.TestScript, neg bool, args []string) {
	var o faulty.Options
	if len(args) > 2 && args[0] == "-fault" {
		o.Faults, args = []string{args[1]}, args[2:]
	}
	if len(args) > 2 && args[0] == "-vary" {
		o.Vary, args = []string{args[1]}, args[2:]
	}
	if neg || len(args) < 1 {
		ts.Fatalf("usage: host [-fault ID|-vary ID] KEY [OTHERKEY [LOWSCOPEKEY VOTERKEY...]]")
	}
	o.Key = args[0]
	if len(args) > 1 {
		o.Tenants = map[string]string{"other": args[1]}
	}
	if len(args) > 2 {
		o.LowScopeKey, o.Voters = args[2], map[string]string{}
		for _, key := range args[3:] {
			o.Voters["voter "+key] = key
		}
	}
	host, err := faulty.New(context.Background(), o)
	ts.Check(err)
	atURL(ts, host.Handler(), host.Close)
}

// atURL serves a host at $URL until the script ends.
func atURL(ts *testscript.TestScript, handler http.Handler, end func(context.Context) error) {
	server := httptest.NewServer(handler)
	ts.Defer(func() {
		server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(5*time.Second))
		defer cancel()
		end(ctx)
	})
	ts.Setenv("URL", server.URL)
}

// stripped KEY MEMBER... starts a simulated host with this key at $URL whose discovery document leaves these members out.
func strippedHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: stripped KEY MEMBER...")
	}
	host, err := surface.New(context.Background(), surface.Options{Key: args[0], Tenants: map[string]string{"other": "other-key"}})
	ts.Check(err)
	atURL(ts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openwop" {
			host.Handler().ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		host.Handler().ServeHTTP(whole, r)
		var document map[string]any
		if err := json.Unmarshal(whole.Body.Bytes(), &document); err != nil {
			panic(err)
		}
		for _, member := range args[1:] {
			delete(document, member)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(document)
	}), host.Close)
}

// limited URL sets $URL to a host in front of the one at URL that refuses each tenth request for load, for no time at all.
func limited(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: limited URL")
	}
	behind, err := url.Parse(args[0])
	ts.Check(err)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.FlushInterval = -1 // streams
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%10 == 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("URL", server.URL)
}

// typed FILE WORDS writes the line of the last output that begins with the words, behind blanks, into a file, to be run.
func typedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: typed FILE WORDS")
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, args[1]) {
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(command+"\n"), 0o600))
			return
		}
	}
	ts.Fatalf("no line begins with %s", args[1])
}

// harmless FILE... fails on any character with which a target could act on a terminal.
func harmless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: harmless FILE...")
	}
	for _, name := range args {
		for i, r := range ts.ReadFile(name) {
			if r != '\n' && r != ' ' && !unicode.IsGraphic(r) {
				ts.Fatalf("%s holds %U at byte %d", name, r, i)
			}
		}
	}
}

// run starts the program as a process of its own, for what a script cannot say.
func run(t *testing.T, args ...string) *program {
	t.Helper()
	return runWith(t, nil, args...)
}

// runWith is run with more variables.
func runWith(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: exec.Command(self), errs: &bytes.Buffer{}}
	p.cmd.Args = append([]string{"assay"}, args...) // TestMain looks at the name
	p.cmd.Dir, p.cmd.Env = t.TempDir(), append(os.Environ(), env...)
	p.cmd.Stderr = p.errs
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill() // too late for one that has ended, which does not matter
		p.cmd.Wait()
	})
	return p
}

type program struct {
	cmd  *exec.Cmd
	out  io.ReadCloser
	errs *bytes.Buffer // complete once ended returns
}

// ended waits for the process and returns the rest of its output and its exit code.
func (p *program) ended(t *testing.T) (out string, code int) {
	t.Helper()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		t.Fatal(err)
	}
	var failed *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return string(rest), p.cmd.ProcessState.ExitCode()
}

// taken ADDRESS has somebody listen there until the script ends, us or who does already.
func taken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: taken ADDRESS")
	}
	ln, err := net.Listen("tcp", args[0])
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
	case err != nil:
		ts.Fatalf("%v", err)
	default:
		ts.Defer(func() { ln.Close() })
	}
}
