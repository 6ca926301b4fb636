package verify_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// secret is the credential of the certification that is forged. It may be in no bundle.
const secret = "f0rgers-s3cret"

// published is the nonce of the host's operator.
const published = "n0nce-of-the-operator"

// Keys of whoever made the bundle, and of a forger.
var (
	ours   = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	theirs = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
)

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// fetched is a signed bundle of a real certification: of a host that breaks a rule, has a clock that is ahead, and does what it
// does not claim. Only some suites are asked, for the sake of time; again asks one of them once more; in whole all are asked, in small
// two scenarios, and no rule is broken.
var (
	fetched = sync.OnceValues(func() ([]byte, error) {
		return fetch("loop.iteration-resets-on-resume", scenarios.Selection{Suites: []string{"discovery", "version5-shape",
			"iteration-monotonic", "stateful-resume", "replay"}})
	})
	again = sync.OnceValues(func() ([]byte, error) {
		return fetch("loop.iteration-resets-on-resume", scenarios.Selection{Suites: []string{"iteration-monotonic"}})
	})
	small = sync.OnceValues(func() ([]byte, error) {
		return fetch("", scenarios.Selection{Scenarios: []string{"discovery/served-to-anybody", "iteration-monotonic/one-per-turn"}})
	})
	whole = sync.OnceValues(func() ([]byte, error) {
		r, err := certified()
		if err != nil {
			return nil, err
		}
		return packed(r)
	})
	// challenged is whole, and its passes were challenged.
	challenged = sync.OnceValues(func() ([]byte, error) {
		if _, err := whole(); err != nil { // it is packed before its report is changed
			return nil, err
		}
		r, err := certified()
		if err != nil {
			return nil, err
		}
		if _, err := challenge.Settle(r); err != nil {
			return nil, err
		}
		return packed(r)
	})
	certified = sync.OnceValues(func() (*scenarios.Report, error) { return certify("", scenarios.Selection{}) })
)

// fetch certifies a host, and packs its report.
func fetch(fault string, selection scenarios.Selection) ([]byte, error) {
	r, err := certify(fault, selection)
	if err != nil {
		return nil, err
	}
	return packed(r)
}

// certify certifies a host.
func certify(fault string, selection scenarios.Selection) (*scenarios.Report, error) {
	o := faulty.Options{Options: surface.Options{Key: secret}}
	if fault != "" {
		o.Faults = []string{fault}
	}
	host, err := faulty.New(context.Background(), o)
	if err != nil {
		return nil, err
	}
	defer host.Close(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Your-Key", r.Header.Get("Authorization")) // it tells what it should not
		if r.URL.Path != suites.Protocol.DiscoveryPath {
			host.Handler().ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		host.Handler().ServeHTTP(whole, r)
		var document map[string]any
		if err := json.Unmarshal(whole.Body.Bytes(), &document); err != nil {
			panic(err)
		}
		delete(document, "workspace")
		document["motd"] = "whoever has " + secret + " may come in"
		maps.Copy(w.Header(), whole.Header())
		w.Header().Del("Content-Length")
		w.Header().Set(wire.NonceHeader, published)
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		json.NewEncoder(w).Encode(document)
	}))
	defer server.Close()
	c, err := scenarios.Certify(context.Background(), wire.Target{URL: server.URL, Key: secret}, scenarios.Options{Seed: 7, Build: "dev",
		Binary: bundle.Digest([]byte("the program")), Select: selection, Nonce: published}, suites.Suites()...)
	if err != nil {
		return nil, err
	}
	return c.Finish(context.Background()), nil
}

