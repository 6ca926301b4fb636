package timestamp_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rfc3161 "github.com/digitorus/timestamp"

	"github.com/openassay/assay/reports/timestamp"
	"github.com/openassay/assay/reports/timestamp/tsatest"
)

var something = []byte("something that was there")

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func authority(t testing.TB, uses ...x509.ExtKeyUsage) *tsatest.Authority {
	t.Helper()
	a, err := tsatest.New(uses...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func roots(t testing.TB, a *tsatest.Authority) *x509.CertPool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(path, a.Roots, 0o644); err != nil {
		t.Fatal(err)
	}
	pool, err := timestamp.ReadRoots(path)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// What an authority signed is read again without it, and openssl reads it, too.
func TestAsk(t *testing.T) {
	a := authority(t)
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	a.Now = func() time.Time { return at }
	got, err := timestamp.Ask(t.Context(), a.URL, digest(something))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Time.Equal(at) || got.Digest != digest(something) || got.Authority() != "CN=Clock of the test" {
		t.Errorf("it is %+v by %s", got, got.Authority())
	}
	if err := got.Trusted(roots(t, a)); err != nil {
		t.Errorf("its own root: %v", err)
	}
	if err := got.Trusted(roots(t, authority(t))); err == nil {
		t.Error("the root of another authority is as good")
	}
	dir := t.TempDir()
	files := map[string][]byte{"data": something, "data.tsr": got.Reply, "roots.pem": a.Roots}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := timestamp.ReadFile(filepath.Join(dir, "data.tsr")); err != nil || again.Digest != got.Digest {
		t.Errorf("read from its file: %+v, %v", again, err)
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "openssl", "ts", "-verify", "-data", "data", "-in", "data.tsr", "-CAfile", "roots.pem")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Verification: OK")) {
		t.Errorf("openssl: %v\n%s", err, out)
	}
}

// A certificate that has run out since, or was not there yet, vouches for no time outside of its own.
func TestTrustedAtItsTime(t *testing.T) {
	a := authority(t)
	reply, err := a.Stamp(digest(something), time.Now().AddDate(8, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	got, err := timestamp.Read(reply)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Trusted(roots(t, a)); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("the error is %v", err)
	}
}

// A hostile authority is refused, with a sentence.
func TestHostileReplies(t *testing.T) {
	otherwise := func(change func(*rfc3161.Request)) func(*tsatest.Authority) {
		return func(a *tsatest.Authority) { a.Asked = change }
	}
	replies := func(change func([]byte) (int, []byte)) func(*tsatest.Authority) {
		return func(a *tsatest.Authority) { a.Reply = change }
	}
	whole := func(reply []byte) func([]byte) (int, []byte) {
		return func([]byte) (int, []byte) { return http.StatusOK, reply }
	}
	refusal, err := rfc3161.CreateErrorResponse(rfc3161.Rejection, rfc3161.BadAlgorithm)
	if err != nil {
		t.Fatal(err)
	}
	nested := []byte{0x05, 0x00}
	for range 40 {
		nested = append([]byte{0x30, byte(len(nested))}, nested...)
	}
	for name, c := range map[string]struct {
		do   func(*tsatest.Authority)
		want string
	}{
		"another digest": {otherwise(func(q *rfc3161.Request) { q.HashedMessage = make([]byte, 32) }),
			"is about another digest than it was asked for"},
		"another hash": {otherwise(func(q *rfc3161.Request) { q.HashAlgorithm, q.HashedMessage = crypto.SHA512, make([]byte, 64) }),
			"it is about a digest by SHA-512, and not by SHA-256"},
		"another nonce": {otherwise(func(q *rfc3161.Request) { q.Nonce = big.NewInt(7) }), "its nonce is not the one that was sent"},
		"no nonce":      {otherwise(func(q *rfc3161.Request) { q.Nonce = nil }), "its nonce is not the one that was sent"},
		"no certificate": {otherwise(func(q *rfc3161.Request) { q.Certificates = false }),
			"it does not have one signature, with the certificate to it"},
		"an error":  {replies(func([]byte) (int, []byte) { return http.StatusTeapot, nil }), "it answered with HTTP 418"},
		"nothing":   {replies(whole(nil)), "it answered nothing"},
		"a page":    {replies(whole([]byte("<html>later</html>"))), "it is no timestamp in DER"},
		"a refusal": {replies(whole(refusal)), "the request is rejected"},
		"a flood":   {replies(whole(bytes.Repeat([]byte{0x30}, 1<<20))), "it has more than 32768 bytes, which no timestamp needs"},
		"a well":    {replies(whole(nested)), "values are nested more than 24 deep"},
		"no length": {replies(whole([]byte{0x30, 0x80, 0x02, 0x01, 0x00, 0x00, 0x00})), "indefinite length found (not DER)"},
		"a later time": {replies(func(reply []byte) (int, []byte) {
			year := []byte(time.Now().UTC().Format("20060102"))
			return http.StatusOK, bytes.Replace(reply, year, []byte("20990101"), 1)
		}), "Message digest mismatch"},
		"a broken signature": {replies(func(reply []byte) (int, []byte) {
			broken := bytes.Clone(reply)
			broken[len(broken)-1] ^= 1
			return http.StatusOK, broken
		}), "verification failure"},
	} {
		t.Run(name, func(t *testing.T) {
			a := authority(t)
			c.do(a)
			_, err := timestamp.Ask(t.Context(), a.URL, digest(something))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), a.URL) {
				t.Errorf("the error is %v, want %q and the address in it", err, c.want)
			}
		})
	}
}

