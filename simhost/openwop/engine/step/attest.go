package step

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// checksum is the SHA-256, in hex, over the outputs of a child as canonical JSON (RFC 8785). A child without outputs has the
// empty object.
func checksum(outputs any) (string, error) {
	if none, ok := outputs.(map[string]any); ok && none == nil {
		outputs = map[string]any{}
	}
	encoded, err := json.Marshal(outputs)
	if err != nil {
		return "", fmt.Errorf("attest a child's outputs: %w", err)
	}
	canonical, err := jcs.Transform(encoded)
	if err != nil {
		return "", fmt.Errorf("attest a child's outputs: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
