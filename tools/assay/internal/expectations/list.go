// Package expectations compares a certification with the failures that its operator expects. It reads them from a file
// of parameters, reports which of them occurred and which are stale, and updates the file.
package expectations

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/internal/nearest"
)

// Key names the list in the file.
const Key = "expectations"

// Expectation is one known failure.
type Expectation struct {
	Scenario    string // id, with or without the protocol; a * matches any text; "" with Invariant
	Requirement string // id of the violated requirement; "" matches any
	Setup       string // id of the requirement that a step of the setup of Scenario violates, "" if a check of it does
	Invariant   string // id of the requirement that a rule for all that is read sees violated, "" if a scenario does
	Signature   string // of the failure; "" matches any
	Expected    string // expected text of the failure; a * matches any text, and "" everything
	Actual      string // actual text of the failure, likewise
	Reason      string // why it is expected
	Issue       string // URL
	Expires     string // last day on which it is expected, like 2027-01-31; "" = never expires
	Line        int    // in the file, from 1
}

// todo begins a reason or an issue that is still to be written.
const todo = "TODO"

// List holds all expectations, in the order of the file.
type List struct {
	File    string // name for messages
	Entries []Expectation
	Draft   bool // just written by Update, so reasons may still be missing
}

// Mistake reports a part of the file that cannot be read as an expectation.
type Mistake struct {
	Line    int
	Problem string
}

func (m *Mistake) Error() string { return fmt.Sprintf("line %d: %s", m.Line, m.Problem) }

func wrong(at *yaml.Node, format string, args ...any) error {
	return &Mistake{at.Line, fmt.Sprintf(format, args...)}
}

// Parse reads the list from the value of [Key]. The error is a [Mistake].
func Parse(file string, node *yaml.Node) (*List, error) {
	l := &List{File: file}
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return l, nil
	case node.Kind != yaml.SequenceNode:
		return nil, wrong(node, "%s is no list: write - scenario: ID for each known failure", Key)
	}
	for _, item := range node.Content {
		e, err := parse(item)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(l.Entries, e.same); i >= 0 {
			return nil, &Mistake{e.Line, fmt.Sprintf("it expects the same failure as line %d: keep one of the two", l.Entries[i].Line)}
		}
		l.Entries = append(l.Entries, e)
	}
	return l, nil
}

// same reports whether two expectations describe the same failure. Reason, issue and expiry may differ.
func (e Expectation) same(o Expectation) bool {
	return e.Scenario == o.Scenario && e.Requirement == o.Requirement && e.Setup == o.Setup && e.Invariant == o.Invariant &&
		e.Signature == o.Signature && e.Expected == o.Expected && e.Actual == o.Actual
}

func parse(item *yaml.Node) (Expectation, error) {
	e := Expectation{Line: item.Line}
	if item.Kind != yaml.MappingNode {
		return e, wrong(item, "it is no expectation: write - scenario: ID, and what is known of its failure below")
	}
	at, err := e.take(item)
	if err != nil {
		return e, err
	}
	return e, e.check(item, at)
}

// take fills the fields of e, and returns the node of each.
func (e *Expectation) take(item *yaml.Node) (at map[string]*yaml.Node, err error) {
	fields := map[string]*string{
		"scenario": &e.Scenario, "requirement": &e.Requirement, "set-up": &e.Setup, "invariant": &e.Invariant,
		"signature": &e.Signature, "expected": &e.Expected, "actual": &e.Actual,
		"reason": &e.Reason, "issue": &e.Issue, "expires": &e.Expires,
	}
	names := []string{"scenario", "requirement", "set-up", "invariant", "signature", "expected", "actual", "reason", "issue", "expires"}
	at = map[string]*yaml.Node{}
	for i := 0; i < len(item.Content); i += 2 {
		key, value := item.Content[i], item.Content[i+1]
		field := fields[key.Value]
		switch {
		case field == nil && nearest.Name(key.Value, names) != "":
			return nil, wrong(key, "unknown key %q: did you mean %q?", key.Value, nearest.Name(key.Value, names))
		case field == nil:
			return nil, wrong(key, "unknown key %q: an expectation has %s", key.Value, strings.Join(names, ", "))
		case at[key.Value] != nil:
			return nil, wrong(key, "%s is given twice", key.Value)
		case value.Kind != yaml.ScalarNode || value.Tag == "!!null" || strings.TrimSpace(value.Value) == "":
			return nil, wrong(value, "%s: write a text, or leave it out", key.Value)
		}
		at[key.Value] = value
		*field = strings.TrimSpace(value.Value)
	}
	return at, nil
}

var signatureForm = lazyregexp.New(`^[0-9a-f]{12}$`)

func (e *Expectation) check(item *yaml.Node, at map[string]*yaml.Node) error {
	for _, name := range []string{"scenario", "reason", "issue"} {
		if at[name] == nil && (name != "scenario" || e.Invariant == "") {
			return wrong(item, "the expectation has no %s: %s", name, map[string]string{
				"scenario": "name the scenario that fails", "reason": "say why it is known to fail", "issue": "link the issue about it",
			}[name])
		}
	}
	switch {
	case e.Invariant != "" && e.Scenario+e.Requirement+e.Setup != "":
		return wrong(at["invariant"], "a rule for all that is read belongs to no scenario: give invariant alone, with the requirement")
	case e.Setup != "" && e.Requirement != "":
		return wrong(at["set-up"], "set-up names the requirement already: leave out requirement")
	case e.Signature == "" && e.Expected == "" && e.Actual == "":
		return wrong(item, "any failure would do: give the signature that the report tells, or expected or actual with * for what differs")
	case e.Signature == "" && strings.Trim(e.Expected+e.Actual, "* ") == "":
		stars := at["actual"]
		if stars == nil {
			stars = at["expected"]
		}
		return wrong(stars, "stars alone match any failure: give the signature that the report tells, or words of the failure with * for "+
			"what differs")
	case e.Signature != "" && !signatureForm.MatchString(e.Signature):
		return wrong(at["signature"], "%q is no signature: it has 12 digits from 0 to f, as the report tells it", e.Signature)
	case e.Signature != "" && strings.Contains(e.Scenario, "*"):
		return wrong(at["scenario"], "a signature is that of one scenario: name it in full, or give expected or actual in its place")
	}
	if _, err := time.Parse(time.DateOnly, e.Expires); e.Expires != "" && err != nil {
		return wrong(at["expires"], "%q is no day: write it like 2027-01-31", e.Expires)
	}
	if link, err := url.Parse(e.Issue); !strings.HasPrefix(e.Issue, todo) && (err != nil || link.Host == "" ||
		link.Scheme != "http" && link.Scheme != "https") {
		return wrong(at["issue"], "%q is no link: write a URL, like https://github.com/acme/host/issues/7", e.Issue)
	}
	return nil
}

// name returns what e is about, for messages.
func (e Expectation) name() string {
	switch {
	case e.Invariant != "":
		return "the invariant of " + e.Invariant
	case e.Setup != "":
		return "the set-up of " + e.Scenario
	}
	return e.Scenario
}

// expired reports whether the last day of e is over, in UTC.
func (e Expectation) expired(now time.Time) bool {
	return e.Expires != "" && now.UTC().Format(time.DateOnly) > e.Expires
}

// unexplained reports whether the reason or the issue of e is still to be written.
func (e Expectation) unexplained() bool {
	return strings.HasPrefix(e.Reason, todo) || strings.HasPrefix(e.Issue, todo)
}

// fits reports whether a text matches a pattern, in which a * matches any text. An empty pattern matches everything.
func fits(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == pattern
	}
	rest, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, last)
}
