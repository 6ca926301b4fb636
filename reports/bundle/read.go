package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports"
)

// ReadFile reads the bundle at path. See [Read].
func ReadFile(path string) (*Bundle, error) {
	f, err := os.Open(path)
	if earlier := reports.Earlier(path); errors.Is(err, fs.ErrNotExist) && earlier != "" {
		return nil, fmt.Errorf("there is no such file: %s", earlier)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder: give the file that assay certify --bundle wrote")
	}
	return Read(f)
}

// Read reads a bundle from an untrusted source. It accepts only known names, within limits, packed as certify packs
// them.
func Read(r io.Reader) (*Bundle, error) {
	packed, err := io.ReadAll(io.LimitReader(r, mostPacked+1))
	if err != nil {
		return nil, err
	}
	if len(packed) > mostPacked {
		return nil, fmt.Errorf("it has more than %d bytes", mostPacked)
	}
	unpacked, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	b, err := readTar(unpacked)
	if err != nil {
		return nil, err
	}
	b.Digest = Digest(packed)
	return b, nil
}

// readTar reads an unpacked bundle.
func readTar(unpacked []byte) (*Bundle, error) {
	files, err := list(unpacked)
	if err != nil {
		return nil, err
	}
	if err := checkPacking(files, unpacked); err != nil {
		return nil, err
	}
	return assemble(files)
}

// unpack undoes the gzip compression.
func unpack(packed []byte) ([]byte, error) {
	in := bytes.NewReader(packed)
	zip, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("it is no gzip file (%w): was it cut short?", err)
	}
	zip.Multistream(false)
	if h := zip.Header; h.Name != "" || h.Comment != "" || len(h.Extra) > 0 || !h.ModTime.IsZero() {
		return nil, errors.New("its gzip header says more than certify writes")
	}
	most := min(mostBytes, freeBytes+mostRatio*len(packed))
	out, err := io.ReadAll(io.LimitReader(zip, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be unpacked (%w): was it cut short?", err)
	case len(out) > most:
		return nil, fmt.Errorf("its %d bytes unpack to more than %d", len(packed), most)
	case in.Len() > 0:
		return nil, fmt.Errorf("%d bytes follow the archive", in.Len())
	}
	return out, nil
}

// list reads the files of a tar file. Each must have a known name, occur once, and be in order.
func list(unpacked []byte) ([]file, error) {
	var out []file
	last := ""
	for in := tar.NewReader(bytes.NewReader(unpacked)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is no tar file (%w): was it cut short?", err)
		}
		switch {
		case len(out) == mostFiles:
			return nil, fmt.Errorf("it holds more than %d files", mostFiles)
		case place(h.Name) < 0:
			return nil, fmt.Errorf("it holds %q, which no bundle has", clipped(h.Name))
		case h.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("%s is no plain file", h.Name)
		case h.Name == last:
			return nil, fmt.Errorf("it holds %s twice", h.Name)
		case last != "" && place(h.Name) == manifestPlace && place(last) == manifestPlace:
			return nil, errors.New("it holds two manifests")
		case last != "" && (place(h.Name) < place(last) || place(h.Name) == place(last) && h.Name < last):
			return nil, fmt.Errorf("%s stands behind %s: it is not packed in the order that certify packs in", h.Name, last)
		case h.Size > int64(len(unpacked)):
			return nil, fmt.Errorf("%s is larger than the archive", h.Name)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: was it cut short?", h.Name, err)
		}
		out = append(out, file{h.Name, content})
		last = h.Name
	}
}

// checkPacking checks that an archive holds nothing but its files: packing them again gives the same bytes.
func checkPacking(files []file, unpacked []byte) error {
	same := &comparison{rest: unpacked}
	w := tar.NewWriter(same)
	for _, f := range files {
		if err := put(w, f.name, f.content); err != nil {
			return fmt.Errorf("%s: it is not packed as certify packs: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil || len(same.rest) > 0 {
		return errors.New("it is not packed as certify packs: something stands in it beside its files")
	}
	return nil
}

// comparison is a writer that accepts only the expected bytes.
type comparison struct{ rest []byte }

func (c *comparison) Write(p []byte) (int, error) {
	rest, same := bytes.CutPrefix(c.rest, p)
	if !same {
		return 0, errors.New("other bytes stand there")
	}
	c.rest = rest
	return len(p), nil
}

// assemble builds a bundle from its files.
func assemble(files []file) (*Bundle, error) {
	b := &Bundle{Transcripts: Files{}}
	for _, f := range files {
		switch place(f.name) {
		case 0:
			b.Results = f.content
		case 1:
			b.Discovery = f.content
		case 2:
			b.Transcripts[strings.TrimPrefix(f.name, TranscriptsDir)] = f.content
		default:
			if err := b.readManifest(f); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	for _, needed := range []struct {
		name string
		is   bool
	}{{ResultsName, b.Results != nil}, {DiscoveryName, b.Discovery != nil}, {"a manifest", b.Payload != nil}} {
		if !needed.is {
			return nil, fmt.Errorf("it holds no %s", strings.TrimPrefix(needed.name, "a "))
		}
	}
	return b, nil
}

// readManifest reads a manifest.
func (b *Bundle) readManifest(f file) (err error) {
	b.Payload = f.content
	if f.name == SignedName {
		if b.Envelope, b.Payload, err = OpenEnvelope(PayloadType, f.content); err != nil {
			return err
		}
	}
	b.Manifest, err = parse(b.Payload)
	return err
}

func parse(payload []byte) (m results.BundleManifest, err error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return m, fmt.Errorf("it is no manifest (%w)", err)
	}
	if !results.BundleManifestSchema(head.Schema).Valid() {
		return m, fmt.Errorf("its schema is %q, and this Assay reads %q and %q: verify it with the Assay that wrote it",
			clipped(head.Schema), results.BundleManifestSchemaAssayBundle1, results.BundleManifestSchemaAssayBundle2)
	}
	schema, err := manifestSchema()
	if err != nil {
		return m, err
	}
	if problems := schema.Validate(payload); len(problems) > 0 {
		return m, fmt.Errorf("it is no valid %s: %s", head.Schema, problems[0])
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, fmt.Errorf("it is no manifest (%w)", err)
	}
	exchanges := 0
	for _, t := range m.Transcripts {
		exchanges += len(t.Exchanges)
	}
	if exchanges > mostEntries {
		return m, fmt.Errorf("it lists %d exchanges, and may list %d", exchanges, mostEntries)
	}
	return m, nil
}

// manifestSchema compiles the schema when the first bundle is read, not at start.
var manifestSchema = validate.Later(results.Bundled, "BundleManifest")

// clipped returns the start of a foreign name.
func clipped(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
