// Package excerpt selects the parts of a certification that every report format shows: the exchanges behind a failure
// and their content, the common causes of missing verdicts, and groups of equal findings. Its texts are unescaped.
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

// Violations returns the checks that made a scenario fail. Unmet SHOULDs are findings instead.
func Violations(s results.ScenarioResult, ledger *scenarios.Ledger) []results.Check {
	var out []results.Check
	for _, c := range s.Checks {
		if r, known := ledger.Find(scenarios.RequirementID(c.Requirement)); !c.Ok && (!known || r.Level == scenarios.Must) {
			out = append(out, c)
		}
	}
	return out
}

// Place describes for people where a check looked.
func Place(c results.Check) string {
	if c.Exchange == 0 {
		return "no single exchange"
	}
	words := slices.DeleteFunc([]string{fmt.Sprintf("#%d", c.Exchange), c.Part, c.Pointer}, func(s string) bool { return s == "" })
	return strings.Join(words, " ")
}

// mostExchanges bounds the exchanges shown for a failure: one shows the result, two or three how it came about.
const mostExchanges = 3

// Exchanges returns the numbers of the few entries that explain the checks, in transcript order: the ones the checks
// name. If that is a single read, Exchanges adds the last entry that acted on the same thing.
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

// lastAct returns the last entry before a read that acted on the thing being read, or 0.
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

// Acts reports whether an entry may have changed something: it runs a process, or its request method is not a safe one.
func Acts(e wire.Entry) bool {
	return e.Process != nil || e.Request != nil && !slices.Contains([]string{"", http.MethodGet, http.MethodHead,
		http.MethodOptions}, e.Request.Method)
}

// shortestID is the minimum length of a thing's id; shorter segments are words of a path.
const shortestID = 8

// segments returns the parts of a URL's path that may name a thing.
func segments(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(u.EscapedPath(), "/"),
		func(s string) bool { return len(s) < shortestID || !strings.ContainsAny(s, "0123456789") })
}

// Told is a transcript entry as shown to people.
type Told struct {
	Number int    // from 1
	Label  string // purpose of the entry
	Sent   string // POST /v1/runs; purpose of the process; name of the files read
	Body   string // request body or process input
	Came   string // 201, exit 0
	Reply  string // response body or process output
	Notes  []Note // further remarks
}

// Note is a further remark: its subject ("stderr", "failed") and its text.
type Note struct{ About, Text string }

// Tell describes the n-th entry. It strips the target's address from URLs.
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
