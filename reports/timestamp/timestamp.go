// Package timestamp has an authority say that something was there at a time (RFC 3161), and reads what it says without
// asking it again. Replies come from strangers: they are bounded, and everything but strict DER is refused.
package timestamp

import (
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/digitorus/pkcs7"
	rfc3161 "github.com/digitorus/timestamp"
)

// Suffix is appended to a bundle's file name to name the file with its timestamp.
const Suffix = ".tsr"

// Limits of what is read from strangers.
const (
	mostReply = 32 << 10  // bytes of a reply; a common one has 2 to 7 thousand
	mostNest  = 24        // nested values in one; a common one has 12
	mostRoots = 256 << 10 // bytes of a file of certificates
)

// A Timestamp is what an authority says of a digest. Its signature holds under the certificate that came with it. Whether to
// believe the certificate is up to [Timestamp.Trusted].
type Timestamp struct {
	Time      time.Time
	Digest    string // SHA-256 in hex
	Reply     []byte // the TimeStampResp that it was read from
	authority *x509.Certificate
	others    []*x509.Certificate
	nonce     string
}

// Authority returns the name of whoever signed, as its certificate has it.
func (t *Timestamp) Authority() string { return t.authority.Subject.String() }

// Object identifiers of RFC 3161 and X.509.
var (
	oidTSTInfo     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidExtKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}
)

// parsing keeps two goroutines from the library at once: it counts its indents in a variable of the package.
var parsing sync.Mutex

// Read reads a reply of an authority: a TimeStampResp in DER. The error says what it is instead.
func Read(reply []byte) (*Timestamp, error) {
	if len(reply) > mostReply {
		return nil, fmt.Errorf("it has more than %d bytes, which no timestamp needs", mostReply)
	}
	// The library also reads other encodings, and trusts their lengths.
	if err := wellFormed(reply, mostNest); err != nil {
		return nil, fmt.Errorf("it is no timestamp in DER (%w)", err)
	}
	parsing.Lock()
	defer parsing.Unlock()
	said, err := rfc3161.ParseResponse(reply)
	if err != nil {
		return nil, fmt.Errorf("it is no timestamp: %w", err)
	}
	token, err := pkcs7.Parse(said.RawToken)
	if err != nil {
		return nil, fmt.Errorf("it is no timestamp: %w", err)
	}
	// ParseResponse checks no signature if no certificate came along.
	signer := token.GetOnlySigner()
	if signer == nil {
		return nil, errors.New("it does not have one signature, with the certificate to it")
	}
	var about asn1.ObjectIdentifier
	if err := token.UnmarshalSignedAttribute(pkcs7.OIDAttributeContentType, &about); err != nil || !about.Equal(oidTSTInfo) {
		return nil, errors.New("what is signed is no timestamp")
	}
	if !onlyStamps(signer) {
		return nil, fmt.Errorf("the certificate of %s is not for timestamps, and for nothing else", signer.Subject)
	}
	if said.HashAlgorithm != crypto.SHA256 {
		return nil, fmt.Errorf("it is about a digest by %s, and not by SHA-256", said.HashAlgorithm)
	}
	t := &Timestamp{Time: said.Time.UTC(), Digest: hex.EncodeToString(said.HashedMessage), Reply: reply, authority: signer,
		others: said.Certificates}
	if said.Nonce != nil {
		t.nonce = said.Nonce.String()
	}
	return t, nil
}

// wellFormed reports what keeps bytes from being values in DER, nested at most so deep.
func wellFormed(der []byte, depth int) error {
	if depth == 0 {
		return fmt.Errorf("values are nested more than %d deep", mostNest)
	}
	for len(der) > 0 {
		var v asn1.RawValue
		rest, err := asn1.Unmarshal(der, &v)
		if err != nil {
			return err
		}
		if v.IsCompound {
			if err := wellFormed(v.Bytes, depth-1); err != nil {
				return err
			}
		}
		der = rest
	}
	return nil
}

// onlyStamps reports whether a certificate is for timestamps alone, as RFC 3161 2.3 demands.
func onlyStamps(c *x509.Certificate) bool {
	return slices.Equal(c.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}) && len(c.UnknownExtKeyUsage) == 0 &&
		slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidExtKeyUsage) && e.Critical })
}

// Trusted reports why no chain leads from the authority to one of the roots, as of the time that it says.
func (t *Timestamp) Trusted(roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, c := range t.others {
		between.AddCert(c)
	}
	_, err := t.authority.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: t.Time,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}})
	return err
}

// ReadFile reads the timestamp at path.
func ReadFile(path string) (*Timestamp, error) {
	content, err := readAtMost(path, mostReply+1)
	if err != nil {
		return nil, err
	}
	t, err := Read(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ReadRoots reads the certificates that timestamps have to lead to, in PEM.
func ReadRoots(path string) (*x509.CertPool, error) {
	content, err := readAtMost(path, mostRoots+1)
	if err != nil {
		return nil, err
	}
	if len(content) > mostRoots {
		return nil, fmt.Errorf("%s has more than %d bytes", path, mostRoots)
	}
	pool, n := x509.NewCertPool(), 0
	for b, rest := pem.Decode(content); b != nil; b, rest = pem.Decode(rest) {
		if b.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("%s holds a %q: give certificates, in PEM", path, b.Type)
		}
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d: %w", path, n+1, err)
		}
		pool.AddCert(c)
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("%s holds no certificate in PEM", path)
	}
	return pool, nil
}

func readAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, most))
}
