package main

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const shortRecording = `{"schema": "assay.transcript/1", "drive": "recording/000001", "seconds": 0, "entries": [
 {"kind": "http", "at": "2026-11-29T12:00:00Z", "micros": 9, "request": {"method": "GET", "url": "http://host.example/n"},
  "response": {"status": 200, "body": "seven"}},
 {"kind": "http", "at": "2026-11-29T12:00:00Z", "micros": 9, "request": {"method": "GET", "url": "http://host.example/zipped"},
  "response": {"status": 200}, "error": "a body is compressed with br, and was not kept"}]}`

func TestExitCodesOfAPlayback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recording-000001.json"), []byte(shortRecording), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string // path is what is asked, "" for nothing
		status     int
		signal     syscall.Signal
		code       int
		says       string
	}{
		{"as recorded", "/n", 200, syscall.SIGTERM, 0, "1 request: 1 answered as recorded, 0 with differences, 0 not in"},
		{"left", "/m", 501, syscall.SIGINT, 1, "not in the recording:\n  GET /m, 1 time\n"},
		{"left out", "/zipped", 501, syscall.SIGINT, 1, "reply left out of the recording:\n  GET /zipped, 1 time\n      a body"},
		{"nothing asked", "", 0, syscall.SIGINT, 4, "never asked, 2 of 2 exchanges:\n  GET /n, 1 time\n  GET /zipped, 1 time\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := run(t, "simhost", "--recorded", dir, "--listen", "127.0.0.1:0")
			banner, err := bufio.NewReader(p.out).ReadString('\n')
			url, _, is := strings.Cut(banner, " answers as http://host.example did: 2 exchanges of ")
			if err != nil || !is {
				t.Fatalf("%q, %v", banner, err)
			}
			if c.path != "" {
				reply, err := http.Get(url + c.path)
				if err != nil {
					t.Fatal(err)
				}
				_ = reply.Body.Close()
				if reply.StatusCode != c.status {
					t.Errorf("status %d, want %d", reply.StatusCode, c.status)
				}
			}
			if err := p.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if out, code := p.ended(t); code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, out)
			}
		})
	}
}
