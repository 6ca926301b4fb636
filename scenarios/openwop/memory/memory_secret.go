package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// SecretMemory is a run that wrote entries with a secret of the host, and one that read them. A placeholder replaces the secret in
// every record.
type SecretMemory struct {
	Tag     string            `json:"tag"`
	Control string            `json:"control"` // content of an entry without the secret
	Secret  map[string]string `json:"secret"`  // a text in the content of each entry that has it, by where it has it
	Log     host.RunLog       `json:"log"`     // of the run that wrote, and read in its next turn
	Reader  host.RunLog       `json:"reader"`
}

// secretMemory has a run write entries that hold a secret of the host.
var secretMemory = &scenarios.Drive[SecretMemory]{
	ID: "openwop/secret-memory",
	Title: "has a run write memory entries with a secret of the host within their content, at its end, twice in it, and as a tag and within " +
		"one, and one without; and reads them in its next turn and in another run",
	Sends: []string{"{create run} (assay-memory-worker, to write; and again, to read)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *SecretMemory) {
		h := host.Host{Conn: c}
		requireMemory(h, 2)
		host.NeedSecret(h)
		*o = SecretMemory{Tag: tag(h), Control: h.Marker(), Secret: map[string]string{}}
		entries := writesIn(1, o.Tag, o.Control)
		for _, at := range []struct {
			where, text string // that stands behind the marker in the content
			tags        []string
		}{
			{"within the content", h.Marker() + " " + wire.HostSecret + " " + h.Marker(), nil},
			{"at the end of the content", h.Marker() + ":" + wire.HostSecret, nil},
			{"twice in the content", h.Marker() + "=" + wire.HostSecret + wire.HostSecret, nil},
			{"as a tag", "", []string{wire.HostSecret}},
			{"within a tag", "", []string{h.Name("of") + "-" + wire.HostSecret}},
		} {
			marker := h.Marker()
			e := memoryEntry{Content: marker + at.text, Tags: append([]string{o.Tag}, at.tags...)}
			o.Secret[at.where] = marker
			entries[0] = append(entries[0], memoryWrite{e})
		}
		o.Log = whole(ctx, h, "the run that writes secrets", remembering(fixture.MemoryOne, o.Tag, h.LoopPlan(2),
			map[string]any{"writes": entries}))
		if o.Log.Ended.Reached {
			o.Reader = reader(ctx, h, "what held secrets", o.Tag)
		}
	},
}

// RFC 0004, SR-1. Another entry, without the secret, is the control.
var secretsKeptOut = scenarios.Scenario{
	ID:     "openwop/memory/secrets-kept-out",
	Title:  "a secret of the host is in no entry that a run reads and in no event that tells of one, be it sent as content or as a tag",
	Proves: scenarios.IDs{openwop.OWPMEM11},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(secretMemory, func(o SecretMemory, j *scenarios.Judge) {
		own, ok := recalled(o.Log, j, "the run that wrote", 2)
		if !ok {
			return
		}
		begin, next := host.Look{Turn: 1, At: host.AtBegin}, host.Look{Turn: 2, At: host.AtBegin}
		if own.has(next, o.Control) { // below version 5 a run reads as of its start
			own.checkSecrets(j, next, o)
		}
		if told := o.Log.OfType(dialect.MemoryWritten); len(told.Values) > 0 {
			j.Check(openwop.OWPMEM11, told).To(check.Each(host.WithoutSecret()), "memory.written in the log of the run")
		}
		if other, ok := givenShared(o.Reader, j, "another run", o.Control); ok {
			other.checkSecrets(j, begin, o)
		}
	}),
}

// checkSecrets expects no secret in the entries of a look. A host may take no entry that has one, which is a finding.
func (r recollections) checkSecrets(j *scenarios.Judge, at host.Look, o SecretMemory) {
	entries := r.Entries(at)
	j.Check(openwop.OWPMEM11, entries).To(check.Each(host.WithoutSecret()), "entries that %s of %s read", at, r.who)
	for _, where := range slices.Sorted(maps.Keys(o.Secret)) {
		text := o.Secret[where]
		if !slices.ContainsFunc(entries.Values, func(e wire.Value) bool { return host.Holds(e.Actual(), text) }) {
			j.Find("", "an entry with a secret of the host %s is not read by %s", where, r.who)
		}
	}
}
