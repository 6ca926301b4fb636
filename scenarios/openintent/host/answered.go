package host

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// VersionsObservation is what writes to one intent came to, by the version that they named.
type VersionsObservation struct {
	Title   string     `json:"title"`
	Made    Reply      `json:"made"`
	Read    Reply      `json:"read"`
	Without Reply      `json:"without"` // a write that names no version
	After   Reply      `json:"after"`   // the intent behind it
	Right   Reply      `json:"right"`   // one that names the version
	ETag    wire.Value `json:"eTag"`    // of its reply
	Stale   Reply      `json:"stale"`   // one that names the version before
	End     Reply      `json:"end"`     // the intent behind that
}

var Versions = &scenarios.Drive[VersionsObservation]{
	ID: "openintent/versions", Title: "writes to an intent without a version, with the right one, and with an old one",
	Sends: []string{"POST /intents", "GET /intents/{id}", "POST /intents/{id}/state, 3 times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VersionsObservation) {
		s := Open(ctx, c)
		o.Title = s.Name("versions")
		id, made := s.make(ctx, "an intent", "/intents", "/intents", map[string]any{"title": o.Title, "status": Draft})
		o.Made = made
		i := s.adopt(id, made)
		o.Read = i.Read(ctx, "the intent as it was made")
		write := func(label, value, version string) (Reply, *wire.Reply) {
			call := s.Call(label, http.MethodPost, At("/intents/%s/state", i.ID), map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/assay", "value": value}}})
			if version != "" {
				call.Header = map[string]string{"If-Match": version}
			}
			r := s.Do(ctx, call)
			return Replied(label, r), r
		}
		named := wire.Compact(o.Read.Body.Key("version").Actual())
		o.Without, _ = write("a write that names no version", "unversioned", "")
		o.After = i.Read(ctx, "the intent after that")
		now := wire.Compact(o.After.Body.Key("version").Actual())
		var live *wire.Reply
		o.Right, live = write("a write that names the version", "right", now)
		o.ETag = live.HeaderValue("ETag")
		o.Stale, _ = write("a write that names an old version", "stale", named)
		o.End = i.Read(ctx, "the intent in the end")
	},
}
