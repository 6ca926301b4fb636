package operations

import (
	"context"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// VersionsObservation is what a server answered to writes that named another version, or none.
type VersionsObservation struct {
	Made  Made          `json:"made"`
	Named []Named       `json:"named"`
	Work  []Named       `json:"work"`  // likewise, of a task and of a plan
	Right access.Answer `json:"right"` // a write of the intent that names the version, in the end
	Done  []Named       `json:"done"`  // such a write of the task and of the plan
}

// Named is a write, and what it is about before and after it.
type Named struct {
	Version string        `json:"version"` // "" for none
	Number  bool          `json:"number"`  // it is a whole number, as versions are
	Needed  bool          `json:"needed"`  // every server has the operation
	Before  host.Reply    `json:"before"`
	Answer  access.Answer `json:"answer"`
	After   host.Reply    `json:"after"`
}

// others are versions that are not the right one.
var others = []struct {
	why    string
	number bool
	of     func(version int64) string
}{
	{"without a version", false, func(int64) string { return "" }},
	{"with an old version", true, func(v int64) string { return strconv.FormatInt(v-1, 10) }},
	{"with a later version", true, func(v int64) string { return strconv.FormatInt(v+1, 10) }},
	{"with a much later version", true, func(v int64) string { return strconv.FormatInt(v+1000, 10) }},
	{"with a version that is no number", false, func(int64) string { return "latest" }},
	{"with any version", false, func(int64) string { return "*" }},
}

// versioned sends every operation of the contract that takes a version of an intent, with wrong ones.
var versioned = &scenarios.Drive[VersionsObservation]{
	ID: "openintent/every-version",
	Title: "makes a suspended intent and everything that can belong to it, then calls each operation that takes a version with none, " +
		"an old one, later ones and one that is not a number, and, as a control, some with the right version",
	Sends: []string{"POST /intents, three times", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"every operation of the contract that takes a version of an intent, a task or a plan", "GET of that before and after each"},
	Dimensions: lacks(),
	Run: func(ctx context.Context, c *scenarios.Conn, o *VersionsObservation) {
		t, made := prepare(ctx, c)
		o.Made = made
		contract := scenarios.Get(Contract())
		intent := t.Again(t.text("intentId"), made.Suspension.ID)
		for _, w := range contract.Ways {
			if w.With == "If-Match" && w.In("intentId") {
				needed := w.Operation == "setIntentStatus" || w.Operation == "patchIntentState"
				read := func(what string) host.Reply { return intent.Read(ctx, "the intent "+what) }
				o.Named = append(o.Named, t.misnamed(ctx, contract, w, needed, read)...)
			}
		}
		for _, of := range []struct{ way, id, path string }{
			{"updateTask with If-Match", "taskId", "/tasks/%s"}, {"updatePlan with If-Match", "planId", "/plans/%s"},
		} {
			w, id := contract.Way(of.way), t.text(of.id)
			if id == "" {
				continue
			}
			read := func(what string) host.Reply { return t.Get(ctx, w.Operation+", "+what, host.At(of.path, id)) }
			done := t.named(ctx, contract, w, "with its version", func(v int64) string { return strconv.FormatInt(v, 10) }, read)
			o.Work = append(o.Work, t.misnamed(ctx, contract, w, false, read)...)
			o.Done = append(o.Done, done...)
		}
		version, _ := intent.Read(ctx, "the intent in the end").Body.Key("version").Int()
		w := contract.Way("patchIntentState with If-Match")
		t.values["If-Match"] = strconv.FormatInt(version, 10)
		if q, ok := t.call(contract, w, false); ok {
			q.Label = "a write that names the version"
			o.Right, _ = access.Send(ctx, c, w, q)
		}
	},
}

// misnamed sends a write with each of the wrong versions.
func (t *things) misnamed(
	ctx context.Context, contract *access.Contract, w access.Way, needed bool, read func(what string) host.Reply,
) (all []Named) {
	for _, k := range t.Rand.Perm(len(others)) {
		if t.Depth == scenarios.Quick && k > 2 {
			continue
		}
		for _, v := range t.named(ctx, contract, w, others[k].why, others[k].of, read) {
			v.Number, v.Needed = others[k].number, needed
			all = append(all, v)
		}
	}
	return all
}

// named sends a write with a version; there is none if it cannot be sent.
func (t *things) named(
	ctx context.Context, contract *access.Contract, w access.Way, why string, of func(version int64) string, read func(what string) host.Reply,
) []Named {
	before := read("before a write " + why)
	version, _ := before.Body.Key("version").Int()
	named := of(version)
	q, ok := t.callWith(contract, w, func(name string) (any, bool) { return named, name == "If-Match" }, false)
	if !ok {
		return nil
	}
	if named == "" {
		q.Header = nil
	}
	q.Label = w.Operation + " " + why
	v := Named{Version: named, Before: before}
	v.Answer, _ = access.Send(ctx, t.Conn, w, q)
	v.After = read("after that")
	return []Named{v}
}
