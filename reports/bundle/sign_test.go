package bundle

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/testenv"
)

// keys are nobody's, and somebody's.
var keys = []ed25519.PrivateKey{nil, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))}

// The example of the DSSE specification.
func TestEncoding(t *testing.T) {
	const want = "DSSEv1 29 http://example.com/HelloWorld 11 hello world"
	if got := string(encoding("http://example.com/HelloWorld", []byte("hello world"))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A signature holds for its payload, its type and its key, and for nothing else.
func TestSignedBy(t *testing.T) {
	key := keys[1]
	public := key.Public().(ed25519.PublicKey)
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	signed := func(spoil func(*Envelope)) *Envelope {
		e, err := Seal(PayloadType, []byte(`{}`), key)
		if err != nil {
			t.Fatal(err)
		}
		if spoil != nil {
			spoil(e)
		}
		return e
	}
	if !signed(nil).SignedBy(public) {
		t.Error("its own key does not fit")
	}
	if signed(nil).SignedBy(other) {
		t.Error("another key fits")
	}
	if !signed(func(e *Envelope) { e.Signatures = append([]Signature{{KeyID: "x", Sig: "AAAA"}}, e.Signatures...) }).SignedBy(public) {
		t.Error("a second signature gets in the way of the first")
	}
	for name, spoil := range map[string]func(*Envelope){
		"payload":      func(e *Envelope) { e.Payload = base64.StdEncoding.EncodeToString([]byte(`{"a":1}`)) },
		"payload type": func(e *Envelope) { e.PayloadType = "text/plain" },
		"signature":    func(e *Envelope) { e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(make([]byte, 64)) },
		"short":        func(e *Envelope) { e.Signatures[0].Sig = "" },
		"no base64":    func(e *Envelope) { e.Payload = "!" },
		"no signature": func(e *Envelope) { e.Signatures = nil },
	} {
		if signed(spoil).SignedBy(public) {
			t.Errorf("another %s is taken for signed", name)
		}
	}
}

// An envelope is read as it was written.
func TestEnvelope(t *testing.T) {
	e, err := Seal(PayloadType, []byte(`{"a":1}`), keys[1])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, payload, err := OpenEnvelope(PayloadType, raw); err != nil || string(payload) != `{"a":1}` {
		t.Errorf("%s %v", payload, err)
	}
	for name, raw := range map[string]string{"more members": `{"payloadType":"x","note":"hidden"}`, "more documents": string(raw) +
		"{}", "null": "null", "a list": "[]"} {
		if _, _, err := OpenEnvelope(PayloadType, []byte(raw)); err == nil {
			t.Errorf("%s: it is taken for an envelope", name)
		}
	}
}

func TestGenerateKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "assay.key")
	id, err := GenerateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ReadPrivateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ReadPublicKey(path + PublicSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if !public.Equal(private.Public()) {
		t.Error("the keys are no pair")
	}
	if named, err := KeyID(public); err != nil || named != id || !strings.HasPrefix(id, "sha256:") || len(id) != 71 {
		t.Errorf("%s and %s, %v", id, named, err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, path + PublicSuffix: testenv.Mode(t, 0o644)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	before := content(t, path)
	if _, err := GenerateKey(path); err == nil || !strings.Contains(err.Error(), "is there already, and a key is never overwritten") {
		t.Errorf("error %v", err)
	}
	// Where only the private one is left, no public one of another key is put beside it.
	if err := os.Remove(path + PublicSuffix); err != nil {
		t.Fatal(err)
	}
	if _, err := GenerateKey(path); err == nil {
		t.Error("a key is overwritten")
	}
	if _, err := os.Stat(path + PublicSuffix); err == nil || !bytes.Equal(before, content(t, path)) {
		t.Error("something of the new key is left behind")
	}
}

// A wrong file is told apart from another.
func TestReadKeyRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := GenerateKey(filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	open, err := x509.MarshalPKIXPublicKey(curve.Public())
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*pem.Block{"curve": {Type: privateBlock, Bytes: secret}, "curve.pub": {Type: publicBlock, Bytes: open},
		"garbage": {Type: privateBlock, Bytes: []byte("x")}, "garbage.pub": {Type: publicBlock, Bytes: []byte("x")},
		"cert": {Type: "CERTIFICATE", Bytes: []byte("x")}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ private, public string }{
		"key":         {"", "holds a private key: give the public one, which assay keygen wrote into FILE.pub"},
		"key.pub":     {`holds a "PUBLIC KEY": give the private key`, ""},
		"curve":       {"a key of another kind than Ed25519", "holds a private key"},
		"curve.pub":   {`holds a "PUBLIC KEY"`, "a key of another kind than Ed25519"},
		"garbage":     {"holds no private key", "holds a private key"},
		"garbage.pub": {`holds a "PUBLIC KEY"`, "holds no public key"},
		"cert":        {`holds a "CERTIFICATE": give the private key`, `holds a "CERTIFICATE": give a public key`},
		"text":        {"holds no key in PEM: make one with assay keygen", "holds no key in PEM"},
		"nothing":     {"no such file", "no such file"},
	} {
		_, private := ReadPrivateKey(filepath.Join(dir, name))
		_, public := ReadPublicKey(filepath.Join(dir, name))
		for _, e := range []struct {
			got  error
			want string
		}{{private, c.private}, {public, c.public}} {
			if said := fmt.Sprint(e.got); e.want == "" && e.got != nil || !strings.Contains(said, e.want) || strings.Contains(said, "hunter2") {
				t.Errorf("%s: %v, want %s", name, e.got, e.want)
			}
		}
	}
}

// described is a transcript with these exchanges.
func described(t *testing.T, drive, noted string, exchanges ...string) results.BundledTranscript {
	t.Helper()
	d, err := Describe("transcripts/d.json", fmt.Appendf(nil,
		`{"schema":"s","drive":%q,"seconds":1,"observation":%s,"entries":[%s]}`, drive, noted, strings.Join(exchanges, ",")))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A digest is of what it is of: white space between tokens does not matter, all else does, and nothing can be moved between
// what is noted, exchanges and transcripts.
func TestDescribe(t *testing.T) {
	plain := described(t, "d", `{"a":1}`, `{"x":1}`, `{"x":2}`)
	spaced := described(t, "d", `{ "a" : 1 }`, `{"x": 1}`, `{"x":2 }`)
	if plain.Root != spaced.Root || plain.Sha256 == spaced.Sha256 {
		t.Error("white space between tokens counts, or does not count for the file")
	}
	roots := map[string]string{plain.Root: "plain"}
	for name, d := range map[string]results.BundledTranscript{
		"another drive":       described(t, "e", `{"a":1}`, `{"x":1}`, `{"x":2}`),
		"another observation": described(t, "d", `{"a":2}`, `{"x":1}`, `{"x":2}`),
		"another exchange":    described(t, "d", `{"a":1}`, `{"x":1}`, `{"x":3}`),
		"another order":       described(t, "d", `{"a":1}`, `{"x":2}`, `{"x":1}`),
		"one less":            described(t, "d", `{"a":1}`, `{"x":1}`),
		"none":                described(t, "d", `{"a":1}`),
		"one more":            described(t, "d", `{"a":1}`, `{"x":1}`, `{"x":2}`, `{"x":2}`),
	} {
		if same, twice := roots[d.Root]; twice {
			t.Errorf("%s has the root of %s", name, same)
		}
		roots[d.Root] = name
	}
	one, err := Root([]results.BundledTranscript{plain})
	if err != nil || one == plain.Root {
		t.Errorf("a transcript can be passed off as all of them: %v", err)
	}
	if both, err := Root([]results.BundledTranscript{plain, spaced}); err != nil || both == one {
		t.Errorf("a transcript more does not count: %v", err)
	}
	if _, err := Root(nil); err == nil {
		t.Error("nothing has a root")
	}
}

// The digests are those that the page describes, whoever computes them.
func TestDigestsAsDescribed(t *testing.T) {
	d := described(t, "d", `{}`, `{"x":1}`)
	// printf '\x00\x00\x00\x00\x00\x00\x00\x00\x07{"x":1}' | sha256sum
	const exchange = "2607bd5788cc7d6c219ffb19939370f05904feee24e88c57395060e4a6bb3746"
	// printf '\x02\0\0\0\0\0\0\0\x01s\0\0\0\0\0\0\0\x01d\0\0\0\0\0\0\0\x011\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02{}' | sha256sum
	const noted = "31583b34df5b059c26ec513b1e9819511b2f4885a39c35a13a0c9157c6fb0615"
	if d.Exchanges[0] != exchange || d.Noted != noted {
		t.Errorf("exchange %s, noted %s", d.Exchanges[0], d.Noted)
	}
}

func TestDescribeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "x", "more members": `{"drive":"d","note":1}`, "more documents": `{"drive":"d"}{}`, "no drive": `{"schema":"s"}`,
		"a list": `[]`,
	} {
		if _, err := Describe("transcripts/d.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "transcripts/d.json: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// An envelope on disk is plain DSSE.
func TestEnvelopeOnDisk(t *testing.T) {
	e, err := Seal(PayloadType, []byte(`{}`), keys[1])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(raw, &plain); err != nil {
		t.Fatal(err)
	}
	if plain["payloadType"] != PayloadType || plain["payload"] != "e30=" || len(plain["signatures"].([]any)) != 1 {
		t.Errorf("%s", raw)
	}
}
