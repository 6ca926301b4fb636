package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/eventlog"
)

// dataHost is a simulated host of both protocols, in a process of its own, on a data folder.
type dataHost struct {
	*program
	t     *testing.T
	url   string
	lines *bufio.Reader
}

func startOn(t *testing.T, dir string) *dataHost {
	t.Helper()
	h, refused := tryOn(t, dir)
	if h == nil {
		t.Fatal(refused)
	}
	return h
}

// tryOn returns the host, or what it said when it would not start.
func tryOn(t *testing.T, dir string) (h *dataHost, refused string) {
	t.Helper()
	h = &dataHost{t: t, program: run(t, "simhost", "--listen", "127.0.0.1:0", "--data", dir, "--protocol", "openwop,openintent")}
	h.lines = bufio.NewReader(h.out)
	for h.url == "" {
		line, err := h.lines.ReadString('\n')
		if err != nil {
			_, code := h.ended(t)
			return nil, fmt.Sprintf("exit code %d: %s", code, h.errs)
		}
		if i := strings.Index(line, "http://"); i >= 0 {
			h.url = strings.TrimSpace(line[i:])
		}
	}
	return h, ""
}

// ask returns the status and the body of a reply.
func (h *dataHost) ask(method, path, body string) (int, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer dev")
	r.Header.Set("X-API-Key", "dev")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json") // a stream would end with the run
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// made posts, and returns a member of the reply.
func (h *dataHost) made(path, body, member string) string {
	h.t.Helper()
	_, raw := h.ask(http.MethodPost, path, body)
	var document map[string]any
	if err := json.Unmarshal([]byte(raw), &document); err != nil {
		h.t.Fatalf("%v: %s", err, raw)
	}
	id, _ := document[member].(string)
	if id == "" {
		h.t.Fatalf("POST %s: %s", path, raw)
	}
	return id
}

func (h *dataHost) wants(what, path string, want int, parts ...string) {
	h.t.Helper()
	status, body := h.ask(http.MethodGet, path, "")
	if status != want {
		h.t.Errorf("%s: HTTP %d, want %d: %s", what, status, want, body)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			h.t.Errorf("%s: %q is not in %s", what, part, body)
		}
	}
}

func (h *dataHost) stop() {
	h.t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		h.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, h.lines); err != nil {
		h.t.Fatal(err)
	}
	if _, code := h.ended(h.t); code != 0 {
		h.t.Fatalf("exit code %d: %s", code, h.errs)
	}
}

// spoil changes one byte of the log of a data folder, behind the last place of a text.
func spoil(t *testing.T, dir, text string) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "$G", "streams", "LOGS", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("%v: %q", err, blocks)
	}
	b, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(b, []byte(text))
	if at < 0 {
		t.Fatalf("the log does not hold %q", text)
	}
	b[at+len(text)] ^= 1
	if err := os.WriteFile(blocks[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// logs DIR NAME... makes a data folder with these logs, three entries each.
func logs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: logs DIR NAME...")
	}
	store, err := eventlog.Open(context.Background(), eventlog.Options{Dir: ts.MkAbs(args[0])})
	ts.Check(err)
	for _, name := range args[1:] {
		var after uint64
		for n := range 3 {
			after, err = store.Append(context.Background(), name, after, fmt.Appendf(nil, "entry %d of %s.", n, name))
			ts.Check(err)
		}
	}
	ts.Check(store.Close())
}

// spoil DIR NAME changes a byte in the middle of a log that logs made.
func spoilLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil DIR NAME")
	}
	name := filepath.Join(ts.MkAbs(args[0]), "jetstream", "$G", "streams", "LOGS", "msgs", "1.blk")
	b, err := os.ReadFile(name)
	ts.Check(err)
	at := bytes.Index(b, []byte("entry 1 of "+args[1]))
	if at < 0 {
		ts.Fatalf("%s has no entry of %s", name, args[1])
	}
	b[at] ^= 1
	ts.Check(os.WriteFile(name, b, 0o600))
}

// wantsEnd checks the exit code of a command and what it says.
func wantsEnd(t *testing.T, code int, parts []string, args ...string) {
	t.Helper()
	p := run(t, args...)
	out, got := p.ended(t)
	if got != code {
		t.Errorf("%q: exit code %d, want %d: %s%s", args, got, code, out, p.errs)
	}
	for _, part := range parts {
		if !strings.Contains(out+p.errs.String(), part) {
			t.Errorf("%q does not say %q: %s%s", args, part, out, p.errs)
		}
	}
}

