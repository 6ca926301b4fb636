package bundle

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
)

// PEM block types of keys, as openssl writes them.
const (
	privateBlock = "PRIVATE KEY" // PKCS#8
	publicBlock  = "PUBLIC KEY"  // PKIX
)

// PublicSuffix is appended to a private key's file name to name the public key's file.
const PublicSuffix = ".pub"

// mostKey bounds the bytes of a key file.
const mostKey = 64 << 10

// KeyID returns the name of a public key: "sha256:" and the SHA-256 of its PKIX form in hex.
func KeyID(key ed25519.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("name the key: %w", err)
	}
	sum := sha256.Sum256(der)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// GenerateKey makes an Ed25519 key pair. It writes the private key to path, readable only by its owner, and the public
// key to path.pub. Neither file may exist. It returns the id of the public key.
func GenerateKey(path string) (id string, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	if id, err = KeyID(public); err != nil {
		return "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", err
	}
	open, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", err
	}
	// The public key goes first: if it cannot be written, no secret is left behind.
	if err := create(path+PublicSuffix, 0o644, publicBlock, open); err != nil {
		return "", err
	}
	if err := create(path, 0o600, privateBlock, secret); err != nil {
		return "", errors.Join(err, os.Remove(path+PublicSuffix))
	}
	return id, nil
}

// create writes a file that must not exist.
func create(path string, mode os.FileMode, block string, der []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already, and a key is never overwritten: give another file", path)
	}
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, &pem.Block{Type: block, Bytes: der}), f.Close())
}

// ReadPrivateKey reads a signing key.
func ReadPrivateKey(path string) (ed25519.PrivateKey, error) {
	b, err := readKey(path)
	if err != nil {
		return nil, err
	}
	if b.Type != privateBlock {
		return nil, fmt.Errorf("%s holds a %s: give the private key that assay keygen made, as PKCS#8 in PEM", path, shown(b.Type))
	}
	parsed, err := x509.ParsePKCS8PrivateKey(b.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s holds no private key: %w", path, err)
	}
	key, is := parsed.(ed25519.PrivateKey)
	if !is {
		return nil, fmt.Errorf("%s holds a key of another kind than Ed25519: make one with assay keygen", path)
	}
	return key, nil
}

// ReadPublicKey reads a key that checks signatures.
func ReadPublicKey(path string) (ed25519.PublicKey, error) {
	b, err := readKey(path)
	if err != nil {
		return nil, err
	}
	switch b.Type {
	case publicBlock:
	case privateBlock:
		return nil, fmt.Errorf("%s holds a private key: give the public one, which assay keygen wrote into FILE%s", path, PublicSuffix)
	default:
		return nil, fmt.Errorf("%s holds a %s: give a public key, as PKIX in PEM", path, shown(b.Type))
	}
	parsed, err := x509.ParsePKIXPublicKey(b.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s holds no public key: %w", path, err)
	}
	key, is := parsed.(ed25519.PublicKey)
	if !is {
		return nil, fmt.Errorf("%s holds a key of another kind than Ed25519: signatures of bundles are Ed25519", path)
	}
	return key, nil
}

func readKey(path string) (*pem.Block, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, mostKey))
	if err != nil {
		return nil, err
	}
	b, _ := pem.Decode(content)
	if b == nil {
		return nil, fmt.Errorf("%s holds no key in PEM: make one with assay keygen", path)
	}
	return b, nil
}

// shown quotes a block type, which comes from the operator's file.
func shown(block string) string { return fmt.Sprintf("%q", block) }
