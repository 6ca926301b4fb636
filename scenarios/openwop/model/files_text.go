package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// Text is the content of a file, which stands for itself: a history holds no contents.
type Text struct {
	Kind TextKind `json:"kind,omitempty"`
	N    int      `json:"n,omitempty"`
	// Said is a content that was given, word for word.
	Said string `json:"said,omitempty"`
}

// TextKind is of which kind a content is.
type TextKind string

// The kinds of content.
const (
	Plain    TextKind = ""         // a few words
	Given    TextKind = "given"    // what a transcript holds
	Odd      TextKind = "odd"      // what a careless host takes for something else
	Largest  TextKind = "largest"  // as many bytes as there may be
	TooLarge TextKind = "tooLarge" // a byte more
	TooWide  TextKind = "tooWide"  // too many bytes, and not too many characters
)

// OddTexts are contents that a careless host takes for something else, or for nothing.
var OddTexts = []string{
	"", "0", "null", "false", "{}", "[]", `"quoted"`, " ", "\n", "%2e%2e", `a\nb`, "\ufeffbom", "one\r\ntwo\rthree\n",
	"\t# Straße \u2028 e\u0301 🧪  ",
	"&lt;{{x}} ${y}",
}

// Of returns the content, where a file has this many bytes at most.
func (t Text) Of(most int64) string {
	filled := func(n int64) string {
		unit := "fill " + strconv.Itoa(t.N) + " "
		return strings.Repeat(unit, int(n)/len(unit)+1)[:n]
	}
	switch t.Kind {
	case Given:
		return t.Said
	case Odd:
		return OddTexts[t.N%len(OddTexts)]
	case Largest:
		return filled(most)
	case TooLarge:
		return filled(most + 1)
	case TooWide:
		return strings.Repeat("é", int(most)/2+1)
	}
	return "words " + strconv.Itoa(t.N)
}

// size returns how many bytes the content has.
func (t Text) size(most int64) int64 {
	switch t.Kind {
	case Largest:
		return most
	case TooLarge:
		return most + 1
	case TooWide:
		return most/2*2 + 2
	}
	return int64(len(t.Of(most)))
}

// is reports whether a value is the content.
func (t Text) is(v wire.Value, most int64) bool {
	s, ok := v.Actual().(string)
	return ok && s == t.Of(most)
}

// String tells the content.
func (t Text) String() string {
	switch t.Kind {
	case Largest:
		return "of the largest size"
	case TooLarge:
		return "of a byte more than the largest size"
	case TooWide:
		return "of more bytes and fewer characters than the largest size"
	}
	return strconv.Quote(t.Of(0))
}

func tellFile(s fileStep) string {
	in := s.In
	var b strings.Builder
	fmt.Fprintf(&b, "%s ", in.Do)
	switch in.Do {
	case PutStray:
		b.WriteString(OddPaths[in.Path])
	case ListFiles:
		fmt.Fprintf(&b, "%q", cmp.Or(s.Out.Below, Prefixes[in.Path]))
	default:
		b.WriteString(cmp.Or(s.Out.Alone, FilePaths[in.Path]))
	}
	if in.Do == PutFile {
		fmt.Fprintf(&b, " %s", in.Text)
		if in.Type != "" {
			fmt.Fprintf(&b, " as %s", in.Type)
		}
	}
	if in.If != Unconditional && (in.Do == PutFile || in.Do == PutOdd) {
		fmt.Fprintf(&b, " if it has the %s etag %s", in.If, s.Out.Named)
	}
	if in.Do == GetVersion {
		fmt.Fprintf(&b, ", version %d", s.Out.Asked)
	}
	if s.Lost {
		return b.String()
	}
	if s.Out.Nobody {
		return b.String() + ": there is none"
	}
	fmt.Fprintf(&b, ": HTTP %s", s.Out.Status.JSON())
	if body := s.Out.Body; body.Key("version").Present() {
		fmt.Fprintf(&b, ", version %s, etag %s", body.Key("version").JSON(), body.Key("etag").String())
	}
	return b.String()
}
