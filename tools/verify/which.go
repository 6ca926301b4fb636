package verify

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// secretly is what the addresses begin with of hosts that show a certificate.
const secretly = "https://"

// host takes over what the transcripts show of which host answered.
func (v *run) host(r *scenarios.Report) {
	target := reports.Results(r, reports.Stamp{}).Target
	v.Nonce = target.Nonce
	switch tls := strings.HasPrefix(r.Address, secretly); {
	case r.Certificate != "" && !tls:
		v.tell("transcript", "the host at %s is said to have shown a certificate, and no host does without TLS", r.Address)
	case r.Certificate == "" && tls:
		v.tell("transcript", "the host at %s must have shown a certificate, and the transcript of discovery notes none", r.Address)
	default:
		v.Certificate = r.Certificate
	}
}

// which says what is not known of which host it was.
func (v *run) which() string {
	address, showed := v.Target.Address, ""
	if v.Certificate != "" {
		showed = fmt.Sprintf("; it showed the certificate with the SHA-256 %s", short(v.Certificate))
	}
	switch n := v.Nonce; {
	case n == nil && showed != "":
		return fmt.Sprintf("that who holds the certificate of the host at %s is who it says it is%s: compare that with the host today (--live)",
			address, showed)
	case n == nil:
		return fmt.Sprintf("that the host at %s is the one that it says it is", address)
	case n.In == results.NonceInDiscovery:
		return fmt.Sprintf("who published the nonce at %s: whoever answered there sent it with the discovery document, so ask the operator "+
			"whether it is his%s", address, showed)
	}
	return fmt.Sprintf("who published the nonce: certify found it in DNS, where whoever runs the domain of %s can put it, and no transcript "+
		"shows that%s", address, showed)
}

// host shows what was shown of which host answered.
func (r *Report) showed(line func(string, ...any)) {
	if r.Certificate != "" {
		line("  certificate SHA-256 %s", r.Certificate)
	}
	if r.Nonce != nil {
		where := "in its discovery document"
		if r.Nonce.In == results.NonceInDNS {
			where = "in DNS, as certify saw it"
		}
		line("  nonce       %s, published %s", r.Nonce.Value, where)
	}
}
