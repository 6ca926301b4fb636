package specdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Finding is what one rule of oasdiff says of a change at one place.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Breaks   Party    `json:"breaks"` // whose programs the rule is about
	Place
	Text string `json:"text"`

	// Where it stands in the old and in the new document, "" where that is unknown.
	before, after string
}

// judge asks oasdiff what the change does to clients. What it does to servers is what the way back does to clients: a
// client of the new spec that meets a server of the old one.
func judge(a, b *document, o Options) (findings []Finding, problem error) {
	defer func() {
		if p := recover(); p != nil { // a document that nobody at oasdiff thought of
			findings, problem = nil, fmt.Errorf("oasdiff stopped: %v", p)
		}
	}()
	for _, d := range []*document{a, b} {
		if err := d.load(); err != nil {
			return nil, err
		}
	}
	forth, err := rules(a, b, o)
	if err != nil {
		return nil, err
	}
	back, err := rules(b, a, o)
	if err != nil {
		return nil, err
	}
	for _, f := range back {
		f.before, f.after, f.Breaks = f.after, f.before, Servers
		// A host need not send an event because it is listed. A schema is not an operation that anyone has to serve.
		if f.Subject.Kind != Operation && strings.HasPrefix(f.Rule, "api-") || f.Rule == checker.APIVersionNotBumpedId {
			continue
		}
		forth = append(forth, f)
	}
	return forth, nil
}

func rules(a, b *document, o Options) ([]Finding, error) {
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), &load.SpecInfo{Url: "old", Spec: a.spec},
		&load.SpecInfo{Url: "new", Spec: b.spec})
	if err != nil {
		return nil, err
	}
	if report == nil {
		return nil, nil
	}
	var out []Finding
	for _, c := range checker.CheckBackwardCompatibilityUntilLevel(policy(o), report, sources, checker.INFO) {
		switch c.GetId() {
		case checker.APISchemasRemovedId, checker.APIOperationIdRemovedId: // the list has them, and no wire does
			continue
		}
		out = append(out, finding(c, a, b))
	}
	return out, nil
}

// policy maps each rule of oasdiff to a severity.
func policy(o Options) *checker.Config {
	if o.StrictReaders {
		return checker.NewConfig(checker.GetAllChecks())
	}
	return checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(map[string]checker.Level{
		checker.ResponsePropertyEnumValueAddedId:  checker.INFO,
		checker.ResponseMediaTypeEnumValueAddedId: checker.INFO,
	}))
}

func finding(c checker.Change, a, b *document) Finding {
	subject := subjectOfRule(c)
	out := Finding{Rule: c.GetId(), Severity: Additive, Breaks: Clients, Place: Place{Subject: subject, Side: side(c.GetId())},
		Text: ruleWords(c, subject), before: a.pointer(c.GetBaseSource()), after: b.pointer(c.GetRevisionSource())}
	if out.Rule == checker.APIVersionNotBumpedId {
		out.Severity = Warning
	}
	switch c.GetLevel() {
	case checker.ERR:
		out.Severity = Breaking
	case checker.WARN:
		out.Severity = Warning
	}
	out.Property = property(c, subject, out.Side, a, b)
	return out
}

// pointer is what begins where a rule points to.
func (d *document) pointer(s *checker.Source) string {
	if s == nil || s.Line <= 0 || s.Line >= len(d.lines) {
		return ""
	}
	return d.lines[s.Line]
}

// subjectOfRule maps the paths that newDocument gave to events and schemas back to their subjects.
func subjectOfRule(c checker.Change) Subject {
	path := c.GetPath()
	if kind, name, ok := subjectAt(path); ok {
		return Subject{kind, name}
	}
	if path == "" || c.GetOperation() == "" {
		return Subject{API, path}
	}
	if name, ok := strings.CutPrefix(path, "webhook:"); ok {
		path = "webhook " + name
	}
	return Subject{Operation, c.GetOperation() + " " + path}
}

// side returns who sends the part that a rule covers, which the rule's name tells.
func side(rule string) string {
	switch {
	case strings.Contains(rule, "request"):
		return "request"
	case strings.Contains(rule, "response"):
		return "reply"
	}
	return ""
}

// ruleWords returns oasdiff's text for a change, without the artificial operation of an event or a schema.
func ruleWords(c checker.Change, s Subject) string {
	text := strings.TrimSpace(c.GetUncolorizedText(checker.NewDefaultLocalizer()))
	if s.Kind != Event && s.Kind != Schema {
		return text
	}
	switch {
	case strings.HasPrefix(c.GetId(), "api-") && strings.Contains(c.GetId(), "removed"):
		return "the " + string(s.Kind) + " is gone"
	case c.GetId() == checker.EndpointAddedId:
		return "the " + string(s.Kind) + " is new"
	}
	text = shownStatus.ReplaceAllString(text, "")
	if s.Kind == Event {
		text = strings.NewReplacer("response's property", "payload's property", "response property", "property of the payload",
			"response body", "payload", "to the response", "to the payload", "from the response", "from the payload").Replace(text)
	}
	return text
}

// shownStatus matches the end of texts about status 200, which only the artificial operations have.
var shownStatus = lazyregexp.New("( with the| for the response| for the| for| with) (`200` status|status code `200`|status `200`)$")