// A host does not start on a folder in which a byte was flipped, says which run that is about and what to type, and after the
// repair answers that run with 500, never with 404, and all others as before.
func TestDamagedRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	h := startOn(t, dir)
	var runs []string
	for range 3 {
		runs = append(runs, h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId"))
	}
	waits := h.made("/v1/runs", `{"workflowId":"assay-loop-ask-user","inputs":{}}`, "runId")
	intent := h.made("/api/v1/intents", `{"title":"one"}`, "id")
	wantsEnd(t, 2, []string{"another process"}, "simhost", "doctor", "--data", dir)
	h.stop()
	wantsEnd(t, 0, []string{"all whole"}, "simhost", "doctor", "--data", dir)

	spoil(t, dir, `"runId":"`+runs[1]+`"`)
	for range 2 { // the first try changed nothing
		wantsEnd(t, 1, []string{runs[1], "assay simhost doctor --data " + dir}, "simhost", "--listen", "127.0.0.1:0", "--data", dir)
	}
	wantsEnd(t, 1, []string{runs[1], "1.blk, bytes", "--repair"}, "simhost", "doctor", "--data", dir)
	wantsEnd(t, 0, []string{runs[1], dir + ".damaged-"}, "simhost", "doctor", "--data", dir, "--repair")
	wantsEnd(t, 0, []string{"all whole", "Damaged earlier", runs[1]}, "simhost", "doctor", "--data", dir)

	h = startOn(t, dir)
	for _, path := range []string{"/v1/runs/" + runs[1], "/v1/runs/" + runs[1] + "/events"} {
		h.wants("the damaged run", path, 500, runs[1]+" is damaged", "assay simhost doctor --data "+dir, "internal_error")
	}
	h.wants("another run", "/v1/runs/"+runs[2], 200)
	h.wants("a run that waits", "/v1/runs/"+waits, 200, "waiting")
	h.wants("the intent", "/api/v1/intents/"+intent, 200)
	h.wants("a run that never was", "/v1/runs/"+runs[1][:len(runs[1])-1]+"x", 404)
	h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId")
	h.stop()
}

// What a host can make again is no reason to stay away: the key of tokens, and the definition of a workflow that it knows.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	h := startOn(t, dir)
	before := h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId")
	h.stop()
	spoil(t, dir, "log.token-key")
	spoil(t, dir, `"id":"conformance-noop`)
	wantsEnd(t, 1, []string{"token-key", "workflow-"}, "simhost", "doctor", "--data", dir)
	wantsEnd(t, 0, []string{"token-key", "workflow-"}, "simhost", "doctor", "--data", dir, "--repair")
	for range 2 {
		h = startOn(t, dir)
		h.wants("a run from before", "/v1/runs/"+before, 200, "completed")
		h.wants("a run from now", "/v1/runs/"+h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId"), 200)
		h.stop()
	}
}

// Goals and files whose log is damaged are refused, and the host serves the rest.
func TestDamagedGoalsAndFiles(t *testing.T) {
	t.Parallel()
	const goals, files = "/v1/host/sample/goals", "/v1/host/workspace/files"
	dir := filepath.Join(t.TempDir(), "data")
	h := startOn(t, dir)
	goal := h.made(goals, `{"objective":"an objective of a tenant","completion":{"check":"host"},"continuation":{"mode":"manual"},`+
		`"bounds":{"maxLoopIterations":3}}`, "id")
	if status, body := h.ask(http.MethodPut, files+"/a.md", `{"content":"a file of a tenant"}`); status/100 != 2 {
		t.Fatalf("HTTP %d: %s", status, body)
	}
	done := h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId")
	h.stop()
	spoil(t, dir, "an objective of a")
	spoil(t, dir, "a file of a")
	wantsEnd(t, 0, []string{"goals-", "ws-"}, "simhost", "doctor", "--data", dir, "--repair")
	h = startOn(t, dir)
	h.wants("a goal", goals+"/"+goal, 500, "goals-", "is damaged", "assay simhost doctor --data")
	h.wants("a file", files+"/a.md", 500, "ws-", "is damaged", "assay simhost doctor --data")
	h.wants("a run", "/v1/runs/"+done, 200, "completed")
	status, body := h.ask(http.MethodPost, "/v1/runs", `{"workflowId":"conformance-noop"}`)
	if status != 500 || !strings.Contains(body, "is damaged") {
		t.Errorf("a run that would read the files: HTTP %d: %s", status, body)
	}
	h.stop()
}

