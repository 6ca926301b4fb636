package scenarios

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// Protocol is a protocol that Assay certifies hosts for: where hosts make their claims, and what its texts require.
type Protocol struct {
	ID            string // name and major version: acme/v1
	Title         string
	DiscoveryPath string    // below the base URL
	Essential     []string  // members of which a host's discovery document has at least one; nil if it may have none
	Cost          wire.Cost // of a request, for the operator who bounds it; nil if only the number of requests counts
	// Rounds bounds how often a drive that asks little is driven at each depth, where that is not what is usual.
	Rounds    [Deep + 1]Rounds
	Speech    wire.Speech   // the words of the version; nil if suites write requests themselves
	KeyHeader string        // the header of credentials; "" is Authorization, with a bearer token
	Spec      func() []byte // the generated schemas of the spec
	// Requests is the bundled document that the requests of drives are checked against before they leave; nil to check none.
	Requests func() []byte
	Ledger   *Ledger
	Readings []Reading // what Assay decided where the texts leave something open
	Claims   []Claim
	Profiles []Profile
	// CheckDiscovery returns a finding for each place where the document does not match its schema.
	CheckDiscovery func(document []byte) []Finding
	// Describe returns the host's name and version from its document.
	Describe func(Discovery) (name, version string)

	// Invariants holds what drives read to the rules for everything of its kind: each log, page, stream and snapshot, whatever was
	// asked. nil where the protocol has none.
	Invariants func(d Discovery, drives []DriveRecord, see func(Sight))
	// Recorded is Invariants for what others did, with further rules: in a certification scenarios ask for the same. nil where there
	// are no more than Invariants.
	Recorded func(d Discovery, drives []DriveRecord, see func(Sight))
	// Topics returns what an exchange is about: the runs, goals, files and the like that it names. Recordings are judged by what belongs
	// together so. nil where all of a recording does.
	Topics func(*wire.Entry) []string
	// Logged says how a host tells a log to who reads it whole; nil where events alone say nothing.
	Logged *EventLog
	// Watched returns the requirements that Invariants or Recorded check; nil where there are neither.
	Watched func() IDs
	// Paces finds out how far behind the reads of a target are, before anything is driven; nil where no drive asks.
	Paces func(context.Context, *Conn)
	// Words explains the words of the files that an operator writes for this protocol; nil where there are none.
	Words func() []Word
	// Fixed are the things of which drives must not be told different things.
	Fixed []Fixed
	// Signs show features that a target has without claiming them.
	Signs []Sign
	// Roles are what workflows of a target's own can do for drives, where no known one does.
	Roles []string
	// SeamPrefix is the prefix of test seams unless the operator gives another.
	SeamPrefix string
	// RunOf returns the id of the run that a reply says was made, "" if it says no such thing.
	RunOf func(reply wire.Value) string
	// Resources is the path below which a host answers GET for what its callers made, by id.
	Resources string
	// Tenants reports whether hosts tell tenants and scopes of keys apart.
	Tenants bool
	// Fixtures are workflows that a host loads to be certified in full, a JSON file each; nil where the protocol has none.
	Fixtures fs.FS
	// Salt is what the names of the fixtures were drawn from, "" for the published ones.
	Salt string
	// Drawn returns the id that a fixture has by its published one; nil where they are the same.
	Drawn func(id string) string
	// Salted returns the protocol for hosts that have the fixtures with names drawn from a salt; nil where it has no fixtures.
	Salted func(salt string) (*Protocol, error)

	// Event returns the name in the spec for the type of an event; nil where the spec has no events.
	Event func(kind string) (name string, known bool)
	// Program says how programs speak the protocol; nil where only hosts do.
	Program *Program
	// Timeline reads the loops out of a transcript that a report draws; nil where there are none.
	Timeline func(*wire.Transcript) []timeline.Loop
	// OwnSuite is the conformance suite that comes with the protocol; nil where none does.
	OwnSuite *OwnSuite
}

// Word is a word of a file that an operator writes.
type Word struct {
	Name, In string // In is the file
	Means    string
	Members  []string // the words that may stand below it
}

// Program says how a program speaks a protocol: it reads one request and writes one answer.
type Program struct {
	Request, Answer string // their schemas in the spec
	Declares        bool   // CheckDiscovery is about the declaration of a program, too
	// Kind returns what kind of turn a request is for, and the run that it is about, "" for none. The answer may name that. nil where all
	// turns are of one kind.
	Kind func(request, answer map[string]any) (kind, run string)
	// Members returns members of Request that it leaves open, with the schemas that hold for them; "" for settings, whose names the
	// operator knows. nil where there are none.
	Members func() map[string]string
	// Harmless returns a request that acts on nothing, and its name. It is to be answered by a deadline.
	Harmless func(deadline time.Time) (request map[string]any, name string)
}

// OwnSuite is a conformance suite other than Assay's, whose certification bundles a matrix shows.
type OwnSuite struct {
	Title  string // Acme's own conformance suite
	Prefix string // begins the ids that it gives its scenarios as requirements
}

// Name is the protocol without its version, as command lines have it.
func (p *Protocol) Name() string {
	name, _, _ := strings.Cut(p.ID, "/")
	return name
}

