package scenarios

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// Fixed is a kind of thing that a target makes or shows, and what of it cannot change while it is certified: two drives that are
// told different things of one were not both told the truth, or their transcripts are not of one certification.
type Fixed struct {
	What string // run, event
	// Method and Path select the requests whose replies tell of it. Path is matched against the part of the URL after the base.
	Method string
	Path   interface{ MatchString(path string) bool }
	// Made: each request makes one, so two drives are never given the same.
	Made bool
	// Each returns the things in a reply; nil: the reply is the thing.
	Each func(reply wire.Value) wire.Values
	// ID names the thing; "" if it has no name.
	ID      func(thing wire.Value) string
	Members []FixedMember
}

// FixedMember is a member of a thing that cannot change.
type FixedMember struct {
	Pointer     string        // /workflowId
	Requirement RequirementID // that a change violates; "" if no sentence says so, then it is a finding
}

// Contradiction is what two drives were told of the same thing.
type Contradiction struct {
	About       string // the workflowId of the run r-1
	Requirement RequirementID
	One, Other  Told
}

// Told is what one drive was told.
type Told struct {
	Drive string
	Where wire.Ref
	Is    string // the value as JSON, or words
}

func (c Contradiction) String() string {
	return fmt.Sprintf("the drives %s and %s contradict one another about %s: it is %s at exchange %d of %s, and %s at exchange %d of %s",
		c.One.Drive, c.Other.Drive, c.About, c.One.Is, c.One.Where.Exchange, c.One.Drive, c.Other.Is, c.Other.Where.Exchange, c.Other.Drive)
}

// mostContradictions bounds the contradictions of a report.
const mostContradictions = 20

// contradictions compares what drives were told. What one drive was told in two ways says nothing of another: invariants look at that.
func (r *Report) contradictions(d Discovery, clean func(string) string) []Contradiction {
	f := facts{told: map[string][]fact{}}
	shared := r.shared()
	for _, record := range r.Drives {
		if record.ID == probesDrive { // it looks at what drives made
			continue
		}
		for n := 1; n <= record.Transcript.Len(); n++ {
			r.facts(&f, d, record, n, shared)
		}
		record.Transcript.Forget()
	}
	out := f.compare()
	for i := range out {
		c := &out[i]
		for _, text := range []*string{&c.About, &c.One.Is, &c.Other.Is, &c.One.Where.Pointer, &c.Other.Where.Pointer} {
			*text = short(cleaned(*text, clean))
		}
	}
	return out
}

// short returns the start of a text.
func short(text string) string {
	const most = 120
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// place returns the path below the base URL that was asked, without its query; ok is false for what was answered with no 2xx.
func (r *Report) place(e *wire.Entry) (path string, ok bool) {
	if e.Kind != "http" || e.Request == nil || e.Response == nil || e.Response.Status/100 != 2 {
		return "", false
	}
	path, ok = strings.CutPrefix(e.Request.URL, r.Address)
	path, _, _ = strings.Cut(path, "?")
	return path, ok
}

// shared returns the paths that several drives read. Other replies need not be decoded.
func (r *Report) shared() map[string]bool {
	first, out := map[string]string{}, map[string]bool{}
	for _, record := range r.Drives {
		for n := 1; n <= record.Transcript.Len(); n++ {
			e := record.Transcript.Entry(n)
			path, ok := r.place(e)
			if !ok {
				continue
			}
			key := e.Request.Method + " " + path
			if drive, is := first[key]; !is {
				first[key] = record.ID
			} else if drive != record.ID {
				out[key] = true
			}
		}
	}
	return out
}

// facts adds what one reply says.
func (r *Report) facts(f *facts, d Discovery, record DriveRecord, n int, shared map[string]bool) {
	e := record.Transcript.Entry(n)
	path, ok := r.place(e)
	if !ok || !shared[e.Request.Method+" "+path] {
		return
	}
	if e.Request.Method == http.MethodGet && path == r.Protocol.DiscoveryPath {
		r.claimed(f, d, record, n)
	}
	for _, kind := range r.Protocol.Fixed {
		if kind.Method != e.Request.Method || !kind.Path.MatchString(path) {
			continue
		}
		things := wire.Values{record.Transcript.Reply(n)}
		if kind.Each != nil {
			things = kind.Each(things[0])
		}
		for _, thing := range things {
			id := kind.ID(thing)
			if id == "" {
				continue
			}
			if kind.Made {
				f.add(about{kind.What, "the drive for which the " + kind.What + " " + id + " was made", ""},
					Told{record.ID, thing.Ref(), "this one"}, record.ID)
			}
			for _, m := range kind.Members {
				if v := thing.At(m.Pointer); v.Present() {
					f.add(about{kind.What + m.Pointer, fmt.Sprintf("%s of the %s %s", m.Pointer, kind.What, id), m.Requirement},
						Told{record.ID, v.Ref(), v.JSON()}, v.JSON())
				}
			}
		}
	}
}

// claimed adds what a discovery document claims. It may say something else to another caller, and in another language.
func (r *Report) claimed(f *facts, d Discovery, record DriveRecord, n int) {
	e := record.Transcript.Entry(n)
	document := record.Transcript.Reply(n)
	if _, isObject := document.Actual().(map[string]any); !isObject {
		return
	}
	caller := ""
	for _, name := range slices.Sorted(maps.Keys(e.Request.Header)) {
		if name != "Accept" && name != "Content-Type" && name != "If-None-Match" && name != "User-Agent" {
			caller += "\n" + name + ": " + e.Request.Header[name]
		}
	}
	for _, claim := range r.Protocol.Claims {
		value, is := claim.Look(Discovery{Document: document, Status: record.Transcript.Status(n), At: d.At})
		words := "claimed"
		if !is {
			words = "not claimed"
		}
		where := value.Ref()
		where.Exchange = n
		f.add(about{"claims", "the claim " + claim.ID + caller, ""}, Told{record.ID, where, words}, words)
	}
}

// about says what a fact is about.
type about struct {
	kind, text  string
	requirement RequirementID
}

// facts holds what each drive was told, by what it is about.
type facts struct {
	order []about
	told  map[string][]fact // by the text of what it is about, a fact for each drive
}

type fact struct {
	Told
	is   string // to compare
	torn bool   // the drive was told two things
}

func (f *facts) add(a about, t Told, is string) {
	list := f.told[a.text]
	last := len(list) - 1
	switch {
	case last < 0:
		f.order = append(f.order, a)
		fallthrough
	case list[last].Drive != t.Drive:
		f.told[a.text] = append(list, fact{t, is, false})
	default:
		list[last].torn = list[last].torn || list[last].is != is
	}
}

// compare returns one contradiction for each pair of drives and kind of fact.
func (f *facts) compare() (out []Contradiction) {
	told := map[[3]string]bool{}
	for _, a := range f.order {
		list := slices.DeleteFunc(f.told[a.text], func(t fact) bool { return t.torn })
		for _, other := range list[min(1, len(list)):] {
			one := list[0]
			pair := [3]string{a.kind, one.Drive, other.Drive}
			if one.is != other.is && !told[pair] && len(out) < mostContradictions {
				told[pair] = true
				words, _, _ := strings.Cut(a.text, "\n")
				out = append(out, Contradiction{words, a.requirement, one.Told, other.Told})
			}
		}
	}
	return out
}