// A certificate for servers stamps nothing.
func TestAuthorityIsForTimestamps(t *testing.T) {
	for _, uses := range [][]x509.ExtKeyUsage{{x509.ExtKeyUsageServerAuth}, {x509.ExtKeyUsageTimeStamping, x509.ExtKeyUsageServerAuth}} {
		_, err := timestamp.Ask(t.Context(), authority(t, uses...).URL, digest(something))
		if err == nil || !strings.Contains(err.Error(), "the certificate of CN=Clock of the test is not for timestamps, and for nothing else") {
			t.Errorf("%v: the error is %v", uses, err)
		}
	}
}

// Nobody waits for an authority that is not there, and a command that is interrupted does not wait at all.
func TestAskNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := authority(t)
	_, err := timestamp.Ask(ctx, a.URL, digest(something))
	if err == nil || !strings.HasPrefix(err.Error(), "ask "+a.URL+" for a timestamp: ") {
		t.Errorf("the error is %v", err)
	}
	for _, bad := range []string{"", "clock.example", "ftp://clock.example", "http://", "http:///tsa", "%"} {
		if timestamp.CheckURL(bad) == nil {
			t.Errorf("%q is taken for a URL", bad)
		}
	}
	if err := timestamp.CheckURL("https://clock.example/tsr"); err != nil {
		t.Error(err)
	}
}

func TestReadRoots(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"nothing":       {"", "holds no certificate in PEM"},
		"a key":         {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", `holds a "PRIVATE KEY": give certificates, in PEM`},
		"no such thing": {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "certificate 1: "},
		"too much":      {strings.Repeat("x", 300<<10), "has more than 262144 bytes"},
	} {
		path := filepath.Join(dir, "roots.pem")
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := timestamp.ReadRoots(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", name, err, c.want)
		}
	}
	if _, err := timestamp.ReadRoots(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

// Whatever a file or an authority holds, reading it ends.
func FuzzRead(f *testing.F) {
	a := authority(f)
	reply, err := a.Stamp(digest(something), time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(reply)
	f.Add([]byte{0x30, 0x03, 0x30, 0x01, 0x02})
	f.Add([]byte{0x3f, 0xff})
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := timestamp.Read(content)
		if err == nil && len(got.Digest) != 64 {
			t.Errorf("it is about %q", got.Digest)
		}
	})
}
