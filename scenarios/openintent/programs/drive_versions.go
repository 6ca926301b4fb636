package programs

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// Version 10 is the first at which versions and their texts are in another order.
var writes = &scenarios.Dimension{Name: "writes of a state", Least: 12, Most: [3]int{12, 24, 120}, Edges: []int{12, 101}}

var versionDimensions = append([]*scenarios.Dimension{writes}, valued...)

// VersionsObservation is an intent that was written to many times, each time after a write that named another version.
type VersionsObservation struct {
	Writes []Write    `json:"writes"`
	End    host.Reply `json:"end"`
}

// Write is a write of one member, and the one before it.
type Write struct {
	Before host.Reply `json:"before"` // the intent
	Named  string     `json:"named"`  // the version that the wrong write named
	Why    string     `json:"why"`    // what is wrong with it
	Number bool       `json:"number"` // it is a whole number, as versions are
	Wrong  host.Reply `json:"wrong"`
	After  host.Reply `json:"after"` // the intent after that
	Right  host.Reply `json:"right"`
}

// near are versions that a careless comparison takes for the right one.
var near = []struct {
	why    string
	number bool
	of     func(version, other int64) string
}{
	{"the one before", true, func(v, _ int64) string { return fmt.Sprint(v - 1) }},
	{"the one after", true, func(v, _ int64) string { return fmt.Sprint(v + 1) }},
	{"none that there is", true, func(int64, int64) string { return "0" }},
	{"the first digit alone", true, func(v, _ int64) string { return fmt.Sprint(v)[:1] }},
	{"the digits and one more", true, func(v, _ int64) string { return fmt.Sprint(v) + "0" }},
	{"that of another intent", true, func(_, other int64) string { return fmt.Sprint(other) }},
	{"the one before, as an entity tag", false, func(v, _ int64) string { return strconv.Quote(fmt.Sprint(v - 1)) }},
	{"9, as an older one", true, func(int64, int64) string { return "9" }},
}

var drawnVersions = &scenarios.Drive[VersionsObservation]{
	ID:         "openintent/drawn-versions",
	Title:      "writes to an intent many times, and before each write sends one that names another version",
	Sends:      []string{"POST /intents, twice", "GET /intents/{id}", "POST /intents/{id}/state, twice for each write"},
	Dimensions: versionDimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *VersionsObservation) {
		s := host.Open(ctx, c)
		i, other := s.NewIntent(ctx, "versions", host.Active, nil), s.NewIntent(ctx, "other", host.Active, nil)
		first := s.Rand.IntN(len(near))
		for n := range within(s, writes, 7) {
			w := Write{Before: i.Read(ctx, "the intent before a write")}
			version, _ := w.Before.Body.Key("version").Int()
			of, _ := other.Read(ctx, "another intent").Body.Key("version").Int()
			miss := near[(first+n)%len(near)]
			if version >= 10 && version < 20 && n%2 == 0 {
				miss = near[len(near)-1]
			}
			if w.Named, w.Why, w.Number = miss.of(version, of), miss.why, miss.number; w.Named == fmt.Sprint(version) {
				w.Named = fmt.Sprint(version - 1)
			}
			member := s.Name("said")
			w.Wrong = write(ctx, i, "a write that names "+w.Why, w.Named, member, "wrong")
			w.After = i.Read(ctx, "the intent after that")
			w.Right = i.Patch(ctx, member, kinds[s.Draw(kind)](s), "a write that names the version")
			o.Writes = append(o.Writes, w)
			if !w.Right.Ok() {
				break
			}
		}
		o.End = i.Read(ctx, "the intent in the end")
	},
}

// write writes a member of the state under a version.
func write(ctx context.Context, i *host.Intent, label, version, member string, value any) host.Reply {
	call := i.Call(label, http.MethodPost, host.At("/intents/%s/state", i.ID),
		map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/" + member, "value": value}}})
	call.Header = map[string]string{"If-Match": version}
	return i.Send(ctx, call)
}
