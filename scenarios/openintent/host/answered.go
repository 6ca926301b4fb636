package host

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// VersionsObservation holds the replies to writes of one intent that named its version, an old one and none.
type VersionsObservation struct {
	Title   string     `json:"title"`
	Made    Reply      `json:"made"`
	Read    Reply      `json:"read"`
	Without Reply      `json:"without"` // a write that names no version
	After   Reply      `json:"after"`   // the intent after it
	Right   Reply      `json:"right"`   // a write that names the current version
	ETag    wire.Value `json:"eTag"`    // of the reply in Right
	Stale   Reply      `json:"stale"`   // a write that names the version before
	End     Reply      `json:"end"`     // the intent in the end
}

// Versions writes to an intent under the right version, an old one and none.
var Versions = &scenarios.Drive[VersionsObservation]{
	ID: "openintent/versions", Title: "writes to an intent without a version, with the right one, and with an old one",
	Sends: []string{"POST /intents", "GET /intents/{id}", "POST /intents/{id}/state, 3 times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VersionsObservation) {
		s := Open(ctx, c)
		o.Title = s.Name("versions")
		id, made := s.create(ctx, "an intent", "/intents", "/intents", map[string]any{"title": o.Title, "status": Draft})
		o.Made = made
		i := s.adopt(id, made)
		o.Read = i.Read(ctx, "the intent as it was made")
		write := func(label, value, version string) (Reply, *wire.Reply) {
			call := s.Call(label, http.MethodPost, At("/intents/%s/state", i.ID), setPatch(Note, value))
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
