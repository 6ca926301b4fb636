package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/simhost/agent"
	agentfault "github.com/openassay/assay/simhost/agent/fault"
)

// Agent is a reference agent that is to be certified. It runs in this process: that of a plugin is tried elsewhere.
type Agent struct {
	Revision     string   // of the protocol; "" is the first that it knows
	Without      []string // capabilities that its profile does not list
	WithoutSeams []string // seams that its profile does not declare
	Faults       []string
}

// HonestAgents list reference agents that keep every promise they make: of both revisions, and with each capability and
// each seam left off alone. Their names are the flags of assay agent export that make them.
func HonestAgents() []Host {
	hosts := []Host{{Name: "agent", Agent: &Agent{}}}
	for _, revision := range agent.Revisions[1:] {
		hosts = append(hosts, Host{Name: "agent --revision " + revision, Agent: &Agent{Revision: revision}})
	}
	for _, c := range capabilities {
		hosts = append(hosts, Host{Name: "agent --without " + c, Agent: &Agent{Without: []string{c}}})
	}
	for _, seam := range seams {
		hosts = append(hosts, Host{Name: "agent --without-seam " + seam, Agent: &Agent{WithoutSeams: []string{seam}}})
	}
	return append(hosts, Host{Name: "agent --without-seam " + seams[0] + "," + seams[1] + "," + seams[2], Agent: &Agent{WithoutSeams: seams}})
}

// capabilities are what a profile can list.
var capabilities = []string{
	string(agenticloopv2.CapabilityCompletedSteps), string(agenticloopv2.CapabilityContextBudget), string(agenticloopv2.CapabilityContextDelivery),
	string(agenticloopv2.CapabilityRedelivery), string(agenticloopv2.CapabilityReframe), string(agenticloopv2.CapabilityRetry),
	string(agenticloopv2.CapabilityWorkspace),
}

// seams are the ways in which a profile can have the agent's decisions made for it.
var seams = []string{"context_steering", "scripted_config", "mock_llm"}

// FaultyAgent is the reference agent that commits a fault.
func FaultyAgent(f agentfault.Fault) Host {
	return Host{
		Name: f.ID, Agent: &Agent{Faults: []string{f.ID}},
		Fault: &Violation{ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks},
	}
}

// certify runs the suites against an agent of its own, to the end. The report is without transcripts.
func (a *Agent) certify(ctx context.Context, h Host, o scenarios.Options) (_ *scenarios.Report, err error) {
	dir, err := os.MkdirTemp("", "assay-prove-*")
	if err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := a.export(dir); err != nil {
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

// export writes the plugin's folder. Its program is not started.
func (a *Agent) export(dir string) error {
	revision := a.Revision
	if revision == "" {
		revision = agent.Revisions[0]
	}
	if err := agent.Export(dir, revision, "assay", "agent"); err != nil {
		return err
	}
	path := filepath.Join(dir, agent.ProfileFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var profile struct {
		Capabilities []string       `yaml:"capabilities,omitempty"`
		Seams        map[string]any `yaml:"seams,omitempty"`
		Rest         map[string]any `yaml:",inline"`
	}
	if err := yaml.Unmarshal(content, &profile); err != nil {
		return err
	}
	profile.Capabilities = slices.DeleteFunc(profile.Capabilities, func(c string) bool { return slices.Contains(a.Without, c) })
	for _, seam := range a.WithoutSeams {
		delete(profile.Seams, seam)
	}
	if content, err = yaml.Marshal(profile); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
