package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// consoleAt is the address of the console that the banner of a simulated host tells; "" where it tells none. base is that of the
// host.
func consoleAt(t *testing.T, args ...string) (p *program, base, console string) {
	t.Helper()
	p = run(t, append([]string{"simhost", "--listen", "127.0.0.1:0"}, args...)...)
	for lines := bufio.NewReader(p.out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the banner ended early: %v", err)
		}
		switch at := strings.Index(line, "http://"); {
		case strings.HasPrefix(line, "console: "):
			return p, base, strings.TrimSpace(line[at:])
		case at >= 0 && base == "":
			base = strings.TrimSpace(line[at:])
		case strings.HasPrefix(line, "try:") && !strings.Contains(strings.Join(args, " "), "openintent"):
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.Join(args, " "), "--console=false") {
				return p, base, ""
			}
		}
	}
}

// The command prints where its console is, whatever it speaks, and serves it to who has the key.
func TestSimhostPrintsItsConsole(t *testing.T) {
	for _, c := range []struct {
		args  []string
		shows []string
	}{
		{nil, []string{"Start a run", "/console/goals"}},
		{[]string{"--clock", "manual"}, []string{"Start a run"}},
		{[]string{"--protocol", "openintent"}, []string{"Make one that waits"}},
		{[]string{"--protocol", "openintent,openwop"}, []string{"Start a run", "/console/intents"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			p, _, console := consoleAt(t, c.args...)
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Jar: jar}
			defer client.CloseIdleConnections()
			reply, err := client.PostForm(console+"/login", url.Values{"key": {"dev"}})
			if err != nil {
				t.Fatal(err)
			}
			page, err := io.ReadAll(reply.Body)
			if err != nil {
				t.Fatal(err)
			}
			_ = reply.Body.Close() // it was read whole
			for _, want := range c.shows {
				if !strings.Contains(string(page), want) {
					t.Errorf("the first page does not hold %q: %d\n%s", want, reply.StatusCode, page)
				}
			}
			if reply, err = client.Get(console + "/clock"); err != nil {
				t.Fatal(err)
			}
			page, err = io.ReadAll(reply.Body)
			if err != nil {
				t.Fatal(err)
			}
			_ = reply.Body.Close() // it was read whole
			if manual := c.args != nil && c.args[0] == "--clock"; strings.Contains(string(page), ">Advance<") != manual {
				t.Errorf("the clock can be moved: %t", !manual)
			}
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if _, code := p.ended(t); code != 0 || p.errs.Len() > 0 {
				t.Errorf("exit code %d, stderr %q", code, p.errs)
			}
		})
	}
}

// A host without a console has nothing at its paths.
func TestSimhostWithoutAConsole(t *testing.T) {
	_, base, _ := consoleAt(t, "--console=false")
	reply, err := http.Get(base + "/console")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusNotFound {
		t.Errorf("/console: %d", reply.StatusCode)
	}
}
