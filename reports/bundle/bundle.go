// Package bundle packs a certification into one file that others can check. The file holds the results, the transcripts
// behind them, the discovery document, and a manifest of digests, signed if the operator has a key.
//
// A bundle is a gzipped tar file (USTAR). Readers read it once, from front to back, within limits; it has no index that
// could contradict its content. Times, owners and order are fixed, so that the same certification gives the same bytes.
// A reader refuses an archive that would not pack to the same bytes again, so nothing can hide between its files.
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

// Names of the files in an archive, in archive order. An archive holds one of the two manifests: the bare one, or the
// one in a signed envelope.
const (
	ResultsName     = "results.json"
	DiscoveryName   = "discovery.json"
	TranscriptsDir  = "transcripts/"
	ManifestName    = "manifest.json"
	SignedName      = "manifest.dsse.json"
	transcriptNames = `^transcripts/[A-Za-z0-9][A-Za-z0-9._-]{0,90}\.json$`
)

var isTranscript = lazyregexp.New(transcriptNames)

// Limits of an archive. certify writes nothing beyond them, and verify reads nothing beyond them.
const (
	mostPacked  = 64 << 20  // bytes of the packed file
	mostBytes   = 128 << 20 // bytes when unpacked
	mostFiles   = 2000
	freeBytes   = 32 << 20 // any archive may unpack to this many bytes,
	mostRatio   = 100      // plus this many for each packed byte
	mostEntries = 200_000  // exchanges in all transcripts
)

// Bundle holds the content of an archive. Nothing in it has been checked against anything else.
type Bundle struct {
	Digest      string // SHA-256 of the whole file, in hex
	Manifest    results.BundleManifest
	Payload     []byte    // the manifest's bytes in the archive
	Envelope    *Envelope // nil if unsigned
	Results     []byte
	Discovery   []byte
	Transcripts Files // by name below transcripts/
}

// file is one file of an archive.
type file struct {
	name    string
	content []byte
}

// Files maps names to contents. It is an [fs.FS] without folders.
type Files map[string][]byte

// Names returns the names in order.
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

// Open implements [fs.FS], but always fails: use [Files.ReadFile].
func (f Files) Open(name string) (fs.File, error) {
	if _, err := f.ReadFile(name); err != nil {
		return nil, err
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: read it whole", fs.ErrInvalid)}
}

// Digest returns the SHA-256 of a file, in hex.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func bundled(content []byte) results.BundledFile {
	return results.BundledFile{Bytes: int64(len(content)), Sha256: Digest(content)}
}

// manifestPlace is the manifest's rank, the last one.
const manifestPlace = 3

// place returns the rank of a file in the archive, or -1 for an unknown name. Files of equal rank are sorted by name.
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