// How well a finding belongs to a change, the best first.
const (
	same   = 7 // it points at the place of the change
	below  = 6 // it points into what came or went
	inBody = 5 // it is about the same property
	around = 4 // it points at what the change is in
	whole  = 3 // it is about the operation, event or schema that came or went
	near   = 2 // it is about something in the same body
	last   = 1
)

// belongs says how well a finding belongs to a change.
func (f *Finding) belongs(c *Change) int {
	if c.inert || c.security != strings.Contains(f.Rule, "security") {
		return 0
	}
	best := 0
	for _, pair := range [][2][]string{{{f.before}, c.olds}, {{f.after}, c.news}} {
		at := pair[0][0]
		for _, p := range pair[1] {
			switch {
			case at == "" || p == "":
			case at == p:
				best = max(best, same)
			case strings.HasPrefix(at, p+"/"):
				best = max(best, below)
			case strings.HasPrefix(p, at+"/") && !operationAt(at):
				best = max(best, around)
			}
		}
	}
	if c.text {
		if best < same {
			return 0
		}
		return best
	}
	if c.own != nil && c.own.same(f.Subject) {
		best = max(best, whole)
	} else if best > 0 && (isComponent(c.After) && c.Before == "" || isComponent(c.Before) && c.After == "") {
		best = last // what refers to it is another change
	}
	for _, p := range c.Places {
		if !p.Subject.same(f.Subject) || p.Side != f.Side && p.Subject.Kind != Schema {
			continue
		}
		switch {
		case p.Property == f.Property && p.Property != "":
			best = max(best, inBody)
		case c.ref && strings.HasPrefix(f.Property+"/", p.Property+"/"):
			best = max(best, around)
		case best < near && (f.Property == "" || strings.HasPrefix(f.Property, p.Property)):
			best = near
		}
	}
	return best
}

// same reports whether two subjects are one, whatever the parameters of its path are called.
func (s Subject) same(t Subject) bool {
	return s.Kind == t.Kind && plain(s.String()) == plain(t.String())
}

// operationAt reports whether a pointer leads to an operation, its path or above: oasdiff points there where it knows no
// closer place.
func operationAt(pointer string) bool {
	return strings.Count(pointer, "/") <= 3 && strings.HasPrefix(pointer, "/paths")
}

// attach gives each finding to the changes that it belongs to best, and returns those that belong to none.
func attach(changes []Change, findings []Finding) []Finding {
	var lone []Finding
	by := map[string][]int{} // changes by their subjects
	for i := range changes {
		subjects := map[string]bool{}
		for _, p := range changes[i].Places {
			subjects[plain(p.Subject.String())] = true
		}
		if changes[i].own != nil {
			subjects[plain(changes[i].own.String())] = true
		}
		for s := range subjects {
			by[s] = append(by[s], i)
		}
	}
	for _, f := range findings {
		best, at := 0, []int{}
		for _, i := range by[plain(f.Subject.String())] {
			switch score := f.belongs(&changes[i]); {
			case score == 0 || score < best:
			case score > best:
				best, at = score, []int{i}
			default:
				at = append(at, i)
			}
		}
		for _, i := range at {
			if !slices.ContainsFunc(changes[i].Findings, func(g Finding) bool {
				return g.Rule == f.Rule && g.Breaks == f.Breaks && g.Place == f.Place && g.Text == f.Text
			}) {
				changes[i].Findings = append(changes[i].Findings, f)
			}
		}
		if len(at) == 0 && f.Breaks == Clients {
			lone = append(lone, f)
		}
	}
	return lone
}

// effect is what a change does to the values that a schema takes, where oasdiff has no rule about it.
type effect int

const (
	unknown effect = iota
	narrower
	wider
)

// effect of a schema that lets further members through, or no longer.
func (m difference) effect() effect {
	if len(m.path) == 0 {
		return unknown
	}
	last := m.path[len(m.path)-1]
	if last.in != kSchema || last.name != "additionalProperties" && last.name != "unevaluatedProperties" {
		return unknown
	}
	free := func(n *node) (open, known bool) {
		if n == nil {
			return true, true
		}
		open, known = n.raw.(bool)
		return open, known
	}
	was, ok := free(m.old)
	is, too := free(m.new)
	switch {
	case !ok || !too || was == is:
		return unknown
	case was:
		return narrower
	}
	return wider
}

// findings says whom it breaks: who sends what the other does not take.
func (e effect) findings(c *Change) []Finding {
	var out []Finding
	for _, p := range c.Places {
		broken := func(by Party) {
			out = append(out, Finding{Severity: Breaking, Breaks: by, Place: p, Text: "further members are no longer taken"})
		}
		switch {
		case e == unknown:
		case e == narrower && p.Side == "request":
			broken(Clients)
		case e == narrower && p.Side == "reply":
			broken(Servers)
		case e == narrower:
			broken(Clients)
			broken(Servers)
		case p.Side == "request":
			out = append(out, Finding{Severity: Breaking, Breaks: Servers, Place: p, Text: "further members may come"})
		default:
			out = append(out, Finding{Severity: Additive, Breaks: Clients, Place: p, Text: "further members may come"})
		}
	}
	return out
}
