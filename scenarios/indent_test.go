package scenarios

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/wire"
)

// anyJSON draws a nested value, with names and texts that need escapes.
func anyJSON() *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\\"{}\[\]:, <>&\n\x{2028}]{0,6}`))
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), toAny), rapid.Map(rapid.Float64(), toAny), rapid.Map(text, toAny))
	value := leaf
	for range 3 {
		inner := value
		value = rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(inner, 0, 4), toAny), rapid.Map(rapid.MapOfN(text, inner, 0, 4), toAny))
	}
	return value
}

func toAny[T any](v T) any { return v }

func TestIndentedAsEncodingJSONIndents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		compact, err := json.Marshal(anyJSON().Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		depth := rapid.IntRange(0, 3).Draw(t, "depth")
		var want bytes.Buffer
		if err := json.Indent(&want, compact, strings.Repeat(" ", depth), " "); err != nil {
			t.Fatal(err)
		}
		if got := appendIndented(nil, compact, depth); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%s is indented as\n%s\nwant\n%s", compact, got, want.Bytes())
		}
	})
}

// A transcript is written as encoding/json would write the whole file at once.
func TestTranscriptsAreWrittenAsTheEncoderWritesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[<>&"\\\n\x{2028}a]{0,8}`))
		headers := rapid.MapOfN(text, text, 0, 3)
		entry := rapid.Custom(func(t *rapid.T) wire.Entry {
			e := wire.Entry{Kind: "http", At: time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "at"), 7).UTC(),
				Label: text.Draw(t, "label"), Error: text.Draw(t, "error")}
			if rapid.Bool().Draw(t, "asked") {
				e.Request = &wire.Request{Method: "GET", URL: text.Draw(t, "url"), Header: headers.Draw(t, "header"), Body: text.Draw(t, "body")}
				e.Response = &wire.Response{Status: 200, Header: headers.Draw(t, "header"), Body: text.Draw(t, "body")}
				e.Chunks = []wire.Chunk{{Micros: 1, Text: text.Draw(t, "chunk")}}
			} else {
				e.Process = &wire.Spawned{Command: []string{text.Draw(t, "command")}, Output: text.Draw(t, "output")}
			}
			return e
		})
		d := DriveRecord{ID: text.Draw(t, "drive"), Seconds: rapid.Float64().Draw(t, "seconds"),
			Transcript: &wire.Transcript{Entries: rapid.SliceOfN(entry, 1, 4).Draw(t, "entries")}}
		if rapid.Bool().Draw(t, "stopped") {
			d.Stop = &Stop{Verdict: Blocked, Reason: text.Draw(t, "reason")}
		}
		d.Observation = anyJSON().Draw(t, "observation")
		if observed, err := json.MarshalIndent(d.Observation, "", " "); rapid.Bool().Draw(t, "raw") && err == nil {
			d.Observation = json.RawMessage(observed)
		}
		got, err := MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if want := encodedAtOnce(t, d); !bytes.Equal(got, want) {
			t.Fatalf("written\n%s\nwant\n%s", got, want)
		}
	})
}

func encodedAtOnce(t *rapid.T, d DriveRecord) []byte {
	f := transcriptFile{transcriptHead: transcriptHead{TranscriptSchema, d.ID, d.Seconds, d.Stop, d.Drawn}, Entries: d.Transcript.Entries}
	if d.Observation != nil && d.Stop == nil {
		raw, err := json.Marshal(d.Observation)
		if err != nil {
			t.Fatal(err)
		}
		f.Observation = raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(f); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
