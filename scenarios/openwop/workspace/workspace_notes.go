package workspace

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileChange is the change of one workspace file during a loop.
type FileChange struct {
	Path   string     `json:"path"`
	Before string     `json:"before,omitempty"` // content before the change; "" = no file
	After  string     `json:"after,omitempty"`  // content after the change; "" = no file
	Once   string     `json:"once,omitempty"`   // what the turn wrote before After, if it wrote twice
	ByTurn bool       `json:"byTurn,omitempty"` // the turn writes the file; nobody outside the run does
	Old    wire.Value `json:"old"`              // as served before the run
	New    wire.Value `json:"new"`              // as served after the change, unless a turn made it
}

// NotedLoop is a loop whose turns noted what they saw of some files. All of these
// files changed in one turn, after its start and before its end.
type NotedLoop struct {
	Turns   int          `json:"turns" drawn:"true"`
	Changed int          `json:"changed" drawn:"true"` // that turn
	Files   []FileChange `json:"files"`
	Log     host.RunLog  `json:"log"`
}

// expects returns what a turn must see of a file: its content at the start of the
// turn.
func (l NotedLoop) expects(f FileChange, turn int) string {
	if turn <= l.Changed {
		return f.Before
	}
	return f.After
}

// readNotes reads the notes of the fixture assay-loop-workspace: its variable seen
// in the last snapshot or, failing that, as the log last changed it.
func readNotes(l host.RunLog) host.Notes { return host.ReadSeen(l, "workspace") }

// of returns the entries of one file in a look.
func of(n host.Notes, l host.Look, path string) wire.Found {
	return n.Entries(l).Where(func(e wire.Value) bool { return e.Key("path").String() == path })
}

func (l NotedLoop) looks() []host.Look {
	out := make([]host.Look, 0, 2*l.Turns)
	for turn := range int64(l.Turns) {
		out = append(out, host.Look{Turn: turn + 1, At: host.AtBegin}, host.Look{Turn: turn + 1, At: host.AtEnd})
	}
	return out
}

// notes reads the notes, and blocks a scenario if they are not what the fixture
// promises: broken equipment proves nothing. A turn may note twice, for example
// after a resume: all its notes count.
func (l NotedLoop) notes(j *scenarios.Judge) (n host.Notes, ok bool) {
	n = readNotes(l.Log)
	for _, at := range l.looks() {
		if flaw := l.flaw(n, at); flaw != "" {
			j.Block("the variable seen of the run is not what the fixture "+fixture.LoopWorkspace+" promises: "+flaw,
				"have the supervisor note what each turn sees, as the fixture says (docs/seams.md)")
		}
	}
	return n, true
}

// flaw returns what is wrong with the notes of a look, or "".
func (l NotedLoop) flaw(n host.Notes, at host.Look) string {
	for _, f := range l.Files {
		entries := of(n, at, f.Path)
		if len(entries.Values) == 0 {
			return fmt.Sprintf("%s noted nothing of %s", at, f.Path)
		}
		for _, e := range entries.Values {
			if !isNote(e) {
				return fmt.Sprintf("%s noted %s", at, e.JSON())
			}
		}
	}
	return ""
}

// isNote reports whether an entry describes a file, or its absence.
func isNote(e wire.Value) bool {
	version, ok := e.Key("version").Int()
	switch content := e.Key("content").Actual().(type) {
	case nil:
		return ok && version == 0
	case string:
		return ok && (version > 0 || version == 0 && content == "")
	}
	return false
}

// shows checks what a look shows of a file.
func shows(n host.Notes, j *scenarios.Judge, id scenarios.RequirementID, at host.Look, path, want string) {
	if want == "" {
		j.Check(id, of(n, at, path).Each("/version")).To(check.Each(check.Equal(0)), "version of %s, which is not there, in %s", path, at)
		return
	}
	j.Check(id, of(n, at, path).Each("/content")).To(check.Each(check.Equal(want)), "content of %s in %s", path, at)
}

// shown reports whether a look shows exactly this.
func shown(n host.Notes, at host.Look, path, want string) bool {
	return !slices.ContainsFunc(of(n, at, path).Values, func(e wire.Value) bool { return e.Key("content").String() != want })
}

// listing is the workspace as a run's snapshot lists it, by path.
type listing struct {
	in     wire.Ref
	byPath map[string]wire.Values
}

// mostListed bounds the number of files that a judge searches.
const mostListed = 10_000

func readListing(snapshot wire.Value) listing {
	list := snapshot.Key("workspace")
	out := listing{list.Ref(), map[string]wire.Values{}}
	for _, e := range host.AtMost(mostListed, list) {
		path := e.Key("path").String()
		out.byPath[path] = append(out.byPath[path], e)
	}
	return out
}

// lists checks that a file has the version that was served to us, or is absent.
func (l listing) lists(j *scenarios.Judge, id scenarios.RequirementID, path string, served wire.Value, when string) {
	entries := wire.Found{Values: l.byPath[path], In: l.in}
	if !served.Present() {
		j.Check(id, entries).To(check.Len(0), "%s in the workspace of the run %s", path, when)
		return
	}
	j.Check(id, entries.Each("/version")).To(check.SameAs(wire.Values{served.Key("version")}),
		"version of %s in the workspace of the run %s", path, when)
}
