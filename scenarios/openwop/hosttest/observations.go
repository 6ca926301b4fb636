package hosttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/workspace"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Nodes is the honest story of n nodes in a row that end by themselves.
func Nodes(n int) Story {
	s := Story{Id: "r", Status: "completed", Events: []Event{{"run.started", nil}}}
	for i := range n {
		id := fmt.Sprint("n", i+1)
		s.Events = append(s.Events, Event{"node.started", map[string]any{"nodeId": id}}, Event{"node.completed", map[string]any{"nodeId": id}})
	}
	return s.Then(Event{"run.completed", nil})
}

func MadeRun(t *testing.T, id string) host.Answered {
	t.Helper()
	return Told(t, "a run", 201, map[string]any{"runId": id, "status": "pending", "eventsUrl": "/e"})
}

func WorkersObservation(t *testing.T, c *Cast, workers ...string) handoff.WorkersObservation {
	o := handoff.WorkersObservation{Way: "assay-loop", Chosen: true, Workers: workers}
	o.Log, o.Children = c.Minted(t)
	return o
}

// TwoTenants mints two tenants that have made a run and read it.
func TwoTenants(t *testing.T) host.Tenants {
	one := func(name, id string) host.Tenant {
		return host.Tenant{Name: name, Created: MadeRun(t, id), Read: Told(t, "a run", 200, map[string]any{"runId": id,
			"owner": map[string]any{"tenant": name}})}
	}
	return host.Tenants{First: one("a", "r-a"), Other: one("b", "r-b")}
}

// NobodyToKeepApart mints observations without two distinct, working tenants.
func NobodyToKeepApart(t *testing.T) map[string]host.Tenants {
	same, refused, unread := TwoTenants(t), TwoTenants(t), TwoTenants(t)
	same.Other.Read = Told(t, "a run", 200, map[string]any{"runId": "r-b", "owner": map[string]any{"tenant": "a"}})
	refused.Other.Created = No(t, 404, "not_found")
	unread.Other.Read = No(t, 404, "not_found")
	return map[string]host.Tenants{"both keys are of one tenant": same, "the other makes no run": refused,
		"the other cannot read its own": unread}
}

func SuspendedLoop(t *testing.T, s Story, turn int, kinds ...string) host.SuspendedLoop {
	return host.SuspendedLoop{
		Way: "w", Turns: len(kinds), Kinds: kinds, Log: s.Log(t),
		Held: host.Suspension{Turn: turn, Suspended: Reached(), Log: s.Waiting().Log(t), Marker: "m1", Answered: wiretest.Status(t, 200)},
	}
}

func Reached() wire.Wait { return wire.Wait{What: "the run is suspended", Reached: true} }

func Lull(t *testing.T, later Story) host.Lull {
	return host.Lull{Sentinel: Reached(), Window: 250 * time.Millisecond, Later: later.Log(t)}
}

func Fork(s Story) Story { s.Id = "f"; return s }

// Sight returns the content that a turn saw of a file at its begin or end, "" if it saw no file.
type Sight func(turn int, at string, f workspace.FileChange) string

// Noted returns the notes of turns with such sight.
func Noted(turns int, files []workspace.FileChange, s Sight) []any {
	var notes []any
	for turn := 1; turn <= turns; turn++ {
		for _, at := range []string{"begin", "end"} {
			var entries []any
			for _, f := range files {
				e := map[string]any{"path": f.Path, "version": 0}
				if content := s(turn, at, f); content != "" {
					e["version"], e["content"] = 1, content
					if content != f.Before {
						e["version"] = 2
					}
				}
				entries = append(entries, e)
			}
			notes = append(notes, map[string]any{"iteration": turn, "at": at, "workspace": entries})
		}
	}
	return notes
}
