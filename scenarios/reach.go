package scenarios

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Reach is how far a requirement was asked: a verdict says whether it holds, and this of how much it was said.
type Reach struct {
	Asked int // checks of it that were made
	Made  int // runs, or turns of a program, that the drives made whose scenarios checked it
	Drawn []Range
	// Recognisable: each drive that showed it named a published fixture, by which a target can know its examiner.
	Recognisable bool
}

// Range is what was drawn of a dimension.
type Range struct {
	Name        string // of the dimension
	Least, Most int
	Times       int
	Narrowed    string // the limit of the target that kept it smaller than the depth would have had it; "" for none
}

// reaches returns the reach of each requirement that a check was made of.
func reaches(p *Protocol, outcomes []Outcome, records []DriveRecord) map[RequirementID]Reach {
	made, drawn, known := map[string]int{}, map[string][]Range{}, map[string]bool{}
	published := p.published()
	for _, d := range records {
		made[d.ID], drawn[d.ID], known[d.ID] = p.made(d), ranges(d.Drawn), d.names(published)
	}
	drives, shown := map[RequirementID][]string{}, map[RequirementID]bool{} // by a drive that named none
	out := map[RequirementID]Reach{}
	for _, o := range outcomes {
		for _, c := range o.Checks {
			id := RequirementID(c.Requirement)
			r := out[id]
			r.Asked++
			if o.Verdict == Passed {
				shown[id] = shown[id] || !known[o.Drive]
				r.Recognisable = !shown[id]
			}
			if o.Drive != "" && !slices.Contains(drives[id], o.Drive) {
				drives[id] = append(drives[id], o.Drive)
				r.Made += made[o.Drive]
				for _, d := range drawn[o.Drive] {
					r.Drawn = ranged(r.Drawn, d)
				}
			}
			out[id] = r
		}
	}
	return out
}

// farEnough reports whether a requirement was asked as far as a profile demands. A limit of the target that narrowed what was
// drawn for it is held against nobody: the reach says which.
func (r *Report) farEnough(p Profile, required Required) bool {
	if r.Depth < p.Depth {
		return false
	}
	id, checks := r.Protocol.Ledger.Present(required.ID), 0
	for _, o := range r.Outcomes {
		if !slices.Contains(required.Scenarios, o.Scenario.ID) {
			continue
		}
		for _, c := range o.Checks {
			if RequirementID(c.Requirement) == id {
				checks++
			}
		}
	}
	return checks >= required.Checks ||
		slices.ContainsFunc(r.reached[id].Drawn, func(d Range) bool { return d.Narrowed != "" })
}

// published returns the ids of the fixtures that hosts can know beforehand.
func (p *Protocol) published() map[string]bool {
	ids := map[string]bool{}
	if p.Fixtures == nil || p.Salt != "" {
		return ids
	}
	entries, err := fs.ReadDir(p.Fixtures, ".")
	if err != nil {
		panic("the fixtures of " + p.ID + " cannot be listed: " + err.Error()) // they are embedded
	}
	for _, e := range entries {
		ids[strings.TrimSuffix(e.Name(), path.Ext(e.Name()))] = true
	}
	return ids
}

// names reports whether the drive sent one of these ids, as a string of a body or in a path.
func (d DriveRecord) names(ids map[string]bool) bool {
	if len(ids) == 0 {
		return false
	}
	for n := 1; n <= d.Transcript.Len(); n++ {
		for _, text := range d.Transcript.Entry(n).Sent() {
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '"' || r == '/' || r == '?' }) {
				if ids[word] {
					return true
				}
			}
		}
	}
	return false
}

// made returns how many runs the target made for a drive, or how many turns a program took.
func (p *Protocol) made(d DriveRecord) int {
	var runs []string
	turns := 0
	for n := 1; n <= d.Transcript.Len(); n++ {
		switch e := d.Transcript.Entry(n); {
		case e.Kind == "process":
			turns++
		case p.RunOf != nil && answered(e, http.MethodPost):
			if id := p.RunOf(d.Transcript.Reply(n)); id != "" && !slices.Contains(runs, id) {
				runs = append(runs, id)
			}
		}
	}
	d.Transcript.Forget()
	return len(runs) + turns
}

// ranges returns what notes say of dimensions, by name.
func ranges(noted []Draw) (out []Range) {
	for _, d := range noted {
		var n int
		if d.For == "" || json.Unmarshal(d.Is, &n) != nil {
			continue
		}
		out = ranged(out, Range{Name: d.For, Least: n, Most: n, Times: 1, Narrowed: d.Narrowed})
	}
	return out
}

// ranged adds a range to those of other dimensions, in the order of names.
func ranged(all []Range, r Range) []Range {
	i, known := slices.BinarySearchFunc(all, r.Name, func(r Range, name string) int { return cmp.Compare(r.Name, name) })
	if !known {
		return slices.Insert(all, i, r)
	}
	a := &all[i]
	a.Least, a.Most, a.Times, a.Narrowed = min(a.Least, r.Least), max(a.Most, r.Most), a.Times+r.Times, cmp.Or(a.Narrowed, r.Narrowed)
	return all
}
