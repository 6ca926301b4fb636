// Package protocols is the one table of the protocols that Assay knows. A row extends a protocol's value in scenarios
// with the needs of the commands: how to recognise its targets, how to start its simulated host or reference agent, and
// how that can misbehave or vary.
package protocols

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/param"
)

// Table lists all protocols in display order. A host is assumed to speak the first protocol with hosts, unless
// something says otherwise.
var Table = []*Row{openWOP, agenticLoop, openIntent}

// Row is a protocol as the commands see it.
type Row struct {
	*scenarios.Protocol
	Brand   string   // for headings
	Targets []Target // kinds of targets; proofs are about the first

	Honest     func() []Honest // the plain one first
	Faults     func() []Fault
	Variations func() []Variation // nil for none
	Speaker    string             // owner of the faults and variations
	Misbehave  string             // how to get a target with the fault %s, if certify starts none
	// Unkilled explains the purpose of checks that kill no fault, unless their requirement explains it.
	Unkilled map[Check]string
	// Unbroken explains why no fault breaks a tested MUST requirement.
	Unbroken map[string]string
	// Second starts the host that specimens work with; nil if they work alone.
	Second func(ctx context.Context, p Place) (s *Served, key string, err error)

	Simhost  func() Simhost // nil without a simulated host
	Clocked  string         // owner of the clock that can be advanced; "" for nobody
	Commands []Command
	Examples map[string]string // lines of help, by command
	Cost     Cost
}

// Target is a kind of target that speaks a protocol.
type Target struct {
	Name   string // host
	Suites func() []scenarios.Suite
	Models func() []history.Object // what histories are held against; nil if there are none
	// Tell returns what the models say of what a transcript tells; nil if no reader knows transcripts.
	Tell func(scenarios.Discovery, *wire.Transcript) []explore.Told
	// Flag accepts the command of a program in place of a target; nil for hosts.
	Flag   *Flag
	Folder *Folder // accepted in place of the command; nil for none
}

// Flag is a flag of assay certify that accepts the command of a target.
type Flag struct {
	Name, Usage, Example string
	Long                 string // for the long help
	Target               func(words []string) (wire.Target, error)
}

// Folder recognises a folder that holds a target.
type Folder struct {
	Holds  func(dir string) bool
	Files  [2]string // the folder has one of them
	Target func(dir string) (wire.Target, error)
}

// Honest is a specimen that keeps every promise it makes, named by the flags of the command that starts it.
type Honest struct {
	Name     string
	Specimen Specimen
}

// Fault is a violation that a specimen commits. The digest of a kill matrix covers the members that JSON has.
type Fault struct {
	ID, Title, Looks string
	Breaks           []string
	Spots            []int  // rows of docs/blind-spots.md
	Under            string // flags of a host on which it shows
	Twin             string // why it exists beside a similar one
	Depth            string `json:",omitempty"` // from which it shows; "": quick

	ByChance []string `json:"-"` // requirements that it may also break, depending on timing
	Of       string   `json:"-"` // speaker
	Run      string   `json:"-"` // command that starts such a host or agent
	Specimen Specimen `json:"-"` // commits it
	// OnWire commits it in front of any host; nil if it is a decision that only a host itself can take.
	OnWire *mutate.Changes `json:"-"`

	Params []param.Param                    `json:"-"` // what may be set of it
	With   func(spec string) (Fault, error) `json:"-"` // itself with something set, as package param reads it
}

// Variation is an allowed difference from the usual behaviour.
type Variation struct {
	ID, Title, About string
	Slips            []string // requirements that get a finding
	Of, Run          string
}

// Check identifies the checks of a requirement in a scenario.
type Check struct{ Scenario, Requirement string }

// Command is a command of only one protocol. The help lists it right behind the command After.
type Command struct {
	After string
	New   func() *cobra.Command
}

// Cost is the cost of one in-process certification of the plain honest specimen at commit time: 2026-11-23, Go 1.26,
// linux/amd64, 2 shared cores, reports not written. Processor time depends on the machine, and wall time on the waits
// of the drives. Allocations are equal on all machines, except for polling during waits. Commit new figures with every
// improvement.
type Cost struct {
	Processor, Wall time.Duration
	Allocations     uint64
}

// Hosted reports whether hosts speak the protocol, so that a base URL can name a target.
func (r *Row) Hosted() bool { return r.DiscoveryPath != "" }

// Hosts returns the rows of protocols that hosts speak.
func Hosts() []*Row {
	return slices.DeleteFunc(slices.Clone(Table), func(r *Row) bool { return !r.Hosted() })
}

// Hostless returns the rows of protocols that only programs speak.
func Hostless() []*Row { return slices.DeleteFunc(slices.Clone(Table), (*Row).Hosted) }

