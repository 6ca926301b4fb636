package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// Options say what an agent takes from outside. The zero Options make an agent that runs for real.
type Options struct {
	// Name is the plugin's own name, as its manifest has it; DefaultName unless given. No tool of this name is ever called.
	Name string

	// Now is the time; time.Now unless given.
	Now func() time.Time

	// Open opens the folder that a request names as the workspace. Unless given it must be absolute, and there.
	Open func(dir string) (*os.Root, error)

	// Planner takes the decisions. Unless given, the config of each request says who does.
	Planner Planner

	// HTTP is what a model is asked through; a client that follows no redirect unless given.
	HTTP *http.Client

	// Rules are what the agent goes by; rules.Honest unless given.
	Rules *rules.Set
}

// DefaultName is the name of the plugin in the text.
const DefaultName = "agentic-loop"

// Agent does turns. It keeps nothing between them, and may be used concurrently.
type Agent struct {
	name    string
	now     func() time.Time
	open    func(dir string) (*os.Root, error)
	planner Planner
	client  *http.Client
	rules   rules.Set
}

// New returns an agent.
func New(o Options) *Agent {
	a := &Agent{name: o.Name, now: o.Now, open: o.Open, planner: o.Planner, client: o.HTTP, rules: rules.Honest()}
	if a.name == "" {
		a.name = DefaultName
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.open == nil {
		a.open = openAbsolute
	}
	if a.client == nil {
		a.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Rules != nil {
		a.rules = *o.Rules
	}
	return a
}

func openAbsolute(dir string) (*os.Root, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("open workspace %q: the path is not absolute", rules.Cut(dir, 200))
	}
	return os.OpenRoot(dir)
}

// ConfigExit is the exit code that says that a plugin cannot work as it is set up; such a job is not tried again.
const ConfigExit = 78

// protocol is the version that the agent speaks.
const protocol = 2

// ProtocolError means that a request is of a protocol that the agent does not speak. The process ends with ConfigExit.
type ProtocolError struct{ Protocol int64 }

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("the request is of protocol %d, and this plugin speaks protocol 2: start it from a gateway of that protocol",
		e.Protocol)
}

// refusal is why a turn ends in an error that the gateway hears of.
type refusal struct {
	reason string
	again  bool // the same request may fare better later
}

func (e *refusal) Error() string { return e.reason }

func refuse(format string, args ...any) error { return &refusal{reason: fmt.Sprintf(format, args...)} }

// Turn does one turn: request is what the gateway writes to the standard input. A request that cannot be done is answered, with
// status error; an error is only a *ProtocolError.
func (a *Agent) Turn(ctx context.Context, request []byte) (agenticloopv2.Response, error) {
	req, err := parse(request)
	if err != nil {
		return failure(err), nil
	}
	if req.protocol != protocol {
		return agenticloopv2.Response{}, &ProtocolError{req.protocol}
	}
	t := &turn{Agent: a, request: req, at: a.now().UTC()}
	defer t.close()
	if err := t.handle(ctx); err != nil {
		answer := failure(err)
		answer.Logs = t.lines
		return answer, nil
	}
	return t.answer(), nil
}

// failure is the answer of a turn that ended in an error.
func failure(err error) agenticloopv2.Response {
	r := &refusal{}
	errors.As(err, &r)
	return agenticloopv2.Response{Status: agenticloopv2.ResponseStatusError, Error: err.Error(), Retry: &r.again}
}

// MaxRequestBytes is how long a request may be.
const MaxRequestBytes = 64 << 20

// Run is a whole process of the plugin: it reads a request to its end, does the turn, writes the answer, and returns the exit
// code. What the agent itself gets wrong is told on errs, and in the answer in plain words.
func (a *Agent) Run(ctx context.Context, in io.Reader, out, errs io.Writer) int {
	input, err := io.ReadAll(io.LimitReader(in, MaxRequestBytes+1))
	if err != nil {
		fmt.Fprintf(errs, "%s: read the request: %v\n", a.name, err)
		return 1
	}
	answer, err := a.guarded(ctx, input, errs)
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", a.name, err)
		return ConfigExit
	}
	body, err := json.Marshal(answer)
	if err != nil {
		fmt.Fprintf(errs, "%s: encode the answer: %v\n", a.name, err)
		return 1
	}
	if _, err := out.Write(append(body, '\n')); err != nil {
		fmt.Fprintf(errs, "%s: write the answer: %v\n", a.name, err)
		return 1
	}
	return 0
}

// guarded is Turn, of which a panic is an answer like others: the standard output holds nothing else, whatever happens.
func (a *Agent) guarded(ctx context.Context, input []byte, errs io.Writer) (answer agenticloopv2.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errs, "%s: the turn went wrong: %v\n", a.name, p)
			answer, err = failure(refuse("the agent went wrong in this turn: its standard error says where")), nil
		}
	}()
	return a.Turn(ctx, input)
}
