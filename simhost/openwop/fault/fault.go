// Package fault is the catalogue of the violations that the simulated host commits on demand. Each changes what comes in, goes
// out or is appended, from outside of the host (package mutate), or replaces rules of the host (package rules); everything else
// stays honest. There is a file to a theme.
package fault

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/internal/listed"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/param"
)

// Fault is a named violation. Ids are chosen by hand and never reused.
type Fault struct {
	ID     string   // theme.what-is-wrong
	Title  string   // what the host does
	Looks  string   // how that looks from outside
	Breaks []string // the requirements that it violates, three at most; what else turns out wrong is caught for the wrong reason
	Spots  []int    // the blind spots of the published suite that it stands for, as docs/blind-spots.md numbers them
	Under  Under    // the host that it shows on; zero: the usual one
	Lies   bool     // what it does wrong is what it says of itself: in the banner or the discovery document
	Twin   string   // why it is there beside another fault that breaks the same and is caught by the same scenarios
	// Depth is the depth of a certification from which it shows: standard or deep; "" where quick shows it, too.
	Depth string

	// Request, Reply, Event and Frame change what comes in, what goes out and what is appended, from outside of the host.
	// nil changes nothing.
	Request mutate.RequestFunc
	Reply   mutate.ReplyFunc
	Event   mutate.EventFunc
	Frame   mutate.FrameFunc // of event streams
	// Remembers makes such changes anew for each host: those that go by what went over its wire before. nil changes nothing.
	Remembers func() mutate.Changes
	// Replace puts other rules in the place of honest ones, where a violation is a decision that the host takes. It may call
	// those that were there before. nil replaces nothing.
	Replace func(*rules.Set)

	set param.Values // of Params
}

// Params are what may be set of the fault. What a host says of itself is asked for once, so such a lie has nothing to be set.
func (f Fault) Params() []param.Param {
	switch {
	case f.Lies:
		return nil
	case f.Replace != nil || f.Event != nil || f.Remembers != nil:
		return []param.Param{param.From}
	}
	return []param.Param{param.From, param.Tenant}
}

// Under says which options a host needs so that a fault shows on it.
type Under struct {
	Version             int      // of the execution model; 0: it shows on the default one, and on those above
	Without             []string // claims that are left off
	EscalationInterrupt string   // "": the default
	Experimental        bool     // the execution model is advertised as experimental
}

// String is the flags of assay simhost that make such a host, "" for the usual one.
func (u Under) String() string {
	var flags []string
	if u.Version != 0 {
		flags = append(flags, fmt.Sprintf("--version %d", u.Version))
	}
	if len(u.Without) > 0 {
		flags = append(flags, "--without "+strings.Join(u.Without, ","))
	}
	if u.EscalationInterrupt != "" {
		flags = append(flags, "--escalation-interrupt "+u.EscalationInterrupt)
	}
	if u.Experimental {
		flags = append(flags, "--experimental-until DAY")
	}
	return strings.Join(flags, " ")
}

// themes are all faults, in the order of the themes. Adding a fault is adding a row to one of them.
var themes = [][]Fault{
	loopFaults,
	handoffFaults,
	dispatchFaults,
	confidenceFaults,
	verifierFaults,
	gateFaults,
	tenantFaults,
	memoryFaults,
	readsFaults,
	slices.Concat(fileFaults, fileVersionFaults),
	goalFaults,
	heartbeatFaults,
	shapeFaults,
	logFaults, streamFaults, replayFaults, ancestryFaults,
	controlFaults,
	slices.Concat(boundFaults, optionFaults),
	requestFaults,
	claimFaults,
}

// All lists every fault there is, by id.
func All() []Fault { return listed.By(idOf, themes...) }

// IDs are the ids of All.
func IDs() []string { return listed.IDs(idOf, All()) }

// Find is the fault that a spec names: an id, and behind a colon what is set of its parameters ("loop.reason-lost:from=3"). The
// error of an id that no fault has names the nearest one; that of what cannot be set, what can.
func Find(spec string) (f Fault, err error) {
	f, set, err := listed.Find(idOf, All(), Fault.Params, spec, "")
	f.set = set
	return f, err
}

// Spec names the fault and what is set of it, as [Find] reads it.
func (f Fault) Spec() string { return param.Join(f.ID, f.set.String()) }

func idOf(f Fault) string { return f.ID }

// outside returns what the fault changes from outside of a host.
func (f Fault) outside() (c mutate.Changes) {
	if f.Remembers != nil {
		c = f.Remembers()
	}
	if f.Request != nil {
		c.Requests = append(c.Requests, f.Request)
	}
	if f.Reply != nil {
		c.Replies = append(c.Replies, f.Reply)
	}
	if f.Event != nil {
		c.Events = append(c.Events, f.Event)
	}
	if f.Frame != nil {
		c.Frames = append(c.Frames, f.Frame)
	}
	if tenant := f.set[param.Tenant.Name]; tenant != "" {
		c = c.Of(tenant)
	}
	return c.From(f.set.Number(param.From))
}

// replies are changes of replies alone.
func replies(changes ...mutate.ReplyFunc) mutate.Changes { return mutate.Changes{Replies: changes} }

// Changes returns what these faults do from outside of the host, in the order given. The error is that of [Find].
func Changes(ids ...string) (mutate.Changes, error) {
	return listed.Applied(mutate.Changes{}, ids, Find, func(f Fault, c *mutate.Changes) {
		more := f.outside()
		c.Requests = append(c.Requests, more.Requests...)
		c.Replies = append(c.Replies, more.Replies...)
		c.Events = append(c.Events, more.Events...)
		c.Frames = append(c.Frames, more.Frames...)
	})
}

// Rules are the honest ones with these faults put in, in the order given. The error is that of [Find].
func Rules(ids ...string) (rules.Set, error) {
	return listed.Applied(rules.Honest(), ids, Find, func(f Fault, s *rules.Set) {
		if f.Replace != nil {
			before := *s
			f.Replace(s)
			*s = listed.Late(before, *s, f.set.Number(param.From))
		}
	})
}

// OnWire returns the fault as changes that can stand in front of any host. ok is false if the fault is a decision that only
// the host itself can take.
func (f Fault) OnWire() (changes mutate.Changes, ok bool) {
	if f.Replace != nil {
		return changes, false
	}
	return f.outside().OnWire(runLog), true
}

// runLog is how OpenWOP shows the log of a run.
var runLog = mutate.Log{
	Lists:   map[string]string{"GET /v1/runs/{runId}/events/poll": "events", "GET /v1/runs/{runId}/events": "events"},
	Streams: []string{"GET /v1/runs/{runId}/events"},
	Payload: "payload",
	Read: func(o map[string]any) mutate.Event {
		sequence, _ := o["sequence"].(json.Number)
		at, _ := sequence.Int64()
		return mutate.Event{RunID: wireText(o["runId"]), Sequence: at, Type: wireText(o["type"]), NodeID: wireText(o["nodeId"]),
			CausationID: wireText(o["causationId"])}
	},
	Write: func(e mutate.Event, o map[string]any) {
		for member, value := range map[string]string{"nodeId": e.NodeID, "causationId": e.CausationID} {
			if value == "" {
				delete(o, member)
			} else {
				o[member] = value
			}
		}
	},
}

func wireText(value any) string {
	s, _ := value.(string)
	return s
}
