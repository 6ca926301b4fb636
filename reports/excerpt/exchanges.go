// Package excerpt picks what people are shown of a certification, whatever the format: which exchanges matter to a failure and
// what stands in them, what scenarios without a verdict have in common, which findings are alike. Nothing here is escaped yet.
package excerpt

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Violations are the checks that made a scenario fail; a SHOULD that was not met is among the findings.
func Violations(s results.ScenarioResult, ledger *scenarios.Ledger) []results.Check {
	var out []results.Check
	for _, c := range s.Checks {
		if r, known := ledger.Find(scenarios.RequirementID(c.Requirement)); !c.Ok && (!known || r.Level == scenarios.Must) {
			out = append(out, c)
		}
	}
	return out
}

// Place is where a check looked, as people read it.
func Place(c results.Check) string {
	if c.Exchange == 0 {
		return "no single exchange"
	}
	words := slices.DeleteFunc([]string{fmt.Sprintf("#%d", c.Exchange), c.Part, c.Pointer}, func(s string) bool { return s == "" })
	return strings.Join(words, " ")
}

// mostExchanges is how many exchanges a failure shows. One says what came; two or three how it came to that.
const mostExchanges = 3

// Exchanges are the few entries of a transcript that show what the checks are about, in the order in which they happened: those
// that the checks name and, where that is a single look, what was last done to the thing that was looked at.
func Exchanges(checks []results.Check, t *wire.Transcript) []int {
	var out []int
	for _, c := range checks {
		if n := int(c.Exchange); n > 0 && !slices.Contains(out, n) && len(out) < mostExchanges {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	if len(out) == 1 && t != nil {
		if n := lastAct(t, out[0]); n > 0 {
			return []int{n, out[0]}
		}
	}
	return out
}

// lastAct is the last entry before a look that acted on the thing that the look is at; 0 where there is none.
func lastAct(t *wire.Transcript, look int) int {
	e := t.Entry(look)
	if e == nil || e.Request == nil || Acts(*e) {
		return 0
	}
	things := segments(e.Request.URL)
	for n := look - 1; n > 0; n-- {
		if before := t.Entry(n); before.Request != nil && Acts(*before) && slices.ContainsFunc(things, func(id string) bool {
			return strings.Contains(before.Request.URL+before.Request.Body, id) || before.Response != nil &&
				strings.Contains(before.Response.Body, id)
		}) {
			return n
		}
	}
	return 0
}

// Acts says whether an entry may have changed something, or is something that the target did of its own accord.
func Acts(e wire.Entry) bool {
	return e.Process != nil || e.Request != nil && !slices.Contains([]string{"", http.MethodGet, http.MethodHead,
		http.MethodOptions}, e.Request.Method)
}

// shortestID is how many characters the id of a thing has at least; shorter ones are words of a path.
const shortestID = 8

// segments are the parts of a URL's path that may name a thing.
func segments(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(u.EscapedPath(), "/"),
		func(s string) bool { return len(s) < shortestID || !strings.ContainsAny(s, "0123456789") })
}

// Told is an entry of a transcript as it is told to people.
type Told struct {
	Number int    // from 1
	Label  string // what it was for
	Sent   string // POST /v1/runs; what the process was for; what was looked at
	Body   string // what was handed over
	Came   string // 201, exit 0
	Reply  string // what came back
	Notes  []Note // what else there is to say of it
}

// Note is one thing more to say: what it is about ("stderr", "failed") and the text.
type Note struct{ About, Text string }

// Tell tells the n-th entry. Addresses below that of the target lose it.
func Tell(n int, e wire.Entry, address string) Told {
	t := Told{Number: n, Label: e.Label}
	switch {
	case e.Process != nil:
		t.process(e.Process)
	case e.Files != nil:
		t.Sent, t.Reply = e.Files.Of, e.Files.Content
	case e.Request != nil:
		t.Sent, t.Body = e.Request.Method+" "+strings.TrimPrefix(e.Request.URL, address), e.Request.Body
		if e.Kind == "inbound" {
			t.Sent = "received " + t.Sent
		}
	}
	if e.Response != nil {
		t.Came, t.Reply = fmt.Sprint(e.Response.Status), e.Response.Body
	}
	if len(e.Chunks) > 0 {
		t.Came += fmt.Sprintf(" %s beginning", chunks(len(e.Chunks)))
		t.Reply = e.Chunks[0].Text
	}
	if e.Error != "" {
		t.Notes = append(t.Notes, Note{"failed", e.Error})
	}
	return t
}

func chunks(n int) string {
	if n == 1 {
		return "1 chunk"
	}
	return fmt.Sprintf("%d chunks", n)
}

func (t *Told) process(p *wire.Spawned) {
	t.Sent, t.Body, t.Came, t.Reply = t.Label, p.Input, p.Ended, p.Output
	if p.Exit != nil {
		t.Came = fmt.Sprintf("exit %d", *p.Exit)
	}
	for _, n := range []Note{{"stderr", p.Errors}, {"left behind", strings.Join(p.Survivors, ", ")}} {
		if n.Text != "" {
			t.Notes = append(t.Notes, n)
		}
	}
}
