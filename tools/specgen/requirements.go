package specgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
)

// ledgerRow is one requirement as written in requirements.yaml. Its fields match the generated Requirement.
type ledgerRow struct {
	ID       string
	Level    string
	Source   string
	Section  string
	Line     int
	Hash     string
	Claim    string
	Evidence string
	Text     string
	Reason   string
	Why      string
	Issue    int
	Accepts  string
	Stimulus string
	Breaks   []string
	Aliases  []string

	File  string `yaml:"-"` // file of the source
	Const string `yaml:"-"` // name of the Go constant
}

type ledgerSource struct{ File, Title string }

// Words that a row may use.
var (
	levels    = []string{"MUST", "SHOULD", "MAY"}
	evidences = []string{"observed", "attested", "survived"}
	// defaultEvidence is the demand of a row without one: a reading from a public resource or log.
	defaultEvidence = "observed"
	stimuli         = []string{"assay-seam"}
	reasons         = []string{"unobservable", "needs-host-control", "not-addressed-to-hosts", "spec-gap", "restated", "planned"}
	// breakers are the kinds of changes to what a target sent that can break a sentence.
	breakers = []string{"left-out", "repeated", "swapped", "reordered", "off-by-one", "another-type", "another-id", "another-value",
		"another-status", "inserted", "after-the-end", "beyond-bound", "leaked"}

	ledgerKeys = []string{"sources", "requirements"}
	sourceKeys = []string{"file", "title"}
	rowKeys    = []string{"id", "level", "source", "section", "line", "hash", "claim", "evidence", "text", "reason", "why", "issue",
		"accepts", "stimulus", "breaks", "aliases"}

	idForm   = lazyregexp.New(`^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$`)
	namesRow = lazyregexp.New(`\b[A-Z][A-Z0-9]*(-[A-Z0-9]+)+\b`)
	hashForm = lazyregexp.New(`^[0-9a-f]{12}$`)
)

// ledger reads the requirements. It keeps the order of the files and of their rows.
type ledger struct {
	file    string // the current file
	bad     problems
	sources map[string]ledgerSource // from all files: a file may use a source of another
	ids     map[string]string       // id or alias, spelled as a Go constant -> its place
}

// requirementsFile returns requirements.gen.go, or nothing if the folder has no ledger.
func (c *contract) requirementsFile(pkg string) (map[string][]byte, error) {
	if c.rows == nil {
		return nil, nil
	}
	return ledgerFile(pkg, []major{{Rows: c.rows}})
}

// ledgerFile returns requirements.gen.go for these versions.
func ledgerFile(pkg string, of []major) (map[string][]byte, error) {
	code, err := render(requirementsTemplate, struct {
		Package string
		Majors  []major
	}{pkg, of})
	return map[string][]byte{"requirements.gen.go": code}, err
}

// readLedger reads every file of the ledger; nil without one.
func readLedger(f *folder) ([]ledgerRow, error) {
	if len(f.ledgers) == 0 {
		return nil, nil
	}
	l := &ledger{sources: map[string]ledgerSource{}, ids: map[string]string{}}
	files := sortedKeys(f.ledgers)
	parts := make([]map[string]*yaml.Node, len(files))
	roots := make([]*yaml.Node, len(files))
	for i, rel := range files {
		l.file = f.shown(rel)
		root, err := yamlNode(l.file, f.ledgers[rel])
		if err != nil {
			return nil, err
		}
		roots[i], parts[i] = root, l.mapping(root, "", ledgerKeys)
		if n := parts[i]["sources"]; n != nil {
			l.readSources(n)
		}
	}
	rows := []ledgerRow{}
	for i, rel := range files {
		l.file = f.shown(rel)
		n := parts[i]["requirements"]
		if n == nil || n.Kind != yaml.SequenceNode {
			l.report(roots[i], "/requirements", "there is no list of requirements", "write one, if only []")
			continue
		}
		for k, c := range n.Content {
			rows = append(rows, l.row(c, "/requirements/"+strconv.Itoa(k)))
		}
	}
	return rows, l.bad.err()
}

func (l *ledger) report(n *yaml.Node, pointer, problem, mend string) {
	l.bad.add(&SpecError{File: l.file, Pointer: pointer, Line: n.Line, Problem: problem, Mend: mend})
}

