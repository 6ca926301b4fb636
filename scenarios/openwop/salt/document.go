package salt

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Hear returns a document that a target sent with the published names.
func (n *Names) Hear(document string) string {
	if n == nil {
		return document
	}
	return quoted(document, func(member, name string) (string, bool) { return n.lookup(n.published, n.swapped(member, name), name) })
}

// swapped returns the drawn name of a published one that says which workflow or node it is: it is that of another one, which has
// this very name on the target. "" for anything else.
func (n *Names) swapped(member, name string) string {
	if n.ids[name] || strings.HasSuffix(member, "odeId") && n.inside[name] {
		return n.drawn[name]
	}
	return ""
}

// Node returns the id of a node as it is sent.
func (n *Names) Node(id string) string {
	if n == nil || n.inside[id] {
		return n.Drawn(id)
	}
	return n.Published(id)
}

// lookup finds a name, or that of a worker with its host before it.
func (n *Names) lookup(in map[string]string, first, name string) (string, bool) {
	if first != "" {
		return first, true
	}
	if is, ok := in[name]; ok {
		return is, true
	}
	if host, worker := split(name); host != "" && worker != "" {
		published, ok := in[worker]
		return host + published, ok && (n.ids[worker] || n.ids[published])
	}
	return "", false
}

// anyToken returns the drawn name of a published one that is no ordinary word.
func (n *Names) anyToken(name string) (string, bool) {
	if n.anywhere[name] {
		return n.drawn[name], true
	}
	if is, ok := n.published[name]; ok && n.ids[is] { // swapped
		return is, true
	}
	if host, worker := split(name); host != "" && n.ids[worker] {
		return host + n.drawn[worker], true
	}
	return "", false
}

// Token returns a value of a request as it is sent: a drawn name in place of a published one that is no ordinary word.
func (n *Names) Token(value string) string {
	if n != nil {
		if is, ok := n.anyToken(value); ok {
			return is
		}
	}
	return value
}

// Body returns a body as it is sent. Ids of workflows and other distinctive names are replaced wherever they are whole strings; names
// of variables and nodes, which may be ordinary words, where a body has them: in the inputs of a run of a fixture, and as nodeId.
func (n *Names) Body(body any) (any, error) {
	if n == nil || body == nil {
		return body, nil
	}
	raw, ready := body.([]byte)
	if !ready {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encoding a request body: %w", err)
		}
	}
	sent := quoted(string(raw), func(_, name string) (string, bool) { return n.anyToken(name) })
	d := json.NewDecoder(strings.NewReader(sent))
	d.UseNumber()
	var doc any
	if d.Decode(&doc) != nil || !n.inner(doc) {
		return []byte(sent), nil
	}
	return json.Marshal(doc)
}

// inner replaces names of variables and nodes in a document, and reports whether there were any.
func (n *Names) inner(doc any) (changed bool) {
	switch doc := doc.(type) {
	case map[string]any:
		if id, _ := doc["workflowId"].(string); n.ids[n.published[id]] {
			inputs, _ := doc["inputs"].(map[string]any)
			renamed := map[string]any{}
			for name, value := range inputs {
				renamed[n.Drawn(name)] = value
				changed = changed || n.Drawn(name) != name
			}
			if changed {
				doc["inputs"] = renamed
			}
		}
		if node, is := doc["nodeId"].(string); is && n.Node(node) != node {
			doc["nodeId"], changed = n.Node(node), true
		}
		for _, value := range doc {
			changed = n.inner(value) || changed
		}
	case []any:
		for _, value := range doc {
			changed = n.inner(value) || changed
		}
	}
	return changed
}

// Variables returns values of variables by their drawn names.
func (n *Names) Variables(values any) any {
	members, is := values.(map[string]any)
	if n == nil || !is {
		return values
	}
	out := map[string]any{}
	for name, value := range members {
		if s, is := value.(string); is {
			value = n.Token(s)
		}
		out[n.Drawn(name)] = value
	}
	return out
}

// quoted returns a document in which whole strings, members' names among them, are replaced. The rest stays as it is, byte for byte,
// also where it is no JSON. to is told the member whose value it is, "" for none. Drawn and published names need no escapes in JSON.
func quoted(document string, to func(member, name string) (string, bool)) string {
	var out strings.Builder
	kept, member, behind := 0, "", 0
	for at := 0; ; {
		begin := strings.IndexByte(document[at:], '"')
		if begin < 0 {
			break
		}
		begin += at + 1
		end := begin
		for end < len(document) && document[end] != '"' {
			if document[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(document) {
			break
		}
		of := member
		if strings.Trim(document[behind:begin-1], " \t\r\n") != ":" {
			of = ""
		}
		if is, ok := to(of, document[begin:end]); ok {
			out.WriteString(document[kept:begin])
			out.WriteString(is)
			kept = end
		}
		member, behind, at = document[begin:end], end+1, end+1
	}
	if kept == 0 {
		return document
	}
	out.WriteString(document[kept:])
	return out.String()
}
