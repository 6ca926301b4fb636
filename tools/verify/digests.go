package verify

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
)

// signature determines who signed the manifest.
func (v *run) signature() {
	e, key := v.bundle.Envelope, v.by.Key
	v.Signature = Signature{Status: Unsigned, Keys: []string{}}
	if e == nil {
		if key != nil {
			v.Signature.Status = Bad
			v.tell("signature", "it is not signed, and --key asks for a signature by %s", nameOf(key))
		}
		return
	}
	for _, s := range e.Signatures {
		v.Signature.Keys = append(v.Signature.Keys, s.KeyID)
	}
	switch {
	case key == nil:
		v.Signature.Status = Unchecked
	case e.SignedBy(key):
		v.Signature = Signature{Good, []string{nameOf(key)}}
	case slices.Contains(v.Signature.Keys, nameOf(key)):
		v.Signature.Status = Bad
		v.tell("signature", "its signature by %s does not fit: the manifest was changed after it was signed", nameOf(key))
	default:
		v.Signature.Status = Bad
		v.tell("signature", "it is signed by %s, and not by %s, which --key asks for", strings.Join(v.Signature.Keys, ", "), nameOf(key))
	}
}

func nameOf(key []byte) string {
	id, err := bundle.KeyID(key)
	if err != nil { // a parsed key always has a name
		return "the key"
	}
	return id
}

// digests compares the files with the manifest.
func (v *run) digests() {
	m := v.bundle.Manifest
	if canonical, err := bundle.Canonical(m); err != nil || !bytes.Equal(canonical, v.bundle.Payload) {
		v.tell("manifest", "the manifest is not in canonical JSON: certify did not write it so")
	}
	for _, f := range []struct {
		name    string
		content []byte
		listed  results.BundledFile
	}{{bundle.ResultsName, v.bundle.Results, m.Results}, {bundle.DiscoveryName, v.bundle.Discovery, m.Discovery}} {
		if bundle.Digest(f.content) != f.listed.Sha256 || int64(len(f.content)) != f.listed.Bytes {
			v.tell("digest", "%s was edited after the bundle was made: its digest is not the one in the manifest", f.name)
		}
	}
	v.transcripts()
	if root, err := bundle.Root(m.Transcripts); err != nil || root != m.Root {
		v.tell("digest", "the root in the manifest is not that of the transcripts that it lists")
	}
}

// transcripts compares the transcripts with the manifest, exchange by exchange.
func (v *run) transcripts() {
	there := v.bundle.Transcripts
	listed := map[string]bool{}
	last := ""
	for _, want := range v.bundle.Manifest.Transcripts {
		name := strings.TrimPrefix(want.File, bundle.TranscriptsDir)
		if want.File <= last {
			v.tell("manifest", "the manifest does not list its transcripts in order: %s stands behind %s", want.File, last)
		}
		last, listed[name] = want.File, true
		content, is := there[name]
		if !is {
			v.problem(Problem{Kind: "transcript", Drive: want.Drive,
				Text: fmt.Sprintf("the transcript of %s is missing, which the manifest lists", want.Drive)})
			continue
		}
		got, err := bundle.Describe(want.File, content)
		if err != nil {
			v.problem(Problem{Kind: "transcript", Drive: want.Drive, Text: err.Error()})
			continue
		}
		v.Exchanges += len(got.Exchanges)
		v.transcript(got, want)
	}
	for _, name := range there.Names() {
		if !listed[name] {
			v.tell("transcript", "%s%s is there, and the manifest does not list it", bundle.TranscriptsDir, name)
		}
	}
}

// transcript reports the changes in one transcript.
func (v *run) transcript(got, want results.BundledTranscript) {
	told := len(v.Problems)
	tell := func(exchange int, format string, args ...any) {
		v.problem(Problem{Kind: "digest", Drive: want.Drive, Exchange: int64(exchange), Text: fmt.Sprintf(format, args...)})
	}
	if got.Drive != want.Drive {
		tell(0, "%s is the transcript of %s, and the manifest says of %s", want.File, got.Drive, want.Drive)
		return
	}
	for i := range min(len(got.Exchanges), len(want.Exchanges)) {
		if got.Exchanges[i] != want.Exchanges[i] {
			tell(i+1, "exchange %d of %s was edited after the bundle was made", i+1, want.Drive)
		}
	}
	if len(got.Exchanges) != len(want.Exchanges) {
		tell(0, "the transcript of %s has %d exchanges, and the manifest lists %d", want.Drive, len(got.Exchanges), len(want.Exchanges))
	}
	if got.Noted != want.Noted {
		tell(0, "what %s noted beside its exchanges was edited after the bundle was made", want.Drive)
	}
	if len(v.Problems) == told && (got.Sha256 != want.Sha256 || got.Bytes != want.Bytes || got.Root != want.Root) {
		tell(0, "the transcript of %s was edited after the bundle was made: its digest is not the one in the manifest", want.Drive)
	}
}

// drives compares the judged transcripts with those in the bundle, and checks them against the seed.
func (v *run) drives(r *scenarios.Report) {
	judged := map[string]bool{}
	longest := scenarios.DriveRecord{}
	for _, d := range r.Drives {
		judged[scenarios.TranscriptName(d.ID)] = true
		if d.Seconds > longest.Seconds {
			longest = d
		}
	}
	v.named(r)
	v.redrawn(r)
	v.placed(r)
	for _, name := range v.bundle.Transcripts.Names() {
		if !judged[name] {
			v.tell("transcript", "%s%s is the transcript of a drive that no scenario of this certification asks for", bundle.TranscriptsDir, name)
		}
	}
	if said, ok := scenarios.Said(r.Drives[0]); !ok || said != string(v.bundle.Discovery) {
		v.problem(Problem{Kind: "transcript", Drive: r.Drives[0].ID,
			Text: "discovery.json is not the document that the transcript of discovery holds"})
	}
	const rounded = 1e-5
	if longest.Seconds > v.given.Seconds+rounded {
		v.problem(Problem{Kind: "report", Drive: longest.ID,
			Text: fmt.Sprintf("results.json says that all of it took %gs, and %s alone took %gs", v.given.Seconds, longest.ID, longest.Seconds)})
	}
}
