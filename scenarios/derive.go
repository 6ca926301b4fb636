package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Given is what no transcript shows of a certification.
type Given struct {
	Address   string
	Started   time.Time
	Seconds   float64
	Seed      uint64
	Select    Selection
	Leftovers []string
}

// Derive makes the report of a certification again from its transcripts, without the target. All suites must be of one
// protocol. Drives of the report are those whose transcripts were read. The transcripts may be from anybody: an error says
// what cannot be theirs.
func Derive(transcripts fs.FS, given Given, suites ...Suite) (report *Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			report, err = nil, fmt.Errorf("judging the transcripts again: it panicked: %v", p)
		}
	}()
	again, err := revive(transcripts, given.Select, suites)
	if err != nil {
		return nil, err
	}
	picked, err := given.Select.Pick(suites...)
	if err != nil {
		return nil, err
	}
	protocol := suites[0].Protocol
	r := &Report{
		Protocol: protocol, Address: given.Address, SuiteDigest: suiteDigest(picked), Started: given.Started, Seconds: given.Seconds,
		Seed: given.Seed, Select: given.Select, Leftovers: given.Leftovers, Outcomes: again.outcomes,
		DiscoveryFindings: again.findings(protocol),
	}
	r.Drives = append(r.Drives, again.discovery.record())
	for _, id := range again.order {
		r.Drives = append(r.Drives, again.drives[id].record())
	}
	for _, d := range r.Drives {
		if err := asWritten(transcripts, d); err != nil {
			return nil, err
		}
	}
	signs := protocol.unclaimed(again.said())
	seen := look(signs, r.Drives, given.Address)
	switch f, t, err := readTranscript(transcripts, probesDrive); {
	case err == nil:
		probes := DriveRecord{ID: probesDrive, Transcript: t, Seconds: f.Seconds}
		lookAgain(signs, seen, probes, given.Address)
		r.Drives = append(r.Drives, probes)
		if err := asWritten(transcripts, probes); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	r.Seen = shown(seen)
	r.sumUp(again.said())
	return r, nil
}

// asWritten makes sure that a transcript says nothing that was not read of it, such as a member twice: written again, it is the
// same.
func asWritten(transcripts fs.FS, d DriveRecord) error {
	name := TranscriptName(d.ID)
	content, err := fs.ReadFile(transcripts, name)
	if err != nil {
		return err
	}
	again, err := MarshalTranscript(d)
	if err != nil {
		return err
	}
	if !bytes.Equal(content, again) {
		return fmt.Errorf("%s: it is not written as certify writes it: it was edited", name)
	}
	return nil
}

// findings are what is to be said of the discovery document.
func (r *revived) findings(p *Protocol) []Finding {
	var out []Finding
	at := r.said().Document.Ref().Exchange
	if text, ok := Said(r.discovery.record()); ok && p.CheckDiscovery != nil {
		out = boundFindings(p.CheckDiscovery([]byte(text)), nothingSecret)
	}
	if e := r.discovery.transcript.Entry(at); e != nil && e.Response != nil {
		out = append(out, clock(e.Response.Header["Date"], r.said().At)...)
	}
	return out
}

// spaceOf is the name space of a drive: the seed repeats the values, not the names, so that what an earlier certification left
// on the target is not met again.
func spaceOf(started time.Time, first uint32) string {
	return strconv.FormatInt(started.UnixMicro(), 36) + "-" + strconv.FormatUint(uint64(first), 36)
}

// named is what [Conn.Name] makes: a stem, when the certification started, the first number that the drive drew, and another.
var named = lazyregexp.New(`-([0-9a-z]{10,11})-([0-9a-z]{1,7})-[0-9a-f]{8}`)

// Names looks at the names that a drive gave to what it made: they tell when the certification started, and its seed. It
// returns how many there are, and an error for the first that is of another certification or of another seed.
func (d DriveRecord) Names(started time.Time, seed uint64) (n int, err error) {
	space := spaceOf(started, seedOf(seed, d.ID).Uint32())
	for i := range d.Transcript.Entries {
		e := &d.Transcript.Entries[i]
		for _, text := range e.Sent() {
			for _, m := range named.FindAllStringSubmatch(text, -1) {
				if !within(m[1], e.At) {
					continue
				}
				n++
				if m[1]+"-"+m[2] != space {
					return n, fmt.Errorf("exchange %d of the drive %s sends the name …%s, and one of this start and seed has %s in it", i+1, d.ID, m[0], space)
				}
			}
		}
	}
	return n, nil
}

// within says whether a number may be the start, in microseconds, of the certification that sent something at this time: what
// looks like a name may be an id of the target's.
func within(micros string, sent time.Time) bool {
	const longest = 24 * time.Hour
	n, err := strconv.ParseInt(micros, 36, 64)
	if err != nil {
		return false
	}
	apart := sent.Sub(time.UnixMicro(n))
	return apart > -longest && apart < longest
}

// Said is the discovery document as the drive that fetched it recorded it, the first of a report.
func Said(d DriveRecord) (text string, ok bool) {
	said, ok := d.Observation.(Discovery)
	if !ok {
		return "", false
	}
	return d.Transcript.Document(said.Document.Ref().Exchange)
}
