package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/agent"
	agentfault "github.com/openassay/assay/simhost/agent/fault"
	"github.com/openassay/assay/simhost/agent/rules"
	"github.com/openassay/assay/simhost/agent/variation"
)

// Agent is a reference agent that is to be certified. It runs in this process, unless each of its turns is to be one of its
// own: that is slower by far, and there are faults that show nowhere else.
type Agent struct {
	Profile agent.Profile
	Faults  []string
	Vary    string // a way to differ without being wrong, "" for none
	Process bool
}

// HonestAgents list reference agents that keep every promise they make: of both revisions, with each capability and each
// seam left off alone, and in each way in which honest agents differ. Their names are the flags of assay agent export that make them.
func HonestAgents() []Host {
	hosts := []Host{{Name: "agent", Agent: &Agent{}}}
	for _, revision := range agent.Revisions[1:] {
		hosts = append(hosts, Host{Name: "agent --revision " + revision, Agent: &Agent{Profile: agent.Profile{Revision: revision}}})
	}
	all := agent.Declarable()
	for _, name := range all {
		hosts = append(hosts, Host{Name: "agent --without " + name, Agent: &Agent{Profile: agent.Profile{Without: []string{name}}}})
	}
	hosts = append(hosts, Host{Name: "agent --without " + strings.Join(all, ","), Agent: &Agent{Profile: agent.Profile{Without: all}}})
	for _, name := range variation.Names() {
		hosts = append(hosts, Host{Name: "agent --vary " + name, Agent: &Agent{Vary: name}})
	}
	return hosts
}

// FaultyAgent is the reference agent that commits a fault.
func FaultyAgent(f agentfault.Fault) Host {
	v := &Violation{ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, Twin: f.Twin}
	if f.Revision != "" {
		v.Under = "--revision " + f.Revision
	}
	return Host{Name: f.ID, Agent: &Agent{Profile: agent.Profile{Revision: f.Revision}, Faults: []string{f.ID}, Process: f.Process}, Fault: v}
}

// certify runs the suites against an agent of its own, to the end. The report is without transcripts.
func (a *Agent) certify(ctx context.Context, h Host, o scenarios.Options) (_ *scenarios.Report, err error) {
	dir, err := wire.NewFolder("assay-prove-")
	if err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, wire.RemoveFolder(dir)) }()
	set, err := agentfault.Rules(a.Faults...)
	if err != nil {
		return nil, err
	}
	if err := a.export(dir, &set); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
	}
	run := agent.New(agent.Options{Rules: &set}).Run
	if a.Vary != "" {
		v, err := variation.Find(a.Vary)
		if err == nil {
			err = v.Declare(filepath.Join(dir, agent.ProfileFile))
		}
		if err != nil {
			return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
		}
		run = v.Front(run)
	}
	target, err := agenticloop.Folder(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of %s: %w", h.Name, err)
	}
	if !a.Process {
		target.Process.Here = run
	}
	return finish(ctx, h, target, o)
}

// export writes the folder of the plugin. Where turns are processes, what they start is a copy of this very program, which
// knows the command agent: it may stand where the user that plugins are started as cannot read.
func (a *Agent) export(dir string, set *rules.Set) error {
	profile := a.Profile
	profile.Rules = set
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
	return out.Chmod(0o755) // whatever the umask
}