// mapping splits a YAML object into its values and reports unknown keys.
func (l *ledger) mapping(n *yaml.Node, pointer string, known []string) map[string]*yaml.Node {
	parts := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		l.report(n, pointer, "is not an object", "write keys and values")
		return parts
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		here := join(pointer, k.Value)
		if known != nil && !slices.Contains(known, k.Value) {
			l.report(k, here, fmt.Sprintf("unknown key %q", k.Value), "the keys are "+strings.Join(known, ", "))
		}
		if parts[k.Value] != nil {
			l.report(k, here, fmt.Sprintf("key %q stands twice", k.Value), "keep one of the two")
		}
		parts[k.Value] = v
	}
	return parts
}

func (l *ledger) readSources(n *yaml.Node) {
	for name, v := range l.mapping(n, "/sources", nil) {
		here := join("/sources", name)
		l.mapping(v, here, sourceKeys)
		var s ledgerSource
		if err := v.Decode(&s); err != nil {
			l.report(v, here, "a value has the wrong type", "file and title are text")
		}
		if s.Title == "" {
			l.report(v, here, "the source has no title", "add title")
		}
		if _, twice := l.sources[name]; twice {
			l.report(v, here, fmt.Sprintf("the source %s stands in another file as well", name), "keep one of the two")
		}
		l.sources[name] = s
	}
}

func (l *ledger) row(n *yaml.Node, pointer string) ledgerRow {
	parts := l.mapping(n, pointer, rowKeys)
	var r ledgerRow
	if n.Kind != yaml.MappingNode {
		return r
	}
	if err := n.Decode(&r); err != nil {
		l.report(n, pointer, "a value has the wrong type", "line and issue are whole numbers, breaks and aliases are lists, all else is text")
		return r
	}
	r.Text, r.Why, r.Accepts = oneLine(r.Text), oneLine(r.Why), oneLine(r.Accepts)
	if r.Evidence == "" {
		r.Evidence = defaultEvidence
	}
	r.File = l.sources[r.Source].File
	r.Const = constName(r.ID)
	c := rowCheck{l, n, parts, pointer}
	c.names(r)
	c.place(r)
	c.verdictWords(r)
	return r
}

// rowCheck reports mistakes in one row, at the line of the faulty value.
type rowCheck struct {
	*ledger
	node    *yaml.Node
	parts   map[string]*yaml.Node
	pointer string
}

func (c rowCheck) report(key, problem, mend string) {
	n, pointer := c.parts[key], join(c.pointer, key)
	if n == nil {
		n, pointer = c.node, c.pointer
	}
	c.ledger.report(n, pointer, problem, mend)
}

func (c rowCheck) names(r ledgerRow) {
	for i, id := range append([]string{r.ID}, r.Aliases...) {
		key := "id"
		if i > 0 {
			key = "aliases"
		}
		if !idForm.MatchString(id) {
			c.report(key, fmt.Sprintf("%q is no requirement id", id), "write it like OWP-0061-B1")
			continue
		}
		if first, taken := c.ids[constName(id)]; taken {
			where := strings.TrimPrefix(first, c.file+"#")
			c.report(key, fmt.Sprintf("the id %s is taken by %s", id, where), "ids are never used twice: choose the next free one")
			continue
		}
		c.ids[constName(id)] = c.file + "#" + c.pointer
	}
}

func (c rowCheck) place(r ledgerRow) {
	if _, known := c.sources[r.Source]; !known {
		mend := "add it to sources"
		if len(c.sources) > 0 {
			mend += ", or name one of them: " + strings.Join(sortedKeys(c.sources), ", ")
		}
		c.report("source", fmt.Sprintf("unknown source %q", r.Source), mend)
	} else {
		c.line(r)
	}
	if r.Section == "" {
		c.report("section", "has no section", "name the section of the source")
	}
	if r.Text == "" {
		c.report("text", "has no text", "say in our words what is required")
	}
}

// line checks the place of the sentence. A source without a file, like a schema, has no sentences to point at.
func (c rowCheck) line(r ledgerRow) {
	if r.File == "" && (r.Line != 0 || r.Hash != "") {
		c.report("line", "names a line of a source without file", "add the file to the source, or leave line and hash out")
	}
	if r.File != "" && r.Line < 1 {
		c.report("line", "has no line", "give the 1-based line of the sentence in its source file")
	}
	if r.File != "" && !hashForm.MatchString(r.Hash) {
		c.report("hash", fmt.Sprintf("%q is no hash", r.Hash), "give the first 12 hex digits of the sentence's SHA-256")
	}
}

