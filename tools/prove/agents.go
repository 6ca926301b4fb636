package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/simhost/agent"
	agentfault "github.com/openassay/assay/simhost/agent/fault"
)

// Agent is a reference agent that is to be certified. It runs in this process: that of a plugin is tried elsewhere.
type Agent struct {
	Profile agent.Profile
	Faults  []string
}

// HonestAgents list reference agents that keep every promise they make: of both revisions, and with each capability and
// each seam left off alone. Their names are the flags of assay agent export that make them.
func HonestAgents() []Host {
	hosts := []Host{{Name: "agent", Agent: &Agent{}}}
	for _, revision := range agent.Revisions[1:] {
		hosts = append(hosts, Host{Name: "agent --revision " + revision, Agent: &Agent{Profile: agent.Profile{Revision: revision}}})
	}
	all := agent.Declarable()
	for _, name := range all {
		hosts = append(hosts, Host{Name: "agent --without " + name, Agent: &Agent{Profile: agent.Profile{Without: []string{name}}}})
	}
	return append(hosts, Host{Name: "agent --without " + strings.Join(all, ","), Agent: &Agent{Profile: agent.Profile{Without: all}}})
}

// FaultyAgent is the reference agent that commits a fault.
func FaultyAgent(f agentfault.Fault) Host {
	v := &Violation{ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks}
	if f.Revision != "" {
		v.Under = "--revision " + f.Revision
	}
	return Host{Name: f.ID, Agent: &Agent{Profile: agent.Profile{Revision: f.Revision}, Faults: []string{f.ID}}, Fault: v}
}

// certify runs the suites against an agent of its own, to the end. The report is without transcripts.
func (a *Agent) certify(ctx context.Context, h Host, o scenarios.Options) (_ *scenarios.Report, err error) {
	dir, err := os.MkdirTemp("", "assay-prove-*")
	if err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := agent.Export(dir, a.Profile, "assay", "agent"); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
	}
	target, err := agenticloop.Folder(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of %s: %w", h.Name, err)
	}
	set, err := agentfault.Rules(a.Faults...)
	if err != nil {
		return nil, err
	}
	target.Process.Here = agent.New(agent.Options{Rules: &set}).Run
	c, err := scenarios.Certify(ctx, target, o, agenticloop.Suites()...)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", h.Name, err)
	}
	r := c.Finish(context.WithoutCancel(ctx))
	r.Drives = nil
	return r, ctx.Err()
}
