// Package tsatest is a time-stamping authority in the process of a test (RFC 3161), with certificates of its own.
package tsatest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"time"

	rfc3161 "github.com/digitorus/timestamp"
)

// An Authority answers questions for timestamps. Its fields may be changed between questions.
type Authority struct {
	URL   string
	Roots []byte // the certificate that its own leads to, in PEM

	Now   func() time.Time                 // what it says of the time
	Asked func(*rfc3161.Request)           // changes a question before it is answered; nil leaves it
	Reply func(reply []byte) (int, []byte) // replaces a reply; nil leaves it

	server *httptest.Server
	key    *ecdsa.PrivateKey
	leaf   *x509.Certificate
	issuer *x509.Certificate
}

// New starts an authority. Its certificate is for timestamps alone, unless other uses are given.
func New(uses ...x509.ExtKeyUsage) (*Authority, error) {
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	from := time.Now().Add(-24 * time.Hour)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root of the clock"}, NotBefore: from,
		NotAfter: from.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	issued, err := certificate(root, root, &rootKey.PublicKey, rootKey)
	if err != nil {
		return nil, err
	}
	a := &Authority{Now: time.Now, issuer: issued, Roots: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Raw})}
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Clock of the test"}, NotBefore: from,
		NotAfter: from.AddDate(5, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: uses}
	if len(uses) == 0 {
		// crypto/x509 writes the extension without marking it critical, which RFC 3161 asks for.
		timeStamping, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
		if err != nil {
			return nil, err
		}
		leaf.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: timeStamping}}
	}
	if a.leaf, err = certificate(leaf, issued, &a.key.PublicKey, rootKey); err != nil {
		return nil, err
	}
	a.server = httptest.NewServer(http.HandlerFunc(a.serve))
	a.URL = a.server.URL
	return a, nil
}

// Close stops it.
func (a *Authority) Close() { a.server.Close() }

func certificate(template, parent *x509.Certificate, public *ecdsa.PublicKey, signer *ecdsa.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// Stamp signs a digest, SHA-256 in hex, and the time.
func (a *Authority) Stamp(digest string, at time.Time) ([]byte, error) {
	hashed, err := hex.DecodeString(digest)
	if err != nil {
		return nil, err
	}
	return a.answer(&rfc3161.Request{HashAlgorithm: crypto.SHA256, HashedMessage: hashed, Certificates: true}, at)
}

func (a *Authority) answer(q *rfc3161.Request, at time.Time) ([]byte, error) {
	said := rfc3161.Timestamp{HashAlgorithm: q.HashAlgorithm, HashedMessage: q.HashedMessage, Time: at, Nonce: q.Nonce,
		Policy: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, AddTSACertificate: q.Certificates,
		Certificates: []*x509.Certificate{a.issuer}}
	return said.CreateResponseWithOpts(a.leaf, a.key, crypto.SHA256)
}

func (a *Authority) serve(w http.ResponseWriter, r *http.Request) {
	reply, err := a.reply(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status := http.StatusOK
	if a.Reply != nil {
		status, reply = a.Reply(reply)
	}
	w.Header().Set("Content-Type", "application/timestamp-reply")
	w.WriteHeader(status)
	_, _ = w.Write(reply) // whoever asked may have gone
}

func (a *Authority) reply(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/timestamp-query" {
		return nil, fmt.Errorf("%s with %q is no question", r.Method, r.Header.Get("Content-Type"))
	}
	query, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	if err != nil {
		return nil, err
	}
	q, err := rfc3161.ParseRequest(query)
	if err != nil {
		return nil, err
	}
	if a.Asked != nil {
		a.Asked(q)
	}
	return a.answer(q, a.Now())
}
