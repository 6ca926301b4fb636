package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/internal/testenv"
)

// runningHosts are the simulated hosts that a script has started, by variable.
type runningHosts map[string]*exec.Cmd

// runningKey is where a script has them.
type runningKey struct{}

// started NAME FLAGS... starts the built command simhost on a free port, and sets $NAME to its address once it has a console.
func started(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: started NAME FLAGS...")
	}
	bin, _, _ := strings.Cut(ts.Getenv("PATH"), string(filepath.ListSeparator))
	cmd := exec.Command(filepath.Join(bin, "assay"), append([]string{"simhost", "--listen", "127.0.0.1:0"}, args[1:]...)...)
	cmd.Dir = ts.MkAbs(".")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { end(cmd) })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if base, is := strings.CutPrefix(lines.Text(), "console: "); is {
			ts.Setenv(args[0], strings.TrimSuffix(base, "/console"))
			go io.Copy(io.Discard, out)
			hosts, _ := ts.Value(runningKey{}).(runningHosts)
			hosts[args[0]] = cmd
			return
		}
	}
	end(cmd)
	ts.Fatalf("no console: %s", errs.String())
}

func end(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		cmd.Process.Signal(syscall.SIGINT)
		cmd.Wait()
	}
}

// stopped NAME stops such a host in order.
func endedHost(ts *testscript.TestScript, neg bool, args []string) {
	hosts, _ := ts.Value(runningKey{}).(runningHosts)
	if neg || len(args) != 1 || hosts[args[0]] == nil {
		ts.Fatalf("usage: stopped NAME")
	}
	end(hosts[args[0]])
}

// answers [-until] PATTERN METHOD URL [HEADER: VALUE]... [BODY] makes a request, whose status, headers and body together must
// match. With -until it is made again until they do. A submatch sets $1.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	until := len(args) > 0 && args[0] == "-until"
	if until {
		args = args[1:]
	}
	if neg || len(args) < 3 {
		ts.Fatalf("usage: answers [-until] PATTERN METHOD URL [HEADER: VALUE]... [BODY]")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	bounded, cancel := context.WithTimeout(context.Background(), testenv.Patience(20*time.Second))
	defer cancel()
	for last := ""; ; {
		got, err := reply(bounded, args[1], args[2], args[3:])
		if bounded.Err() != nil {
			ts.Fatalf("%s %s never matches %s, last:\n%s", args[1], args[2], want, last)
		}
		if err != nil && until { // nobody listens there yet
			got = err.Error()
		} else {
			ts.Check(err)
		}
		last = got
		if match := want.FindStringSubmatch(got); match != nil {
			if len(match) > 1 {
				ts.Setenv("1", match[1])
			}
			return
		}
		if !until {
			ts.Fatalf("%s %s does not match %s:\n%s", args[1], args[2], want, got)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-bounded.Done():
		}
	}
}

func reply(ctx context.Context, method, url string, more []string) (string, error) {
	body, header := "", http.Header{}
	for _, arg := range more {
		if name, value, is := strings.Cut(arg, ": "); is && !strings.HasPrefix(arg, "{") {
			header.Add(name, value)
		} else {
			body = arg
			header.Set("Content-Type", "application/json")
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", answer.Status)
	if err := answer.Header.Write(&text); err != nil {
		return "", err
	}
	got, err := io.ReadAll(answer.Body)
	return text.String() + "\n" + string(got), err
}
