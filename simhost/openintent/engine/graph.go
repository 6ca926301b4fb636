package engine

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
)

// AddDependency lets an intent wait for another one.
func (e *Engine) AddDependency(ctx context.Context, by Caller, id string, meant Meant, dep string) (doc openintentv1.Intent, err error) {
	err = e.do(ctx, func(t *tx) error {
		in, err := t.intent("addIntentDependency", id, by, meant)
		if err != nil {
			return err
		}
		switch {
		case t.w.intents[dep] == nil:
			return notFound("intent", dep)
		case slices.Contains(in.DependsOn, dep):
			return badDependency("it is a dependency already")
		case dep == id || t.reaches(dep, id, map[string]bool{}, 0):
			return badDependency("an intent cannot wait for itself, nor for one that waits for it")
		}
		t.emit(&Event{
			Type: "dependency_added", Intent: id, Actor: by.Name,
			Payload: map[string]any{"dependency_id": dep}, Change: &Change{Depend: dep},
		})
		if t.w.upstreamSuspended(in, map[string]bool{}) && t.rules.Graph.Blocks(in.Status) {
			t.move(in, move{to: Blocked, by: system, reason: "upstream_suspended: " + dep})
			t.blockDependents(t.w.intents[dep], in, map[string]bool{id: true})
		}
		doc = t.w.intentDoc(in)
		return nil
	})
	return doc, err
}

func badDependency(why string) error {
	return refuse(CodeDependency, "%s: name another intent", why)
}

// reaches tells whether from waits for to, directly or through others; steps is how many there were until from.
func (t *tx) reaches(from, to string, seen map[string]bool, steps int) bool {
	if from == to {
		return true
	}
	seen[from] = true
	in := t.w.intents[from]
	return in != nil && t.rules.Graph.Follows(steps) &&
		slices.ContainsFunc(in.DependsOn, func(id string) bool { return !seen[id] && t.reaches(id, to, seen, steps+1) })
}

// RemoveDependency lets an intent wait for another one no more.
func (e *Engine) RemoveDependency(ctx context.Context, by Caller, id string, meant Meant, dep string) (doc openintentv1.Intent, err error) {
	err = e.do(ctx, func(t *tx) error {
		in, err := t.intent("removeIntentDependency", id, by, meant)
		if err != nil {
			return err
		}
		if !slices.Contains(in.DependsOn, dep) {
			return notFound("dependency", dep)
		}
		frees := t.rules.Graph.Frees(t.w.intents[dep].Status)
		t.emit(&Event{
			Type: "dependency_removed", Intent: id, Actor: by.Name,
			Payload: map[string]any{"dependency_id": dep}, Change: &Change{Release: dep},
		})
		if in.Status == Blocked && in.PausedBy == "" && frees && t.rules.Graph.Unblocks(t.w.statuses(in.DependsOn)) {
			t.move(in, move{to: Active, by: system, reason: "dependencies_completed"})
		}
		doc = t.w.intentDoc(in)
		return nil
	})
	return doc, err
}

// Relation is a set of intents around one.
type Relation string

// The relations.
const (
	Children     Relation = "children"
	Descendants  Relation = "descendants"
	Ancestors    Relation = "ancestors"
	Dependencies Relation = "dependencies"
	Dependents   Relation = "dependents"
	Ready        Relation = "ready"   // children whose dependencies are all completed
	Held         Relation = "blocked" // the others
)

// Related are the intents around one.
func (e *Engine) Related(ctx context.Context, id string, r Relation) (docs []openintentv1.Intent, err error) {
	err = e.view(ctx, func(w *world) error {
		in := w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		docs = []openintentv1.Intent{}
		for _, other := range w.related(in, r) {
			docs = append(docs, w.intentDoc(w.intents[other]))
		}
		return nil
	})
	return docs, err
}

