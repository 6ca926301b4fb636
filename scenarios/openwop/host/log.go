package host

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Served blocks the judge unless the log of a finished run can be read.
func (l RunLog) Served(j *scenarios.Judge) {
	if status, _ := l.Created.Int(); status/100 != 2 || l.RunID == "" {
		j.Block("setup failed: the host did not make the run: it answered HTTP "+l.Created.JSON()+" with runId "+l.ID.JSON(),
			"make runs of the fixtures that are listed under /fixtures")
	}
	if !l.Ended.Reached {
		_, actual := check.Reached().MatchSeen(l.Ended)
		j.Block("setup failed: "+actual, "have the runs of the fixtures that are listed under /fixtures end by themselves")
	}
	l.Polled(j)
}

// Polled blocks the judge if the log cannot be polled: a host may serve streams only.
func (l RunLog) Polled(j *scenarios.Judge) {
	if status, _ := l.Read.Int(); status/100 != 2 {
		j.Block("the log of the run cannot be read: HTTP "+l.Read.JSON(), "serve {poll log} for every run")
	}
	l.checkPages(j)
}

// Told is like Served, and blocks the judge if the log is too short. An empty log agrees with any other and breaks
// no rule about events.
func (l RunLog) Told(j *scenarios.Judge) {
	l.Served(j)
	if len(l.Events) >= LeastEvents {
		return
	}
	reason := fmt.Sprintf("setup failed: the log of a finished run holds %d events", len(l.Events))
	if len(l.Terminals().Values) == 0 {
		j.Violates(openwop.OWPEVT9, l.All(), reason)
	}
	j.Block(reason, "log how a run begins, and not only how it ends")
}

// Whole is like Told, and blocks the judge if the log lacks its beginning. Judges that compare the log with
// another form of it need the beginning.
func (l RunLog) Whole(j *scenarios.Judge) {
	l.Told(j)
	if first := l.Events[0]; Sequence(first) != 0 && dialect.EventOf(first) != dialect.RunStarted { // OWP-R20
		j.Violates(openwop.OWPEVT13, first.Key("sequence"), "setup failed: the first event that polls list of the run is of type "+
			first.Key("type").JSON()+" and has sequence "+first.Key("sequence").JSON())
	}
}

// LeastEvents is the length of the shortest valid log: a run begins and ends.
const LeastEvents = 2

// RunLog holds what a judge can read of one run: its creation, its end, and its event log ordered by sequence.
type RunLog struct {
	RunID   string      `json:"runId"`
	Created wire.Value  `json:"created"` // HTTP status of the call that made the run
	ID      wire.Value  `json:"id"`      // runId in that call's reply
	Ended   wire.Wait   `json:"ended"`   // Last is the snapshot
	Read    wire.Value  `json:"read"`    // HTTP status of the log's first page, or of the page that failed
	Events  wire.Values `json:"events"`  // run event documents
	// Early is the isComplete of a page that says so although the event that ends the run is on a later one.
	Early wire.Value `json:"early,omitzero"`

	largest int // events of a page
}

// Add merges a page and drops known events. Two events with the same sequence but different ids both stay, so that
// judges can report them.
func (l *RunLog) Add(page wire.Values) {
	type identity struct {
		id       string
		sequence int64
	}
	of := func(e wire.Value) identity { return identity{id: e.Key("eventId").String(), sequence: Sequence(e)} }
	known := make(map[identity]bool, len(l.Events)+len(page))
	for _, e := range l.Events {
		known[of(e)] = true
	}
	for _, e := range page {
		if !known[of(e)] {
			known[of(e)] = true
			l.Events = append(l.Events, e)
		}
	}
	slices.SortStableFunc(l.Events, func(a, b wire.Value) int { return cmp.Compare(Sequence(a), Sequence(b)) })
}

func Sequence(e wire.Value) int64 {
	n, _ := e.Whole("sequence")
	return n
}

// Dialect returns the version of the protocol that the log is written in.
func (l RunLog) Dialect() *dialect.Dialect { return dialect.Of(l.Read) }

// All returns all events, with the place they were read from.
func (l RunLog) All() wire.Found {
	return wire.Found{Values: l.Events, In: wire.Ref{Exchange: l.Read.Ref().Exchange, Pointer: "/events"}}
}

// OfType returns the events of these types.
func (l RunLog) OfType(types ...dialect.Event) wire.Found {
	out := l.All().Where(func(e wire.Value) bool {
		return slices.Contains(types, dialect.EventOf(e))
	})
	if len(out.Values) == 0 {
		out.Sought = sought("/type", l.Dialect().Words(types...)...)
	}
	return out
}

// Decided returns the supervisor's turns.
func (l RunLog) Decided() wire.Found { return l.OfType(dialect.Decided) }

// Iterations returns the counter of each turn, absent if a turn has none.
func (l RunLog) Iterations() wire.Found { return l.Decided().Each("/payload/iteration") }

// Kinds returns the kind of each turn's decision.
func (l RunLog) Kinds() wire.Found { return l.Decided().Each("/payload/decision/kind") }

// Breaches returns the events that report a crossed bound.
func (l RunLog) Breaches() wire.Found { return l.OfType(dialect.Breached) }

// Terminals returns the events that end a run.
func (l RunLog) Terminals() wire.Found {
	return l.OfType(dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled)
}

// Last returns the last event, or the zero Value if the log is empty.
func (l RunLog) Last() wire.Value {
	if len(l.Events) == 0 {
		return wire.Value{}
	}
	return l.Events[len(l.Events)-1]
}

// Phase returns the handoff events of one phase.
func (l RunLog) Phase(phase dialect.ChainPhase) wire.Found {
	out := l.OfType(dialect.HandedOver).Where(func(e wire.Value) bool {
		return e.At("/payload/phase").String() == string(phase)
	})
	if len(out.Values) == 0 {
		out.Sought = sought("/payload/phase", string(phase))
	}
	return out
}

