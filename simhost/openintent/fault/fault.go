// Package fault is the catalogue of the violations that the simulated OpenIntent server commits on demand. Each changes what
// comes in and goes out, from outside of the server, or replaces decisions of it, see package rules; everything else stays
// honest. There is a file to a theme.
package fault

import (
	"github.com/openassay/assay/simhost/internal/listed"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/param"
)

// Fault is a named violation. Ids are chosen by hand and never reused.
type Fault struct {
	ID     string   // openintent.what-is-wrong
	Title  string   // what the server does
	Looks  string   // how that looks from outside
	Breaks []string // the requirements that it violates, three at most; what else turns out wrong is caught for the wrong reason

	// ByChance lists requirements that it may also violate, depending on timing. No check has to catch that, and any check may.
	ByChance []string
	// Twin is why it is there beside another fault that breaks the same and is caught by the same scenarios.
	Twin string
	// Depth is the depth of a certification from which it shows: standard or deep; "" where quick shows it, too.
	Depth string

	// Request, Reply and Frame change what comes in and what goes out, from outside of the server. nil changes nothing.
	Request mutate.RequestFunc
	Reply   mutate.ReplyFunc
	Frame   mutate.FrameFunc // of event streams
	// Replace puts other rules in the place of honest ones, where a violation is a decision that the server takes, or one of
	// its log. It may call those that were there before. nil replaces nothing.
	Replace func(*rules.Set)

	set param.Values // of Params
}

// Params are what may be set of the fault.
func (Fault) Params() []param.Param { return []param.Param{param.From} }

// themes are all faults. Adding a fault is adding a row to one of them.
var themes = [][]Fault{
	answerFaults,
	keyFaults,
	misfitFaults,
	lifecycleFaults,
	graphFaults,
	taskFaults,
	claimFaults,
	portfolioFaults,
	deadlineFaults,
	retryFaults,
	watcherFaults,
	configFaults,
	streamFaults,
	drawnFaults,
}

// All lists every fault there is, by id.
func All() []Fault { return listed.By(idOf, themes...) }

// IDs are the ids of All.
func IDs() []string { return listed.IDs(idOf, All()) }

// Find is the fault that a spec names: an id, and behind a colon what is set of its parameters. The error of an id that no fault
// has names the nearest one; that of what cannot be set, what can.
func Find(spec string) (f Fault, err error) {
	f, set, err := listed.Find(idOf, All(), Fault.Params, spec, " of the OpenIntent server")
	f.set = set
	return f, err
}

// Spec names the fault and what is set of it, as [Find] reads it.
func (f Fault) Spec() string { return param.Join(f.ID, f.set.String()) }

func idOf(f Fault) string { return f.ID }

// OnWire returns the fault as changes that can stand in front of any server. ok is false if the fault is a decision that only
// the server itself can take.
func (f Fault) OnWire() (changes mutate.Changes, ok bool) { return f.outside(), f.Replace == nil }

// outside returns what the fault changes from outside of a server.
func (f Fault) outside() (c mutate.Changes) {
	if f.Request != nil {
		c.Requests = []mutate.RequestFunc{f.Request}
	}
	if f.Reply != nil {
		c.Replies = []mutate.ReplyFunc{f.Reply}
	}
	if f.Frame != nil {
		c.Frames = []mutate.FrameFunc{f.Frame}
	}
	return c.From(f.set.Number(param.From))
}

// Changes returns what these faults do from outside of the server, in the order given. The error is that of [Find].
func Changes(ids ...string) (mutate.Changes, error) {
	return listed.Applied(mutate.Changes{}, ids, Find, func(f Fault, c *mutate.Changes) {
		more := f.outside()
		c.Requests, c.Replies = append(c.Requests, more.Requests...), append(c.Replies, more.Replies...)
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
