package expectations

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// Change counts what an update did to a list.
type Change struct{ Added, Removed, Kept int }

func (c Change) String() string {
	return fmt.Sprintf("%d added, %d removed, %d kept", c.Added, c.Removed, c.Kept)
}

// Update removes the stale expectations of a judgement from the content of their file, and adds the unexpected
// failures. It keeps all other bytes. It returns the new content, its list, and what changed. The error says that the
// file must be edited by hand.
func (l *List) Update(content []byte, j *Judgement) ([]byte, *List, Change, error) {
	fresh := j.added()
	change := Change{Added: len(fresh), Removed: len(j.stale), Kept: len(l.Entries) - len(j.stale)}
	if change.Added == 0 && change.Removed == 0 {
		return content, l, change, nil
	}
	d, err := newDocument(string(content))
	if err != nil {
		return nil, nil, change, err
	}
	for _, i := range slices.Backward(slices.Sorted(slices.Values(j.stale))) {
		d.remove(i)
	}
	d.add(fresh)
	edited := d.text()
	want := append(l.without(j.stale), fresh...)
	got, err := Read(l.File, []byte(edited))
	if err != nil || !slices.EqualFunc(got.Entries, want, Expectation.equal) {
		return nil, nil, change, errByHand
	}
	return []byte(edited), got, change, nil
}

var errByHand = errors.New("its " + Key + " are not written line by line: give each a line of its own that begins with - " +
	"scenario, or edit them by hand")

// Read returns the list in the content of a file of parameters. It is empty if the file has none.
func Read(file string, content []byte) (*List, error) {
	root, err := rootOf(content)
	if err != nil {
		return nil, err
	}
	if _, value := section(root); value != nil {
		return Parse(file, value)
	}
	return &List{File: file}, nil
}

func rootOf(content []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 { // empty, or comments only
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	}
	return document.Content[0], nil
}

// section returns the key of the list in a file, and the list, or nil if the file has none.
func section(root *yaml.Node) (key, value *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == Key {
			return root.Content[i], root.Content[i+1]
		}
	}
	return nil, nil
}

func (e Expectation) equal(o Expectation) bool {
	e.Line, o.Line = 0, 0
	return e == o
}

func (l *List) without(stale []int) []Expectation {
	var out []Expectation
	for i, e := range l.Entries {
		if !slices.Contains(stale, i) {
			out = append(out, e)
		}
	}
	return out
}

// added returns expectations of the unexpected failures, each with its signature.
func (j *Judgement) added() []Expectation {
	var out []Expectation
	for _, o := range j.fresh {
		for _, f := range o.Checks {
			out = append(out, Expectation{
				Scenario: string(o.Scenario.ID), Requirement: f.Requirement, Signature: scenarios.Signature(o.Scenario.ID, f),
				Reason: strings.TrimSpace(todo + ": " + textsafe.Clip("expected "+f.Expected+", got "+f.Actual, mostTold)), Issue: todo,
			})
		}
	}
	for _, b := range j.elsewhere {
		e := Expectation{Signature: b.Signature(), Issue: todo}
		told := textsafe.Clip("expected "+b.Expected+", got "+b.Actual, mostTold)
		if e.Invariant = string(b.Requirement); b.By == scenarios.BySetup {
			e.Scenario, e.Setup, e.Invariant = string(b.Scenario), string(b.Requirement), ""
			told = textsafe.Clip(b.Actual, mostTold)
		}
		e.Reason = strings.TrimSpace(todo + ": " + told)
		out = append(out, e)
	}
	return out
}

// mostTold bounds the description of a failure in a reason that is still to be written.
const mostTold = 200

// document holds the lines of a file of parameters, and where its expectations begin.
type document struct {
	lines  []string // without line ends
	end    string   // line end
	key    int      // index of the line with the key of the list, or -1
	dashes []int    // index of the first line of each expectation
}

