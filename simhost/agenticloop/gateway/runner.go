package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openassay/assay/internal/process"
)

// What a plugin may write, in bytes: more on stdout is a failure, more on stderr is dropped.
const (
	MaxStdout = 10 << 20
	MaxStderr = 64 << 10
)

// Grace is how long a plugin has between SIGTERM, when its time is up, and SIGKILL.
const Grace = 5 * time.Second

// Turn is one attempt of a job, for a runner.
type Turn struct {
	Plugin  Plugin
	Request []byte // one JSON object and a line break
	Timeout time.Duration
	// Started is to be called once, when the plugin has its request. ctx may end in it.
	Started func()
}

// Answer is how a plugin ended, and what it wrote.
type Answer struct {
	Stdout, Stderr []byte
	ExitCode       int
	Signal         string // that ended it, or ""
	TimedOut       bool
	TooLong        bool     // it wrote more than MaxStdout
	Left           []string // names of processes that it left behind, and that were killed
}

// Runner runs plugins. The error says that a plugin could not be run; where ctx ended it is ctx's cause, and nothing of the
// plugin is left running.
type Runner interface {
	Run(ctx context.Context, t Turn) (Answer, error)
}

// Processes is the runner that starts the entrypoint of a plugin: no arguments, the request on stdin, the gateway's own
// working folder. What it leaves behind is killed. Where we are root it is user process.Nobody, as which it can use the
// workspaces, and files and folders that are open to all.
type Processes struct {
	Env []string // KEY=VALUE, all that a plugin sees
}

// MinimalProcesses gives plugins of this process's environment no more than they need, and the variables of these names.
func MinimalProcesses(also ...string) Processes {
	return Processes{Env: process.MinimalEnvironment(os.Environ(), also...)}
}

// CanStart says what keeps a plugin from being started, or from the folder of the workspaces, as the user that plugins are
// started as, and how to mend it. That folder need not be there yet.
func CanStart(plugins []Plugin, workspaces string) error {
	for _, p := range plugins {
		if err := process.Check(p.Entrypoint); err != nil {
			return fmt.Errorf("plugin %q: %w", p.Name, err)
		}
	}
	if workspaces == "" {
		return nil
	}
	at, err := filepath.Abs(workspaces)
	for ; err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, missing := os.Stat(at); missing == nil {
			break
		}
	}
	if err == nil {
		err = process.Reach(at)
	}
	if err != nil {
		return fmt.Errorf("workspaces in %s: %w", workspaces, err)
	}
	return nil
}

// Run starts one process and waits for its end.
func (p Processes) Run(ctx context.Context, t Turn) (Answer, error) {
	r, err := process.Run(ctx, process.Command{
		Path: t.Plugin.Entrypoint, Env: p.Env, AsNobody: true, Stdin: t.Request,
		Timeout: t.Timeout, Grace: Grace, MaxStdout: MaxStdout, MaxStderr: MaxStderr, Started: t.Started,
	})
	return Answer{
		Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode, Signal: r.Signal,
		TimedOut: r.Stopped == process.TimeUp, TooLong: r.Stopped == process.TooLong, Left: r.Survivors,
	}, process.Explain(err, t.Plugin.Entrypoint)
}

// Handler is a plugin in this process: a request to what it would write to stdout, and its exit code. It must end soon
// after ctx does.
type Handler func(ctx context.Context, request []byte) (stdout []byte, exitCode int)

// InProcess is the runner of plugins that are functions, by name. One that is stopped in the middle of its turn is not
// called at all.
type InProcess map[string]Handler

// Run calls one function.
func (p InProcess) Run(ctx context.Context, t Turn) (Answer, error) {
	handle := p[t.Plugin.Name]
	if handle == nil {
		return Answer{}, fmt.Errorf("there is no plugin %q in this process", t.Plugin.Name)
	}
	t.Started()
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	own, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	stdout, code := handle(own, t.Request)
	switch {
	case ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case errors.Is(own.Err(), context.DeadlineExceeded):
		return Answer{TimedOut: true}, nil
	case len(stdout) > MaxStdout:
		return Answer{TooLong: true}, nil
	}
	return Answer{Stdout: stdout, ExitCode: code}, nil
}
