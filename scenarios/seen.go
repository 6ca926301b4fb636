package scenarios

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Sign is something that only a target does that claims it. One that does it without the claim is asked nothing about it,
// so the report tells of it: what it promises nobody can hold it to.
type Sign struct {
	What  string // as reports say it
	Claim Claim  // what it falls under
	// Method and Path are of the requests whose replies may show it. Path, a regular expression, is matched against what stands
	// behind the base URL.
	Method string
	Path   interface{ MatchString(path string) bool }
	// Word stands in every body that shows it: a body without it is not decoded. "" looks into all of them.
	Word string
	// Find is the place in the body of a reply 2xx that shows it; absent where nothing does.
	Find func(reply wire.Value) wire.Value
	// Probe is the path of a GET that may show it, where no drive did: below a prefix of the seams, for a run that was seen,
	// "" where none was. It is "" where there is nothing to ask. nil for a sign that nobody looks for by itself.
	Probe func(prefix, runID string) string
}

// Sighting is a sign that was seen without its claim.
type Sighting struct {
	What    string
	Claim   Claim
	Drive   string   // whose transcript shows it
	Where   wire.Ref // the first place there
	Replies int      // how many replies show it
}

const (
	// probesDrive names the transcript of what was asked for a sign and nothing else.
	probesDrive = "not-claimed"
	// probesTime bounds all of that.
	probesTime = 5 * time.Second
)

// Probes are the requests by which signs are looked for that no drive has shown, for a plan.
func (p *Protocol) Probes() []string {
	var sends []string
	for _, s := range p.Signs {
		if s.Probe != nil {
			path := s.Probe(p.SeamPrefix, "{runId}")
			if plain, err := url.PathUnescape(path); err == nil {
				path = plain
			}
			sends = append(sends, s.Method+" "+path)
		}
	}
	return sends
}

// see looks for signs of what the target does not claim: in what the drives have recorded, and then, with a request each, for
// those that can be asked for. drives are returned with that record, where there is one.
func (c *Certification) see(drives []DriveRecord) ([]Sighting, []DriveRecord) {
	signs := c.Protocol.unclaimed(c.Discovery)
	seen := look(signs, drives, c.network.Address())
	if probes := c.probe(signs, seen, drives); probes.Transcript.Len() > 0 {
		lookAgain(signs, seen, probes, c.network.Address())
		drives = append(drives, probes)
	}
	return shown(seen), drives
}

// look looks for signs in what the drives have recorded. Each sign has a sighting, of no reply where nothing shows it.
func look(signs []Sign, drives []DriveRecord, address string) []Sighting {
	seen := make([]Sighting, len(signs))
	for i, sign := range signs {
		seen[i] = Sighting{What: sign.What, Claim: sign.Claim}
		for _, d := range drives {
			seen[i].add(sign, d, address)
			d.Transcript.Forget()
		}
	}
	return seen
}

// lookAgain looks for the signs that were not seen in what was asked for them alone.
func lookAgain(signs []Sign, seen []Sighting, probes DriveRecord, address string) {
	for i, sign := range signs {
		if seen[i].Replies == 0 {
			seen[i].add(sign, probes, address)
		}
	}
}

func shown(seen []Sighting) []Sighting {
	return slices.DeleteFunc(seen, func(s Sighting) bool { return s.Replies == 0 })
}

// unclaimed are the signs of what a target does not claim.
func (p *Protocol) unclaimed(d Discovery) []Sign {
	var out []Sign
	for _, s := range p.Signs {
		if _, claimed := s.Claim.Look(d); !claimed {
			out = append(out, s)
		}
	}
	return out
}

func (s *Sighting) add(sign Sign, d DriveRecord, address string) {
	for n := 1; n <= d.Transcript.Len(); n++ {
		if !sign.mayShow(d.Transcript.Entry(n), address) {
			continue
		}
		if at := sign.Find(d.Transcript.Reply(n)); at.Present() {
			if s.Replies == 0 {
				s.Drive, s.Where = d.ID, at.Ref()
			}
			s.Replies++
		}
	}
}

// mayShow tells whether a reply is worth being decoded.
func (s Sign) mayShow(e *wire.Entry, address string) bool {
	if e.Kind != "http" || e.Request == nil || e.Response == nil || e.Request.Method != s.Method || e.Response.Status/100 != 2 {
		return false
	}
	path, below := strings.CutPrefix(e.Request.URL, address)
	path, _, _ = strings.Cut(path, "?")
	return below && strings.HasPrefix(path, "/") && s.Path.MatchString(path) && strings.Contains(e.Response.Body, s.Word)
}

// probe asks for the signs that can be asked for and were not seen. Whoever narrowed the selection asked for less than that.
// What does not answer shows nothing.
func (c *Certification) probe(signs []Sign, seen []Sighting, drives []DriveRecord) DriveRecord {
	client := c.network.Client(probesDrive)
	defer client.Close()
	record := DriveRecord{ID: probesDrive, Transcript: client.Transcript()}
	if c.Options.Select.Narrows() {
		return record
	}
	prefix := c.Protocol.SeamPrefix
	if given := c.Options.SeamPrefixes; len(given) > 0 {
		prefix = given[0]
	}
	ctx, cancel := context.WithTimeout(c.running, probesTime)
	defer cancel()
	start, runID := time.Now(), c.anyRun(drives)
	for i, sign := range signs {
		if sign.Probe == nil || seen[i].Replies > 0 {
			continue
		}
		if path := sign.Probe(prefix, runID); path != "" {
			call := wire.Call{Method: sign.Method, Path: path, Label: "is it there without a claim: " + sign.What}
			if _, err := client.Do(ctx, call); ctx.Err() != nil && err != nil {
				break
			}
		}
	}
	record.Seconds = time.Since(start).Seconds()
	return record
}

// anyRun is the id of a run that the target said it has made; "" where there is none.
func (c *Certification) anyRun(records []DriveRecord) string {
	if c.Protocol.RunOf == nil {
		return ""
	}
	for _, d := range records {
		for n := 1; n <= d.Transcript.Len(); n++ {
			if e := d.Transcript.Entry(n); e.Kind == "http" && e.Request != nil && e.Request.Method == http.MethodPost && e.Response != nil && e.Response.Status/100 == 2 {
				if id := c.Protocol.RunOf(d.Transcript.Reply(n)); id != "" {
					return id
				}
			}
		}
	}
	return ""
}

// Narrows tells whether less is asked than there is.
func (s Selection) Narrows() bool {
	return len(s.Suites)+len(s.Scenarios)+len(s.Requirements) > 0 || s.Match != nil
}
