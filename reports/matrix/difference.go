package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Compare returns the changes from one certification to another. Both must be of one protocol; the difference records
// whether they are of one target.
func Compare(before, after results.Results) (results.Difference, error) {
	if a, b := before.Target.Protocol, after.Target.Protocol; a != b {
		return results.Difference{},
			fmt.Errorf("the first is about %s, the second about %s, and nothing of one is in the other: compare two of one protocol", a, b)
	}
	d := results.Difference{
		Schema: results.DifferenceSchemaAssayDifference1, Before: compared(before), After: compared(after),
		SameTarget: sameTarget(before.Target, after.Target), SameQuestions: before.Assay.SuiteDigest == after.Assay.SuiteDigest,
		Changes: []results.Change{},
	}
	add := func(kind results.ChangeKind, absent string, of func(results.Results) []standing) {
		d.Changes = append(d.Changes, changes(kind, absent, of(before), of(after))...)
	}
	add(results.ChangeKindProfile, "", profileStandings)
	// A claim outside the list was not made, or not tested. Equal questions exclude the latter.
	if d.SameQuestions {
		add(results.ChangeKindClaim, notClaimed, claimStandings)
	} else {
		add(results.ChangeKindClaim, "", claimStandings)
	}
	add(results.ChangeKindRequirement, "", requirementStandings)
	add(results.ChangeKindScenario, "", scenarioStandings)
	for _, c := range d.Changes {
		switch c.Direction {
		case results.DirectionWorse:
			d.Worse++
		case results.DirectionBetter:
			d.Better++
		}
	}
	return d, nil
}

func compared(doc results.Results) results.ComparedResults {
	return results.ComparedResults{Target: doc.Target, Assay: doc.Assay, StartedAt: doc.StartedAt}
}

// sameTarget compares names first: the address of a target may change between certifications.
func sameTarget(a, b results.Target) bool {
	if a.Name != nil && b.Name != nil {
		return *a.Name == *b.Name
	}
	return a.Address == b.Address
}

// standing is the status of one thing in one document.
type standing struct {
	id, words string
	rank      int
	reason    string
}

// ranks orders the words of profiles, claims and verdicts. The evidence of a pass adds to its rank.
var ranks = map[string]int{
	"violated": 0, "failed": 0,
	"unproved": 1, "blocked": 1, "inconclusive": 1, "broken": 1, "insensitive": 1,
	"inapplicable": 2, notClaimed: 2, notMet: 2,
	"passed": 3, "attested": 4,
	"certified": 5, "proved": 5,
}

var evidenceRanks = map[results.Evidence]int{results.EvidenceAttested: 1, results.EvidenceObserved: 2, results.EvidenceSurvived: 3}

func profileStandings(doc results.Results) (out []standing) {
	for _, p := range doc.Profiles {
		out = append(out, standing{id: p.ID, words: string(p.Status), rank: ranks[string(p.Status)]})
	}
	return out
}

func claimStandings(doc results.Results) (out []standing) {
	for _, c := range doc.Claims {
		out = append(out, standing{id: c.ID, words: string(c.Status), rank: ranks[string(c.Status)]})
	}
	return out
}

func requirementStandings(doc results.Results) (out []standing) {
	for _, r := range doc.Requirements {
		out = append(out, ended(r.ID, string(r.Verdict), r.Evidence, ""))
	}
	return out
}

func scenarioStandings(doc results.Results) (out []standing) {
	for _, s := range doc.Scenarios {
		out = append(out, ended(s.ID, string(s.Verdict), s.Evidence, s.Reason))
	}
	return out
}

func ended(id, v string, e results.Evidence, reason string) standing {
	s := standing{id: id, words: v, rank: ranks[v], reason: reason}
	if v == string(results.VerdictPassed) && e != "" {
		s.words += ", " + string(e)
		s.rank += evidenceRanks[e]
	}
	return s
}

