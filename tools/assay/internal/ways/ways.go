// Package ways finds the shortest ways out of what blocks scenarios: what to do, and the command to type. It reads only the
// results of a certification.
package ways

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

// Way is one thing to do, and what it unblocks.
type Way struct {
	Do        string   `json:"do"`        // in words; parts may be the target's own
	Command   string   `json:"command"`   // to type, as it is; where Do is for the target, it asks again what was blocked
	Reasons   []string `json:"reasons"`   // why scenarios are blocked; parts may be the target's own
	Scenarios []string `json:"scenarios"` // that it unblocks

	rank int // of its trouble: the least first
}

// Commands build what is to be typed.
type Commands struct {
	Program string // how this program was called, for a shell
	Salt    string // of the names of fixtures, for a shell; "" for the published ones
	// Certify returns the command that certifies the same target in the same way, with variables before it and flags behind it.
	Certify func(variables, flags string) string
	// Keyed is Certify with another key than the one that was given, which a variable holds.
	Keyed func(variables string) string
	// Check is the command that goes on with what is left running; "" where nothing is.
	Check string
	// Ask returns the command that asks the same target a selection alone.
	Ask func(selection string) string
}

// remedy recognises what unblocks by the words of it: by the flag, or the command, that it names.
type remedy struct {
	names string
	do    string // "" takes the words over
	by    func(Commands) string
}

// variable returns the setting of an environment variable that a shell refuses to run without.
func variable(name, value string) string { return name + `="${` + name + ":?" + value + `}"` }

// withVariable is for flags whose value certify also reads from the environment: no key stands on a command line then.
func withVariable(name, value string) func(Commands) string {
	return func(c Commands) string { return c.Certify(variable(name, value), "") }
}

func withFlag(flag string) func(Commands) string {
	return func(c Commands) string { return c.Certify("", flag) }
}

// remedies are in the order in which their names are looked for.
var remedies = []remedy{
	{names: "--second-host the fixtures"}, // these are for the second host
	{names: "in place of --header"},       // they say it better than a command does
	{"assay fixtures export", "load the fixtures that this writes into the host, and list them", func(c Commands) string {
		if c.Salt != "" {
			return c.Program + " fixtures export --salt " + c.Salt + " fixtures"
		}
		return c.Program + " fixtures export assay-fixtures"
	}},
	{"--tenant-b-key", "give the key of another tenant", withVariable("ASSAY_TENANT_B_KEY", "the key of another tenant")},
	{"--voter-key", "give keys of further principals of the tenant",
		withVariable("ASSAY_VOTER_KEYS", "keys of further principals, with commas between them")},
	{"--low-scope-key", "give a key that may not answer interrupts",
		withVariable("ASSAY_LOW_SCOPE_KEY", "a key that may not answer interrupts")},
	{"--host-secret", "", withVariable("ASSAY_HOST_SECRET", "a value that the host keeps as a secret")},
	{"--second-host", "name another host, which the target knows as second, and the key of the target there", func(c Commands) string {
		return c.Certify(variable("ASSAY_SECOND_HOST_KEY", "the key of the target at the second host"),
			`--second-host "${ASSAY_SECOND_HOST:?base URL of the second host}"`)
	}},
	{"--seam-prefix", "name the path below which the seams of the host live, or wire them (docs/seams.md)",
		withFlag(`--seam-prefix "${ASSAY_SEAM_PREFIX:?path of the seams, like /v1/host/acme}"`)},
	{"--real-time", "", withFlag("--real-time")},
	{"--launch TICKET", "", withFlag("--launch ticket.json")},
	{"--check TICKET", "", func(c Commands) string { return c.Check }},
	{"with --key", "give a key that may do what is asked", func(c Commands) string {
		return c.Keyed(variable("ASSAY_KEY", "a key of the target that may do what is asked"))
	}},
}

// Of returns the ways out of everything that is blocked, the one that gains most first; of equals, the one without a change to
// the target. What a violation blocks has no way out but to keep the requirement.
func Of(doc results.Results, c Commands) []Way {
	causes, _ := excerpt.Blocked(doc)
	ways := []Way{}
	for _, cause := range causes {
		way := c.way(cause)
		i := slices.IndexFunc(ways, func(known Way) bool { return known.Do == way.Do })
		if i < 0 {
			ways = append(ways, way)
			continue
		}
		ways[i].Scenarios = append(ways[i].Scenarios, way.Scenarios...)
		ways[i].Reasons = append(ways[i].Reasons, way.Reasons...)
	}
	for i, way := range ways {
		if way.rank > 0 {
			ways[i].Command = c.Ask(again(way.Scenarios, doc))
		}
	}
	slices.SortStableFunc(ways, func(a, b Way) int {
		return cmp.Or(cmp.Compare(len(b.Scenarios), len(a.Scenarios)), cmp.Compare(a.rank, b.rank))
	})
	return ways
}

func (c Commands) way(cause *excerpt.Cause) Way {
	way := Way{Do: excerpt.Remedy(cause.Scenarios[0]), Reasons: cause.Reasons, rank: 1}
	for _, s := range cause.Scenarios {
		way.Scenarios = append(way.Scenarios, s.ID)
	}
	for _, r := range remedies {
		if !strings.Contains(way.Do, r.names) {
			continue
		}
		if r.by != nil {
			way.Do, way.Command, way.rank = cmp.Or(r.do, way.Do), r.by(c), 0
		}
		break
	}
	return way
}

// mostNamed bounds the scenarios that a command names one by one.
const mostNamed = 3

// again returns the flags that ask scenarios again: by their ids, or else by their suites.
func again(ids []string, doc results.Results) string {
	flag, names := "--scenario ", ids
	if len(ids) > mostNamed {
		flag, names = "--suite ", nil
		for _, s := range doc.Scenarios {
			if slices.Contains(ids, s.ID) && !slices.Contains(names, s.Suite) {
				names = append(names, s.Suite)
			}
		}
	}
	return flag + strings.Join(names, ",")
}