// contract returns what requests are checked against, nil to check none.
func (p *Protocol) contract() *wire.Contract {
	if p.Requests == nil {
		return nil
	}
	k := &wire.Contract{Bundled: p.Requests, Cites: func(id string) bool {
		_, known := p.Ledger.Find(RequirementID(id))
		return known || slices.ContainsFunc(p.Readings, func(r Reading) bool { return r.ID == id })
	}}
	if p.Program != nil {
		k.Input = p.Program.Request
	}
	return k
}

// SpecDigest returns a digest that changes when a requirement, a claim, a profile or a schema does: verdicts and
// certificates rest on them.
func (p *Protocol) SpecDigest() string {
	type claim struct{ ID, Pointer string }
	rests := struct {
		Rows     []Requirement
		Claims   []claim
		Profiles []Profile
		Schemas  []byte
	}{Rows: p.Ledger.Rows, Profiles: p.Profiles}
	for _, c := range p.Claims {
		rests.Claims = append(rests.Claims, claim{c.ID, c.Pointer})
	}
	if p.Spec != nil {
		rests.Schemas = p.Spec()
	}
	return digest(rests)
}

// spell is text with its operations as this version of the protocol has them.
func (p *Protocol) spell(text string) string {
	if p.Speech == nil {
		return text
	}
	return p.Speech.Spell(text)
}

// lacks returns which members a document has none of, although a host's has at least one; "" if it may be a host's.
func (p *Protocol) lacks(document wire.Value) string {
	for _, name := range p.Essential {
		if document.Key(name).Present() {
			return ""
		}
	}
	return strings.Join(p.Essential, ", ")
}

// Claim returns the claim with an id.
func (p *Protocol) Claim(id string) (Claim, bool) {
	for _, c := range p.Claims {
		if c.ID == id {
			return c, true
		}
	}
	return Claim{}, false
}

// Discovery is the discovery document of a target, fetched once.
type Discovery struct {
	Document wire.Value `json:"document"`
	Status   wire.Value `json:"status"`
	At       time.Time  `json:"at"`
	// Certificate is the SHA-256 of the host's certificate, in hex; "" without TLS.
	Certificate string `json:"certificate,omitempty"`
	// Nonce is what the operator published with the document, nil where certify was not told to look for it there.
	Nonce *wire.Value `json:"nonce,omitempty"`
	// NonceInDNS is what the operator published in DNS instead, "" for nothing. No transcript shows it.
	NonceInDNS string `json:"nonceInDNS,omitempty"`
}

// Claim is a feature that a target can claim to support.
type Claim struct {
	ID      string // execution-model>=5
	Title   string
	Pointer string // where the target makes it, with the comparison: /multiAgent/executionModel/version >= 5
	// Look reads the claim. value is what stands there.
	Look func(Discovery) (value wire.Value, claimed bool)
	// Choice marks a claim that the target lacks something, or chose one of several: only its id expects it, no pattern.
	Choice bool
	// Open reports that the document cannot make the claim. Then its scenarios run, to find out whether the target has
	// the feature, and one that finds nothing is inapplicable (see [NotThere]). A nil Open is never true.
	Open func(Discovery) bool
}

// EventLog is how a host tells the events of a log.
type EventLog struct {
	Of            func(id string) string    // path below the base URL, where the log of a run or the like is read
	Path          func(event []byte) string // Of what the event names; "" if it names nothing, or is no JSON
	Before, After string                    // what stands around the events in the reply, with commas between them
}

// asked reports whether the scenarios of a claim run. value is what stands where the target makes it.
func (c Claim) asked(d Discovery) (value wire.Value, asked bool) {
	value, claimed := c.Look(d)
	return value, claimed || c.open(d)
}

func (c Claim) open(d Discovery) bool { return c.Open != nil && c.Open(d) }

// DriveOf is the drive of a scenario, and what it sends as the protocol spells it; ok is false when it has none.
func (s Suite) DriveOf(of Scenario) (d DriveMeta, ok bool) {
	d, ok = of.Ask.Drive()
	sends := make([]string, len(d.Sends))
	for i, send := range d.Sends {
		sends[i] = s.Protocol.spell(send)
	}
	d.Sends = sends
	return d, ok
}

// Suite is a list of scenarios about one question.
type Suite struct {
	ID        string // iteration-monotonic
	Title     string
	Protocol  *Protocol
	Scenarios []Scenario
}

// SaltForm says which salts are accepted.
const SaltForm = "1 to 64 visible characters of ASCII, without spaces"

var saltForm = lazyregexp.New(`^[!-~]{1,64}$`)

// IsSalt reports whether names of fixtures can be drawn from a text.
func IsSalt(text string) bool { return saltForm.MatchString(text) }

// Salted returns suites of one protocol for hosts that have its fixtures with names drawn from a salt. "" leaves them as they are.
func Salted(salt string, suites []Suite) ([]Suite, error) {
	if salt == "" || len(suites) == 0 {
		return suites, nil
	}
	p := suites[0].Protocol
	switch {
	case !IsSalt(salt):
		return nil, fmt.Errorf("the salt is not of %s", SaltForm)
	case p.Salted == nil:
		return nil, fmt.Errorf("%s has no fixtures whose names could be drawn", p.ID)
	}
	salted, err := p.Salted(salt)
	if err != nil {
		return nil, err
	}
	out := make([]Suite, len(suites))
	for i, s := range suites {
		s.Protocol = salted
		out[i] = s
	}
	return out, nil
}