func (w *world) related(in *Intent, r Relation) []string {
	switch r {
	case Children:
		return w.children[in.ID]
	case Descendants:
		return w.below(in.ID)
	case Ancestors:
		return w.above(in)
	case Dependencies:
		return in.DependsOn
	case Dependents:
		return w.dependents[in.ID]
	}
	var ids []string
	for _, id := range w.children[in.ID] {
		ready := !slices.ContainsFunc(w.statuses(w.intents[id].DependsOn), func(s string) bool { return s != Completed })
		if ready == (r == Ready) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *world) below(id string) (ids []string) {
	for _, child := range w.children[id] {
		ids = append(append(ids, child), w.below(child)...)
	}
	return ids
}

func (w *world) above(in *Intent) (ids []string) {
	for up := w.intents[in.Parent]; up != nil; up = w.intents[up.Parent] {
		ids = append(ids, up.ID)
	}
	return ids
}

// Graph is an intent, what is below it, and what these wait for.
func (e *Engine) Graph(ctx context.Context, id string) (doc openintentv1.IntentGraph, err error) {
	err = e.view(ctx, func(w *world) error {
		in := w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		doc = w.graphDoc(in)
		return nil
	})
	return doc, err
}

func (w *world) graphDoc(root *Intent) openintentv1.IntentGraph {
	ids := append([]string{root.ID}, w.below(root.ID)...)
	for i := 0; i < len(ids); i++ {
		for _, dep := range w.intents[ids[i]].DependsOn {
			if !slices.Contains(ids, dep) {
				ids = append(ids, dep)
			}
		}
	}
	doc := openintentv1.IntentGraph{RootID: root.ID, Nodes: []openintentv1.GraphNode{}, Edges: []openintentv1.GraphEdge{}}
	for _, id := range ids {
		in := w.intents[id]
		title := in.Title
		doc.Nodes = append(doc.Nodes, openintentv1.GraphNode{
			ID: id, Title: &title, Status: openintentv1.IntentStatus(in.Status), ParentID: orNil(in.Parent), DependsOn: in.DependsOn,
		})
		if in.Parent != "" && slices.Contains(ids, in.Parent) {
			doc.Edges = append(doc.Edges, openintentv1.GraphEdge{From: in.Parent, To: id, Type: openintentv1.GraphEdgeTypeParent})
		}
		for _, dep := range in.DependsOn {
			doc.Edges = append(doc.Edges, openintentv1.GraphEdge{From: dep, To: id, Type: openintentv1.GraphEdgeTypeDependency})
		}
	}
	doc.AggregateStatus = w.aggregate(w.children[root.ID])
	return doc
}

// aggregate counts the statuses of children (RFC-0026 rule 4).
func (w *world) aggregate(ids []string) *openintentv1.AggregateStatus {
	statuses := w.statuses(ids)
	out := &openintentv1.AggregateStatus{Total: int64(len(statuses)), ByStatus: countEach(statuses)}
	percent := 0.0
	if len(statuses) > 0 {
		percent = 100 * float64(out.ByStatus[Completed]) / float64(len(statuses))
	}
	out.CompletionPercentage = &percent
	for _, id := range ids {
		switch in := w.intents[id]; {
		case in.Status == Completed || in.Status == Abandoned || in.Status == Suspended:
		case slices.ContainsFunc(w.statuses(in.DependsOn), func(s string) bool { return s != Completed }):
			out.BlockingIntents = append(out.BlockingIntents, in.DependsOn...)
		default:
			out.ReadyIntents = append(out.ReadyIntents, id)
		}
	}
	slices.Sort(out.BlockingIntents)
	out.BlockingIntents = slices.Compact(out.BlockingIntents)
	return out
}

// countEach counts the statuses; every one that there is has a count.
func countEach(statuses []string) map[string]int64 {
	counts := map[string]int64{Draft: 0, Active: 0, Blocked: 0, Suspended: 0, Completed: 0, Abandoned: 0}
	for _, s := range statuses {
		counts[s]++
	}
	return counts
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
