// Package protocols is the one table of the protocols that Assay knows. A row adds to a protocol's own value in scenarios what
// the commands need: how its targets are recognised, how its simulated host or reference agent is started, and how that can
// misbehave or differ.
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
	"github.com/openassay/assay/scenarios/wire"
)

// Table lists all protocols in the order in which they are shown. The first of those with hosts is what a host is taken to speak
// where nothing says otherwise.
var Table = []*Row{openWOP, agenticLoop, openIntent}

// Row is a protocol as the commands see it.
type Row struct {
	*scenarios.Protocol
	Brand   string   // as headings have it
	Targets []Target // what speaks it, first the kind that proofs are about

	Honest     func() []Honest // the plain one first
	Faults     func() []Fault
	Variations func() []Variation // nil where there are none
	Speaker    string             // whose faults and variations they are
	Misbehave  string             // how to get a target with the fault %s, where certify starts none
	// Unkilled says of checks that kill no fault what they are for, where the requirement alone does not tell.
	Unkilled map[Check]string
	// Unbroken says of requirements that targets MUST keep, and that are asked about, why no fault breaks them.
	Unbroken map[string]string
	// Second starts the host that specimens work with; nil where they work alone.
	Second func(ctx context.Context, p Place) (s *Served, key string, err error)

	Simhost  func() Simhost // nil where there is no simulated host
	Clocked  string         // who has a clock that can be advanced; "" for nobody
	Commands []Command
	Examples map[string]string // lines of help, by command
	Cost     Cost
}

// Target is a kind of target that speaks a protocol.
type Target struct {
	Name   string // host
	Suites func() []scenarios.Suite
	// Flag takes the command of a program in place of the name of a target; nil where the target is a host.
	Flag   *Flag
	Folder *Folder // nil where no folder can be named in place of the command
}

// Flag is a flag of assay certify that takes the command of a target.
type Flag struct {
	Name, Usage, Example string
	Long                 string // what the help of the command says of it
	Target               func(words []string) (wire.Target, error)
}

// Folder is a folder that holds a target.
type Folder struct {
	Holds  func(dir string) bool
	Files  [2]string // one of them is there
	Target func(dir string) (wire.Target, error)
}

// Honest is a specimen that keeps every promise it makes, by the flags of the command that makes it.
type Honest struct {
	Name     string
	Specimen Specimen
}

// Fault is a violation that a specimen commits. The digest of a kill matrix is about all members but the last three.
type Fault struct {
	ID, Title, Looks string
	Breaks           []string
	Spots            []int  // rows of docs/blind-spots.md
	Under            string // flags of the host that it shows on
	Twin             string // why it is there beside one like it

	Of       string   `json:"-"` // whose it is
	Run      string   `json:"-"` // the command that starts such a host or agent
	Specimen Specimen `json:"-"` // commits it
}

// Variation is a way to differ from the usual without being wrong.
type Variation struct {
	ID, Title, About string
	Slips            []string // requirements for which a certification has a finding
	Of, Run          string
}

// Check names what a scenario asks about a requirement.
type Check struct{ Scenario, Requirement string }

// Command is a command that only one protocol has. It stands right behind another one in the help.
type Command struct {
	After string
	New   func() *cobra.Command
}

// Cost is what one certification of the plain honest specimen took in process when the figure was committed: on 2026-11-23, Go
// 1.26, linux/amd64, 2 cores that others used too, reports not written. The processor time depends on the machine, the wall time
// on what a protocol has a drive wait for; allocations are the same everywhere, but for the looks that a drive takes while it
// waits. Who makes certifications cheaper commits new figures.
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
func Of(p *scenarios.Protocol) *Row { return find(func(r *Row) bool { return r.Protocol == p }) }

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

// WhyUnkilled says of a check that kills no fault what it is for, "" where its requirement tells.
func WhyUnkilled(scenario, requirement string) string {
	for _, r := range Table {
		if why := r.Unkilled[Check{scenario, requirement}]; why != "" {
			return why
		}
	}
	return ""
}

// Kind is a kind of target, with the protocol that it speaks.
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

// Programs returns the kinds of targets that a flag of assay certify takes the command of.
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

// Fault finds a fault of a protocol. The error names the nearest one.
func (r *Row) Fault(id string) (Fault, error) {
	faults := r.Faults()
	ids := make([]string, len(faults))
	for i, f := range faults {
		if ids[i] = f.ID; f.ID == id {
			return f, nil
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

// OwnSuite returns the conformance suite that comes with a protocol, or nil.
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
