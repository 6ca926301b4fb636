package wire

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
)

// NonceHeader is the header of the discovery document in which an operator publishes a nonce, to show that he runs the host.
const NonceHeader = "Assay-Nonce"

// leaf returns the SHA-256 of the certificate that a server showed, in hex; "" without TLS.
func leaf(s *tls.ConnectionState) string {
	if s == nil || len(s.PeerCertificates) == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(s.PeerCertificates[0].Raw))
}
