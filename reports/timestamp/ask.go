package timestamp

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"time"

	rfc3161 "github.com/digitorus/timestamp"
)

// patience is how long an authority may take.
const patience = 30 * time.Second

// Media types of RFC 3161.
const (
	queryType = "application/timestamp-query"
	replyType = "application/timestamp-reply"
)

// CheckURL reports why a URL is none of an authority.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no URL of a time-stamping authority: give one that begins with http:// or https://", address)
	}
	return nil
}

// Ask has the authority at a URL sign a digest, SHA-256 in hex, and the time. It returns only what the authority says of this
// digest in reply to this question.
func Ask(ctx context.Context, address, digest string) (*Timestamp, error) {
	hashed, err := hex.DecodeString(digest)
	if err != nil {
		return nil, err
	}
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return nil, err
	}
	question := rfc3161.Request{HashAlgorithm: crypto.SHA256, HashedMessage: hashed, Certificates: true, Nonce: nonce}
	query, err := question.Marshal()
	if err != nil {
		return nil, err
	}
	reply, err := post(ctx, address, query)
	if err != nil {
		return nil, fmt.Errorf("ask %s for a timestamp: %w", address, err)
	}
	t, err := Read(reply)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the reply of %s cannot be used: %w", address, err)
	case t.Digest != digest:
		return nil, fmt.Errorf("the reply of %s is about another digest than it was asked for", address)
	case t.nonce != nonce.String():
		return nil, fmt.Errorf("the reply of %s is to another question: its nonce is not the one that was sent", address)
	}
	return t, nil
}

// post sends a query and returns the reply.
func post(ctx context.Context, address string, query []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(query))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", queryType)
	r.Header.Set("Accept", replyType)
	r.Close = true // one question, one connection
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered with HTTP %d", answer.StatusCode)
	}
	reply, err := io.ReadAll(io.LimitReader(answer.Body, mostReply+1))
	switch {
	case err != nil:
		return nil, err
	case len(reply) == 0:
		return nil, errors.New("it answered nothing")
	}
	return reply, nil
}
