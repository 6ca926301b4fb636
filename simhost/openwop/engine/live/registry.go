package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// registry holds the workflows that the host can run. A run's own definition also stands in the log, under its digest, so
// that the run goes on as it began when the host comes back with other workflows.
type registry struct {
	ctx       context.Context // of the engine
	log       Log
	workflows map[string]lazyProgram
	digests   sync.Map // *workflow.Program by the digest of its definition, for the workflows compiled so far
}

// lazyProgram compiles a definition of the registry when it is first called, or refuses it.
type lazyProgram func() (*workflow.Program, error)

func (g *registry) open(ctx context.Context, o Options) {
	g.ctx, g.log, g.workflows = ctx, o.Log, make(map[string]lazyProgram, len(o.Workflows))
	for id, d := range o.Workflows {
		g.workflows[id] = sync.OnceValues(func() (*workflow.Program, error) {
			p, err := workflow.Compile(d)
			if err == nil {
				g.digests.Store(p.Digest, p)
			}
			return p, err
		})
	}
}

// find is the program to run.
func (g *registry) find(c Create) (*workflow.Program, error) {
	if c.Definition != nil {
		return workflow.Compile(*c.Definition)
	}
	return g.registered(c.WorkflowID)
}

// registered is the program of a workflow of the registry.
func (g *registry) registered(workflowID string) (*workflow.Program, error) {
	w, ok := g.workflows[workflowID]
	if !ok {
		return nil, codes.WorkflowNotFound(workflowID)
	}
	return w()
}

// program finds a workflow definition by its digest: in the registry, or in the log.
func (g *registry) program(ctx context.Context, digest string) (*workflow.Program, error) {
	if p, ok := g.digests.Load(digest); ok {
		return p.(*workflow.Program), nil
	}
	entries, err := g.log.Read(ctx, g.logOf(digest), 0)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return g.withoutLog(ctx, digest)
	}
	var definition openwopv1.WorkflowDefinition
	if err := json.Unmarshal(entries[0].Data, &definition); err != nil {
		return nil, fmt.Errorf("decode a workflow definition: %w", err)
	}
	if p, err := g.registered(definition.ID); err == nil && p.Digest == digest {
		return p, nil
	}
	return workflow.Compile(definition)
}

// withoutLog finds a definition that the log does not hold, or no longer does, among the workflows of the registry.
func (g *registry) withoutLog(ctx context.Context, digest string) (*workflow.Program, error) {
	for id := range g.workflows {
		if p, err := g.registered(id); err == nil && p.Digest == digest {
			return p, nil
		}
	}
	if _, err := g.log.Read(ctx, workflow.DefinitionLog(digest), 0); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the log holds no workflow definition %s", digest)
}

// logOf names the log of a definition.
func (g *registry) logOf(digest string) string {
	return g.log.Successor(workflow.DefinitionLog(digest))
}

// keep puts a definition into the log, once for all runs of it.
func (g *registry) keep(p *workflow.Program) error {
	if p.Stored.Load() {
		return nil
	}
	_, err := g.log.Append(g.ctx, g.logOf(p.Digest), 0, p.Encoded)
	if err != nil && !errors.Is(err, eventlog.ErrConflict) {
		return err
	}
	p.Stored.Store(true)
	return nil
}

// isLoop tells whether this workflow is a supervisor's loop.
func (g *registry) isLoop(workflowID string) bool {
	p, err := g.registered(workflowID)
	return err == nil && p.Loop < len(p.Nodes)
}
