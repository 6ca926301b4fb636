package bundle

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// Made identifies a written bundle.
type Made struct {
	Root  string // root of the tree over its transcripts
	KeyID string // key that signed it, "" if unsigned
}

// Options say how a bundle is made.
type Options struct {
	Key        ed25519.PrivateKey  // signs it; nil leaves it unsigned
	Binary     string              // digest of the program that certified
	Registered *results.Registered // line of a register with the plan, nil if there is none
}

// Write packs a certification into the file at path, which it replaces only when the bundle is complete. doc must be
// the [reports.Results] of r. Write reads its output back and fails if assay
// verify would refuse it.
func Write(path string, r *scenarios.Report, doc results.Results, o Options) (Made, error) {
	encoded, err := reports.MarshalResults(doc)
	if err != nil {
		return Made{}, err
	}
	staged, err := os.CreateTemp(filepath.Dir(path), ".assay-bundle-*")
	if err != nil {
		return Made{}, err
	}
	defer func() { _ = os.Remove(staged.Name()) }() // already gone on success
	buffered := bufio.NewWriter(staged)
	made, err := pack(buffered, r, doc, encoded, o)
	if err := errors.Join(err, buffered.Flush(), staged.Chmod(0o644), staged.Close()); err != nil {
		return Made{}, err
	}
	if _, err := ReadFile(staged.Name()); err != nil {
		return Made{}, fmt.Errorf("what was packed could not be verified: %w", err)
	}
	return made, os.Rename(staged.Name(), path)
}

// pack writes an archive, one transcript at a time: all of them at once take several times the bytes that the target
// sent.
func pack(w io.Writer, r *scenarios.Report, doc results.Results, encoded []byte, o Options) (Made, error) {
	said, err := discovery(r)
	if err != nil {
		return Made{}, err
	}
	if want, follows := reports.RunID(doc.Run).Follows(doc.Seed, doc.Assay.Version, o.Binary, doc.StartedAt); doc.Run != nil && !follows {
		return Made{}, fmt.Errorf("the run id %s does not follow: the seed, assay %s, that program and the start give %s: "+
			"certify with the Build and the Binary that the report and the bundle say", doc.Run.ID, doc.Assay.Version, want)
	}
	m := results.BundleManifest{
		Schema: results.BundleManifestSchemaAssayBundle2,
		Assay: results.Maker{Version: doc.Assay.Version, SuiteDigest: doc.Assay.SuiteDigest, SpecDigest: r.Protocol.SpecDigest(),
			Binary: &o.Binary},
		Registered: o.Registered,
		Target:     results.BundleTarget{Protocol: doc.Target.Protocol, Address: doc.Target.Address, DiscoveryDigest: doc.Target.DiscoveryDigest},
		StartedAt:  doc.StartedAt, Seed: strconv.FormatUint(doc.Seed, 10), Run: doc.Run, ExitCode: doc.ExitCode,
		Results: bundled(encoded), Discovery: bundled(said),
	}
	a := newArchive(w)
	if err := errors.Join(a.add(ResultsName, encoded), a.add(DiscoveryName, said)); err != nil {
		return Made{}, err
	}
	drives := slices.SortedFunc(slices.Values(r.Drives), func(a, b scenarios.DriveRecord) int {
		return strings.Compare(scenarios.TranscriptName(a.ID), scenarios.TranscriptName(b.ID))
	})
	for _, d := range drives {
		content, err := scenarios.MarshalTranscript(d)
		if err != nil {
			return Made{}, err
		}
		t, err := Describe(TranscriptsDir+scenarios.TranscriptName(d.ID), content)
		if err != nil {
			return Made{}, err
		}
		if err := a.add(t.File, content); err != nil {
			return Made{}, err
		}
		m.Transcripts = append(m.Transcripts, t)
	}
	if m.Root, err = Root(m.Transcripts); err != nil {
		return Made{}, err
	}
	made, err := a.finish(m, o.Key)
	return made, errors.Join(err, a.close())
}

// discovery returns the discovery document as recorded.
func discovery(r *scenarios.Report) ([]byte, error) {
	if len(r.Drives) == 0 {
		return nil, errors.New("the discovery document was not recorded")
	}
	text, ok := scenarios.Said(r.Drives[0])
	if !ok {
		return nil, errors.New("the discovery document was not recorded")
	}
	return []byte(text), nil
}

// Canonical returns a manifest in canonical JSON (RFC 8785).
func Canonical(m results.BundleManifest) ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(b)
}

// archive is a bundle under construction.
type archive struct {
	zip *gzip.Writer
	tar *tar.Writer
}

func newArchive(w io.Writer) *archive {
	zip := gzip.NewWriter(w) // without a name or a time
	return &archive{zip, tar.NewWriter(zip)}
}

func (a *archive) add(name string, content []byte) error { return put(a.tar, name, content) }

// finish adds the manifest, signed if the key is not nil.
func (a *archive) finish(m results.BundleManifest, key ed25519.PrivateKey) (Made, error) {
	payload, err := Canonical(m)
	if err != nil {
		return Made{}, err
	}
	if key == nil {
		return Made{Root: m.Root}, a.add(ManifestName, payload)
	}
	envelope, err := Seal(PayloadType, payload, key)
	if err != nil {
		return Made{}, err
	}
	content, err := envelope.Encode()
	if err != nil {
		return Made{}, err
	}
	return Made{m.Root, envelope.Signatures[0].KeyID}, a.add(SignedName, content)
}

func (a *archive) close() error { return errors.Join(a.tar.Close(), a.zip.Close()) }

// packedAt is the fixed time of every file in a bundle. Some programs warn about older files.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// put writes one file of an archive. Its output does not depend on the machine.
func put(w *tar.Writer, name string, content []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644, ModTime: packedAt,
		Format: tar.FormatUSTAR}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
