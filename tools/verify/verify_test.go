package verify_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/tools/verify"
)

// verified is what is found in the bundle as it was made.
func verified(t *testing.T, o verify.Options) *verify.Report {
	t.Helper()
	raw, err := fetched()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return verify.Bundle(b, o)
}

// A bundle that nobody touched is honest, also where what it says is that a rule is broken.
func TestHonestBundle(t *testing.T) {
	r := verified(t, verify.Options{Key: public(ours), Version: "dev"})
	if !r.Honest || !r.Judged || r.ExitCode != 1 || r.Totals.Failed == 0 || r.Signature.Status != verify.Good || len(r.Problems) != 0 {
		t.Errorf("%+v", r)
	}
	if r.Scenarios == 0 || r.Transcripts == 0 || r.Exchanges == 0 || len(r.Root) != 64 {
		t.Errorf("%d scenarios, %d exchanges in %d transcripts, root %q", r.Scenarios, r.Exchanges, r.Transcripts, r.Root)
	}
}

// What nobody can know of a bundle is said, and no more than that.
func TestNotProved(t *testing.T) {
	for name, c := range map[string]struct {
		key     ed25519.PublicKey
		version string
		say     []string
		not     []string
	}{
		"signed": {public(ours), "dev", []string{"who holds the key", "that the target sent this",
			"that it is recent", "the only certification", "what drives noted", "does the same a second time", "treats others alike"},
			[]string{"who made it", "was not checked", "the seed and the start", "judges as this", "that the host at http"}},
		"nobody's key":    {nil, "dev", []string{"who signed it: its signature was not checked"}, []string{"who holds the key"}},
		"another key":     {public(theirs), "dev", []string{"who made it, and that it is as it was made"}, []string{"who holds the key"}},
		"another version": {public(ours), "1.2.3", []string{"that assay dev, which made it, judges as this assay 1.2.3 does"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			said := verified(t, verify.Options{Key: c.key, Version: c.version}).NotProved
			says := func(words string) bool {
				return slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, words) || strings.Contains(s, words) })
			}
			for _, words := range c.say {
				if !says(words) {
					t.Errorf("it does not say %q:\n%s", words, strings.Join(said, "\n"))
				}
			}
			for _, words := range c.not {
				if says(words) {
					t.Errorf("it says %q:\n%s", words, strings.Join(said, "\n"))
				}
			}
		})
	}
}

// What is shown is a line each, whoever wrote it.
func TestTextIsHarmless(t *testing.T) {
	r := &verify.Report{Problems: []verify.Problem{{Kind: "verdict", Text: "a\x1b[2Jb\nc"}}, NotProved: []string{"\u202ex"}}
	r.Made.Version = "\x07"
	var out bytes.Buffer
	if err := r.Text(&out, "b\rundle"); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x07\r\u202e") || !strings.Contains(out.String(), `a\x1b[2Jb\nc`) {
		t.Errorf("%q", out.String())
	}
}

// Many problems are counted for people and listed for machines.
func TestManyProblems(t *testing.T) {
	r := &verify.Report{Problems: slices.Repeat([]verify.Problem{{Text: "wrong"}}, 25)}
	var out bytes.Buffer
	if err := r.Text(&out, "bundle"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "25 problems (exit 1)") || strings.Count(out.String(), "\n  wrong") != 20 ||
		!strings.Contains(out.String(), "and 5 more, which --json lists") {
		t.Error(out.String())
	}
	encoded, err := json.Marshal(r)
	if err != nil || bytes.Count(encoded, []byte(`"wrong"`)) != 25 {
		t.Errorf("%s %v", encoded, err)
	}
}

// The credential of the certification is nowhere in a bundle, though the host repeats it in its document and in each reply.
func TestNoSecretInABundle(t *testing.T) {
	raw, err := fetched()
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	for what, is := range map[string]bool{
		"the credential stands in it":   bytes.Contains(plain, []byte(secret)),
		"the document was not repeated": !bytes.Contains(plain, []byte("whoever has <secret:1> may come in")),
		"what is sent was not redacted": !bytes.Contains(plain, []byte(`"Authorization": "<secret>"`)),
		"the replies do not repeat it":  !bytes.Contains(plain, []byte(`"X-Your-Key": "Bearer <secret:1>"`)),
	} {
		if is {
			t.Error(what)
		}
	}
}

// Whatever a transcript holds, judging it ends, and says something.
func FuzzTranscript(f *testing.F) {
	raw, err := small()
	if err != nil {
		f.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"discovery.json", "openwop.documents-for-anybody.json", "openwop.loop-of-turns.json"} {
		f.Add(name, b.Transcripts[name])
	}
	f.Add("openwop.loop-of-turns.json",
		[]byte(`{"schema":"assay.transcript/1","drive":"openwop/loop-of-turns","seconds":0,"stop":{"verdict":"broken","reason":""},"entries":[{"kind":"inbound","at":"2026-01-01T00:00:00Z","micros":0}]}`))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if b.Transcripts[name] == nil {
			t.Skip()
		}
		changed := *b
		changed.Transcripts = maps.Clone(b.Transcripts)
		changed.Transcripts[name] = content
		r := verify.Bundle(&changed, verify.Options{Version: "dev"})
		if r.Honest && !bytes.Equal(content, b.Transcripts[name]) {
			t.Error("another transcript is taken for honest")
		}
		if err := r.Text(io.Discard, "bundle"); err != nil {
			t.Error(err)
		}
	})
}

// A bundle of format 1 is read, and what it cannot show is said.
func TestFormat1(t *testing.T) {
	b, err := bundle.ReadFile("testdata/format1.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	r := verify.Bundle(b, verify.Options{Version: "dev"})
	if r.Judged || len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0].Text, "it is of format 1, which does not list violations") {
		t.Errorf("judged %v, problems %+v", r.Judged, r.Problems)
	}
}
