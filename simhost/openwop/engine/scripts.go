package engine

import (
	"fmt"
	"strconv"
	"time"
)

// What one turn may read and write at most.
const (
	maxReads  = 64 // paths, and as many tags
	maxWrites = 64
	maxName   = 256 // bytes of a path or a tag
)

// reads is what the turns of a loop look at; nil where they look at nothing of the kind.
type reads struct {
	files []string // paths
	tags  []string // of memory entries
}

// write is one write of a turn: of a file, or of a memory entry.
type write struct {
	path    string // empty for a memory entry
	content string
	tags    []string
	ttl     time.Duration // of a memory entry; 0: for ever
}

// misfit says what is wrong with a script, and where in it.
type misfit struct{ at, says string }

func misfits(at, format string, args ...any) *misfit {
	return &misfit{at: at, says: fmt.Sprintf(format, args...)}
}

// parseReads reads what the turns look at: {"workspace": [path, ...], "memory": [tag, ...]}.
func parseReads(script any) (r reads, wrong *misfit) {
	if script == nil {
		return r, nil
	}
	object, ok := script.(map[string]any)
	if !ok {
		return r, misfits("", "must be an object with workspace or memory")
	}
	for key := range object {
		if key != "workspace" && key != "memory" {
			return r, misfits("", "must have workspace and memory only, not %.40q", key)
		}
	}
	if r.files, wrong = parseNames(object["workspace"], ".workspace"); wrong == nil {
		r.tags, wrong = parseNames(object["memory"], ".memory")
	}
	if wrong == nil && max(len(r.files), len(r.tags)) > maxReads {
		wrong = misfits("", "a turn reads at most %d paths and %d tags", maxReads, maxReads)
	}
	return r, wrong
}

// parseNames reads a list of paths or tags; nil where there is none.
func parseNames(value any, at string) ([]string, *misfit) {
	if value == nil {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, misfits(at, "must be an array of strings")
	}
	names := make([]string, len(list))
	for i, value := range list {
		name, ok := value.(string)
		if !ok || name == "" || len(name) > maxName {
			return nil, misfits(at+index(i), "must be a string of 1 to %d bytes", maxName)
		}
		names[i] = name
	}
	return names, nil
}

// parseWrites reads what a turn writes; turns count from 0, and those beyond the script write nothing.
func parseWrites(script any, turn int) ([]write, *misfit) {
	if script == nil {
		return nil, nil
	}
	turns, ok := script.([]any)
	if !ok {
		return nil, misfits("", "must be an array, which holds an array for each turn")
	}
	if turn >= len(turns) {
		return nil, nil
	}
	list, ok := turns[turn].([]any)
	if !ok {
		return nil, misfits(index(turn), "must be an array: what the turn writes")
	}
	if len(list) > maxWrites {
		return nil, misfits(index(turn), "a turn writes at most %d times", maxWrites)
	}
	writes := make([]write, len(list))
	for i, value := range list {
		var wrong *misfit
		if writes[i], wrong = parseWrite(value, index(turn)+index(i)); wrong != nil {
			return nil, wrong
		}
	}
	return writes, nil
}

// parseWrite reads {"path": ..., "content": ...} or {"memory": {"content": ..., "tags": [...], "ttlMs": ...}}, of which the
// last two may be left out.
func parseWrite(value any, at string) (w write, wrong *misfit) {
	object, _ := value.(map[string]any)
	known := 2
	memory, isMemory := object["memory"].(map[string]any)
	if isMemory {
		if len(object) != 1 {
			return w, misfits(at, "must have memory only, or path and content")
		}
		object, at = memory, at+".memory"
		if w.tags, wrong = parseNames(object["tags"], at+".tags"); wrong != nil {
			return w, wrong
		}
		if w.ttl, wrong = parseTTL(object["ttlMs"], at+".ttlMs"); wrong != nil {
			return w, wrong
		}
		known = 1
		for _, key := range []string{"tags", "ttlMs"} {
			if _, set := object[key]; set {
				known++
			}
		}
	} else if w.path, _ = object["path"].(string); w.path == "" {
		return w, misfits(at, "must be {path, content}, or {memory: {content, tags}}")
	}
	content, ok := object["content"].(string)
	if !ok || len(object) != known {
		return w, misfits(at, "must have content, a string, and nothing that a write does not know")
	}
	w.content = content
	return w, nil
}

// maxTTL is a hundred years, so that no expiry is beyond what a time can say.
const maxTTL = 100 * 365 * 24 * time.Hour

func parseTTL(value any, at string) (time.Duration, *misfit) {
	if value == nil {
		return 0, nil
	}
	ms, ok := number(value)
	if !ok || !(ms >= 1 && ms <= float64(maxTTL.Milliseconds())) {
		return 0, misfits(at, "must be a number of milliseconds, 1 to %d", maxTTL.Milliseconds())
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// scripted is what the supervisor's port of this name holds now, or else its config.
func (s *State) scripted(key string) any {
	n := s.program.supervisor()
	for _, p := range n.ports {
		if p.name != key {
			continue
		}
		if value, _ := s.portValue(p); value != nil {
			return value
		}
	}
	return n.Config[key]
}

// scripted is what State.scripted will be when a run with these inputs begins, as far as that is known; field is what the
// caller can mend about it, "" where that is the definition.
func (p *program) scripted(key string, inputs map[string]any) (value any, field string) {
	if value, field = p.atStart(key, inputs); value == nil {
		return p.supervisor().Config[key], ""
	}
	return value, field
}

// atStart is what the supervisor's port of this name holds when a run with these inputs begins, as far as that is known.
func (p *program) atStart(key string, inputs map[string]any) (value any, field string) {
	for _, port := range p.supervisor().ports {
		switch {
		case port.name != key || port.nodeID != "":
		case port.variable == "":
			value = port.static
		default:
			field = "inputs." + port.variable
			value = p.defaults[port.variable]
			if given, ok := inputs[port.variable]; ok {
				value = given
			}
		}
	}
	return value, field
}

// checkReadsAndWrites reads what the turns are to read and write as it stands when the run begins.
func (p *program) checkReadsAndWrites(inputs map[string]any) error {
	script, field := p.scripted(keyReads, inputs)
	if _, wrong := parseReads(script); wrong != nil {
		return p.refuseScript(keyReads, field, wrong)
	}
	script, field = p.scripted(keyWrites, inputs)
	turns, _ := script.([]any)
	for turn := range max(1, len(turns)) {
		if _, wrong := parseWrites(script, turn); wrong != nil {
			return p.refuseScript(keyWrites, field, wrong)
		}
	}
	return nil
}

func (p *program) refuseScript(key, field string, wrong *misfit) error {
	if field != "" {
		return invalid(field+wrong.at, "%s", wrong.says)
	}
	return refusedNode(p.supervisor().ID, "%s%s: %s", key, wrong.at, wrong.says)
}

// stores tells whether the turns of a run with these inputs use the files of a workspace, and memory. A script that is
// none uses nothing; it is refused as what it is.
func (p *program) stores(inputs map[string]any) (files, memory bool) {
	script, _ := p.scripted(keyReads, inputs)
	r, _ := parseReads(script)
	files, memory = len(r.files) > 0, len(r.tags) > 0
	script, _ = p.scripted(keyWrites, inputs)
	turns, _ := script.([]any)
	for turn := range turns {
		writes, _ := parseWrites(script, turn)
		for _, w := range writes {
			files, memory = files || w.path != "", memory || w.path == ""
		}
	}
	return files, memory
}
