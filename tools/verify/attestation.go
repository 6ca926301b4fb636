package verify

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/reports/attest"
)

// Attestation is a file of statements about the bundle, which must be exactly those that the bundle gives.
type Attestation struct {
	File       string
	Statements []attest.Signed
	Key        ed25519.PublicKey // that has to have signed them; nil for any
}

// Statement is one statement that was held against the bundle.
type Statement struct {
	File      string    `json:"file"`
	Type      string    `json:"type"` // of its predicate, as it says
	Signature Signature `json:"signature"`
	Derived   bool      `json:"derived"` // the bundle gives it, to the byte
}

// attested holds statements of others to what the bundle gives.
func (v *run) attested() {
	if v.by.Attestation == nil {
		return
	}
	if !v.Judged || len(v.Problems) > 0 {
		v.tell("attestation", "the statements of %s were not compared: what the bundle says does not follow from it, see above",
			v.by.Attestation.File)
		return
	}
	given, err := attest.Of(v.bundle, v.given)
	if err != nil {
		v.tell("attestation", "the bundle gives no statements: %s", err)
		return
	}
	for i, s := range v.by.Attestation.Statements {
		name := v.by.Attestation.File
		if len(v.by.Attestation.Statements) > 1 {
			name = fmt.Sprintf("statement %d of %s", i+1, name)
		}
		out := Statement{File: v.by.Attestation.File, Type: s.Type(), Signature: v.signer(s, name)}
		said := s.Against(given)
		out.Derived = len(said) == 0
		for _, sentence := range said {
			v.tell("attestation", "%s %s", name, sentence)
		}
		v.Attested = append(v.Attested, out)
	}
}

// signer determines who signed a statement.
func (v *run) signer(s attest.Signed, name string) Signature {
	var claimed []string
	for _, signature := range s.Envelope.Signatures {
		claimed = append(claimed, signature.KeyID)
	}
	key := v.by.Attestation.Key
	switch {
	case key == nil:
		return Signature{Unchecked, claimed}
	case s.Envelope.SignedBy(key):
		return Signature{Good, []string{nameOf(key)}}
	case slices.Contains(claimed, nameOf(key)):
		v.tell("attestation", "%s is not what %s signed: it was changed since", name, nameOf(key))
	default:
		v.tell("attestation", "%s is signed by %s, and not by %s", name, strings.Join(claimed, ", "), nameOf(key))
	}
	return Signature{Bad, claimed}
}

// words says for people what a statement is.
func (s Statement) words() string {
	what := strings.TrimPrefix(s.Type, "https://in-toto.io/attestation/")
	if !s.Derived {
		return what + ": not what the bundle gives, see below"
	}
	signed := map[string]string{Good: "signed by ", Bad: "not signed as asked, see below: by ",
		Unchecked: "its signature was not checked, by "}[s.Signature.Status]
	return what + ": what the bundle gives; " + signed + strings.Join(s.Signature.Keys, ", ")
}
