package verify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
)

// planned holds the certification to its line in the register, and tells of the others there.
func (v *run) planned() {
	r, at := v.by.Register, v.bundle.Manifest.Registered
	if r == nil {
		return
	}
	if at == nil {
		v.tell("register", "its plan was not registered, and --register asks for a certification that was")
		return
	}
	line := r.Plan(*at)
	if line == nil {
		v.tell("register", "%s has another line %d than the one that the bundle names, or none", v.by.RegisterFile, at.Number)
		return
	}
	m := v.bundle.Manifest
	for _, c := range []struct{ what, planned, done string }{
		{"the seed", line.Plan.Seed, m.Seed},
		{"the version of Assay", line.Plan.Assay, m.Assay.Version},
		{"the program", line.Plan.Binary, deref(m.Assay.Binary)},
		{"the selection", filterText(line.Plan.Filter), filterText(v.given.Filter)},
	} {
		if c.planned != c.done {
			v.tell("register", "the plan in line %d has another value of %s than the bundle: %s and %s", at.Number, c.what, c.planned, c.done)
		}
	}
	if m.StartedAt.Before(line.At.Add(-drift)) {
		v.tell("register", "it began at %s, and its plan was registered at %s only", m.StartedAt.UTC(), line.At.UTC())
	}
	stamped := v.planStamped(*at)
	end := r.Ended(at.Number)
	switch {
	case end == nil:
		v.tell("register", "%s does not say that the certification of line %d ended", v.by.RegisterFile, at.Number)
	case end.ExitCode != m.ExitCode:
		v.tell("register", "%s says that it ended with exit %d, and the bundle says %d", v.by.RegisterFile, end.ExitCode, m.ExitCode)
	case deref(end.Root) != m.Root:
		v.tell("register", "%s has another root of the evidence than the bundle", v.by.RegisterFile)
	}
	v.Registered = fmt.Sprintf("line %d of %s, at %s%s; %s", at.Number, v.by.RegisterFile, line.At.UTC().Format("2006-01-02T15:04:05Z"),
		stamped, v.others(line))
}

// others says how the other certifications of the same target in the register ended.
func (v *run) others(own *results.RegisterLine) string {
	ends, never, n := map[int64]int{}, 0, 0
	for _, l := range v.by.Register.Lines {
		if l.Plan == nil || l.Number == own.Number || l.Plan.Target != own.Plan.Target {
			continue
		}
		n++
		if end := v.by.Register.Ended(l.Number); end != nil {
			ends[end.ExitCode]++
		} else {
			never++
		}
	}
	if n == 0 {
		return "it has no other certification of this target"
	}
	var words []string
	for code, n := range ends {
		words = append(words, fmt.Sprintf("%d with exit %d", n, code))
	}
	slices.Sort(words)
	if never > 0 {
		words = append(words, fmt.Sprintf("%d never ended", never))
	}
	return fmt.Sprintf("it has %s of this target: %s", counted(n, "other certification"), strings.Join(words, ", "))
}

func filterText(f *results.Filter) string {
	if f == nil {
		return "none"
	}
	encoded, err := json.Marshal(f)
	if err != nil { // strings always encode
		return "none"
	}
	return string(encoded)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