func (c rowCheck) verdictWords(r ledgerRow) {
	word := func(key, value string, known []string) {
		if !slices.Contains(known, value) {
			c.report(key, fmt.Sprintf("unknown %s %q", key, value), "choose one of "+strings.Join(known, ", "))
		}
	}
	word("level", r.Level, levels)
	word("evidence", r.Evidence, evidences)
	if r.Reason != "" {
		word("reason", r.Reason, reasons)
	}
	if r.Stimulus != "" {
		word("stimulus", r.Stimulus, stimuli)
	}
	for i, kind := range r.Breaks {
		word("breaks", kind, breakers)
		if slices.Contains(r.Breaks[:i], kind) {
			c.report("breaks", fmt.Sprintf("%q stands twice", kind), "keep one of the two")
		}
	}
	if len(r.Breaks) > 0 && r.Reason != "" {
		c.report("breaks", "a row without scenario names what breaks it", "remove breaks: nothing is judged by this row")
	}
	if (r.Reason == "") != (r.Why == "") {
		c.report("why", "reason and why come together", "give a row without scenario both, and other rows neither")
	}
	if r.Reason == "restated" && !namesRow.MatchString(r.Why) {
		c.report("why", "it does not say which row asks the same", "name the row, like OWP-0061-B1")
	}
	if (r.Reason == "planned") != (r.Issue > 0) {
		c.report("issue", "a planned row names its issue, and no other row does", "add or remove issue")
	}
}

// constName returns an id as a Go constant: OWP-0061-B1 is OWP0061B1.
func constName(id string) string { return strings.ReplaceAll(id, "-", "") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

const requirementsTemplate = `
package {{.Package}}

// The ids of the requirements.
const (
{{- range .Majors}}
{{- range .Rows}}
	{{comment .Text}}
	{{.Const}} = {{printf "%q" .ID}}
{{end -}}
{{end -}}
)

// Requirement is one normative sentence of a source text.
type Requirement struct {
	ID       string
	Level    string   // MUST, SHOULD or MAY
	Source   string   // the source text, like RFC-0061
	File     string   // its file
	Section  string   // the section of the sentence
	Line     int      // its 1-based line in the file
	Hash     string   // of the sentence, to notice when the source changes
	Claim    string   // id of the claim that it hangs on; empty when it always applies
	Evidence string   // observed, attested or survived: how strong the proof must be
	Text     string   // what it asks, in our words
	Reason   string   // why no scenario proves it: unobservable, needs-host-control, not-addressed-to-hosts, spec-gap, restated or planned
	Why      string   // a sentence on the reason
	Issue    int      // the milestone of a planned one
	Accepts  string   // what is accepted where the sources contradict each other
	Stimulus string   // assay-seam: only a seam of Assay's own brings it about or shows it
	Breaks   []string // kinds of changes to what a target sent that break the sentence
	Aliases  []string // former ids
}

{{- range .Majors}}

// Requirements{{.Name}} lists the requirements{{with .Name}} of {{lower .}}{{end}} in the order of the ledger.
var Requirements{{.Name}} = []Requirement{
{{- range .Rows}}
	{
		ID: {{.Const}}, Level: {{printf "%q" .Level}}, Source: {{printf "%q" .Source}}, File: {{printf "%q" .File}},
		Section: {{printf "%q" .Section}}, Line: {{.Line}}, Hash: {{printf "%q" .Hash}},
		{{- if .Claim}} Claim: {{printf "%q" .Claim}},{{end}}
		Evidence: {{printf "%q" .Evidence}},
		Text: {{printf "%q" .Text}},
		{{- if .Reason}}
		Reason: {{printf "%q" .Reason}}, Why: {{printf "%q" .Why}},{{if .Issue}} Issue: {{.Issue}},{{end}}
		{{- end}}
		{{- if .Accepts}}
		Accepts: {{printf "%q" .Accepts}},
		{{- end}}
		{{- if .Stimulus}}
		Stimulus: {{printf "%q" .Stimulus}},
		{{- end}}
		{{- if .Breaks}}
		Breaks: []string{ {{- range $i, $a := .Breaks}}{{if $i}}, {{end}}{{printf "%q" $a}}{{end -}} },
		{{- end}}
		{{- if .Aliases}}
		Aliases: []string{ {{- range $i, $a := .Aliases}}{{if $i}}, {{end}}{{printf "%q" $a}}{{end -}} },
		{{- end}}
	},
{{- end}}
}
{{- end}}
`