// changes returns the changes in the order of the second document, then the things that only the first one lists.
// absent is the status of a thing that a document does not list; "" if unknown.
func changes(kind results.ChangeKind, absent string, before, after []standing) (out []results.Change) {
	had := map[string]standing{}
	for _, s := range before {
		had[s.id] = s
	}
	has := map[string]bool{}
	none := standing{words: absent, rank: ranks[absent]}
	for _, now := range after {
		has[now.id] = true
		then, known := had[now.id]
		if !known {
			then = none
		}
		if c := change(kind, now.id, then, now); c.Before != c.After {
			c.Reason = now.reason
			out = append(out, c)
		}
	}
	for _, then := range before {
		if !has[then.id] {
			out = append(out, change(kind, then.id, then, none))
		}
	}
	return out
}

func change(kind results.ChangeKind, id string, then, now standing) results.Change {
	c := results.Change{Kind: kind, ID: id, Before: then.words, After: now.words}
	switch {
	case then.words == "":
		c.Direction = results.DirectionNew
	case now.words == "":
		c.Direction = results.DirectionRemoved
	case now.rank < then.rank:
		c.Direction = results.DirectionWorse
	case now.rank > then.rank:
		c.Direction = results.DirectionBetter
	default:
		c.Direction = results.DirectionOther
	}
	return c
}

// WriteJSON writes a difference as JSON that is safe to print on a terminal.
func WriteJSON(w io.Writer, d results.Difference) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return fmt.Errorf("encode the difference: %w", err)
	}
	_, err := w.Write(textsafe.JSON(b.Bytes()))
	return err
}

// WriteText writes a difference for people, the worse changes first.
func WriteText(w io.Writer, d results.Difference) error {
	var b strings.Builder
	side := func(word string, c results.ComparedResults) {
		name := ""
		if c.Target.Name != nil {
			name = " · " + textsafe.Clip(*c.Target.Name, mostName)
		}
		if c.Target.Version != nil {
			name += " " + textsafe.Clip(*c.Target.Version, mostName)
		}
		fmt.Fprintf(&b, "%s  %s%s · %s · Assay %s\n", word, textsafe.Clip(c.Target.Address, mostReason), name,
			c.StartedAt.UTC().Format(time.RFC3339), textsafe.Clip(c.Assay.Version, mostName))
	}
	side("before", d.Before)
	side("after ", d.After)
	if !d.SameTarget {
		b.WriteString("These are two targets: what differs need not have changed.\n")
	}
	if !d.SameQuestions {
		b.WriteString("They were asked different questions: what is new or removed may be a matter of the questions.\n")
	}
	for _, group := range []struct {
		direction results.Direction
		heading   string
	}{
		{results.DirectionWorse, "WORSE"},
		{results.DirectionBetter, "BETTER"},
		{results.DirectionOther, "OTHERWISE"},
		{results.DirectionNew, "NEW  only the second was asked"},
		{results.DirectionRemoved, "REMOVED  only the first was asked"},
	} {
		first := true
		for _, c := range d.Changes {
			if c.Direction != group.direction {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n%s\n", group.heading)
				first = false
			}
			fmt.Fprintf(&b, "  %-11s  %s  %s\n", c.Kind, textsafe.Clip(c.ID, mostReason), moved(c))
			if c.Reason != "" && c.Direction != results.DirectionBetter {
				fmt.Fprintf(&b, "               %s\n", textsafe.Clip(c.Reason, mostReason))
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", summary(d))
	_, err := io.WriteString(w, b.String())
	return err
}

func moved(c results.Change) string {
	switch {
	case c.Before == "":
		return c.After
	case c.After == "":
		return c.Before
	}
	return c.Before + " -> " + c.After
}

func summary(d results.Difference) string {
	if len(d.Changes) == 0 {
		return "nothing changed"
	}
	changed := "1 change"
	if len(d.Changes) > 1 {
		changed = fmt.Sprintf("%d changes", len(d.Changes))
	}
	return fmt.Sprintf("%s: %d for the worse, %d for the better", changed, d.Worse, d.Better)
}
