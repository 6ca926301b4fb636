// Package badge draws what a profile came to as a small picture, and as the document that shields.io makes such a picture of.
// A badge says one of five words: certified, attested, unproved, violated, inapplicable. It never says a percentage.
package badge

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Badge is what one says.
type Badge struct {
	Label, Message string
	paint          paint
}

// paint is a colour by the name that shields.io has for it, and as we draw it: dark enough for white text.
type paint struct{ name, hex string }

var paints = map[results.ProfileStatus]paint{
	results.ProfileStatusCertified:    {"brightgreen", "#1e7a45"},
	results.ProfileStatusAttested:     {"blue", "#1f5a8f"},
	results.ProfileStatusUnproved:     {"yellow", "#8a5a00"},
	results.ProfileStatusViolated:     {"red", "#a9231b"},
	results.ProfileStatusInapplicable: {"lightgrey", "#6b7079"},
}

// mostLabel is how many characters of a profile's id a badge has room for.
const mostLabel = 40

// Of is the badge of a profile.
func Of(p results.ProfileResult) Badge {
	b := Badge{Label: "assay " + textsafe.Clip(p.ID, mostLabel), Message: textsafe.Clip(string(p.Status), mostLabel)}
	paint, known := paints[p.Status]
	if !known { // nothing that this Assay writes
		paint = paints[results.ProfileStatusInapplicable]
	}
	b.paint = paint
	return b
}

// Endpoint is the badge as the document of a shields.io endpoint badge (https://shields.io/badges/endpoint-badge).
func (b Badge) Endpoint() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
	}{1, b.Label, b.Message, b.paint.name})
	return textsafe.JSON(out.Bytes()), err
}

// Mark stands in every picture, so that a program knows what it may replace.
const Mark = "<!-- assay.badge/1 -->"

// Sizes of a picture, in pixels.
const (
	height  = 20
	padding = 6
	radius  = 3
)

// SVG is the badge as a picture. It holds no style sheet, script, link or id, so that it can stand in any page.
func (b Badge) SVG() []byte {
	left, right := widthOf(b.Label)+2*padding, widthOf(b.Message)+2*padding
	label, message := escape(b.Label), escape(b.Message)
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s: %s">`, left+right,
		height, label, message)
	fmt.Fprintf(&out, "%s<title>%s: %s</title>", Mark, label, message)
	fmt.Fprintf(&out,
		`<path fill="#4a4f57" d="M%[1]d 0h%[2]dv%[3]dH%[1]da%[1]d %[1]d 0 0 1-%[1]d-%[1]dV%[1]da%[1]d %[1]d 0 0 1 %[1]d-%[1]dz"/>`,
		radius, left-radius, height)
	fmt.Fprintf(&out, `<path fill="%[5]s" d="M%[1]d 0h%[2]da%[3]d %[3]d 0 0 1 %[3]d %[3]dv%[4]da%[3]d %[3]d 0 0 1-%[3]d %[3]dH%[1]dz"/>`,
		left, right-radius, radius, height-2*radius, b.paint.hex)
	fmt.Fprintf(&out, `<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">`)
	fmt.Fprintf(&out, `<text x="%d" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`, padding, left-2*padding, label)
	fmt.Fprintf(&out, `<text x="%d" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`, left+padding, right-2*padding, message)
	out.WriteString("</g></svg>\n")
	return out.Bytes()
}

func escape(s string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(s)) // a strings.Builder takes everything
	return out.String()
}

// widthOf is about how wide a text is in Verdana of 11 pixels. A badge says how long its text is to be drawn, so that a
// little more or less does not matter.
func widthOf(s string) int {
	tenths := 0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijl|!.,:;'` ", r):
			tenths += 36
		case strings.ContainsRune("frt()[]{}/\\-\"", r):
			tenths += 47
		case strings.ContainsRune("mwMW@%", r):
			tenths += 105
		case r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
			tenths += 68
		case r < 0x80:
			tenths += 79
		default:
			tenths += 110
		}
	}
	return (tenths + 9) / 10
}
