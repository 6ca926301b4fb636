package observed

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Recording is what passed between clients and one host, or what one plugin was handed and answered, in the order in which it was sent;
// or a log. What it holds is read from its files when it is needed, so those must stay where they are.
type Recording struct {
	Origin  string   // scheme and address of the host, the command of the plugin, or the name of the log's file
	Program bool     // it is of a plugin
	Events  int      // how many the log has
	Left    []string // files and entries that could not be read, and why

	store   *store
	entries []location
	parted  map[*scenarios.Protocol]parted
	logs    map[*scenarios.Protocol][]logged
}

// Len returns the number of exchanges or turns.
func (r Recording) Len() int { return len(r.entries) }

// Entries returns the exchanges or turns, each with its number, counted from 1.
func (r Recording) Entries() iter.Seq2[int, wire.Entry] {
	return func(yield func(int, wire.Entry) bool) {
		from := r.store.reader()
		defer from.close()
		for i, at := range r.entries {
			if !yield(i+1, *from.entry(at)) {
				return
			}
		}
	}
}

// All returns all exchanges or turns.
func (r Recording) All() (all []wire.Entry) {
	for _, e := range r.Entries() {
		all = append(all, e)
	}
	return all
}

// Place says where the n-th entry stands, such as recording-000001.json #3.
func (r Recording) Place(n int) string { return r.store.place(r.entries[n-1]) }

// Read reads what a folder holds: transcripts of assay record or of a certification, archives of HTTP (HAR), logs, and the requests and
// answers of a plugin. It returns a recording for each host or plugin, the one with most exchanges first, and then one for each log. An
// entry that nobody could have recorded is left out; a transcript that is cut off is read as far as it goes. Judges of these protocols
// can judge what it returns.
func Read(folder fs.FS, protocols ...*scenarios.Protocol) ([]Recording, error) {
	x := &index{store: &store{folder: folder}}
	for _, p := range protocols {
		x.groups = append(x.groups, newGroups(p))
	}
	for _, source := range []struct {
		pattern string
		read    func(string) error
	}{{"*.json", x.file}, {"*.har", x.archive}, {"*request.json", x.job}, {"*/request.json", x.job},
		{"*.ndjson", x.log}, {"*.jsonl", x.log}, {"*.events.json", x.log}} {
		names, err := fs.Glob(folder, source.pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := source.read(name); err != nil {
				return nil, err
			}
		}
	}
	if x.files == 0 {
		return nil, errors.New("it holds no transcript, no archive, no log and no request of a plugin with its answer")
	}
	return append(x.recordings(), x.logs...), nil
}

// recordings sorts the entries by time and by host. An entry that was recorded twice counts once.
func (x *index) recordings() []Recording {
	slices.SortStableFunc(x.entries, func(a, b location) int { return cmp.Compare(a.at, b.at) })
	all := make([]Recording, len(x.origins))
	for i, o := range x.origins {
		all[i] = Recording{Origin: o.name, Program: o.program, Left: x.left, store: x.store}
	}
	moment, seen := int64(0), map[uint64]bool{}
	for _, e := range x.entries {
		if e.at != moment {
			moment = e.at
			clear(seen)
		}
		if !seen[e.sum] {
			seen[e.sum] = true
			all[e.origin].entries = append(all[e.origin].entries, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Recording) int { return len(b.entries) - len(a.entries) })
	for _, g := range x.groups {
		g.share(all)
	}
	return all
}

// originOf returns the host that an exchange was with, or the plugin of a turn, "" if it is neither.
func originOf(e *wire.Entry) string {
	if e.Process != nil {
		return cmp.Or(strings.Join(e.Process.Command, " "), aPlugin)
	}
	if e.Request == nil || e.Kind == "inbound" {
		return ""
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil || at.Host == "" {
		return ""
	}
	return at.Scheme + "://" + at.Host
}
