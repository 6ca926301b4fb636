package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/reports/register"
)

// Planned is another certification that the register holds.
type Planned struct {
	Line     int64  `json:"line"` // number in the register
	At       string `json:"at"`   // RFC 3339
	Target   string `json:"target"`
	Same     bool   `json:"same"`               // the target is that of the bundle, maybe under another name
	ExitCode *int64 `json:"exitCode,omitempty"` // nil if the register does not say that it ended
}

// others says which other certifications the register has, of this target and of others, and lists them. An address does not say
// which host it is: one that went by two would otherwise hide how it ended under the other.
func (v *run) others(own int64, target string) string {
	var same, elsewhere []Planned
	for _, l := range v.by.Register.Lines {
		if l.Plan == nil || l.Number == own {
			continue
		}
		p := Planned{Line: l.Number, At: l.At.UTC().Format(rfc3339Seconds), Target: l.Plan.Target}
		p.Same = register.SameTarget(p.Target, target)
		if end := v.by.Register.Ended(l.Number); end != nil {
			p.ExitCode = &end.ExitCode
		}
		if p.Same {
			same = append(same, p)
		} else {
			elsewhere = append(elsewhere, p)
		}
	}
	v.Others = slices.Concat(same, elsewhere)
	return fmt.Sprintf("it has %s, and %s", planned(same, "of this target"), planned(elsewhere, "of other addresses"))
}

// planned counts certifications by how they ended.
func planned(list []Planned, of string) string {
	if len(list) == 0 {
		return "no other certification " + of
	}
	ends, never := map[int64]int{}, 0
	for _, p := range list {
		if p.ExitCode == nil {
			never++
		} else {
			ends[*p.ExitCode]++
		}
	}
	var words []string
	for code, n := range ends {
		words = append(words, fmt.Sprintf("%d with exit %d", n, code))
	}
	slices.Sort(words)
	if never > 0 {
		words = append(words, fmt.Sprintf("%d never ended", never))
	}
	return fmt.Sprintf("%s %s: %s", counted(len(list), "other certification"), of, strings.Join(words, ", "))
}

// plans lists the other certifications of the register.
func (r *Report) plans(line func(string, ...any)) {
	for _, p := range r.Others[:min(len(r.Others), mostShown)] {
		ended := "never ended"
		if p.ExitCode != nil {
			ended = fmt.Sprintf("exit %d", *p.ExitCode)
		}
		line("              line %d: %s, at %s, %s", p.Line, p.Target, p.At, ended)
	}
	if more := len(r.Others) - mostShown; more > 0 {
		line("              and %d more, which --json lists", more)
	}
}
