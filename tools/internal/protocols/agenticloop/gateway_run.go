package agenticloop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/tools/internal/cli"
	"github.com/openassay/assay/tools/internal/protocols/agenticloop/jobtree"
)

const gatewayRunLong = `Starts an agent with a goal, and runs jobs until none is queued: the agent's turn,
the tool that it asks for, its next turn, and so on. Every job is printed as it
comes and as it ends. An event that nobody takes and a job that fails are said.

Everything the gateway knows is on its log. With --data it is in files, and a
gateway that was stopped goes on where it was. The flags below "knobs" are the
ways in which gateways of this kind differ: without any, this one is as RFC-103's
text has it. --crash stops it dead at a point of a turn and starts it again.

Exit codes: 0 the run was completed, 1 it was not, 2 bad usage, 130 interrupted.`

type gatewayFlags struct {
	pipelines, plugins []string
	start, startKey    string
	agent              string
	data               string
	env                []string
	crashes            []string
	wait, json         bool
	logMax             int64
	knobs              map[string]*string
	o                  gateway.Options
}

func newGatewayRun() *cobra.Command {
	o := &gatewayFlags{knobs: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run an agent and its tools until the queue is empty",
		Long:  gatewayRunLong,
		Example: "  assay gateway run --pipelines loop/pipelines.yaml --plugin loop/plugins --start '{\"goal\": \"read " +
			"http://mattjoyce.ai\"}'\n" +
			"  assay gateway run --pipelines p.yaml --plugin ./agentic-loop --plugin ./fetch --start '{\"goal\": \"...\"}' " +
			"--crash after-state@1 --commit outbox",
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.pipelines, "pipelines", nil, "`FILE` of pipelines and of settings of plugins; may be repeated")
	f.StringArrayVar(&o.plugins, "plugin", nil, "`DIR` of a plugin, or of folders of plugins; may be repeated")
	f.StringVar(&o.start, "start", "", "payload of the agentic.start, a JSON `OBJECT` with a goal")
	f.StringVar(&o.startKey, "start-key", "", "dedupe `KEY` of the start (default none)")
	f.StringVar(&o.agent, "agent", agent.DefaultName, "`PLUGIN` that is started where no pipeline is on agentic.start")
	f.StringVar(&o.o.Workspaces, "workspaces", "workspace", "`DIR` for the workspaces of jobs")
	f.StringVar(&o.data, "data", "", "`DIR` for the log (default in memory)")
	f.StringSliceVar(&o.env, "env", nil, "`NAMES` of variables that plugins get beside PATH, HOME, TZ, LANG, LANGUAGE, TMPDIR and LC_*")
	f.StringArrayVar(&o.crashes, "crash", nil, "where to stop dead, and start again: `POINT@TURN`, of "+strings.Join(points(), ", ")+
		" (:K, after the K-th job); may be repeated")
	for _, k := range []struct{ name, about string }{
		{"revision", "knob: `REVISION` of requests and responses"},
		{"context", "knob: `WHAT` of an event goes along to what follows from it"},
		{"results", "knob: `HOW` the agent hears of its tools: by the tool's own event and the context, by a direct " +
			"agentic.tool_result, or both"},
		{"merge", "knob: `HOW` state_updates get into the plugin's row: key by key, or as a whole"},
		{"commit", "knob: `WHAT` is appended at once: two commits, state and then routes, or all as an outbox"},
		{"on-failure", "knob: `WHAT` the agent hears of a tool that failed for good: nothing, or a synthesised agentic.tool_result"},
		{"workspace", "knob: `WHERE` the files of jobs are: a hard-link clone a job, shared, or none"},
		{"exit-code", "knob: `WHAT` an exit code other than 0 does to a sound answer: it fails, or is ignored"},
	} {
		positions := gateway.Knobs()[k.name]
		o.knobs[k.name] = f.String(k.name, positions[0], k.about+" ("+strings.Join(positions, ", ")+")")
	}
	f.StringSliceVar(&o.o.Baggage, "baggage", nil, "knob: `KEYS` that --context baggage carries (default run_id,step,tool)")
	f.BoolVar(&o.o.Dedupe, "dedupe", false, "knob: drop a job whose dedupe key has succeeded at its plugin in the last 24 hours")
	f.BoolVar(&o.o.Retries, "retries", false, "knob: try a failed job again after 30 s, 60 s, ...; the clock jumps there")
	f.BoolVar(&o.wait, "wait", false, "wait for retries instead of moving the clock")
	f.IntVar(&o.o.MaxAttempts, "max-attempts", 4, "knob: most `ATTEMPTS` of a job, crashes included")
	f.BoolVar(&o.o.Unbounded, "unbounded-state", false, "knob: let a plugin's row grow beyond 1 MiB")
	f.IntVar(&o.o.Workers, "workers", 1, "knob: `JOBS` that run at a time")
	f.IntVar(&o.o.MaxTurns, "max-turns", 1000, "most `TURNS` before it gives up")
	f.Int64Var(&o.logMax, "log-max", 0, "most `BYTES` that the log may hold (default 256 MiB in memory, unbounded in files)")
	f.Uint64Var(&o.o.Seed, "seed", 0, "`N` that makes ids repeatable (default random)")
	f.BoolVar(&o.json, "json", false, "print the records of the log instead, one a line")
	return cmd
}

