package salt

import (
	"slices"
	"strings"
)

// The walk through a fixture is the same for gathering names and for replacing them: a visitor says what becomes of each.
type visitor interface {
	// name returns what stands in place of a name of a kind.
	name(k kind, published string) string
}

// gathered notes the kind of each name that is drawn, and all texts of fixtures, which no drawn name may be.
type gathered struct {
	n     *Names
	kinds map[string]kind
	seen  map[string]bool
}

func (g *gathered) name(k kind, published string) string {
	g.seen[published] = true
	if before, ok := g.kinds[published]; !ok || k < before {
		g.kinds[published] = k
	}
	if k != inner {
		g.n.anywhere[published] = true
	}
	return published
}

func (g *gathered) definition(d map[string]any) {
	for _, n := range listOf(d["nodes"]) {
		g.n.inside[textOf(object(n)["id"])] = true
	}
	walk(g, g.n.ids, d)
}

// rename replaces names by drawn ones.
type rename struct{ n *Names }

func (r rename) name(_ kind, published string) string { return r.n.Drawn(published) }

func (r rename) definition(d map[string]any) map[string]any { return walk(r, r.n.ids, d) }

// vocabulary are words of the protocol where a fixture may have words of its own as well.
var vocabulary = []string{"goal-reached"}

// ownType begins the types of nodes that are none of the protocol's.
const ownType = "vendor."

type walker struct {
	visitor
	ids       map[string]bool
	variables map[string]bool
}

// walk returns a definition in which every name is what the visitor says.
func walk(v visitor, ids map[string]bool, d map[string]any) map[string]any {
	w := walker{v, ids, map[string]bool{}}
	for _, variable := range listOf(d["variables"]) {
		w.variables[textOf(object(variable)["name"])] = true
	}
	return replaced(d, func(key string, value any) any {
		switch key {
		case "id":
			return w.name(workflow, textOf(value))
		case "nodes":
			return each(value, w.node)
		case "edges", "triggers":
			return each(value, func(m map[string]any) map[string]any { return w.members("", m) })
		case "variables":
			return each(value, w.variable)
		case "metadata":
			m := w.members("", object(value))
			delete(m, "tags") // say what it is for
			return m
		case "name", "description":
			return w.name(text, textOf(value))
		}
		return value
	})
}

func (w walker) node(n map[string]any) map[string]any {
	return replaced(n, func(key string, value any) any {
		switch key {
		case "id":
			return w.name(inner, textOf(value))
		case "name":
			return w.name(text, textOf(value))
		case "typeId":
			if strings.HasPrefix(textOf(value), ownType) {
				return w.name(nodeType, textOf(value))
			}
		case "inputs":
			ports := map[string]any{}
			for port, in := range object(value) {
				if textOf(n["typeId"]) == "core.identity" && w.variables[port] { // its ports become variables
					port = w.name(inner, port)
				}
				ports[port] = w.members("", object(in))
			}
			return ports
		case "config", "agent":
			return w.members(key, object(value))
		}
		return value
	})
}

func (w walker) variable(v map[string]any) map[string]any {
	return replaced(v, func(key string, value any) any {
		switch key {
		case "name":
			return w.name(inner, textOf(value))
		case "description":
			return w.name(text, textOf(value))
		case "defaultValue":
			return w.value(key, value)
		}
		return value
	})
}

// members returns an object whose members have the meaning that their names have in every definition.
func (w walker) members(in string, m map[string]any) map[string]any {
	return replaced(m, func(key string, value any) any {
		switch key {
		case "inputMapping", "outputMapping":
			return w.mapping(object(value))
		case "perWorkerInputMappings", "perWorkerOutputMappings":
			of := map[string]any{}
			for worker, mapping := range object(value) {
				of[w.worker(worker)] = w.mapping(object(mapping))
			}
			return of
		}
		if in == "correlation" && distinctive(textOf(value)) {
			value = w.name(word, textOf(value))
		}
		return w.value(key, value)
	})
}

// mapping is from names of variables to names of variables.
func (w walker) mapping(m map[string]any) map[string]any {
	out := map[string]any{}
	for to, from := range m {
		out[w.name(inner, to)] = w.name(inner, textOf(from))
	}
	return out
}

func (w walker) worker(id string) string {
	before, last := split(id)
	switch {
	case w.ids[id]:
		return w.name(workflow, id)
	case before != "" && w.ids[last]:
		return before + w.name(workflow, last)
	}
	return w.name(word, id)
}

// split splits the id of a worker at its host.
func split(id string) (host, worker string) {
	i := strings.LastIndexByte(id, '/') + 1
	return id[:i], id[i:]
}

// value returns what stands under a member.
func (w walker) value(member string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		return w.members(member, value)
	case []any:
		out := make([]any, len(value))
		for i, e := range value {
			out[i] = w.value(member, e)
		}
		return out
	case string:
		return w.string(member, value)
	}
	return value
}

func (w walker) string(member, s string) string {
	switch member {
	case "variableName", "mockNotes":
		return w.name(inner, s)
	case "nodeId", "sourceNodeId", "targetNodeId":
		return w.name(inner, s)
	case "nextWorkerIds":
		return w.worker(s)
	case "agentId", "memoryRef", "code", "eventType", "path":
		return w.name(word, s)
	case "reason", "key":
		if !slices.Contains(vocabulary, s) {
			return w.name(word, s)
		}
		return s
	case "requiresCapability", "profile":
		return s
	}
	switch {
	case strings.Contains(s, " "):
		return w.name(text, s)
	case distinctive(s):
		return w.name(word, s)
	}
	return s
}

// distinctive reports whether a value is a mark of its own: no word that anybody would use.
func distinctive(s string) bool {
	return strings.Contains(s, "assay") || strings.Count(s, "-") > 1
}

// replaced returns an object with another value for each member.
func replaced(m map[string]any, by func(member string, value any) any) map[string]any {
	out := make(map[string]any, len(m))
	for member, value := range m {
		out[member] = by(member, value)
	}
	return out
}

func each(of any, f func(map[string]any) map[string]any) []any {
	out := []any{}
	for _, e := range listOf(of) {
		out = append(out, f(object(e)))
	}
	return out
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func listOf(v any) []any { l, _ := v.([]any); return l }

func textOf(v any) string { s, _ := v.(string); return s }
