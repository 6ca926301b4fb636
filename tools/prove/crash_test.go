package prove_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/ids"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/prove"
)

// process is the built command, serving from a folder.
type process struct {
	*exec.Cmd
	url string
}

var listens = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func startProcess(t *testing.T, binary, dir string) process {
	t.Helper()
	p := process{Cmd: exec.Command(binary, "simhost", "--listen", "127.0.0.1:0", "--key", prove.Key, "--data", dir)}
	p.Stderr = os.Stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	lines := bufio.NewScanner(stdout)
	for p.url == "" && lines.Scan() {
		p.url = listens.FindString(lines.Text())
	}
	if p.url == "" {
		t.Fatal("the host did not say where it listens")
	}
	go io.Copy(io.Discard, stdout)
	return p
}

// call sends a request with the key and decodes the reply into out.
func call(t *testing.T, method, url string, body, out any) int {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+prove.Key)
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(out); err != nil {
		t.Fatalf("%s %s: HTTP %d: %v", method, url, reply.StatusCode, err)
	}
	return reply.StatusCode
}

// until polls the snapshot until its status is one of these.
func until(t *testing.T, url, id string, statuses ...openwopv1.RunStatus) openwopv1.RunSnapshot {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience(20 * time.Second)); ; {
		var s openwopv1.RunSnapshot
		call(t, http.MethodGet, url+"/v1/runs/"+id, nil, &s)
		if slices.Contains(statuses, s.Status) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("run %s is %s, want one of %v", id, s.Status, statuses)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// iterations reads the counters off the public log.
func iterations(t *testing.T, url, id string) []int64 {
	t.Helper()
	var page openwopv1.EventPage
	call(t, http.MethodGet, url+"/v1/runs/"+id+"/events/poll?timeout=1", nil, &page)
	var out []int64
	for i, e := range page.Events {
		if e.Sequence != int64(i) {
			t.Errorf("event %d has sequence %d", i, e.Sequence)
		}
		if e.Type != openwopv1.RunEventTypeRunOrchestratorDecided {
			continue
		}
		var p openwopv1.RunOrchestratorDecidedPayload
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, *p.Iteration)
	}
	return out
}

// kill -9 on the real command while a run is suspended; restarted and answered,
// the run goes on at the same iteration.
func TestASuspendedRunSurvivesKill9(t *testing.T) {
	t.Parallel()
	binary, dir := filepath.Join(t.TempDir(), "assay"), filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "../assay").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	p := startProcess(t, binary, dir)
	var made openwopv1.CreateRunResponse
	if status := call(t, http.MethodPost, p.url+"/v1/runs", openwopv1.CreateRunRequest{WorkflowID: "assay-loop-ask-user"},
		&made); status != http.StatusCreated {
		t.Fatalf("create answered %d", status)
	}
	before := until(t, p.url, made.RunID, openwopv1.RunStatusWaitingInput)
	counted := iterations(t, p.url, made.RunID)
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Wait()

	p = startProcess(t, binary, dir)
	after := until(t, p.url, made.RunID, openwopv1.RunStatusWaitingInput)
	if *after.CurrentNodeID != *before.CurrentNodeID {
		t.Errorf("it waits at %s, before the kill at %s", *after.CurrentNodeID, *before.CurrentNodeID)
	}
	if got := iterations(t, p.url, made.RunID); !slices.Equal(got, counted) {
		t.Errorf("the log says %v after the restart and said %v before", got, counted)
	}
	var resolved openwopv1.ResolveInterruptResponse
	if status := call(t, http.MethodPost, p.url+"/v1/runs/"+made.RunID+"/interrupts/"+*after.CurrentNodeID,
		openwopv1.ResolveInterruptRequest{ResumeValue: json.RawMessage(`{"answers":{"q1":"left"}}`)}, &resolved); status != http.StatusOK {
		t.Fatalf("resolve answered %d", status)
	}
	until(t, p.url, made.RunID, openwopv1.RunStatusCompleted)
	if got := iterations(t, p.url, made.RunID); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("iterations %v", got)
	}
}

