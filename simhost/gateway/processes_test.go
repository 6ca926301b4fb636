package gateway

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/eventlog"
)

// processes is a gateway whose one plugin is a script, on a real log. The plugin is handed one event.
func processes(t *testing.T, script string, change func(*Options)) (Job, State) {
	t.Helper()
	log, err := eventlog.Open(t.Context(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := plugin(t, filepath.Join(t.TempDir(), "p"), "name: p\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [handle]\n", script)
	plugins, err := LoadPlugins(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Log: log, Plugins: plugins, Runner: MinimalProcesses(), Workspaces: filepath.Join(t.TempDir(), "workspaces"),
		Config: Config{Settings: map[string]Settings{"p": {Timeout: 20 * time.Second}}},
	}
	if change != nil {
		change(&o)
	}
	g, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Start(t.Context(), "p", start("goal")); err != nil {
		t.Fatal(err)
	}
	_ = g.Drain(t.Context()) // a crash is what some ask for; the state tells
	s, err := g.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Jobs[0], s
}

// Whatever a plugin does, the job ends, and says in plain words what came of it.
func TestHostilePlugins(t *testing.T) {
	const answer = `echo '{"status":"ok","result":"fine","state_updates":{"a":1}}'`
	for _, test := range []struct {
		name, script string
		change       func(*Options)
		status       Status
		why          string
	}{
		{name: "answers", script: "cat >/dev/null; " + answer, status: Succeeded},
		{name: "never reads", script: answer, status: Succeeded},
		{name: "prints nothing", script: "true", status: Failed, why: "it wrote nothing to stdout"},
		{name: "prints garbage", script: "echo 'hello there'", status: Failed, why: "it did not keep to the protocol"},
		{name: "prints twice", script: answer + "; " + answer, status: Failed, why: "it did not keep to the protocol"},
		{name: "prints a line before", script: "echo ready; " + answer, status: Failed, why: "it did not keep to the protocol"},
		{name: "prints an array", script: "echo '[]'", status: Failed, why: "it did not keep to the protocol"},
		{name: "no number", script: `echo '{"status":"ok","state_updates":{"a":NaN}}'`, status: Failed, why: "it did not keep to the protocol"},
		{name: "an error without words", script: `echo '{"status":"error"}'`, status: Failed, why: "it did not keep to the protocol"},
		{name: "another status", script: `echo '{"status":"done"}'`, status: Failed, why: "it did not keep to the protocol"},
		{name: "an event without type", script: `echo '{"status":"ok","events":[{"payload":{}}]}'`, status: Failed, why: "it did not keep to the protocol"},
		{name: "an error", script: `echo '{"status":"error","error":"no network"}'`, status: Failed, why: "no network"},
		{name: "no configuration", script: "echo 'no token' >&2; exit 78", status: Failed, why: "it exited with code 78: no token"},
		{name: "kills itself", script: "kill -9 $$", status: Failed, why: "ended by a signal: killed"},
		{name: "never ends", script: "sleep 600", change: quick, status: TimedOut, why: "it did not answer in time"},
		{name: "answers, and never ends", script: answer + "; sleep 600", change: quick, status: TimedOut, why: "it did not answer in time"},
		{name: "writes without end", script: "yes", status: Failed, why: "more than 10485760 bytes"},
		{name: "leaves a child", script: answer + "; sleep 600 &", status: Succeeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, s := processes(t, test.script, test.change)
			if j.Status != test.status || !strings.Contains(j.LastError, test.why) || (test.why == "") != (j.LastError == "") {
				t.Errorf("the job is %s: %s", j.Status, j.LastError)
			}
			if kept := len(s.Rows) == 1; kept != (j.Status == Succeeded) {
				t.Errorf("the rows are %s", s.Rows)
			}
		})
	}
}

func quick(o *Options) { o.Config.Settings["p"] = Settings{Timeout: 200 * time.Millisecond} }

// A plugin sees a small environment, and its workspace.
func TestSurroundingsOfPlugins(t *testing.T) {
	t.Setenv("ASSAY_TEST_SECRET", "canary")
	t.Setenv("LC_TEST", "C")
	for _, also := range []string{"", "ASSAY_TEST_SECRET"} {
		file := filepath.Join(t.TempDir(), "seen")
		j, _ := processes(t, "{ env; cat; } >"+file+`; echo '{"status":"ok"}'`, func(o *Options) { o.Runner = MinimalProcesses(also) })
		seen, err := os.ReadFile(file)
		if err != nil || j.Status != Succeeded {
			t.Fatal(err, j.LastError)
		}
		if strings.Contains(string(seen), "canary") != (also != "") || !strings.Contains(string(seen), "LC_TEST=C") {
			t.Errorf("with %q it sees\n%s", also, seen)
		}
		if !strings.Contains(string(seen), `"protocol":2`) || !strings.Contains(string(seen), "workspaces/"+j.ID+`"`) || !strings.HasSuffix(string(seen), "}\n") {
			t.Errorf("the request is\n%s", seen)
		}
	}
}

// A gateway that stops in the middle of a turn leaves no process behind.
func TestNoProcessIsLeft(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	j, _ := processes(t, "sleep 600 & echo $$ $! >"+pids+"; sleep 600", func(o *Options) {
		o.Config.Settings["p"] = Settings{Timeout: 300 * time.Millisecond}
	})
	if j.Status != TimedOut {
		t.Fatalf("the job is %s", j.Status)
	}
	left(t, pids)

	pids = filepath.Join(t.TempDir(), "crashed")
	j, _ = processes(t, "echo $$ >"+pids+"; cat >/dev/null; sleep 600", func(o *Options) {
		o.Crashes = []Crash{{Point: MidTurn, Turn: 1}}
		// It is more than a pipe holds, so that the plugin has begun to read when it has been handed over.
		o.Config.Settings["p"] = Settings{Config: raw(map[string]any{"a": strings.Repeat("x", 1<<20)})}
	})
	if j.Status != Running {
		t.Fatalf("the job is %s", j.Status)
	}
	if _, err := os.Stat(pids); err != nil {
		t.Fatal(err)
	}
	left(t, pids)
}

// left fails if a process of the file is still there.
func left(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(content)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
}

// alive says whether a process runs; one that is dead and was not collected yet does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}
