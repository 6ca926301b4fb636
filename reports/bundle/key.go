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

// Blocks of PEM that keys stand in, as openssl writes them.
const (
	privateBlock = "PRIVATE KEY" // PKCS#8
	publicBlock  = "PUBLIC KEY"  // PKIX
)

// PublicSuffix is what the file of a public key has behind the name of the private one's.
const PublicSuffix = ".pub"

// mostKey is how many bytes a file with a key may have.
const mostKey = 64 << 10

// KeyID names a public key: sha256: and the SHA-256 of its PKIX form in hex.
func KeyID(key ed25519.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("name the key: %w", err)
	}
	sum := sha256.Sum256(der)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// GenerateKey makes an Ed25519 key: the private one in path, which only its owner may read, the public one in path.pub. Neither
// may be there already. It returns the public key's name.
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
	// The public one first: where it cannot be written, no secret is left behind.
	if err := create(path+PublicSuffix, 0o644, publicBlock, open); err != nil {
		return "", err
	}
	if err := create(path, 0o600, privateBlock, secret); err != nil {
		return "", errors.Join(err, os.Remove(path+PublicSuffix))
	}
	return id, nil
}

// create writes a file that must not be there.
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

// ReadPrivateKey reads the key to sign with.
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

// ReadPublicKey reads the key to check a signature with.
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

// shown is the type of a block, which stands in a file of the operator's.
func shown(block string) string { return fmt.Sprintf("%q", block) }
