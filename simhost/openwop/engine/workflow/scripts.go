package workflow

import (
	"fmt"
	"strconv"
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

// What one turn may read and write at most.
const (
	maxReads  = 64 // paths, and as many tags
	maxWrites = 64
	maxName   = 256 // bytes of a path or a tag
)

// Reads is what the turns of a loop look at; nil where they look at nothing of the kind.
type Reads struct {
	Files []string // paths
	Tags  []string // of memory entries
}

// Write is one write of a turn: of a file, or of a memory entry.
type Write struct {
	Path    string // empty for a memory entry
	Content string
	Tags    []string
	TTL     time.Duration // of a memory entry; 0: for ever
}

// Misfit says what is wrong with a script, and where in it.
type Misfit struct{ At, Says string }

func misfits(at, format string, args ...any) *Misfit {
	return &Misfit{At: at, Says: fmt.Sprintf(format, args...)}
}

// ParseReads reads what the turns look at: {"workspace": [path, ...], "memory": [tag, ...]}.
func ParseReads(script any) (r Reads, wrong *Misfit) {
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
	if r.Files, wrong = parseNames(object["workspace"], ".workspace"); wrong == nil {
		r.Tags, wrong = parseNames(object["memory"], ".memory")
	}
	if wrong == nil && max(len(r.Files), len(r.Tags)) > maxReads {
		wrong = misfits("", "a turn reads at most %d paths and %d tags", maxReads, maxReads)
	}
	return r, wrong
}

// parseNames reads a list of paths or tags; nil where there is none.
func parseNames(value any, at string) ([]string, *Misfit) {
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
			return nil, misfits(at+Index(i), "must be a string of 1 to %d bytes", maxName)
		}
		names[i] = name
	}
	return names, nil
}

// ParseWrites reads what a turn writes; turns count from 0, and those beyond the script write nothing.
func ParseWrites(script any, turn int) ([]Write, *Misfit) {
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
		return nil, misfits(Index(turn), "must be an array: what the turn writes")
	}
	if len(list) > maxWrites {
		return nil, misfits(Index(turn), "a turn writes at most %d times", maxWrites)
	}
	writes := make([]Write, len(list))
	for i, value := range list {
		var wrong *Misfit
		if writes[i], wrong = parseWrite(value, Index(turn)+Index(i)); wrong != nil {
			return nil, wrong
		}
	}
	return writes, nil
}

// parseWrite reads {"path": ..., "content": ...} or {"memory": {"content": ..., "tags": [...], "ttlMs": ...}}, of which the
// last two may be left out.
func parseWrite(value any, at string) (w Write, wrong *Misfit) {
	object, _ := value.(map[string]any)
	known := 2
	memory, isMemory := object["memory"].(map[string]any)
	if isMemory {
		if len(object) != 1 {
			return w, misfits(at, "must have memory only, or path and content")
		}
		object, at = memory, at+".memory"
		if w.Tags, wrong = parseNames(object["tags"], at+".tags"); wrong != nil {
			return w, wrong
		}
		if w.TTL, wrong = parseTTL(object["ttlMs"], at+".ttlMs"); wrong != nil {
			return w, wrong
		}
		known = 1
		for _, key := range []string{"tags", "ttlMs"} {
			if _, set := object[key]; set {
				known++
			}
		}
	} else if w.Path, _ = object["path"].(string); w.Path == "" {
		return w, misfits(at, "must be {path, content}, or {memory: {content, tags}}")
	}
	content, ok := object["content"].(string)
	if !ok || len(object) != known {
		return w, misfits(at, "must have content, a string, and nothing that a write does not know")
	}
	w.Content = content
	return w, nil
}

// maxTTL is a hundred years, so that no expiry is beyond what a time can say.
const maxTTL = 100 * 365 * 24 * time.Hour

func parseTTL(value any, at string) (time.Duration, *Misfit) {
	if value == nil {
		return 0, nil
	}
	ms, ok := Number(value)
	if !ok || !(ms >= 1 && ms <= float64(maxTTL.Milliseconds())) {
		return 0, misfits(at, "must be a number of milliseconds, 1 to %d", maxTTL.Milliseconds())
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// scripted is what State.scripted will be when a run with these inputs begins, as far as that is known; field is what the
// caller can mend about it, "" where that is the definition.
func (p *Program) scripted(key string, inputs map[string]any) (value any, field string) {
	if value, field = p.atStart(key, inputs); value == nil {
		return p.Supervisor().Config[key], ""
	}
	return value, field
}

// atStart is what the supervisor's port of this name holds when a run with these inputs begins, as far as that is known.
func (p *Program) atStart(key string, inputs map[string]any) (value any, field string) {
	for _, port := range p.Supervisor().Ports {
		switch {
		case port.Name != key || port.NodeID != "":
		case port.Variable == "":
			value = port.Static
		default:
			field = "inputs." + port.Variable
			value = p.Defaults[port.Variable]
			if given, ok := inputs[port.Variable]; ok {
				value = given
			}
		}
	}
	return value, field
}

// checkReadsAndWrites reads what the turns are to read and write as it stands when the run begins.
func (p *Program) checkReadsAndWrites(inputs map[string]any) error {
	script, field := p.scripted(KeyReads, inputs)
	if _, wrong := ParseReads(script); wrong != nil {
		return p.refuseScript(KeyReads, field, wrong)
	}
	script, field = p.scripted(KeyWrites, inputs)
	turns, _ := script.([]any)
	for turn := range max(1, len(turns)) {
		if _, wrong := ParseWrites(script, turn); wrong != nil {
			return p.refuseScript(KeyWrites, field, wrong)
		}
	}
	return nil
}

func (p *Program) refuseScript(key, field string, wrong *Misfit) error {
	if field != "" {
		return codes.Invalid(field+wrong.At, "%s", wrong.Says)
	}
	return refusedNode(p.Supervisor().ID, "%s%s: %s", key, wrong.At, wrong.Says)
}

// Stores tells whether the turns of a run with these inputs use the files of a workspace, and memory. A script that is
// none uses nothing; it is refused as what it is.
func (p *Program) Stores(inputs map[string]any) (files, memory bool) {
	script, _ := p.scripted(KeyReads, inputs)
	r, _ := ParseReads(script)
	files, memory = len(r.Files) > 0, len(r.Tags) > 0
	script, _ = p.scripted(KeyWrites, inputs)
	turns, _ := script.([]any)
	for turn := range turns {
		writes, _ := ParseWrites(script, turn)
		for _, w := range writes {
			files, memory = files || w.Path != "", memory || w.Path == ""
		}
	}
	return files, memory
}

// Viewer is who looks.
type Viewer struct {
	Owner workspace.Owner
	Line  memory.Line
}

// Viewer is who looks in a run of this program. line is the memory that was handed down to the run; without one it has its
// agent's.
func (p *Program) Viewer(owner *event.Owner, line memory.Line) (v Viewer) {
	scope := memory.Scope{Ref: defaultMemory}
	if p.Agent.MemoryRef != "" {
		scope.Ref = p.Agent.MemoryRef
	}
	if owner != nil {
		v.Owner = workspace.Owner{Tenant: owner.Tenant, Workspace: owner.Workspace}
		scope.Tenant = owner.Tenant
	}
	if v.Line = line; line == nil {
		v.Line = memory.Of(scope)
	}
	return v
}

// defaultMemory is the memory of a supervisor whose agent names none.
const defaultMemory = "default"