func points() []string {
	var out []string
	for _, p := range gateway.CrashPoints() {
		out = append(out, string(p))
	}
	return out
}

// check validates the flags before anything is opened, and loads the files they name.
func (o *gatewayFlags) check() (err error) {
	for name, value := range o.knobs {
		if positions := gateway.Knobs()[name]; !slices.Contains(positions, *value) {
			return cli.Unknown("value of --"+name, *value, positions)
		}
		o.o.Set(name, *value)
	}
	var payload map[string]json.RawMessage
	switch {
	case len(o.pipelines) == 0:
		return cli.Usage("gateway run: no routes: name a file with --pipelines (assay gateway example DIR writes one)")
	case len(o.plugins) == 0:
		return cli.Usage("gateway run: no plugins: name a folder with --plugin")
	case o.start == "" && o.data == "":
		return cli.Usage(`gateway run: nothing to do: give --start '{"goal": "..."}', or a log that is to be gone on with by --data`)
	case o.start == "" && o.startKey != "":
		return cli.Usage("gateway run --start-key: there is no start: give --start too")
	case o.start != "" && (json.Unmarshal([]byte(o.start), &payload) != nil || payload == nil):
		return cli.Usage(`gateway run --start: not a JSON object: write '{"goal": "..."}'`)
	case o.o.MaxAttempts < 1 || o.o.Workers < 1 || o.o.MaxTurns < 1:
		return cli.Usage("gateway run: --max-attempts, --workers and --max-turns are at least 1")
	case o.logMax < 0:
		return cli.Usage("gateway run --log-max %d: give a number of bytes", o.logMax)
	case o.wait && !o.o.Retries:
		return cli.Usage("gateway run --wait: nothing is waited for without --retries")
	case len(o.o.Baggage) > 0 && o.o.Context != gateway.Baggage:
		return cli.Usage("gateway run --baggage: it is carried with --context baggage only")
	}
	for _, s := range o.crashes {
		c, err := gateway.ParseCrash(s)
		if err != nil {
			return cli.Usage("gateway run --crash: %w", err)
		}
		o.o.Crashes = append(o.o.Crashes, c)
	}
	if o.o.Config, err = gateway.LoadConfig(o.pipelines...); err != nil {
		return cli.Usage("%w", err)
	}
	if o.o.Plugins, err = gateway.LoadPlugins(o.plugins...); err != nil {
		return cli.Usage("%w", err)
	}
	if err := gateway.CanStart(o.o.Plugins, o.o.WorkspaceOf("job")); err != nil {
		return cli.Usage("gateway run: %w", err)
	}
	return nil
}

// maxAppend fits the result of one turn: the answer, and a context for each following job.
const maxAppend = 31 << 20