// packed returns the signed bundle of a report.
func packed(r *scenarios.Report) ([]byte, error) {
	dir, err := os.MkdirTemp("", "assay-forged-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "bundle.tar.gz")
	if _, err := bundle.Write(path, r, reports.Results(r, reports.Stamp{Version: "dev", ExitCode: r.ExitCode()}),
		bundle.Options{Key: ours, Binary: bundle.Digest([]byte("the program"))}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// forgery is a bundle in the hands of somebody who wants it to say something else. It is packed here by what docs/verify.md says of
// the format, with nothing of the package that packs bundles but the digests of transcripts.
type forgery struct {
	t           *testing.T
	results     results.Results
	encoded     []byte // of the results; nil where they are to be encoded
	discovery   []byte
	transcripts map[string][]byte
	manifest    results.BundleManifest
	payload     []byte // nil where the manifest is to be encoded
	envelope    *bundle.Envelope
	key         ed25519.PrivateKey // that signs; nil for nobody
	keep        bool               // keep the envelope as it is, but for the payload
	cut         int                // so many bytes are cut off at the end
}

func forge(t *testing.T, fetched func() ([]byte, error)) *forgery {
	t.Helper()
	raw, err := fetched()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	f := &forgery{t: t, encoded: b.Results, discovery: b.Discovery, transcripts: maps.Clone(b.Transcripts), manifest: b.Manifest,
		envelope: b.Envelope}
	if f.results, err = reports.ParseResults(b.Results); err != nil {
		t.Fatal(err)
	}
	f.manifest.Transcripts = slices.Clone(b.Manifest.Transcripts)
	return f
}

// scenario is a result to be changed.
func (f *forgery) scenario(id string) *results.ScenarioResult {
	f.t.Helper()
	f.encoded = nil
	for i := range f.results.Scenarios {
		if s := &f.results.Scenarios[i]; s.ID == id {
			return s
		}
	}
	f.t.Fatalf("there is no scenario %s", id)
	return nil
}

// edit replaces the first occurrence in a transcript behind a mark.
func (f *forgery) edit(drive, mark, old, by string) {
	f.t.Helper()
	name := scenarios.TranscriptName(drive)
	content := string(f.transcripts[name])
	head, rest, found := strings.Cut(content, mark)
	if !found || !strings.Contains(rest, old) {
		f.t.Fatalf("%s: there is no %s behind %s", name, old, mark)
	}
	f.transcripts[name] = []byte(head + mark + strings.Replace(rest, old, by, 1))
}

// swap replaces the first match in a transcript.
func (f *forgery) swap(drive string, what *regexp.Regexp, by string) {
	f.t.Helper()
	name := scenarios.TranscriptName(drive)
	content := f.transcripts[name]
	at := what.FindSubmatchIndex(content)
	if at == nil {
		f.t.Fatalf("%s: there is no %s", name, what)
	}
	f.transcripts[name] = slices.Concat(content[:at[0]], what.Expand(nil, []byte(by), content, at), content[at[1]:])
}

// dropLast removes the last exchange of a transcript.
func (f *forgery) dropLast(drive string) {
	f.t.Helper()
	name := scenarios.TranscriptName(drive)
	at := bytes.LastIndex(f.transcripts[name], []byte("\n  },\n  {\n"))
	if at < 0 {
		f.t.Fatalf("%s has not two exchanges", name)
	}
	f.transcripts[name] = append(bytes.Clone(f.transcripts[name][:at]), "\n  }\n ]\n}\n"...)
}

// dropStopped leaves out a drive that stopped, and says that its scenarios do not apply.
func (f *forgery) dropStopped() {
	f.t.Helper()
	for _, s := range f.results.Scenarios {
		if s.Verdict != results.VerdictBlocked || len(s.Drives) == 0 || s.Drives[0] == "discovery" {
			continue
		}
		delete(f.transcripts, scenarios.TranscriptName(s.Drives[0]))
		for i := range f.results.Scenarios {
			if o := &f.results.Scenarios[i]; slices.Contains(o.Drives, s.Drives[0]) {
				o.Verdict, o.Drives, o.Evidence, o.Checks = results.VerdictInapplicable, []string{}, "", []results.Check{}
			}
		}
		return
	}
	f.t.Fatal("no drive was blocked")
}

// remake makes every digest again, of what is there now.
func (f *forgery) remake() {
	f.t.Helper()
	if f.encoded == nil {
		var err error
		if f.encoded, err = reports.MarshalResults(f.results); err != nil {
			f.t.Fatal(err)
		}
	}
	f.manifest.Results = results.BundledFile{Bytes: int64(len(f.encoded)), Sha256: bundle.Digest(f.encoded)}
	f.manifest.Discovery = results.BundledFile{Bytes: int64(len(f.discovery)), Sha256: bundle.Digest(f.discovery)}
	before := map[string]results.BundledTranscript{}
	for _, d := range f.manifest.Transcripts {
		before[d.File] = d
	}
	f.manifest.Transcripts = nil
	for _, name := range slices.Sorted(maps.Keys(f.transcripts)) {
		d := before["transcripts/"+name]
		if d.Sha256 != bundle.Digest(f.transcripts[name]) {
			var err error
			if d, err = bundle.Describe("transcripts/"+name, f.transcripts[name]); err != nil {
				f.t.Fatal(err)
			}
		}
		f.manifest.Transcripts = append(f.manifest.Transcripts, d)
	}
	var err error
	if f.manifest.Root, err = bundle.Root(f.manifest.Transcripts); err != nil {
		f.t.Fatal(err)
	}
	f.manifest.Run = f.results.Run
	f.manifest.ExitCode, f.manifest.Seed = f.results.ExitCode, strconv.FormatUint(f.results.Seed, 10)
	f.manifest.Assay.SuiteDigest, f.manifest.Target.DiscoveryDigest = f.results.Assay.SuiteDigest, f.results.Target.DiscoveryDigest
}

// pack makes the archive.
func (f *forgery) pack() []byte {
	f.t.Helper()
	check := func(err error) {
		if err != nil {
			f.t.Helper()
			f.t.Fatal(err)
		}
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	check(err)
	w := tar.NewWriter(zip)
	put := func(name string, content []byte) {
		check(w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644,
			ModTime: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), Format: tar.FormatUSTAR}))
		_, err := w.Write(content)
		check(err)
	}
	if f.encoded == nil {
		var err error
		f.encoded, err = reports.MarshalResults(f.results)
		check(err)
	}
	put("results.json", f.encoded)
	put("discovery.json", f.discovery)
	for _, name := range slices.Sorted(maps.Keys(f.transcripts)) {
		put("transcripts/"+name, f.transcripts[name])
	}
	if f.payload == nil {
		raw, err := json.Marshal(f.manifest)
		check(err)
		f.payload, err = jcs.Transform(raw)
		check(err)
	}
	switch {
	case f.keep:
		f.envelope.Payload = base64.StdEncoding.EncodeToString(f.payload)
	case f.key != nil:
		id, err := bundle.KeyID(public(f.key))
		check(err)
		signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(bundle.PayloadType), bundle.PayloadType, len(f.payload), f.payload)
		f.envelope = &bundle.Envelope{PayloadType: bundle.PayloadType, Payload: base64.StdEncoding.EncodeToString(f.payload),
			Signatures: []bundle.Signature{{KeyID: id, Sig: base64.StdEncoding.EncodeToString(ed25519.Sign(f.key, signed))}}}
	default:
		f.envelope = nil
	}
	if f.envelope == nil {
		put("manifest.json", f.payload)
	} else {
		raw, err := json.Marshal(f.envelope)
		check(err)
		put("manifest.dsse.json", append(raw, '\n'))
	}
	check(w.Close())
	check(zip.Close())
	return out.Bytes()[:out.Len()-f.cut]
}