// fatalLog kills its own process after so many appends: between a parent's
// intent and its child's creation, between a child's end and the parent's note
// of it, and everywhere else.
type fatalLog struct {
	*eventlog.Store
	left atomic.Int64
}

func (l *fatalLog) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	revision, err := l.Store.Append(ctx, log, after, data)
	if l.left.Add(-1) == 0 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return revision, err
}

const doomed = "ASSAY_PROVE_DOOMED" // "appends dir"

// dieAfterAppends is the process that will be killed. It prints the id of its
// run, and "survived" when it outlived its appends.
func dieAfterAppends(setting string) error {
	var appends int64
	var dir string
	if _, err := fmt.Sscanf(setting, "%d %s", &appends, &dir); err != nil {
		return err
	}
	store, err := eventlog.Open(context.Background(), eventlog.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer store.Close()
	flows := map[string]openwopv1.WorkflowDefinition{}
	for _, id := range []string{"assay-loop", "conformance-noop"} {
		raw, err := openwopv1.Fixtures.ReadFile("fixtures/" + id + ".json")
		if err != nil {
			return err
		}
		var flow openwopv1.WorkflowDefinition
		if err := json.Unmarshal(raw, &flow); err != nil {
			return err
		}
		flows[id] = flow
	}
	log := &fatalLog{Store: store}
	log.left.Store(appends)
	runs, err := live.New(live.Options{Log: log, Clock: clock.Real(), IDs: ids.Seeded(7), Workflows: flows, Version: 5})
	if err != nil {
		return err
	}
	defer runs.Close()
	s, err := runs.Create(context.Background(), live.Create{WorkflowID: "assay-loop",
		Owner: &event.Owner{Tenant: surface.DefaultTenant}})
	if err != nil {
		return err
	}
	if err := runs.Await(context.Background(), s.RunID); err != nil {
		return err
	}
	fmt.Println("survived")
	return nil
}

// A host that is killed after any one of its appends is started again, and the
// loop ends as if nothing had been: each turn once, each child once.
func TestALoopSurvivesKill9AfterAnyAppend(t *testing.T) {
	t.Parallel()
	for appends := 1; ; appends++ {
		dir := t.TempDir()
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), doomed+"="+strconv.Itoa(appends)+" "+dir)
		out, err := child.CombinedOutput()
		if err == nil {
			if !bytes.Contains(out, []byte("survived")) {
				t.Fatalf("after %d appends: %s", appends, out)
			}
			if appends < 6 {
				t.Fatalf("the loop took %d appends only: it cannot have been cut everywhere", appends)
			}
			return
		}
		t.Run(fmt.Sprintf("after append %d", appends), func(t *testing.T) {
			id := theLoop(t, dir)
			if id == "" && appends > 1 { // the first append keeps the definition: there is no run yet to go on with
				t.Fatal("no run was left")
			}
			if id != "" {
				endsWell(t, dir, id)
			}
		})
	}
}

func endsWell(t *testing.T, dir, id string) {
	t.Helper()
	url := serve(t, surface.Options{DataDir: dir}, nil).URL
	s := until(t, url, id, openwopv1.RunStatusCompleted)
	if got := iterations(t, url, id); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("iterations %v", got)
	}
	if len(s.ChildRuns) != 3 {
		t.Errorf("%d child runs, want one for each of three workers", len(s.ChildRuns))
	}
}

// theLoop is the id of the run that the dead process made, "" when it made none.
func theLoop(t *testing.T, dir string) string {
	t.Helper()
	store, err := eventlog.Open(t.Context(), eventlog.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for name, err := range store.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		entries, err := store.Read(t.Context(), name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(entries[0].Data, []byte(`"workflowId":"assay-loop"`)) {
			return name
		}
	}
	return ""
}
