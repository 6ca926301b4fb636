package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/openassay/assay/gen/results"
)

// A hash begins with the kind of its content, so that no kind can pass as another.
const (
	ofExchange   byte = iota // an exchange of a transcript, as compact JSON
	ofNode                   // two hashes
	ofNoted                  // a drive's notes beside its exchanges
	ofTranscript             // a transcript: its drive, the number of its exchanges, the root over its leaves
)

type hash = [sha256.Size]byte

// hashOf returns the hash of parts, each preceded by its length.
func hashOf(what byte, parts ...[]byte) (out hash) {
	h := sha256.New()
	h.Write([]byte{what})
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write(p)
	}
	h.Sum(out[:0])
	return out
}

// rootOf returns the root of the tree over leaves, which must not be empty. As in RFC 6962, the left half is the
// largest power of two below their number.
func rootOf(leaves []hash) hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	left := 1
	for 2*left < len(leaves) {
		left *= 2
	}
	a, b := rootOf(leaves[:left]), rootOf(leaves[left:])
	return hashOf(ofNode, a[:], b[:])
}

// transcript is the digested part of a drive's file: its members, undecoded.
type transcript struct {
	Schema      string            `json:"schema"`
	Drive       string            `json:"drive"`
	Seconds     json.RawMessage   `json:"seconds"`
	Stop        json.RawMessage   `json:"stop"`
	Drawn       json.RawMessage   `json:"drawn"`
	Observation json.RawMessage   `json:"observation"`
	Entries     []json.RawMessage `json:"entries"`
}

// Describe digests the transcript in a file into its manifest entry.
func Describe(file string, content []byte) (results.BundledTranscript, error) {
	out := results.BundledTranscript{File: file, Bytes: int64(len(content)), Sha256: Digest(content), Exchanges: []string{}}
	var t transcript
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return out, fmt.Errorf("%s: it is no transcript: %w", file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return out, fmt.Errorf("%s: something follows the transcript", file)
	}
	if t.Drive == "" {
		return out, fmt.Errorf("%s: it names no drive", file)
	}
	out.Drive = t.Drive
	noted := [][]byte{[]byte(t.Schema), []byte(t.Drive), compact(t.Seconds), compact(t.Stop), compact(t.Observation)}
	if len(t.Drawn) > 0 { // no transcript of format 1 has it
		noted = append(noted, compact(t.Drawn))
	}
	leaves := []hash{hashOf(ofNoted, noted...)}
	for _, e := range t.Entries {
		leaves = append(leaves, hashOf(ofExchange, compact(e)))
	}
	out.Noted = text(leaves[0])
	for _, l := range leaves[1:] {
		out.Exchanges = append(out.Exchanges, text(l))
	}
	out.Root = text(rootOf(leaves))
	return out, nil
}

// compact returns a JSON value without white space between its tokens.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil { // already decoded, or absent
		return raw
	}
	return b.Bytes()
}

// Root returns the root of the tree over transcripts, in the given order.
func Root(transcripts []results.BundledTranscript) (string, error) {
	if len(transcripts) == 0 {
		return "", errors.New("there is no transcript")
	}
	leaves := make([]hash, len(transcripts))
	for i, t := range transcripts {
		root, err := hex.DecodeString(t.Root)
		if err != nil {
			return "", fmt.Errorf("%s: its root is no digest: %w", t.File, err)
		}
		leaves[i] = hashOf(ofTranscript, []byte(t.Drive), binary.BigEndian.AppendUint64(nil, uint64(len(t.Exchanges))), root)
	}
	return text(rootOf(leaves)), nil
}

func text(h hash) string { return hex.EncodeToString(h[:]) }
