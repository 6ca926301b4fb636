package verify

import (
	"encoding/json"
	"fmt"

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
		{"the run id", runText(line.Plan.Run), runText(m.Run)},
		{"the selection", filterText(line.Plan.Filter), filterText(v.given.Filter)},
	} {
		if c.planned != c.done {
			v.tell("register", "the plan in line %d has another value of %s than the bundle: %s and %s", at.Number, c.what, c.planned, c.done)
		}
	}
	if m.Run != nil && !m.Run.At.IsZero() && !m.Run.At.Equal(line.At) {
		v.tell("register", "its run id was drawn at %s, and its plan was registered at %s", m.Run.At.UTC(), line.At.UTC())
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
		stamped, v.others(line.Number, line.Plan.Target))
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
