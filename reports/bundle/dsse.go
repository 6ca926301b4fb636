package bundle

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// PayloadType is the media type of the payload in an envelope of ours.
const PayloadType = "application/vnd.openassay.bundle-manifest+json"

// Envelope is a DSSE envelope (https://github.com/secure-systems-lab/dsse, version 1). The library go-securesystemslib links an
// SSH implementation just to fingerprint a key, takes key ids for more than hints, and prints to standard output; the ten lines
// of the encoding are here instead, and its verifier reads our envelopes in a test.
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []Signature `json:"signatures"`
}

// Signature is one signature over the envelope's payload and its type.
type Signature struct {
	KeyID string `json:"keyid"` // a hint at the key; nothing relies on it: see [KeyID]
	Sig   string `json:"sig"`   // base64
}

// mostSignatures bounds the signatures of one envelope.
const mostSignatures = 16

// encoding returns the signed bytes: DSSE's pre-authentication encoding.
func encoding(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// Seal puts a payload into an envelope with one signature.
func Seal(payloadType string, payload []byte, key ed25519.PrivateKey) (*Envelope, error) {
	id, err := KeyID(key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	signature := ed25519.Sign(key, encoding(payloadType, payload))
	return &Envelope{
		PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload),
		Signatures: []Signature{{KeyID: id, Sig: base64.StdEncoding.EncodeToString(signature)}},
	}, nil
}

// SignedBy reports whether the key made one of the envelope's signatures. It ignores the key ids of the signatures.
func (e *Envelope) SignedBy(key ed25519.PublicKey) bool {
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return false
	}
	for _, s := range e.Signatures {
		signature, err := base64.StdEncoding.Strict().DecodeString(s.Sig)
		if err == nil && ed25519.Verify(key, encoding(e.PayloadType, payload), signature) {
			return true
		}
	}
	return false
}

// OpenEnvelope reads an envelope and its payload, which must be of this type. It checks no signature.
func OpenEnvelope(payloadType string, content []byte) (e *Envelope, payload []byte, err error) {
	e = &Envelope{}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, nil, fmt.Errorf("it is no DSSE envelope (%w)", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("something follows the envelope")
	}
	if e.PayloadType != payloadType {
		return nil, nil, fmt.Errorf("its envelope holds %q, and should hold %q", clipped(e.PayloadType), payloadType)
	}
	if n := len(e.Signatures); n == 0 || n > mostSignatures {
		return nil, nil, fmt.Errorf("its envelope holds %d signatures, and has to hold 1 to %d", n, mostSignatures)
	}
	payload, err = base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return nil, nil, fmt.Errorf("the payload of its envelope: %w", err)
	}
	return e, payload, nil
}

// Encode returns the envelope as a line of JSON.
func (e *Envelope) Encode() ([]byte, error) {
	b, err := json.Marshal(e)
	return append(b, '\n'), err
}
