package refusals

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// KeyedValues is a request with drawn values under a key, and others under that key that differ in one of them.
type KeyedValues struct {
	First  host.KeyedRun   `json:"first"`
	Same   []host.KeyedRun `json:"same"`   // the same values, written otherwise
	Others []host.KeyedRun `json:"others"` // another value
}

// mostExact is the integer up to which every reader of JSON keeps all digits.
const mostExact = 1 << 53

// sendValues asks for a run with values, and for others that a careless comparison takes for it.
func sendValues(ctx context.Context, h host.Host, workflow string) (o KeyedValues) {
	key, note := h.Name("key"), "Ab"+h.Marker()
	count := mostExact - h.Between(2, 1<<20)
	share := fmt.Sprintf("0.%d%09d", h.Between(1, 9), h.Between(1, 99_999_999)*10+1)
	exact := map[string]string{"note": `"` + note + `"`, "count": fmt.Sprint(count), "share": share, "list": `[1,2,[3]]`, "deep": `{"a":{"b":[{"c":1}]}}`}
	body := func(changed, to string) []byte {
		var members []string
		for _, name := range []string{"note", "count", "share", "list", "deep"} {
			value := exact[name]
			if name == changed {
				value = to
			}
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
		return fmt.Appendf(nil, `{"workflowId":%q,"metadata":{%s}}`, workflow, strings.Join(members, ","))
	}
	o.First = h.KeyedRun(ctx, "a run with values, under a key", key, body("", ""))
	if !host.Succeeded(o.First.Status) {
		return o
	}
	for _, other := range []struct {
		what, member, to string
		same             bool
	}{
		{"an integer that is written with a fraction of 0", "count", fmt.Sprint(count, ".0"), true},
		{"a number that is written with an exponent", "share", share + "e0", true},
		{"spaces in a list", "list", "[ 1, 2, [3] ]", true},
		{"an integer that is one more", "count", fmt.Sprint(count + 1), false},
		{"an integer that is one less", "count", fmt.Sprint(count - 1), false},
		{"another sign", "count", fmt.Sprint(-count), false},
		{"a text of the same digits", "count", fmt.Sprintf(`"%d"`, count), false},
		{"another last digit behind the point", "share", share[:len(share)-1] + "2", false},
		{"a list in another order", "list", `[2,1,[3]]`, false},
		{"a list with an item twice", "list", `[1,2,2,[3]]`, false},
		{"a list that is flat", "list", `[1,2,3]`, false},
		{"another value deep inside", "deep", `{"a":{"b":[{"c":2}]}}`, false},
		{"a text in capitals", "note", `"` + strings.ToUpper(note) + `"`, false},
		{"a text with a space behind", "note", `"` + note + ` "`, false},
	} {
		k := h.KeyedRun(ctx, "that run under that key with "+other.what, key, body(other.member, other.to))
		if other.same {
			o.Same = append(o.Same, k)
		} else {
			o.Others = append(o.Others, k)
		}
	}
	return o
}

// KeyedFork is a run that has ended, forked under idempotency keys.
type KeyedFork struct {
	Made    host.KeyedRun `json:"made"`    // a replay from the first event
	Again   host.KeyedRun `json:"again"`   // the same under the same key
	Other   host.KeyedRun `json:"other"`   // from another place, under that key
	Refused host.KeyedRun `json:"refused"` // from beyond the log, under another key
	Repeat  host.KeyedRun `json:"repeat"`  // the same under that one
	Valid   host.KeyedRun `json:"valid"`   // from the first event, under the key of the refused one
	// Apart is a run that was made under a key, and then a replay of the first one under that key.
	Apart [2]host.KeyedRun `json:"apart,omitzero"`
	// Misfit is a replay with other run options, which is refused, under a key, and Mended one without them under that key. Zero at quick.
	Misfit host.KeyedRun `json:"misfit,omitzero"`
	Mended host.KeyedRun `json:"mended,omitzero"`
}

// KeyedFile is a file that was written twice under one key, and then deleted under it.
type KeyedFile struct {
	Put    host.KeyedRun `json:"put"`
	Again  host.KeyedRun `json:"again"`
	Delete host.KeyedRun `json:"delete"`
}

// keeps reports whether the host keeps the outcome of a write under its key: it made no second version.
func (o KeyedFile) keeps() bool {
	version := o.Put.Body.Key("version")
	return host.Succeeded(o.Put.Status) && host.Succeeded(o.Again.Status) && version.Present() &&
		o.Again.Body.Key("version").JSON() == version.JSON()
}

// deleteKeyed writes and deletes a file under one key. To write and to delete are two endpoints, though their paths are one.
func deleteKeyed(ctx context.Context, h host.Host) (o KeyedFile) {
	if _, claimed := claims.WorkspaceFiles.Look(h.Discovery); !claimed {
		return o
	}
	f := h.Files()
	path, key := f.Path("keyed"), h.Name("key")
	f.LeaveFile(path)
	defer f.Tidy(ctx)
	write := wire.Call{Operation: dialect.WriteFile.Of(path), Body: dialect.WorkspaceFileCreate{Content: h.Marker()}}
	o.Put = host.Keyed(ctx, h, "a write of a file under a key", key, write)
	o.Again = host.Keyed(ctx, h, "the same write under the same key", key, write)
	if o.keeps() {
		o.Delete = host.Keyed(ctx, h, "a delete of that file under the key of its write", key, wire.Call{Operation: dialect.DeleteFile.Of(path)})
	}
	return o
}

// keeps reports whether the host keeps the outcome of a fork under its key, so that a refusal that is final is one as well.
func (o KeyedFork) keeps() bool {
	other, _ := o.Other.Status.Int()
	return host.Succeeded(o.Again.Status) && o.Again.RunID().String() != "" && o.Again.RunID().String() == o.Made.RunID().String() &&
		other == http.StatusConflict
}

// forkKeyed forks a run that has ended: what is refused then will never be possible.
func forkKeyed(ctx context.Context, h host.Host) (o KeyedFork) {
	r := h.SimpleRun(ctx, "create a run to fork under a key")
	log := r.Finish(ctx, "log of the run to fork under a key")
	if !log.Ended.Reached || len(log.Events) < 2 {
		return o
	}
	last := host.Sequence(log.Last())
	fork := func(what, key string, from int64) host.KeyedRun {
		return host.Keyed(ctx, h, what, key, wire.Call{Operation: dialect.ForkRun.Of(r.ID),
			Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: &from}})
	}
	key, another := h.Name("key"), h.Name("key")
	if o.Made = fork("a replay under a key", key, 0); !host.Succeeded(o.Made.Status) {
		return o
	}
	o.Again = fork("the same replay under the same key", key, 0)
	if o.Other = fork("a replay from another place under that key", key, last); !o.keeps() {
		return o
	}
	if h.Depth > scenarios.Quick {
		shared := h.Name("key")
		body := fmt.Appendf(nil, `{"workflowId":%q}`, h.Simple().WorkflowID)
		o.Apart[0] = h.KeyedRun(ctx, "a run under a key that a fork has as well", shared, body)
		o.Apart[1] = fork("a replay of another run under that key", shared, 0)
		overlaid := h.Name("key")
		o.Misfit = host.Keyed(ctx, h, "a replay with other run options under a key", overlaid, wire.Call{Operation: dialect.ForkRun.Of(r.ID),
			Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0)),
				RunOptionsOverlay: &dialect.RunOptions{Tags: []string{h.Marker()}}}})
		o.Mended = fork("a replay without them under that key", overlaid, 0)
	}
	beyond := last + int64(h.Between(100, 1000))
	o.Refused = fork("a replay from beyond the log under a key", another, beyond)
	if code, _ := o.Refused.Status.Int(); code != http.StatusUnprocessableEntity {
		return o
	}
	o.Repeat = fork("the same replay from beyond the log under the same key", another, beyond)
	o.Valid = fork("a replay from the first event under the key of the one from beyond", another, 0)
	return o
}
