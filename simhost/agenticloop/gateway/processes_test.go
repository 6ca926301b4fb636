package gateway

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/eventlog"
)

// openDir is a new folder that plugins can use, whoever they are started as.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir
}

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
	dir := plugin(t, filepath.Join(openDir(t), "p"), "name: p\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [handle]\n", script)
	plugins, err := LoadPlugins(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Log: log, Plugins: plugins, Runner: MinimalProcesses(), Workspaces: filepath.Join(openDir(t), "workspaces"),
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
		{name: "an event without type", script: `echo '{"status":"ok","events":[{"payload":{}}]}'`, status: Failed,
			why: "it did not keep to the protocol"},
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
		file := filepath.Join(openDir(t), "seen")
		j, _ := processes(t, "{ env; cat; } >"+file+`; echo '{"status":"ok"}'`, func(o *Options) { o.Runner = MinimalProcesses(also) })
		seen, err := os.ReadFile(file)
		if err != nil || j.Status != Succeeded {
			t.Fatal(err, j.LastError)
		}
		if strings.Contains(string(seen), "canary") != (also != "") || !strings.Contains(string(seen), "LC_TEST=C") {
			t.Errorf("with %q it sees\n%s", also, seen)
		}
		if !strings.Contains(string(seen), `"protocol":2`) || !strings.Contains(string(seen), "workspaces/"+j.ID+`"`) ||
			!strings.HasSuffix(string(seen), "}\n") {
			t.Errorf("the request is\n%s", seen)
		}
	}
}

// A gateway that stops in the middle of a turn leaves no process behind.
func TestNoProcessIsLeft(t *testing.T) {
	pids := filepath.Join(openDir(t), "pids")
	j, _ := processes(t, "sleep 600 & echo $$ $! >"+pids+"; sleep 600", func(o *Options) {
		o.Config.Settings["p"] = Settings{Timeout: 300 * time.Millisecond}
	})
	if j.Status != TimedOut {
		t.Fatalf("the job is %s", j.Status)
	}
	nobodyLeft(t, pids)

	pids = filepath.Join(openDir(t), "crashed")
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
	nobodyLeft(t, pids)
}

// Where the gateway is root, a plugin is not; it can write to its workspace, and to that of its parent that it was given.
func TestPluginsHaveNoRights(t *testing.T) {
	for _, mode := range []WorkspaceMode{CloneWorkspace, SharedWorkspace} {
		script := `dir=$(cat | sed 's/.*"workspace_dir":"\([^"]*\)".*/\1/'); id -u >"$dir/id" && mkdir -p "$dir/artifacts" && echo x >>"$dir/artifacts/x" && ` +
			`case $(wc -l <"$dir/artifacts/x") in *1) echo '{"status":"ok","events":[{"type":"more"}]}';; *) echo '{"status":"ok"}';; esac`
		var root string
		j, s := processes(t, script, func(o *Options) {
			root, o.Workspace = o.Workspaces, mode
			o.Config.Pipelines = []Pipeline{{Name: "again", On: "more", Steps: []Step{{ID: "s", Uses: "p"}}}}
		})
		if len(s.Jobs) != 2 || j.Status != Succeeded || s.Jobs[1].Status != Succeeded {
			t.Fatalf("%s: %+v", mode, s.Jobs)
		}
		o := Options{Workspace: mode, Workspaces: root}
		id, err := os.ReadFile(filepath.Join(o.WorkspaceOf(s.Jobs[1].ID), "id"))
		if err != nil {
			t.Fatal(err)
		}
		want := os.Geteuid()
		if want == 0 {
			want = 65534
		}
		if got := strings.TrimSpace(string(id)); got != strconv.Itoa(want) {
			t.Errorf("%s: it runs as %s", mode, got)
		}
	}
}

// What a plugin leaves behind is killed, and told in its job.
func TestLeftBehindIsTold(t *testing.T) {
	pids := filepath.Join(openDir(t), "pids")
	j, _ := processes(t, "sleep 600 >/dev/null 2>&1 & echo $! >"+pids+
		`; echo '{"status":"ok","logs":[{"level":"info","message":"own"}]}'`, nil)
	nobodyLeft(t, pids)
	if len(j.Logs) != 2 || j.Logs[0].Message != "own" || !strings.HasPrefix(j.Logs[1].Message,
		"it left processes behind, which were killed: ") {
		t.Errorf("its logs are %v", j.Logs)
	}
}

// nobodyLeft fails if a process of the file is still there.
func nobodyLeft(t *testing.T, file string) {
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
		for deadline := time.Now().Add(testenv.Patience(10 * time.Second)); alive(pid); time.Sleep(5 * time.Millisecond) {
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
