package protocols

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/fault"
	"github.com/openassay/assay/simhost/agenticloop/rules"
	"github.com/openassay/assay/simhost/agenticloop/variation"
	commands "github.com/openassay/assay/tools/internal/protocols/agenticloop"
)

var agenticLoop = &Row{
	Protocol: suites.Protocol, Brand: "agentic loop",
	Targets: []Target{{
		Name: "plugin", Suites: suites.Suites, Models: suites.Models,
		Flag: &Flag{
			Name: "exec", Usage: "`COMMAND` of a plugin, in place of TARGET, started in the working folder once a turn, like 'python3 run.py'",
			Example: "python3 run.py", Target: suites.Exec,
		},
		Folder: &Folder{Holds: suites.IsPlugin, Files: [2]string{suites.ProfileName, suites.ManifestName}, Target: suites.Folder},
	}},
	Honest: honestAgents, Faults: agentFaults, Variations: agentVariations,
	Speaker:   "reference agent",
	Misbehave: "assay agent export DIR --fault %s, and then assay certify DIR",
	Commands:  []Command{{After: "simhost", New: commands.NewAgent}, {After: "agent", New: commands.NewGateway}},
	Cost:      Cost{680 * time.Millisecond, 8400 * time.Millisecond, 2_180_000},
}

// Agent is a reference agent to certify. It runs in this process unless Process is set. A process for each turn is far
// slower, but some faults show nowhere else.
type Agent struct {
	Profile agent.Profile
	Faults  []string
	Vary    string // allowed variation, "" for none
	Process bool
}

// honestAgents returns agents of all revisions, agents without single capabilities or seams, and one agent for each
// variation.
func honestAgents() []Honest {
	agents := []Honest{{"agent", Agent{}}}
	for _, revision := range agent.Revisions[1:] {
		agents = append(agents, Honest{"agent --revision " + revision, Agent{Profile: agent.Profile{Revision: revision}}})
	}
	all := agent.Declarable()
	for _, name := range all {
		agents = append(agents, Honest{"agent --without " + name, Agent{Profile: agent.Profile{Without: []string{name}}}})
	}
	agents = append(agents, Honest{"agent --without " + strings.Join(all, ","), Agent{Profile: agent.Profile{Without: all}}})
	for _, name := range variation.Names() {
		agents = append(agents, Honest{"agent --vary " + name, Agent{Vary: name}})
	}
	return agents
}

func agentFaults() (out []Fault) {
	for _, f := range fault.All() {
		out = append(out, agentFault(f))
	}
	return out
}

func agentFault(f fault.Fault) Fault {
	under := ""
	if f.Revision != "" {
		under = "--revision " + f.Revision
	}
	return Fault{
		ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, Under: under, Twin: f.Twin, Depth: f.Depth,
		Run:      "assay agent --fault " + f.Spec(),
		Specimen: Agent{Profile: agent.Profile{Revision: f.Revision}, Faults: []string{f.Spec()}, Process: f.Process},
		Params:   f.Params(), With: with(fault.Find, agentFault),
	}
}

func agentVariations() (out []Variation) {
	for _, v := range variation.List() {
		out = append(out, Variation{ID: v.ID, Title: v.Title, About: v.About, Slips: v.Slips, Run: "assay agent --vary " + v.ID})
	}
	return out
}

// Protocol implements [Specimen].
func (Agent) Protocol() *scenarios.Protocol { return suites.Protocol }

// Start implements [Specimen] by creating the plugin folder.
func (a Agent) Start(context.Context, wire.Target, Place) (ready wire.Target, stop func(context.Context) error, err error) {
	dir, err := wire.NewFolder("prove-")
	if err != nil {
		return ready, nil, fmt.Errorf("make the folder of the agent: %w", err)
	}
	if ready, err = a.plugin(dir); err != nil {
		return ready, nil, errors.Join(fmt.Errorf("make the folder of the agent: %w", err), wire.RemoveFolder(dir))
	}
	return ready, func(context.Context) error { return wire.RemoveFolder(dir) }, nil
}

// plugin writes the agent into a folder and returns it as a target.
func (a Agent) plugin(dir string) (wire.Target, error) {
	run, err := fault.Agent(func(by *rules.Set) fault.Program { return agent.New(agent.Options{Rules: by}).Run }, a.Faults...)
	if err != nil {
		return wire.Target{}, err
	}
	if err := a.export(dir); err != nil {
		return wire.Target{}, err
	}
	if a.Vary != "" {
		v, err := variation.Find(a.Vary)
		if err == nil {
			err = v.Declare(filepath.Join(dir, agent.ProfileFile))
		}
		if err != nil {
			return wire.Target{}, err
		}
		run = v.Front(run)
	}
	target, err := suites.Folder(dir)
	if err == nil && !a.Process {
		target.Process.Here = run
	}
	return target, err
}

// export writes the plugin folder. If turns are processes, they start a copy of this program, which has the command
// agent: the user that runs plugins may be unable to read the original.
func (a Agent) export(dir string) (err error) {
	profile := a.Profile
	if profile.Manifest, err = fault.Manifest(a.Faults...); err != nil {
		return err
	}
	program, arguments := "assay", []string{"agent"}
	if a.Process {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		program = filepath.Join(dir, program)
		if err := copyProgram(self, program); err != nil {
			return err
		}
		for _, id := range a.Faults {
			arguments = append(arguments, "--fault", id)
		}
	}
	return agent.Export(dir, profile, program, arguments...)
}

func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // a program, which another user runs
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Chmod(0o755) // despite the umask
}
