package surface

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/snapshot"
)

// interruptToken is what a token says: whoever has it may answer this one interrupt until then. Where voters are trusted, one
// that was shown to a voter is that voter's.
type interruptToken struct {
	Version     int       `json:"v"`
	RunID       string    `json:"run"`
	InterruptID string    `json:"interrupt"`
	ExpiresAt   time.Time `json:"expires"`
	Voter       string    `json:"voter,omitempty"`
}

const tokenVersion = 1

// tokenSigner makes tokens and reads those it made. A token is base64url(JSON) "." base64url(HMAC-SHA256 of what stands
// before the point), both without padding.
type tokenSigner struct{ key []byte }

var tokenText = base64.RawURLEncoding

// sign makes a token. It is the same one whenever it says the same.
func (s tokenSigner) sign(t interruptToken) (string, error) {
	t.Version = tokenVersion
	payload, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encode the token of interrupt %s: %w", t.InterruptID, err)
	}
	said := tokenText.EncodeToString(payload)
	return said + "." + s.signature(said), nil
}

// read is what a token says, and whether that is signed: then it was made here. The signature is looked at as text, so that
// no other spelling of a token passes for it.
func (s tokenSigner) read(token string) (t interruptToken, signed bool, err error) {
	said, signature, _ := strings.Cut(token, ".")
	signed = hmac.Equal([]byte(signature), []byte(s.signature(said)))
	payload, err := tokenText.DecodeString(said)
	if err != nil {
		return t, signed, err
	}
	if err := json.Unmarshal(payload, &t); err != nil {
		return t, signed, err
	}
	if t.Version != tokenVersion {
		return t, signed, fmt.Errorf("a token of version %d", t.Version)
	}
	return t, signed, nil
}

func (s tokenSigner) signature(said string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(said)) // never fails
	return tokenText.EncodeToString(mac.Sum(nil))
}

// signerLog holds the key that tokens are signed with, so that they outlive the process.
const signerLog = "token-key"

// openSigner takes the key from the store, or makes one: of the seed where there is one, else nobody can guess it.
func openSigner(ctx context.Context, store *eventlog.Store, seed uint64) (tokenSigner, error) {
	log := store.Successor(signerLog) // tokens of a key that is lost are not taken any more
	last, err := store.Last(ctx, log)
	if err != nil {
		return tokenSigner{}, err
	}
	switch {
	case last.Revision == 0:
	case len(last.Data) != sha256.Size: // tokens signed with less could be forged
		return tokenSigner{}, fmt.Errorf("the key that tokens are signed with has %d bytes, not %d: put a copy of the "+
			"--data folder back", len(last.Data), sha256.Size)
	default:
		return tokenSigner{key: last.Data}, nil
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails: the process ends first
	if seed != 0 {
		sum := sha256.Sum256(fmt.Appendf(nil, "interrupt tokens of seed %d", seed))
		key = sum[:]
	}
	if _, err := store.Append(ctx, log, 0, key); err != nil {
		return tokenSigner{}, err
	}
	return tokenSigner{key: key}, nil
}

// Secrets are what the logs of a host hold that lets others answer for its callers: the key that tokens are signed with, and
// tokens in stored answers.
func Secrets() snapshot.Secrets {
	// A token begins as the JSON of every token does.
	tokens := regexp.MustCompile(`eyJ2Ijox[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}`)
	return snapshot.Secrets{Logs: []string{signerLog}, Texts: []*regexp.Regexp{tokens}}
}
