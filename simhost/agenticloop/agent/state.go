package agent

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sort"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// run is one run: what the text names, and what the agent keeps beside it.
type run struct {
	agenticloopv2.Run
	own
	others object // that this agent does not know, kept as they are
}

// own is what the agent keeps beside what the text names.
type own struct {
	// Asked is the pending request: what it takes to make it again.
	Asked *asked `json:"asked,omitempty"`

	// Taken counts the results.
	Taken int64 `json:"taken,omitempty"`

	// Notes are what the last results said, as far as they are short.
	Notes []note `json:"notes,omitempty"`

	// Context is the start's, if that is short.
	Context json.RawMessage `json:"context,omitempty"`

	// Artifacts are the run's files, from its workspace.
	Artifacts []string `json:"artifacts,omitempty"`
}

// asked is a request for a tool, without what the run says anyway.
type asked struct {
	Command   string `json:"command"`
	Arguments object `json:"arguments,omitempty"`
	Digest    string `json:"digest"` // of the payload as it was sent
}

// maxNotes is how many results a run remembers.
const maxNotes = 32

// note is what is kept of a result.
type note struct {
	Step     int64  `json:"step"`
	Tool     string `json:"tool"`
	Text     string `json:"text,omitempty"`
	Artifact string `json:"artifact,omitempty"` // path that holds it
}

// runNames are the members of a run that have a place in its type.
var runNames = []string{"status", "goal", "created_at", "updated_at", "step", "max_steps", "reframes", "max_reframes",
	"pending_step", "pending_tool",
	"pending_since", "attempt", "completed_steps", "workspace_ref", "asked", "taken", "notes", "context", "artifacts"}

// readRun reads a run of the state. Each of "", 0 and null says that nothing is pending.
func readRun(raw json.RawMessage) (*run, error) {
	var members object
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	r := &run{others: object{}}
	known := object{}
	for name, value := range members {
		empty := string(value) == `""` || string(value) == "0" || isNull(value)
		switch {
		case !slices.Contains(runNames, name):
			r.others[name] = value
		case !empty:
			known[name] = value
		}
	}
	encoded, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(encoded, &r.Run); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(encoded, &r.own)
}

// encode is the run as it is kept.
func (r *run) encode() (json.RawMessage, error) {
	members := maps.Clone(r.others)
	if members == nil {
		members = object{}
	}
	for _, part := range []any{r.Run, r.own} {
		encoded, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		var these object
		if err := json.Unmarshal(encoded, &these); err != nil {
			return nil, err
		}
		maps.Copy(members, these)
	}
	return json.Marshal(members)
}

// taken is how many results the run took. A state that another agent made has no count of them.
func (r *run) taken() int64 { return max(r.Taken, int64(len(r.CompletedSteps))) }

// decisions is how many decisions the run has taken: which is next follows from its state alone.
func (r *run) decisions() int64 { return r.taken() + r.Reframes }

// stub is what is left of a run that has ended and for which there is no more room: enough to know that it has.
type stub struct {
	Status    agenticloopv2.RunStatus `json:"status"`
	UpdatedAt json.RawMessage         `json:"updated_at,omitempty"`
}

// prune makes room in the runs, until they fit: runs that have ended shrink to stubs, the oldest first, and then stubs go. The run
// of this id and those that go on stay as they are. It is false where that does not help.
func prune(runs object, keep string, fits func(object) bool) bool {
	if fits(runs) {
		return true
	}
	type ended struct {
		id   string
		at   string
		stub json.RawMessage
	}
	var old []ended
	for id, raw := range runs {
		var s stub
		if id == keep || json.Unmarshal(raw, &s) != nil || s.Status == agenticloopv2.RunStatusRunning || !s.Status.Valid() {
			continue
		}
		var at string
		if json.Unmarshal(s.UpdatedAt, &at) != nil || len(at) > 40 {
			at, s.UpdatedAt = "", nil
		}
		small, err := json.Marshal(s)
		if err == nil {
			old = append(old, ended{id, at, small})
		}
	}
	slices.SortFunc(old, func(a, b ended) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	shrink := func(n int) object {
		out := maps.Clone(runs)
		for _, e := range old[:min(n, len(old))] {
			out[e.id] = e.stub
		}
		for _, e := range old[:max(0, n-len(old))] {
			delete(out, e.id)
		}
		return out
	}
	// As few as will do. More always leaves less, so halving finds them.
	n := sort.Search(2*len(old), func(n int) bool { return fits(shrink(n)) })
	out := shrink(n)
	if !fits(out) {
		return false
	}
	clear(runs)
	maps.Copy(runs, out)
	return true
}
