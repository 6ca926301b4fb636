package specgen

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
)

// readingsName is the file of a protocol's readings: our decisions where the texts are silent or contradictory.
const readingsName = "readings.yaml"

// reading is one decision. Its fields match the generated Reading.
type reading struct {
	ID        string
	Title     string
	Sentences []string
	Open      string
	Accept    string
	Refuse    string
	Why       string
	Scenarios []string
	Unused    string
}

var (
	readingKeys = []string{"id", "title", "sentences", "open", "accept", "refuse", "why", "scenarios", "unused"}

	readingForm = lazyregexp.New(`^[A-Z][A-Z0-9]*-R[1-9][0-9]*$`)
	questionID  = lazyregexp.New(`^[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+$`)
)

// readingsFile returns readings.gen.go, or nothing if the folder has no readings.
func (c *contract) readingsFile(pkg string) (map[string][]byte, error) {
	if c.readings == nil {
		return nil, nil
	}
	return readingsOf(pkg, []major{{Readings: c.readings}})
}

// readingsOf returns readings.gen.go for these versions.
func readingsOf(pkg string, of []major) (map[string][]byte, error) {
	code, err := render(readingsTemplate, struct {
		Package string
		Majors  []major
	}{pkg, of})
	return map[string][]byte{"readings.gen.go": code}, err
}

// readReadings reads the decisions; nil without any. rows are the requirements that they may cite.
func readReadings(f *folder, rows []ledgerRow) ([]reading, error) {
	if f.readings == nil {
		return nil, nil
	}
	r := &readingFile{ledger: &ledger{file: f.shown(readingsName)}, rows: map[string]bool{}, taken: map[string]bool{}}
	for _, row := range rows {
		r.rows[row.ID] = true
	}
	root, err := yamlNode(r.file, f.readings)
	if err != nil {
		return nil, err
	}
	list := r.mapping(root, "", []string{"readings"})["readings"]
	if list == nil || list.Kind != yaml.SequenceNode {
		r.report(root, "/readings", "there is no list of readings", "write one, if only []")
		return nil, r.bad.err()
	}
	out := []reading{}
	for i, n := range list.Content {
		out = append(out, r.one(n, "/readings/"+strconv.Itoa(i)))
	}
	return out, r.bad.err()
}

// readingFile is the state of reading the file.
type readingFile struct {
	*ledger
	rows  map[string]bool // existing requirements
	taken map[string]bool // ids used so far
}

func (r *readingFile) one(n *yaml.Node, pointer string) reading {
	parts := r.mapping(n, pointer, readingKeys)
	var one reading
	if err := n.Decode(&one); err != nil {
		r.report(n, pointer, "a value has the wrong type", "sentences and scenarios are lists of ids, all else is text")
		return one
	}
	for _, text := range []*string{&one.Title, &one.Open, &one.Accept, &one.Refuse, &one.Why, &one.Unused} {
		*text = oneLine(*text)
	}
	c := rowCheck{r.ledger, n, parts, pointer}
	if !readingForm.MatchString(one.ID) {
		c.report("id", fmt.Sprintf("%q is no id of a reading", one.ID), "write it like OWP-R12")
	}
	if r.taken[one.ID] {
		c.report("id", fmt.Sprintf("the id %s is taken", one.ID), "ids are never used twice: choose the next free one")
	}
	r.taken[one.ID] = true
	for _, said := range []struct{ key, text string }{{"title", one.Title}, {"open", one.Open}, {"accept", one.Accept},
		{"refuse", one.Refuse}, {"why", one.Why}} {
		if said.text == "" {
			c.report(said.key, "has no "+said.key, "say it in a sentence")
		}
	}
	if len(one.Sentences) == 0 {
		c.report("sentences", "is about no sentence", "name the requirements whose texts leave it open")
	}
	for _, id := range one.Sentences {
		if !r.rows[id] {
			c.report("sentences", fmt.Sprintf("%s is in no ledger", id), "name a requirement of this spec")
		}
	}
	for _, id := range one.Scenarios {
		if !questionID.MatchString(id) {
			c.report("scenarios", fmt.Sprintf("%q is no scenario id", id), "write it like acme/event-log/ends-once")
		}
	}
	if (len(one.Scenarios) == 0) != (one.Unused != "") {
		c.report("unused", "a reading that no scenario goes by says why, and no other does", "add scenarios or unused")
	}
	slices.Sort(one.Scenarios)
	return one
}

const readingsTemplate = `
package {{.Package}}

// Reading is what this project takes the texts to say where they say nothing, or two things.
type Reading struct {
	ID        string   // like OWP-R12
	Title     string   // what it is about
	Sentences []string // the requirements whose texts leave it open
	Open      string   // what they leave open
	Accept    string   // what is accepted
	Refuse    string   // what is not
	Why       string
	Scenarios []string // that go by it
	Unused    string   // why none does
}

{{- range .Majors}}

// Readings{{.Name}} lists the readings{{with .Name}} of {{lower .}}{{end}} in the order of their file.
var Readings{{.Name}} = []Reading{
{{- range .Readings}}
	{
		ID: {{printf "%q" .ID}}, Title: {{printf "%q" .Title}},
		Sentences: []string{ {{- range $i, $a := .Sentences}}{{if $i}}, {{end}}{{printf "%q" $a}}{{end -}} },
		Open: {{printf "%q" .Open}},
		Accept: {{printf "%q" .Accept}},
		Refuse: {{printf "%q" .Refuse}},
		Why: {{printf "%q" .Why}},
		{{- if .Scenarios}}
		Scenarios: []string{ {{- range $i, $a := .Scenarios}}{{if $i}}, {{end}}{{printf "%q" $a}}{{end -}} },
		{{- end}}
		{{- if .Unused}}
		Unused: {{printf "%q" .Unused}},
		{{- end}}
	},
{{- end}}
}
{{- end}}
`
