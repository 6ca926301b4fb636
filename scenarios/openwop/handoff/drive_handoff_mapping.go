package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// MappedObservation holds the values that mappings carried, or should not have
// carried, in one or more runs.
type MappedObservation struct {
	Chosen bool        `json:"chosen"` // the values are random
	Runs   []MappedRun `json:"runs"`
	// Inputs came by a default mapping, Own by a worker's own mapping, and Across
	// from an earlier worker's output; Harvests came back to the parent.
	Inputs   []Carried `json:"inputs"`
	Own      []Carried `json:"own"`
	Across   []Carried `json:"across"`
	Harvests []Carried `json:"harvests"`
	// Unset holds inputs whose source had no value; Replaced holds inputs that only
	// a replaced mapping would give.
	Unset    []Carried `json:"unset"`
	Replaced []Carried `json:"replaced"`
}

// MappedRun is a loop with mappings and its children, in the order of its workers.
type MappedRun struct {
	Way       string          `json:"way"`
	Workers   []string        `json:"workers"`
	Harvested [][]string      `json:"harvested"` // the parent's variables that each worker writes; nil if it has no mapping
	Log       host.RunLog     `json:"log"`
	Children  []host.ChildRun `json:"children"`
}

// Carried is one value at the place where a mapping puts it.
type Carried struct {
	Way      string     `json:"way"`
	What     string     `json:"what"`
	Key      string     `json:"key"`
	Back     bool       `json:"back"`     // put in the parent, else in a worker
	Snapshot wire.Value `json:"snapshot"` // of that run
	Want     JSONValues `json:"want"`     // any of these; for upstream's fixtures, the default as well
}

// JSONValues keep their numbers to the last digit when they are read again.
type JSONValues []any

// UnmarshalJSON implements [json.Unmarshaler].
func (v *JSONValues) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode((*[]any)(v))
}

// mappedLoops runs loops that map random values to workers and back.
var mappedLoops = &scenarios.Drive[MappedObservation]{
	ID: "openwop/mapped-loops",
	Title: "runs loops that map random values of every type to their workers and back, one of them with a variable that has no value " +
		"and, beyond quick, one whose worker is given nothing, and reads parents and children",
	Sends: []string{
		"{create run} (assay-loop-mapped with random values, four times; else upstream's loops with mappings, one each)", "{read run}",
		"{poll log}", "{read run:childRunId}", "{poll log:childRunId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *MappedObservation) {
		h := host.Host{Conn: c}
		ceiling, why := h.Ceiling()
		switch {
		case ceiling < 2:
			host.TooFewTurns(why)
		case h.Offers(fixture.Loop, fixture.Mapped, fixture.Echo, fixture.EchoAgain):
			*o = mapRandomly(ctx, h)
			return
		}
		*o = mapAsPublished(ctx, h)
	},
}

// mapped runs a loop with mappings to its end.
func mapped(ctx context.Context, h host.Host, m MappedRun, request dialect.CreateRunRequest) MappedRun {
	r := h.Create(ctx, "create "+m.Way, request)
	if m.Log = r.Finish(ctx, "log of "+m.Way); !m.Log.Ended.Reached {
		return m
	}
	m.Children = h.ChildRuns(ctx, m.Log, len(m.Workers))
	return m
}

// to returns a value that a mapping gives to a worker.
func (m MappedRun) to(worker int, what, key string, want ...any) Carried {
	c := Carried{Way: m.Way, What: what, Key: key, Want: want}
	if worker < len(m.Children) {
		c.Snapshot = m.Children[worker].Log.Ended.Last
	}
	return c
}

// had returns a worker's final variable if the host shows its variables, else planned.
func (m MappedRun) had(worker int, key string, planned any) []any {
	if worker < len(m.Children) {
		if variables := m.Children[worker].Log.Ended.Last.Key("variables"); variables.Present() {
			return []any{variables.Key(key).Actual()}
		}
	}
	return []any{planned}
}

// back returns a value that a mapping puts in the parent.
func (m MappedRun) back(what, key string, want ...any) Carried {
	return Carried{Way: m.Way, What: what, Key: key, Want: want, Back: true, Snapshot: m.Log.Ended.Last}
}