func (o *gatewayFlags) run(ctx context.Context, out io.Writer) (err error) {
	store, err := eventlog.Open(ctx, eventlog.Options{Dir: o.data, Checked: true, MaxBytes: o.logMax, MaxPayload: maxAppend})
	if err != nil {
		return fmt.Errorf("gateway run: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	o.o.Log = store
	o.o.Runner = gateway.MinimalProcesses(o.env...)
	if !o.wait {
		now := clock.Shift(clock.Real())
		o.o.Clock = now
		o.o.Idle = func(until time.Time) { now.Advance(until.Sub(now.Now())) }
	}
	r := gatewayRun{o: o, out: out}
	return r.run(ctx)
}

// gatewayRun is one run of the command.
type gatewayRun struct {
	o      *gatewayFlags
	out    io.Writer
	tree   *jobtree.Tree
	before json.RawMessage // the agent's row at the start
	failed error           // first output error
}

func (r *gatewayRun) run(ctx context.Context) error {
	g, err := r.open(ctx)
	if err != nil {
		return err
	}
	if err := r.begin(ctx, g); err != nil {
		return err
	}
	for {
		err := g.Drain(ctx)
		crashed, tooMany := (*gateway.CrashError)(nil), (*gateway.TooManyError)(nil)
		switch {
		case ctx.Err() != nil:
			return &cli.Exit{Code: scenarios.ExitInterrupted, Cause: r.interrupted()}
		case errors.As(err, &crashed):
			r.tree.Crashed(crashed)
			if g, err = r.open(ctx); err != nil {
				return err
			}
			continue
		case errors.As(err, &tooMany):
			return &cli.Exit{Code: cli.Failed, Cause: fmt.Errorf("gateway run: %w (--max-turns)", tooMany)}
		case err != nil:
			return fmt.Errorf("gateway run: %w", err)
		}
		break
	}
	if r.failed != nil {
		return fmt.Errorf("gateway run: print: %w", r.failed)
	}
	if !r.tree.Outcome(r.o.agent, r.before, r.o.o.WorkspaceOf) {
		return &cli.Exit{Code: cli.Failed}
	}
	return nil
}

func (r *gatewayRun) interrupted() error {
	if r.o.data == "" {
		return errors.New("gateway run: interrupted; the log was in memory, and is gone")
	}
	return fmt.Errorf("gateway run: interrupted; the job under way is run again by: assay gateway run --data %s, and "+
		"the other flags", r.o.data)
}

// open opens the gateway. The first call also reads the content of the log.
func (r *gatewayRun) open(ctx context.Context) (*gateway.Gateway, error) {
	o := r.o.o
	o.Observe = r.observe
	if r.tree == nil {
		state, err := gateway.Look(ctx, o.Log)
		if err != nil {
			return nil, fmt.Errorf("gateway run: %w", err)
		}
		out := r.out
		if r.o.json {
			out = io.Discard
		}
		r.tree, r.before = jobtree.New(out, o.Config, state), state.Row(r.o.agent)
	}
	g, err := gateway.Open(ctx, o)
	if mistake := (*gateway.ConfigError)(nil); errors.As(err, &mistake) {
		return nil, cli.Usage("%w", mistake)
	}
	if err != nil {
		return nil, fmt.Errorf("gateway run: %w", err)
	}
	return g, nil
}

// begin queues the start, if the flags give one.
func (r *gatewayRun) begin(ctx context.Context, g *gateway.Gateway) error {
	if r.o.start == "" {
		return r.requireJob(ctx, g)
	}
	_, err := g.Start(ctx, r.o.agent, agenticloopv2.Event{Type: gateway.TypeStart, Payload: json.RawMessage(r.o.start),
		DedupeKey: r.o.startKey})
	if mistake := (*gateway.ConfigError)(nil); errors.As(err, &mistake) {
		return cli.Usage("gateway run: %w", mistake)
	}
	return err
}

// requireJob fails unless the log holds an unfinished job.
func (r *gatewayRun) requireJob(ctx context.Context, g *gateway.Gateway) error {
	state, err := g.State(ctx)
	if err != nil {
		return fmt.Errorf("gateway run: %w", err)
	}
	if slices.ContainsFunc(state.Jobs, func(j gateway.Job) bool { return !j.Status.Ended() }) {
		return nil
	}
	return cli.Usage("gateway run --data %s: nothing to do: no job is queued there: give --start '{\"goal\": \"...\"}'", r.o.data)
}

func (r *gatewayRun) observe(record gateway.Record) {
	r.tree.Take(record)
	if r.o.json {
		if err := json.NewEncoder(r.out).Encode(record); err != nil && r.failed == nil {
			r.failed = err
		}
	}
}
