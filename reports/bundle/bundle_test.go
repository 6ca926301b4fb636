package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// certified is the report of a host that says one thing.
var certified = sync.OnceValues(func() (*scenarios.Report, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"kind":true}`) }))
	defer server.Close()
	protocol := &scenarios.Protocol{ID: "toy/v1", DiscoveryPath: "/",
		Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "TOY-1", Level: scenarios.Must}})}
	s := scenarios.Suite{ID: "toy", Title: "toy", Protocol: protocol, Scenarios: []scenarios.Scenario{{
		ID: "toy/toy/kind", Title: "it is kind", Proves: []scenarios.RequirementID{"TOY-1"},
		Claim: scenarios.Claim{ID: "always", Look: func(d scenarios.Discovery) (wire.Value, bool) { return d.Document, true }},
		Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("kind")).To(check.Equal(true))
		}),
	}}}
	c, err := scenarios.Certify(context.Background(), wire.Target{URL: server.URL}, scenarios.Options{Seed: 1<<64 - 1, Build: "dev",
		Binary: Digest(nil)}, s)
	if err != nil {
		return nil, err
	}
	return c.Finish(context.Background()), nil
})

// A bundle whose run id would not follow is not made: verify would refuse it.
func TestTheRunIDFollows(t *testing.T) {
	r, err := certified()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ version, binary string }{{"v9", Digest(nil)}, {"dev", Digest([]byte("another"))}} {
		path := filepath.Join(t.TempDir(), "bundle.tar.gz")
		_, err := Write(path, r, reports.Results(r, reports.Stamp{Version: c.version}), Options{Binary: c.binary})
		if err == nil || !strings.Contains(err.Error(), "certify with the Build and the Binary that") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// written is a bundle on disk.
func written(t *testing.T) (path string) {
	t.Helper()
	r, err := certified()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "bundle.tar.gz")
	doc := reports.Results(r, reports.Stamp{Version: "dev", ExitCode: r.ExitCode()})
	if _, err := Write(path, r, doc, Options{Binary: Digest(nil)}); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The same certification gives the same bytes, and they are read as they were written.
func TestWriteAndRead(t *testing.T) {
	path := written(t)
	first := content(t, path)
	if again := content(t, written(t)); !bytes.Equal(first, again) {
		t.Error("the same report gives other bytes")
	}
	b, err := Read(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	m := b.Manifest
	if m.Seed != "18446744073709551615" || m.Target.Protocol != "toy/v1" || string(b.Discovery) != `{"kind":true}` ||
		b.Envelope != nil || len(b.Transcripts) != 1 {
		t.Errorf("manifest %+v, discovery %s, %d transcripts", m, b.Discovery, len(b.Transcripts))
	}
	if canonical, err := Canonical(m); err != nil || !bytes.Equal(canonical, b.Payload) {
		t.Errorf("the manifest is not canonical: %v", err)
	}
	unpacked, err := unpack(first)
	if err != nil {
		t.Fatal(err)
	}
	files, err := list(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	if diff := cmp.Diff([]string{"results.json", "discovery.json", "transcripts/discovery.json", "manifest.json"}, names); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A bundle that cannot be written leaves an earlier one alone, and nothing else behind.
func TestWriteKeepsWhatWasThere(t *testing.T) {
	r, err := certified()
	if err != nil {
		t.Fatal(err)
	}
	without := *r
	without.Drives = nil
	dir := t.TempDir()
	path := filepath.Join(dir, "bundle.tar.gz")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, &without, reports.Results(&without, reports.Stamp{Version: "dev"}), Options{Binary: Digest(nil)}); err == nil ||
		!strings.Contains(err.Error(), "the discovery document was not recorded") {
		t.Errorf("error %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || string(content(t, path)) != "before" {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// entry is a file of an archive that somebody else made.
type entry struct {
	name, text string
	header     func(*tar.Header)
}

// archived packs entries, whatever they are.
func archived(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.text)), Mode: 0o644, ModTime: packedAt, Format: tar.FormatUSTAR}
		if e.header != nil {
			e.header(h)
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is no bundle is refused, with the reason.
func TestReadRefuses(t *testing.T) {
	good := content(t, written(t))
	zipped := func(header func(*gzip.Header), text []byte) []byte {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if header != nil {
			header(&zip.Header)
		}
		if _, err := zip.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	plain, err := unpack(good)
	if err != nil {
		t.Fatal(err)
	}
	results := entry{name: "results.json", text: "{}"}
	discovery := entry{name: "discovery.json", text: "{}"}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"nothing":             {nil, "it is no gzip file"},
		"some text":           {[]byte("hello, I am a bundle"), "it is no gzip file"},
		"cut short":           {good[:len(good)/2], "was it cut short?"},
		"cut short by a byte": {good[:len(good)-1], "was it cut short?"},
		"something behind it": {append(bytes.Clone(good), "more"...), "4 bytes follow the archive"},
		"two archives":        {append(bytes.Clone(good), good...), "bytes follow the archive"},
		"a bomb":              {zipped(nil, make([]byte, 64<<20)), "unpack to more than"},
		"no tar":              {zipped(nil, []byte(strings.Repeat("x", 2000))), "it is no tar file"},
		"a name in gzip":      {zipped(func(h *gzip.Header) { h.Name = "secret" }, nil), "its gzip header says more"},
		"an empty archive":    {archived(t), "it holds no results.json"},
		"an unknown file":     {archived(t, entry{name: "run.sh"}), `it holds "run.sh", which no bundle has`},
		"traversal":           {archived(t, entry{name: "../etc/passwd"}), `it holds "../etc/passwd", which no bundle has`},
		"traversal below":     {archived(t, entry{name: "transcripts/../../x.json"}), "which no bundle has"},
		"two dots":            {archived(t, entry{name: "transcripts/a..json"}), "which no bundle has"},
		"an absolute path":    {archived(t, entry{name: "/results.json"}), "which no bundle has"},
		"a folder": {archived(t, entry{name: "transcripts/",
			header: func(h *tar.Header) { h.Typeflag = tar.TypeDir }}), "which no bundle has"},
		"a symbolic link": {archived(t, entry{name: "results.json",
			header: func(h *tar.Header) { h.Typeflag, h.Linkname = tar.TypeSymlink, "/etc/passwd" }}), "results.json is no plain file"},
		"a hard link": {archived(t, results, entry{name: "discovery.json",
			header: func(h *tar.Header) { h.Typeflag, h.Linkname = tar.TypeLink, "results.json" }}), "discovery.json is no plain file"},
		"a device": {archived(t, entry{name: "results.json",
			header: func(h *tar.Header) { h.Typeflag = tar.TypeChar }}), "results.json is no plain file"},
		"a name twice":  {archived(t, results, results), "it holds results.json twice"},
		"another order": {archived(t, discovery, results), "results.json stands behind discovery.json"},
		"transcripts unordered": {archived(t, entry{name: "transcripts/b.json"}, entry{name: "transcripts/a.json"}),
			"transcripts/a.json stands behind transcripts/b.json"},
		"no manifest": {archived(t, results, discovery), "it holds no manifest"},
		"two manifests": {archived(t, results, discovery, entry{name: "manifest.dsse.json", text: "{}"},
			entry{name: "manifest.json", text: "{}"}), "it holds two manifests"},
		"a manifest of another format": {archived(t, results, discovery, entry{name: "manifest.json",
			text: `{"schema":"assay.bundle/9"}`}), `its schema is "assay.bundle/9", and this Assay reads "assay.bundle/1"`},
		"a manifest that is none": {archived(t, results, discovery, entry{name: "manifest.json", text: `[]`}),
			"manifest.json: it is no manifest"},
		"half a manifest": {archived(t, results, discovery, entry{name: "manifest.json",
			text: `{"schema":"assay.bundle/1"}`}), "it is no valid assay.bundle/1"},
		"an envelope of something else": {archived(t, results, discovery, entry{name: "manifest.dsse.json",
			text: `{"payloadType":"text/plain","payload":"","signatures":[]}`}), `its envelope holds "text/plain"`},
		"an envelope that nobody signed": {archived(t, results, discovery, entry{name: "manifest.dsse.json", text: `{"payloadType":"` +
			PayloadType + `","payload":"","signatures":[]}`}), "its envelope holds 0 signatures"},
		"something behind the files": {zipped(nil, append(plain, make([]byte, 512)...)), "something stands in it beside its files"},
		"another owner": {archived(t, entry{name: "results.json", text: "{}",
			header: func(h *tar.Header) { h.Uid = 7 }}), "it is not packed as certify packs"},
		"another time": {archived(t, entry{name: "results.json", text: "{}",
			header: func(h *tar.Header) { h.ModTime = packedAt.AddDate(40, 0, 0) }}), "it is not packed as certify packs"},
		"a comment in PAX": {archived(t, entry{name: "results.json", text: "{}", header: func(h *tar.Header) {
			h.Format, h.PAXRecords = tar.FormatPAX, map[string]string{"comment": "hidden"}
		}}), "it is not packed as certify packs"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(bytes.NewReader(c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// Too many files are not read to the end.
func TestReadRefusesManyFiles(t *testing.T) {
	var entries []entry
	for i := range mostFiles + 1 {
		entries = append(entries, entry{name: fmt.Sprintf("transcripts/d%05d.json", i)})
	}
	if _, err := Read(bytes.NewReader(archived(t, entries...))); err == nil || !strings.Contains(err.Error(), "more than 2000 files") {
		t.Errorf("error %v", err)
	}
}

// A folder is no bundle.
func TestReadFileRefusesFolders(t *testing.T) {
	if _, err := ReadFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("error %v", err)
	}
}

// Whatever is read is a bundle, or an error; a bundle is nothing but its files, whose names are harmless.
func FuzzRead(f *testing.F) {
	r, err := certified()
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "bundle.tar.gz")
	for _, key := range keys {
		if _, err := Write(path, r, reports.Results(r, reports.Stamp{Version: "dev"}), Options{Key: key, Binary: Digest(nil)}); err != nil {
			f.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		unpacked, err := unpack(raw)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(unpacked)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, unpacked []byte) {
		// The checksum of gzip would keep a fuzzer out.
		b, err := readTar(unpacked)
		if err != nil {
			return
		}
		for name := range b.Transcripts {
			if strings.Contains(name, "/") || strings.Contains(name, "..") || !filepath.IsLocal(name) {
				t.Errorf("a transcript is called %q", name)
			}
		}
	})
}