// mapRandomly runs a loop with two echoing workers, and then one with a single
// worker that lacks a variable the first two had.
func mapRandomly(ctx context.Context, h host.Host) MappedObservation {
	o := MappedObservation{Chosen: true}
	said, other, spare := spelled(h), spelled(h), spelled(h)
	way := host.Scripted{Fixture: fixture.Mapped, Plan: host.Plan{host.NextWorker(fixture.Echo, fixture.EchoAgain),
		host.Terminate(h.Name("done"))}, Chosen: true}
	request := way.Request(nil)
	request.Inputs["said"], request.Inputs["other"], request.Inputs["spare"] = said, other, spare
	m := mapped(ctx, h, MappedRun{Way: way.Fixture, Workers: way.Workers(), Harvested: [][]string{{"heard"}, {"again"}}}, request)
	o.Runs = append(o.Runs, m)
	o.Inputs = []Carried{
		m.to(0, "the parent's said as the input word of the first worker", "word", said),
		m.to(0, "the parent's spare as the input extra of the first worker", "extra", spare),
	}
	o.Own = []Carried{
		m.to(1, "the parent's other as the input word of the second worker", "word", other),
		m.back("the parent's heard, which the second worker does not write", "heard", said),
	}
	o.Replaced = []Carried{m.to(1, "the input extra, which the second worker's own mapping does not have", "extra")}
	o.Across = []Carried{m.to(1, "what the first worker brought back as the input aside of the second", "aside", said)}
	o.Harvests = []Carried{
		m.back("the first worker's word as the parent's heard", "heard", said),
		m.back("the second worker's aside as the parent's again", "again", m.had(1, "aside", said)...),
	}

	bare := host.Scripted{Fixture: fixture.Mapped, Plan: host.Plan{host.NextWorker(fixture.Echo), host.Terminate(h.Name("done"))},
		Chosen: true}
	said = spelled(h)
	request = bare.Request(nil)
	request.Inputs["said"] = said
	m = mapped(ctx, h, MappedRun{Way: bare.Fixture, Workers: bare.Workers(), Harvested: [][]string{{"heard"}}}, request)
	o.Runs = append(o.Runs, m)
	o.Inputs = append(o.Inputs, m.to(0, "the parent's said as the input word of the worker", "word", said))
	o.Unset = []Carried{m.to(0, "the input extra, whose source has no value", "extra")}
	o.Harvests = append(o.Harvests, m.back("the worker's word as the parent's heard", "heard", said))
	o.addTyped(ctx, h)
	o.addEmpty(ctx, h)
	return o
}

// addEmpty runs a loop whose worker is given nothing. Its output mapping finds nothing to bring back, but is not empty.
func (o *MappedObservation) addEmpty(ctx context.Context, h host.Host) {
	if h.Depth == scenarios.Quick || !h.Offers(fixture.EchoTyped) {
		return
	}
	way := host.Scripted{Fixture: fixture.Mapped, Plan: host.Plan{host.NextWorker(fixture.EchoTyped), host.Terminate(h.Name("done"))},
		Chosen: true}
	o.Runs = append(o.Runs, mapped(ctx, h, MappedRun{Way: way.Fixture + " whose worker is given nothing", Workers: way.Workers(),
		Harvested: [][]string{{}}}, way.Request(nil)))
}

// spelled returns a text that only this drive can have sent, with letters that encoders of JSON spell in several ways.
func spelled(h host.Host) string {
	return h.Marker() + []string{" <b>&amp;</b>", "\u2028\u2029", " \"\\/\b\f\t", " \u007f\u0080 é 😂"}[h.Rand.IntN(4)] + "<&>"
}

// addTyped runs a loop whose worker is given values that are no texts, unless the host takes texts alone. Their names sort
// in one way by the letters and in another by the bytes, their numbers are written in several ways.
func (o *MappedObservation) addTyped(ctx context.Context, h host.Host) {
	if !h.Offers(fixture.EchoTyped) {
		return
	}
	shape := host.Values(spelled(h))
	shape["\ufb33"], shape["😂"], shape["Z"], shape["z"], shape["<&>"] = 1, 0.1, 1e21, 1e-6, 333333333.33333329
	given := map[string]any{"flag": h.Rand.IntN(2) == 0, "count": []any{0, -0.5, 1e-7, 1 << 40}[h.Rand.IntN(4)], "shape": shape,
		"list": []any{nil, false, "", spelled(h), []any{}, map[string]any{}}}
	way := host.Scripted{Fixture: fixture.Mapped, Plan: host.Plan{host.NextWorker(fixture.EchoTyped), host.Terminate(h.Name("done"))},
		Chosen: true}
	request := way.Request(nil)
	maps.Copy(request.Inputs, given)
	m := mapped(ctx, h, MappedRun{Way: way.Fixture + " with values that are no texts", Workers: way.Workers(),
		Harvested: [][]string{{"counted", "flagged", "listed", "shaped"}}}, request)
	if status, _ := m.Log.Created.Int(); status == http.StatusBadRequest || status == http.StatusUnprocessableEntity {
		return
	}
	o.Runs = append(o.Runs, m)
	for _, name := range [][2]string{{"count", "counted"}, {"flag", "flagged"}, {"list", "listed"}, {"shape", "shaped"}} {
		input, back := name[0], name[1]
		o.Inputs = append(o.Inputs, m.to(0, "the parent's "+input+" as the input of the worker", input, given[input]))
		o.Harvests = append(o.Harvests, m.back("the worker's "+input+" as the parent's "+back, back, given[input]))
	}
}