// Names returns the names of rows.
func Names(rows []*Row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.Name())
	}
	return names
}

// All returns the rows in the order of command lines: hosts come first.
func All() []*Row { return slices.Concat(Hosts(), Hostless()) }

// Named returns the row of a protocol by its name, or nil.
func Named(name string) *Row { return find(func(r *Row) bool { return r.Name() == name }) }

// ByID returns the row of a protocol by its id, or nil.
func ByID(id string) *Row { return find(func(r *Row) bool { return r.ID == id }) }

// Of returns the row of a protocol's value, or nil.
func Of(p *scenarios.Protocol) *Row { return find(func(r *Row) bool { return r.Protocol.ID == p.ID }) }

func find(is func(*Row) bool) *Row {
	if i := slices.IndexFunc(Table, is); i >= 0 {
		return Table[i]
	}
	return nil
}

// Values returns the values of all protocols.
func Values() (all []*scenarios.Protocol) {
	for _, r := range Table {
		all = append(all, r.Protocol)
	}
	return all
}

// WhyUnkilled explains the purpose of a check that kills no fault, "" if its requirement explains it.
func WhyUnkilled(scenario, requirement string) string {
	for _, r := range Table {
		if why := r.Unkilled[Check{scenario, requirement}]; why != "" {
			return why
		}
	}
	return ""
}

// Kind is a kind of target with its protocol.
type Kind struct {
	*Target
	Row *Row
}

// Kinds returns the kinds of targets of rows.
func Kinds(rows []*Row) (all []Kind) {
	for _, r := range rows {
		for i := range r.Targets {
			all = append(all, Kind{&r.Targets[i], r})
		}
	}
	return all
}

// Programs returns the kinds of targets whose command a flag of assay certify accepts.
func Programs() []Kind {
	return slices.DeleteFunc(Kinds(Table), func(k Kind) bool { return k.Flag == nil })
}

// Suites returns all suites of all protocols.
func Suites() (all []scenarios.Suite) {
	for _, kind := range Kinds(Table) {
		all = append(all, kind.Suites()...)
	}
	return all
}

// Faults returns the faults of all protocols.
func Faults() (all []Fault) {
	for _, r := range Table {
		for _, f := range r.Faults() {
			f.Of = r.Speaker
			all = append(all, f)
		}
	}
	return all
}

// Fault returns the fault of the protocol that a spec names, an id and what is set behind a colon. The error suggests the nearest
// one, or says what can be set.
func (r *Row) Fault(spec string) (Fault, error) {
	id, set := param.Split(spec)
	faults := r.Faults()
	ids := make([]string, len(faults))
	for i, f := range faults {
		if ids[i] = f.ID; f.ID == id && set == "" {
			return f, nil
		} else if f.ID == id {
			return f.With(spec)
		}
	}
	owner, hint := "", "see assay list faults"
	if r != Table[0] {
		owner = " of the " + r.Speaker
	}
	if near := nearest.Name(id, ids); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return Fault{}, fmt.Errorf("there is no fault %q%s: %s", id, owner, hint)
}

// with returns how the faults of a catalogue are made with something set.
func with[T any](find func(spec string) (T, error), made func(T) Fault) func(spec string) (Fault, error) {
	return func(spec string) (Fault, error) {
		f, err := find(spec)
		if err != nil {
			return Fault{}, err
		}
		return made(f), nil
	}
}

// Committed returns the fault of one of some protocols that a spec names (see [Row.Fault]). The error of an unknown id is a
// [scenarios.UsageError].
func Committed(spec string, rows []*Row) (Fault, error) {
	id, _ := param.Split(spec)
	var ids []string
	for _, r := range rows {
		for _, f := range r.Faults() {
			if f.ID == id {
				return r.Fault(spec)
			}
			ids = append(ids, f.ID)
		}
	}
	return Fault{}, &scenarios.UsageError{Kind: "fault", Name: id, Near: nearest.Name(id, ids)}
}

// Variations returns the variations of all protocols.
func Variations() (all []Variation) {
	for _, r := range Table {
		if r.Variations == nil {
			continue
		}
		for _, v := range r.Variations() {
			v.Of = r.Speaker
			all = append(all, v)
		}
	}
	return all
}

// OwnSuite returns the conformance suite that a protocol itself provides, or nil.
func OwnSuite() *scenarios.OwnSuite {
	for _, r := range Table {
		if r.OwnSuite != nil {
			return r.OwnSuite
		}
	}
	return nil
}

// Examples returns the lines that protocols add to the examples of a command.
func Examples(command string) string {
	var lines strings.Builder
	for _, r := range Table {
		if line, ok := r.Examples[command]; ok {
			lines.WriteString("\n" + line)
		}
	}
	return lines.String()
}

// OrList joins names: a, b or c.
func OrList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
