package catalogue

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/internal/textsafe"
)

// shortDigest bounds the digits of a digest in a table; the JSON has all of them.
const shortDigest = 12

// Table writes the list of a kind for people, in aligned columns.
func (c *Catalogue) Table(w io.Writer, kind string) error {
	list, err := c.List(kind)
	if err != nil {
		return err
	}
	var rows [][]string
	legend := ""
	switch list := list.(type) {
	case []Scenario:
		rows = append(rows, []string{"SCENARIO", "LEVEL", "CLAIM", "WHAT A TARGET DOES THAT KEEPS ITS PROMISE"})
		for _, s := range list {
			rows = append(rows, []string{s.ID, s.Level, s.Claim, s.Title})
		}
	case []Suite:
		rows = append(rows, []string{"SUITE", "PROTOCOL", "SCENARIOS", "ABOUT"})
		for _, s := range list {
			rows = append(rows, []string{s.ID, s.Protocol, strconv.Itoa(s.Scenarios), s.Title})
		}
	case []Requirement:
		rows = append(rows, []string{"REQUIREMENT", "LEVEL", "SOURCE", "SCENARIOS", "REACH", "WHAT IT ASKS"})
		for _, r := range list {
			tested := strconv.Itoa(len(r.Scenarios))
			if r.Reason != "" {
				tested = r.Reason
			}
			if r.Stimulus != "" {
				tested += dagger
				legend = seamLegend
			}
			rows = append(rows, []string{r.ID, r.Level, textsafe.Clip(strings.TrimSpace(r.Source+" "+r.Section), mostSection), tested,
				r.Reaches, r.Text})
		}
	case []Reading:
		rows = append(rows, []string{"READING", "REQUIREMENTS", "WHAT IT ACCEPTS"})
		for _, r := range list {
			rows = append(rows, []string{r.ID, strings.Join(r.Requirements, " "), r.Accept})
		}
	case []Claim:
		rows = append(rows, []string{"CLAIM", "WHERE IT IS MADE", "WHAT IT SAYS"})
		for _, cl := range list {
			rows = append(rows, []string{cl.ID, cl.Pointer, cl.Title})
		}
	case []Fault:
		rows = append(rows, []string{"FAULT", "BREAKS", "HOW IT LOOKS FROM OUTSIDE"})
		for _, f := range list {
			rows = append(rows, []string{f.ID, strings.Join(f.Breaks, " "), f.Title})
		}
	case []Variation:
		rows = append(rows, []string{"VARIATION", "FINDINGS", "HOW IT LOOKS FROM OUTSIDE"})
		for _, v := range list {
			rows = append(rows, []string{v.ID, strings.Join(v.Slips, " "), v.Title})
		}
	case []ModelRule:
		rows = append(rows, []string{"OBJECTS", "PROTOCOL", "REQUIREMENTS", "WHAT A MODEL SAYS OF THEM"})
		for _, r := range list {
			rows = append(rows, []string{r.Objects, r.Protocol, strings.Join(r.Requirements, " "), r.Rule})
		}
	case []Profile:
		rows = append(rows, []string{"PROFILE", "CLAIMS", "REQUIREMENTS", "NOT COVERED", "DIGEST", "WHAT IT CERTIFIES"})
		for _, p := range list {
			required := strconv.Itoa(len(p.Requirements))
			if p.ThroughSeam > 0 {
				required += fmt.Sprintf(" (%d%s)", p.ThroughSeam, dagger)
				legend = seamLegend
			}
			rows = append(rows, []string{p.ID, strings.Join(p.Claims, " "), required, notCovered(p), p.Digest[:min(len(p.Digest), shortDigest)],
				p.certifies()})
		}
	}
	_, err = io.WriteString(w, Aligned(rows)+legend)
	return err
}

// notCovered returns how many MUSTs of its scope a profile leaves out, "" if it does not say what it is about.
func notCovered(p Profile) string {
	if len(p.Scope) == 0 {
		return ""
	}
	return strconv.Itoa(len(p.NotCovered))
}

func (p Profile) certifies() string {
	if p.Superseded == "" {
		return p.Title
	}
	return p.Title + " (superseded by " + p.Superseded + ")"
}

// dagger marks requirements that only a seam of Assay's own shows.
const (
	dagger     = "†"
	seamLegend = "\n" + dagger + " " + throughSeam + "\n"
)

// mostSection bounds the column of sources and sections, because a long path would push the rest off the screen.
const mostSection = 30

// Aligned pads every column but the last to its widest cell.
func Aligned(rows [][]string) string {
	var b strings.Builder
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 {
				b.WriteString(cell + "\n")
				continue
			}
			fmt.Fprintf(&b, "%-*s  ", widths[i], cell)
		}
	}
	return b.String()
}

// Counted is a number of things: 1 change, 2 changes.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
