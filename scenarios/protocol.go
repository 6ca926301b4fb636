package scenarios

import (
	"io/fs"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// Protocol is one of the systems Assay knows: where its hosts say what they
// can do, and what its texts ask of them.
type Protocol struct {
	ID            string // name and major version: acme/v1
	Title         string
	DiscoveryPath string        // below the base URL
	KeyHeader     string        // the header that credentials go in as they are, "" for a bearer in Authorization
	Spec          func() []byte // the schemas of the spec, as generated
	Ledger        *Ledger
	Readings      []Reading // of what the ledger's sentences leave open
	Claims        []Claim
	Profiles      []Profile
	// CheckDiscovery compares the document with its schema; what differs is a
	// finding, never a verdict.
	CheckDiscovery func(document []byte) []Finding
	// Describe reads the host's name and version out of its document.
	Describe func(Discovery) (name, version string)

	// Signs are what a target may be seen to do without claiming it.
	Signs []Sign
	// SeamPrefix is where test seams are looked for unless the operator names another place.
	SeamPrefix string
	// RunOf is the id of the run that a reply says was made, "" where it says no such thing.
	RunOf func(reply wire.Value) string
	// Resources is the path below which a host answers GET for what its callers made, by id.
	Resources string
	// Tenants reports whether hosts tell tenants and scopes of keys apart.
	Tenants bool
	// Fixtures are workflows that a host loads to be certified in full, a JSON file each; nil where the protocol has none.
	Fixtures fs.FS

	// Event returns the name in the spec for the type of an event; nil where the spec has no events.
	Event func(kind string) (name string, known bool)
	// Program says how programs speak the protocol; nil where only hosts do.
	Program *Program
	// Timeline reads the loops out of a transcript that a report draws; nil where there are none.
	Timeline func(*wire.Transcript) []timeline.Loop
	// OwnSuite is the conformance suite that comes with the protocol; nil where none does.
	OwnSuite *OwnSuite
}

// Program says how a program speaks a protocol: it reads one request and writes one answer.
type Program struct {
	Request, Answer string // their schemas in the spec
	Declares        bool   // CheckDiscovery is about the declaration of a program, too
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

// SpecDigest changes when a requirement, a claim, a profile or a schema does: what a verdict says of a requirement, and what a
// certificate takes, rest on them.
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

// Claim finds a claim by id.
func (p *Protocol) Claim(id string) (Claim, bool) {
	for _, c := range p.Claims {
		if c.ID == id {
			return c, true
		}
	}
	return Claim{}, false
}

// Discovery is what a target says of itself, fetched once.
type Discovery struct {
	Document wire.Value `json:"document"`
	Status   wire.Value `json:"status"`
	At       time.Time  `json:"at"`
}

// Claim is one thing a target can say it supports.
type Claim struct {
	ID      string // execution-model>=5
	Title   string
	Pointer string // where the target says so, with the comparison: /multiAgent/executionModel/version >= 5
	// Look reads the claim. value is what stood there.
	Look func(Discovery) (value wire.Value, claimed bool)
	// Open says that the document has no word for it, so that asking shows whether the target has it. Then its scenarios
	// run, and one that finds nothing of it is inapplicable (see [NotThere]). nil is never.
	Open func(Discovery) bool
}

// asked says whether the scenarios of a claim run. value is what stood where the target would say so.
func (c Claim) asked(d Discovery) (value wire.Value, asked bool) {
	value, claimed := c.Look(d)
	return value, claimed || c.open(d)
}

func (c Claim) open(d Discovery) bool { return c.Open != nil && c.Open(d) }

// Suite is the scenarios of one theme.
type Suite struct {
	ID        string // iteration-monotonic
	Title     string
	Protocol  *Protocol
	Scenarios []Scenario
}
