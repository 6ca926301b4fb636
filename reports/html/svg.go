package html

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios/timeline"
)

// picture is a loop laid out as SVG, in CSS pixels.
type picture struct {
	ID            string
	Title, Text   string // description in words
	Width, Height int
	Columns       []column
	End           string
	EndX          int
	Line          int // x at which the line through the turns ends
	More          string
}

// column is one turn.
type column struct {
	X, Middle int
	Label     string
	Turn      timeline.Turn
	Bars      []bar
}

type bar struct {
	Y         int
	Class     string
	Text      string
	TextY     int
	TextClass string
}

// Dimensions of a picture.
const (
	columnWidth = 136
	columnGap   = 14
	boxTop      = 26
	boxHeight   = 46
	barsTop     = boxTop + boxHeight + 34
	barHeight   = 22
	barGap      = 5
	endWidth    = 104
	mostBar     = 21 // characters
	mostNumber  = 9
)

// draw lays a loop out. id must be unique in the page.
func draw(id string, l timeline.Loop) picture {
	p := picture{ID: id, End: l.End}
	deepest := 0
	for i, t := range l.Turns {
		c := column{X: i*(columnWidth+columnGap) + 1, Label: fmt.Sprintf("turn %d", i+1), Turn: t}
		c.Middle = c.X + columnWidth/2
		c.Turn.Number, c.Turn.Kind = clip(t.Number, mostNumber), clip(t.Kind, mostBar)
		for k, h := range t.Below {
			y := barsTop + k*(barHeight+barGap)
			c.Bars = append(c.Bars, bar{Y: y, Class: h.Class, Text: clip(h.Text, mostBar), TextY: y + 15})
		}
		if t.Left > 0 {
			y := barsTop + len(t.Below)*(barHeight+barGap)
			c.Bars = append(c.Bars, bar{Y: y, Class: "more", Text: fmt.Sprintf("%d more", t.Left), TextY: y + 15})
		}
		deepest = max(deepest, len(c.Bars))
		p.Columns = append(p.Columns, c)
	}
	p.EndX = len(l.Turns)*(columnWidth+columnGap) + 1
	if l.Left > 0 {
		p.More = fmt.Sprintf("%d more turns", l.Left)
	}
	p.Line = p.EndX - columnGap
	p.Width = p.Line + 1
	if p.End != "" || p.More != "" {
		p.Width = p.EndX + endWidth + 1
		p.Line = p.EndX
	}
	p.Height = barsTop + deepest*(barHeight+barGap) + 2
	p.Title = "Loop of run " + clip(l.Run, mostName)
	p.Text = describe(l)
	return p
}

// describe returns the picture's content in words, for readers who cannot see it.
func describe(l timeline.Loop) string {
	var b strings.Builder
	for i, t := range l.Turns {
		fmt.Fprintf(&b, "Turn %d: number %s, %s", i+1, t.Number, t.Kind)
		if t.Odd != "" {
			fmt.Fprintf(&b, ", which does not follow %s", t.Odd)
		}
		for _, h := range t.Below {
			b.WriteString(", " + h.Words)
		}
		b.WriteString(". ")
	}
	if l.Left > 0 {
		fmt.Fprintf(&b, "%d more turns are not shown. ", l.Left)
	}
	if l.End != "" {
		fmt.Fprintf(&b, "It ended: %s.", l.End)
	}
	return strings.TrimSpace(b.String())
}