func newDocument(content string) (*document, error) {
	d := &document{end: "\n", key: -1}
	if strings.Contains(content, "\r\n") {
		d.end = "\r\n"
	}
	if content != "" {
		d.lines = strings.Split(strings.TrimSuffix(content, d.end), d.end)
	}
	root, err := rootOf([]byte(content))
	if err != nil {
		return nil, err
	}
	key, value := section(root)
	if key == nil {
		return d, nil
	}
	d.key = key.Line - 1
	for _, item := range value.Content {
		at := item.Line - 1
		for at > d.key && !strings.HasPrefix(strings.TrimSpace(d.line(at)), "-") {
			at--
		}
		if at <= d.key || value.Style&yaml.FlowStyle != 0 {
			return nil, errByHand
		}
		d.dashes = append(d.dashes, at)
	}
	return d, nil
}

func (d *document) line(i int) string {
	if i < 0 || i >= len(d.lines) {
		return ""
	}
	return d.lines[i]
}

// indent returns the indentation of a line, or -1 if the line is blank.
func indent(line string) int {
	if strings.TrimSpace(line) == "" {
		return -1
	}
	return len(line) - len(strings.TrimLeft(line, " "))
}

// after returns the index of the line after the expectation that begins at dash. Lines with a deeper indentation belong
// to it.
func (d *document) after(dash int) int {
	last := dash
	for i := dash + 1; i < len(d.lines); i++ {
		if depth := indent(d.lines[i]); depth > indent(d.lines[dash]) {
			last = i
		} else if depth >= 0 {
			break
		}
	}
	return last + 1
}

// remove removes an expectation with the comment right above it; a comment at the head of the list stays. Callers must
// remove later expectations first.
func (d *document) remove(i int) {
	from, to := d.dashes[i], d.after(d.dashes[i])
	if i > 0 {
		for d.isComment(from-1) && indent(d.lines[from-1]) == indent(d.lines[d.dashes[i]]) {
			from--
		}
	}
	d.lines = slices.Delete(d.lines, from, to)
	d.dashes = slices.Delete(d.dashes, i, i+1)
	for k := i; k < len(d.dashes); k++ {
		d.dashes[k] -= to - from
	}
}

func (d *document) isComment(i int) bool { return strings.HasPrefix(strings.TrimSpace(d.line(i)), "#") }

var emptyList = lazyregexp.New(`^(` + Key + `:)(?:\s+(?:\[\s*\]|~|null))?(\s+#.*)?\s*$`)

// add inserts expectations after the last one, or after the key of the list. It adds the key if the file has none.
func (d *document) add(list []Expectation) {
	if len(list) == 0 {
		return
	}
	depth, at := 2, d.key+1
	switch n := len(d.dashes); {
	case n > 0:
		depth, at = indent(d.lines[d.dashes[n-1]]), d.after(d.dashes[n-1])
	case d.key >= 0:
		d.lines[d.key] = emptyList.ReplaceAllString(d.lines[d.key], "$1$2")
	default:
		if len(d.lines) > 0 && d.line(len(d.lines)-1) != "" {
			d.lines = append(d.lines, "")
		}
		d.lines = append(d.lines, Key+":")
		at = len(d.lines)
	}
	var made []string
	for _, e := range list {
		made = append(made, e.lines(strings.Repeat(" ", depth))...)
	}
	d.lines = slices.Insert(d.lines, at, made...)
}

// lines returns an expectation as lines of YAML.
func (e Expectation) lines(left string) []string {
	var out []string
	for _, field := range [][2]string{
		{"scenario", e.Scenario}, {"requirement", e.Requirement}, {"set-up", e.Setup}, {"invariant", e.Invariant},
		{"signature", strconv.Quote(e.Signature)}, {"reason", quoted(e.Reason)}, {"issue", quoted(e.Issue)},
	} {
		if field[1] != "" {
			out = append(out, left+"  "+field[0]+": "+field[1])
		}
	}
	out[0] = left + "- " + strings.TrimPrefix(out[0], left+"  ")
	return out
}

// quoted returns a text as a double-quoted scalar of YAML.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func (d *document) text() string {
	if len(d.lines) == 0 {
		return ""
	}
	return strings.Join(d.lines, d.end) + d.end
}