func sought(pointer string, words ...string) []wire.Sought {
	out := make([]wire.Sought, len(words))
	for i, w := range words {
		out[i] = wire.Sought{Pointer: pointer, Word: w}
	}
	return out
}

// Status returns the status in the final snapshot.
func (l RunLog) Status() wire.Value { return l.Ended.Last.Key("status") }

// HasGap reports whether a sequence number is missing after the first event.
func (l RunLog) HasGap() bool {
	for i := 1; i < len(l.Events); i++ {
		if Sequence(l.Events[i]) > Sequence(l.Events[i-1])+1 {
			return true
		}
	}
	return false
}

// Pace returns the longest gap between two events by the host's clock, at most a second. It estimates how long the
// host takes to continue a run.
func (l RunLog) Pace() time.Duration {
	return min(l.slowest(), time.Second) // the host's clock must not decide how long we wait
}

func (l RunLog) slowest() time.Duration {
	var slowest time.Duration
	at := l.times()
	for i := 1; i < len(at); i++ {
		slowest = max(slowest, at[i].Sub(at[i-1]))
	}
	return slowest
}

// times returns when the host says that the events happened, as far as it does.
func (l RunLog) times() (times []time.Time) {
	for _, e := range l.Events {
		if at, said := TimeOf(e); said {
			times = append(times, at)
		}
	}
	return times
}

// TimeOf returns the timestamp of an event. said is false if it has none in RFC 3339.
func TimeOf(e wire.Value) (at time.Time, said bool) {
	at, err := time.Parse(time.RFC3339, e.Key("timestamp").String())
	return at, err == nil
}

// Spread returns how long it took, by the host's clock and up to a second, until all events of later were there that earlier
// does not hold. The logs are of the same runs.
func Spread(earlier, later []RunLog) time.Duration {
	var all []time.Time
	for i, l := range later {
		if at := l.times(); len(at) > len(earlier[i].Events) {
			all = append(all, at[len(earlier[i].Events):]...)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return min(slices.MaxFunc(all, time.Time.Compare).Sub(slices.MinFunc(all, time.Time.Compare)), time.Second)
}

// Made checks that the call created a run.
func (l RunLog) Made(j *scenarios.Judge, id scenarios.RequirementID, what string) {
	j.Require(j.Check(id, l.Created).To(check.Status(2), "%s", what))
	j.Require(j.Check(id, l.ID).To(check.Text(), "runId of "+what))
}

// Given blocks the judge unless the host made the run, ended it and shows its log. made and ended are what a host
// violates that does not: see Exists and Ends.
func (l RunLog) Given(j *scenarios.Judge, made, ended scenarios.RequirementID) {
	l.Exists(j, made)
	l.Ends(j, ended)
	l.Readable(j)
}

// Over is like Given, and names no sentence: for a run that no sentence obliges the host to make or to end in time.
func (l RunLog) Over(j *scenarios.Judge) {
	if !l.made() {
		j.Block(l.unmade(), makeRuns)
	}
	j.Reach(l.Ended, endRuns)
	l.Readable(j)
}

const (
	makeRuns = "have the given key make runs of the fixtures that are listed under /fixtures"
	endRuns  = "have runs of the fixtures that are listed under /fixtures end by themselves, or give them longer with --patience"
)

// Exists blocks the judge unless the host made the run. made is the sentence that promises the run, such as that a listed
// fixture can be run. A host violates it that does not know what was asked for, or that says that it made a run and
// names none. Any other refusal may have a reason of its own: a limit, or a right that the key lacks.
func (l RunLog) Exists(j *scenarios.Judge, made scenarios.RequirementID) {
	if l.made() {
		return
	}
	switch status, _ := l.Created.Int(); {
	case status/100 == 2:
		j.Violates(made, l.ID, l.unmade())
	case NotThere(int(status)):
		j.Violates(made, l.Created, l.unmade())
	}
	j.Block(l.unmade(), makeRuns)
}

func (l RunLog) made() bool { return Succeeded(l.Created) && l.RunID != "" }

func (l RunLog) unmade() string {
	return "setup failed: the host did not make the run: it answered HTTP " + l.Created.JSON() + " with runId " + l.ID.JSON()
}

// Ends blocks the judge unless the run ended. Only a run that is at work and does not get to its end violates ended: no
// sentence bounds how long a run is queued, is paused or waits for somebody.
func (l RunLog) Ends(j *scenarios.Judge, ended scenarios.RequirementID) {
	if l.Status().String() == "running" {
		j.Need(ended, l.Ended)
	}
	j.Reach(l.Ended, endRuns)
}

// SentinelEnded blocks the judge unless the run ended that serves as a barrier. No sentence says how soon it must.
func SentinelEnded(j *scenarios.Judge, sentinel wire.Wait) {
	j.Reach(sentinel, "have a run end by itself while others wait or have ended, or give it longer with --patience")
}

func (l RunLog) Readable(j *scenarios.Judge) {
	if status, _ := l.Read.Int(); status/100 != 2 {
		j.Block("the log of the run cannot be read: HTTP "+l.Read.JSON(), "serve {poll log} for every run")
	}
	if l.HasGap() {
		j.Block("the served log skips sequence numbers, even when read in full", "serve every event of a run over {poll log}")
	}
	l.checkPages(j)
}

// checkPages blocks the judge if a page called the log complete too early.
func (l RunLog) checkPages(j *scenarios.Judge) {
	if l.Early.Actual() == true {
		j.Violates(openwop.OWPEVT16, l.Early,
			"setup failed: a page of the log is called the last, and the event that ends the run is on a later one")
	}
}