// An OpenIntent server has one log. Where that is damaged it begins another one, and answers what is not in it with 500.
func TestDamagedIntents(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	h := startOn(t, dir)
	before := h.made("/api/v1/intents", `{"title":"one"}`, "id")
	done := h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId")
	h.stop()
	spoil(t, dir, before)
	wantsEnd(t, 1, []string{"openintent", "assay simhost doctor"},
		"simhost", "--protocol", "openintent", "--listen", "127.0.0.1:0", "--data", dir)
	wantsEnd(t, 0, []string{"openintent"}, "simhost", "doctor", "--data", dir, "--repair")
	for range 2 {
		h = startOn(t, dir)
		h.wants("an intent of the damaged log", "/api/v1/intents/"+before, 500, "openintent is damaged", "assay simhost doctor --data "+dir)
		h.wants("a run beside it", "/v1/runs/"+done, 200)
		after := h.made("/api/v1/intents", `{"title":"two"}`, "id")
		h.wants("an intent that was made since", "/api/v1/intents/"+after, 200)
		h.stop()
	}
}

// TestFlippedHosts flips a byte at random places of a host's folder: the host tells so and does not start, or serves all as before.
func TestFlippedHosts(t *testing.T) {
	t.Parallel()
	places := 4
	if testenv.Long() {
		places = 200
	}
	whole := filepath.Join(t.TempDir(), "data")
	h := startOn(t, whole)
	var paths []string
	for range 5 {
		id := h.made("/v1/runs", `{"workflowId":"conformance-noop"}`, "runId")
		paths = append(paths, "/v1/runs/"+id, "/v1/runs/"+id+"/events")
	}
	for range 3 {
		id := h.made("/v1/runs", `{"workflowId":"assay-loop-ask-user","inputs":{}}`, "runId")
		h.waits(id)
		paths = append(paths, "/v1/runs/"+id, "/v1/runs/"+id+"/events")
		paths = append(paths, "/api/v1/intents/"+h.made("/api/v1/intents", `{"title":"one"}`, "id"))
	}
	before := map[string]string{}
	for _, path := range paths {
		before[path] = h.body(path)
	}
	h.stop()
	random := rand.New(rand.NewPCG(19, 200))
	told := 0
	for n := range places {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		name, at := flipByte(t, random, dir, n%2 == 0)
		h, refused := tryOn(t, dir)
		if h == nil {
			if told++; !strings.Contains(refused, "exit code 1:") || !strings.Contains(refused, "assay simhost doctor --data "+dir) {
				t.Errorf("byte %d of %s: %s", at, name, refused)
			}
			continue
		}
		for path, want := range before {
			if got := h.body(path); got != want {
				t.Errorf("byte %d of %s: %s is answered with %s, want %s", at, name, path, got, want)
			}
		}
		h.stop()
	}
	t.Logf("%d flips: %d told, %d harmless", places, told, places-told)
}

// waits returns once a run is seen waiting.
func (h *dataHost) waits(run string) {
	h.t.Helper()
	testenv.Until(h.t, "the run waits", 10*time.Second, func() bool {
		_, body := h.ask(http.MethodGet, "/v1/runs/"+run, "")
		return strings.Contains(body, "waiting")
	})
}

func (h *dataHost) body(path string) string {
	h.t.Helper()
	_, body := h.ask(http.MethodGet, path, "")
	return body
}

// flipByte changes a bit at a random place: of all bytes of a folder, or of all its files.
func flipByte(t *testing.T, random *rand.Rand, dir string, ofBytes bool) (name string, at int64) {
	t.Helper()
	var names []string
	var ends []int64 // of the files, as if they lay one behind the other
	var total int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			total += info.Size()
			names, ends = append(names, path), append(ends, total)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := random.IntN(len(names))
	if at = random.Int64N(total); ofBytes {
		n, _ = slices.BinarySearch(ends, at+1)
	}
	b, err := os.ReadFile(names[n])
	if err != nil {
		t.Fatal(err)
	}
	at %= int64(len(b))
	b[at] ^= 1 << random.IntN(8)
	if err := os.WriteFile(names[n], b, 0o600); err != nil {
		t.Fatal(err)
	}
	return names[n], at
}
