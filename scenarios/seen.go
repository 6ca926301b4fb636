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

// Sign shows that a target has a feature. If the target does not claim it, no scenario asks about it, so the report
// says that it was seen.
type Sign struct {
	What  string // as reports call it
	Claim Claim  // of the feature
	// Method and Path select the requests whose replies may show it. Path is matched against the part of the URL after
	// the base.
	Method string
	Path   interface{ MatchString(path string) bool }
	// Word is in every body that shows it. A body without it is not decoded.
	Word string
	// Find returns the value that shows it in the body of a 2xx reply, absent if there is none.
	Find func(reply wire.Value) wire.Value
	// Probe returns the path of a GET that may show it, for a sign that no drive has shown; "" if there is nothing to
	// ask. prefix is that of the seams; runID is a run that was seen, "" if there is none. Without Probe no request
	// looks for the sign.
	Probe func(prefix, runID string) string
}

// Sighting is a sign that was seen although the target does not claim the feature.
type Sighting struct {
	What    string
	Claim   Claim
	Drive   string   // the first whose transcript shows it
	Where   wire.Ref // the first place there
	Replies int      // the number of replies that show it
}

const (
	// probesDrive names the transcript of the probes.
	probesDrive = "not-claimed"
	// probesTime bounds all probes together.
	probesTime = 5 * time.Second
)

// Probes returns the requests that probes may send, for a plan.
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

// see looks for signs of features that the target does not claim: in the transcripts of drives, then by probes. It
// returns drives with the record of the probes, if any was sent.
func (c *Certification) see(drives []DriveRecord) ([]Sighting, []DriveRecord) {
	signs := c.Protocol.unclaimed(c.Discovery)
	seen := look(signs, drives, c.network.Address())
	if probes := c.probe(signs, seen, drives); probes.Transcript.Len() > 0 {
		lookAgain(signs, seen, probes, c.network.Address())
		drives = append(drives, probes)
	}
	return shown(seen), drives
}

// look returns a sighting for each sign, with no replies if no transcript shows it.
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

// lookAgain looks for signs that no drive has shown in the transcript of the probes.
func lookAgain(signs []Sign, seen []Sighting, probes DriveRecord, address string) {
	for i, sign := range signs {
		if seen[i].Replies == 0 {
			seen[i].add(sign, probes, address)
		}
	}
}

// shown returns the sightings with replies.
func shown(seen []Sighting) []Sighting {
	return slices.DeleteFunc(seen, func(s Sighting) bool { return s.Replies == 0 })
}

// unclaimed returns the signs of features that a target does not claim.
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

// mayShow reports whether a reply is worth decoding.
func (s Sign) mayShow(e *wire.Entry, address string) bool {
	if !answered(e, s.Method) {
		return false
	}
	path, below := strings.CutPrefix(e.Request.URL, address)
	path, _, _ = strings.Cut(path, "?")
	return below && strings.HasPrefix(path, "/") && s.Path.MatchString(path) && strings.Contains(e.Response.Body, s.Word)
}

// answered reports whether an entry is a request of a method that was answered with 2xx.
func answered(e *wire.Entry, method string) bool {
	return e.Kind == "http" && e.Request != nil && e.Response != nil && e.Request.Method == method && e.Response.Status/100 == 2
}

// probe sends the probes of signs that no drive has shown, unless the operator narrowed the selection.
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
	start, runID := time.Now(), c.Protocol.anyRun(drives)
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

// probed reports whether a certification must have sent probes. One whose time was over need not have.
func (p *Protocol) probed(by Selection, signs []Sign, seen []Sighting, drives []DriveRecord) bool {
	if by.Narrows() || slices.ContainsFunc(drives, func(d DriveRecord) bool { return d.Stop != nil && d.Stop.Verdict == Inconclusive }) {
		return false
	}
	runID := p.anyRun(drives)
	for i, sign := range signs {
		if sign.Probe != nil && seen[i].Replies == 0 && sign.Probe(p.SeamPrefix, runID) != "" {
			return true
		}
	}
	return false
}

// anyRun returns the id of a run that the target made, "" if there is none.
func (p *Protocol) anyRun(records []DriveRecord) string {
	if p.RunOf == nil {
		return ""
	}
	for _, d := range records {
		for n := 1; n <= d.Transcript.Len(); n++ {
			if answered(d.Transcript.Entry(n), http.MethodPost) {
				if id := p.RunOf(d.Transcript.Reply(n)); id != "" {
					return id
				}
			}
		}
	}
	return ""
}
