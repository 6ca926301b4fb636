package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/tools/sent"
)

func (o *coverageFlags) print(out io.Writer, c *compared) error {
	if o.json {
		return writeJSON(out, "coverage", gapsOf(c))
	}
	t := &strings.Builder{}
	for i, one := range c.all {
		if i > 0 {
			t.WriteByte('\n')
		}
		one.text(t)
	}
	for _, why := range c.left {
		fmt.Fprintf(t, "left out: %s\n", textsafe.Line(why))
	}
	_, err := io.WriteString(out, t.String())
	return err
}

// text lists the gaps for people, by operation.
func (c *traffic) text(t *strings.Builder) {
	what := "exchanges with"
	if !c.row.Hosted() {
		what = "turns of"
	}
	fmt.Fprintf(t, "%s: %s %s %s\n", c.row.ID, number(c.sum.Exchanges), what, textsafe.Line(strings.Join(c.origins, ", ")))
	if c.sum.Full {
		fmt.Fprintf(t, "there is more in the recording than can be compared: what comes late is left out\n")
	}
	counts := map[sent.Kind]int{}
	common := c.common()
	if len(common) > 0 {
		fmt.Fprintf(t, "\nseveral operations\n")
	}
	for _, header := range slices.Sorted(maps.Keys(common)) {
		all := common[header]
		c.line(t, all.times, fmt.Sprintf("%-6s %s (%d operations)", sent.Header, header, all.operations))
	}
	operation := ""
	for _, i := range c.gaps {
		counts[i.Kind]++
		if _, told := common[i.What]; i.Kind == sent.Unknown || i.Kind == sent.Header && told {
			continue
		}
		if i.Operation != operation {
			operation = i.Operation
			fmt.Fprintf(t, "\n%s\n", operation)
		}
		text := fmt.Sprintf("%-6s %s", i.Kind, i.What)
		if i.Kind == sent.Called {
			text = "no drive calls it"
		}
		c.line(t, c.sum.Items[i], text)
	}
	if counts[sent.Unknown] > 0 {
		fmt.Fprintf(t, "\nnot an operation of the protocol:\n")
	}
	for _, i := range c.gaps {
		if i.Kind == sent.Unknown {
			c.line(t, c.sum.Items[i], i.Operation)
		}
	}
	arguments := counts[sent.Query] + counts[sent.Header] + counts[sent.Body] + counts[sent.Value]
	fmt.Fprintf(t, "\n%s that no drive sends: operations %d, arguments %d, pairs %d; not of the protocol: %d\n",
		number(len(c.gaps)-counts[sent.Unknown]), counts[sent.Called], arguments, counts[sent.Then], counts[sent.Unknown])
}

// shared is a header that is sent with several operations.
type shared struct {
	operations int
	times      sent.Times
}

// common returns the headers that are gaps of more than two operations: a client sends them with whatever it asks.
func (c *traffic) common() map[string]shared {
	const most = 2 // that are told one by one
	all := map[string]shared{}
	for _, i := range c.gaps {
		if i.Kind != sent.Header {
			continue
		}
		one, times := all[i.What], c.sum.Items[i]
		one.operations++
		if one.operations == 1 || times.At < one.times.At {
			one.times.First, one.times.At = times.First, times.At
		}
		one.times.N += times.N
		all[i.What] = one
	}
	maps.DeleteFunc(all, func(_ string, s shared) bool { return s.operations <= most })
	return all
}

// line writes an item with its times, on two lines if it is long.
func (*traffic) line(t *strings.Builder, times sent.Times, text string) {
	const indent, width = 2, 80
	seen := fmt.Sprintf("%dx %s", times.N, textsafe.Line(times.First))
	room := width - indent - utf8.RuneCountInString(seen)
	if utf8.RuneCountInString(text)+2 <= room {
		fmt.Fprintf(t, "  %-*s%s\n", room, text, seen)
		return
	}
	fmt.Fprintf(t, "  %s\n  %*s%s\n", text, max(room, 0), "", seen)
}

func number(n int) string {
	if n == 0 {
		return "nothing"
	}
	return fmt.Sprint(n)
}

// coverageJSON is what --json prints.
type coverageJSON struct {
	Protocols []trafficJSON `json:"protocols"`
	Left      []string      `json:"left"`
}

type trafficJSON struct {
	Protocol  string    `json:"protocol"`
	Targets   []string  `json:"targets"`
	Exchanges int       `json:"exchanges"` // or turns
	Full      bool      `json:"full"`      // there is more than can be compared
	Gaps      []gapJSON `json:"gaps"`
}

type gapJSON struct {
	Operation string    `json:"operation"`
	Kind      sent.Kind `json:"kind"`
	What      string    `json:"what,omitempty"`
	Times     int       `json:"times"`
	First     string    `json:"first"`
}

func gapsOf(all *compared) coverageJSON {
	out := coverageJSON{Protocols: []trafficJSON{}, Left: slices.Concat([]string{}, all.left)}
	for _, c := range all.all {
		one := trafficJSON{Protocol: c.row.ID, Targets: c.origins, Exchanges: c.sum.Exchanges, Full: c.sum.Full, Gaps: []gapJSON{}}
		for _, i := range c.gaps {
			times := c.sum.Items[i]
			one.Gaps = append(one.Gaps, gapJSON{i.Operation, i.Kind, i.What, times.N, times.First})
		}
		out.Protocols = append(out.Protocols, one)
	}
	return out
}
