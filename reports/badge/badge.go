// Package badge draws the status of a profile as a small picture and writes the matching shields.io document. A badge
// shows one of five words: certified, attested, unproved, violated, inapplicable. It never shows a percentage.
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

// Badge is the label and the message of one badge.
type Badge struct {
	Label, Message string
	Remark         string // follows the message in the title of the picture, "" for none; escaped
	paint          paint
}

// paint is a colour: its shields.io name and our hex value, dark enough for white text.
type paint struct{ name, hex string }

var paints = map[results.ProfileStatus]paint{
	results.ProfileStatusCertified:    {"brightgreen", "#1e7a45"},
	results.ProfileStatusAttested:     {"blue", "#1f5a8f"},
	results.ProfileStatusUnproved:     {"yellow", "#8a5a00"},
	results.ProfileStatusViolated:     {"red", "#a9231b"},
	results.ProfileStatusInapplicable: {"lightgrey", "#6b7079"},
}

// mostLabel bounds the characters of a profile's id on a badge.
const mostLabel = 40

// mostRemark bounds the characters of a remark.
const mostRemark = 400

// Of returns the badge of a profile. remark is what has to be known of the certification.
func Of(p results.ProfileResult, remark string) Badge {
	b := Badge{Remark: textsafe.Clip(remark, mostRemark), Label: "assay " + textsafe.Clip(p.ID, mostLabel),
		Message: textsafe.Clip(string(p.Status), mostLabel)}
	paint, known := paints[p.Status]
	if !known { // this Assay writes no such status
		paint = paints[results.ProfileStatusInapplicable]
	}
	b.paint = paint
	return b
}

// Endpoint returns the badge as a shields.io endpoint document (https://shields.io/badges/endpoint-badge).
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

// Mark is part of every picture, so that a program knows which files it may replace.
const Mark = "<!-- assay.badge/1 -->"

// Sizes of a picture, in pixels.
const (
	height  = 20
	padding = 6
	radius  = 3
)

// SVG returns the badge as a picture. It has no style sheet, script, link or id, so that any page can include it.
func (b Badge) SVG() []byte {
	left, right := widthOf(b.Label)+2*padding, widthOf(b.Message)+2*padding
	label, message := escape(b.Label), escape(b.Message)
	title := label + ": " + message
	if b.Remark != "" {
		title += "; " + escape(b.Remark)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s">`, left+right,
		height, title)
	fmt.Fprintf(&out, "%s<title>%s</title>", Mark, title)
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
	_ = xml.EscapeText(&out, []byte(s)) // a strings.Builder never fails
	return out.String()
}

// widthOf estimates the width of a text in Verdana of 11 pixels. A rough estimate will do, because the badge sets the
// length of its text explicitly.
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
