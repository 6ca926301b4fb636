package doctor

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios/wire"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// program checks a target that is an executable: that it can be started, its declaration, and one turn that changes
// nothing.
func (e *examination) program(ctx context.Context) {
	p := e.Target.Process
	e.report.Protocol = e.Protocols[0].ID
	if err := p.CheckProgram(); err != nil {
		e.note("program", Fail, "make it executable for others too (chmod 755), and check its path and its first line", "%v", err)
		return
	}
	e.note("program", OK, "", "%s can be started", strings.Join(p.Command, " "))
	if e.Protocols[0].Program.Declares {
		e.schema("what is declared", e.Protocols[0].CheckDiscovery(p.Declared))
	}
	e.turn(ctx)
}

// misfit returns the first way in which an answer violates the schema of the protocol, or "".
func (e *examination) misfit(answer []byte) string {
	set, err := validate.New(e.Protocols[0].Spec())
	if err != nil {
		return err.Error()
	}
	schema, err := set.Component(e.Protocols[0].Program.Answer)
	if err != nil {
		return err.Error()
	}
	if problems := schema.Validate(answer); len(problems) > 0 {
		return problems[0].String()
	}
	return ""
}

// turn starts the program once, with a request that changes nothing.
func (e *examination) turn(ctx context.Context) {
	input, what := e.Protocols[0].Program.Harmless(e.Now().Add(checkTimeout))
	raw, err := json.Marshal(input)
	if err != nil {
		e.note("turn", Fail, "report it: it is a fault of Assay's own", "%v", err)
		return
	}
	ended, err := e.client.Spawn(ctx, wire.Turn{Input: raw, Label: "does it answer", Timeout: checkTimeout})
	if err != nil {
		e.note("turn", Fail, "see that it starts: the interpreter in its first line, its rights, what it needs around it", "%v", err)
		return
	}
	spawned := e.client.Transcript().Entry(ended.Exchange()).Process
	errs := ""
	if spawned.Errors != "" {
		errs = "; it wrote on its standard error: " + textsafe.Clip(spawned.Errors, 200)
	}
	switch {
	case ended.TimedOut:
		e.note("turn", Fail, "have it end when its input ends, and its answer is written", "%s: it did not end in %s%s", what, checkTimeout, errs)
		return
	case spawned.Unread != "":
		e.note("turn", Fail, "have it write one JSON document on its standard output, and nothing else", "%s: %s%s", what, spawned.Unread, errs)
		return
	}
	e.report.Reached = true
	if problem := e.misfit(ended.Output); problem != "" {
		e.note("turn", Fail, "answer as the protocol asks: assay list requirements has what it asks",
			"%s is answered by something else: %s%s", what, problem, errs)
		return
	}
	if spawned.Exit != nil && *spawned.Exit != 0 {
		e.note("turn", Warn, "have it exit with 0 whatever it answers", "%s: it answers, and exits with %d%s", what, *spawned.Exit, errs)
		return
	}
	e.note("turn", OK, "", "%s is answered in JSON: %s", what, textsafe.Clip(string(ended.Output), 120))
}
