// Package bundle packs a certification into one file that others can check: the results, the transcripts that they follow
// from, the discovery document, and a manifest of digests, signed where the operator has a key.
//
// A bundle is a tar file (USTAR) in gzip. It is read from front to back, once, within limits, and has no index that could tell
// something else than what stands there. Times, owners and order are fixed, so that the same certification gives the same
// bytes. Where an archive would not come out the same when it is packed again, it is refused: nothing hides between its files.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/lazyregexp"
)

// Names in an archive, in the order in which they stand there. One of the two manifests is there: the bare one, or the one in
// the envelope of its signature.
const (
	ResultsName     = "results.json"
	DiscoveryName   = "discovery.json"
	TranscriptsDir  = "transcripts/"
	ManifestName    = "manifest.json"
	SignedName      = "manifest.dsse.json"
	transcriptNames = `^transcripts/[A-Za-z0-9][A-Za-z0-9._-]{0,90}\.json$`
)

var isTranscript = lazyregexp.New(transcriptNames)

// Limits of an archive. certify makes none beyond them, and verify reads none.
const (
	mostPacked  = 64 << 20  // bytes of the file
	mostBytes   = 128 << 20 // bytes when it is unpacked
	mostFiles   = 2000
	freeBytes   = 32 << 20 // so many bytes may be unpacked of anything,
	mostRatio   = 100      // and so many more for each byte that is packed
	mostEntries = 200_000  // exchanges of all transcripts
)

// Bundle is an archive that was read. Nothing in it has been checked against anything else.
type Bundle struct {
	Manifest    results.BundleManifest
	Payload     []byte    // the manifest as it stands in the archive
	Envelope    *Envelope // nil where nobody signed
	Results     []byte
	Discovery   []byte
	Transcripts Files // by their names below transcripts/
}

// file is one file of an archive.
type file struct {
	name    string
	content []byte
}

// Files are files by their names. They are an [fs.FS] without folders.
type Files map[string][]byte

// Names are the names in order.
func (f Files) Names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ReadFile implements [fs.ReadFileFS].
func (f Files) ReadFile(name string) ([]byte, error) {
	content, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return content, nil
}

// Open implements [fs.FS]. Files are read whole: see [Files.ReadFile].
func (f Files) Open(name string) (fs.File, error) {
	if _, err := f.ReadFile(name); err != nil {
		return nil, err
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: read it whole", fs.ErrInvalid)}
}

// Digest is the SHA-256 of a file, in hex.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func bundled(content []byte) results.BundledFile {
	return results.BundledFile{Bytes: int64(len(content)), Sha256: Digest(content)}
}

// manifestPlace is the rank of the manifest, the last.
const manifestPlace = 3

// place is where a file may stand: its rank in the archive, -1 for one that may not. Files of one rank stand by their names.
func place(name string) int {
	switch {
	case name == ResultsName:
		return 0
	case name == DiscoveryName:
		return 1
	case isTranscript.MatchString(name) && !strings.Contains(name, ".."):
		return 2
	case name == ManifestName, name == SignedName:
		return manifestPlace
	}
	return -1
}
