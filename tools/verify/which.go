package verify

import (
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// secretly is what the addresses begin with of hosts that show a certificate.
const secretly = "https://"

// host takes over what the transcripts show of which host answered. Bundles of earlier versions note no certificate.
func (v *run) host(r *scenarios.Report) {
	v.Nonce = reports.Results(r, reports.Stamp{}).Target.Nonce
	if r.Certificate != "" && !strings.HasPrefix(r.Address, secretly) {
		v.tell("transcript", "the host at %s is said to have shown a certificate, and no host does without TLS", r.Address)
		return
	}
	v.Certificate = r.Certificate
}

// which says what is not known of which host it was.
func (v *run) which(say func(string, ...any)) {
	asked := v.answersAlike()
	if asked && v.Live.Address != v.Target.Address {
		say("that the host at %s is the one that was at %s: it answers alike", v.Live.Address, v.Target.Address)
	}
	switch n := v.Nonce; {
	case n != nil && n.In == results.NonceInDNS:
		say("that the nonce of the operator stood in DNS, under the domain of %s: certify saw it there, and no transcript shows it",
			v.Target.Address)
	case n != nil || asked:
	case v.Certificate != "":
		say("who holds the certificate %s that the host at %s showed", short(v.Certificate), v.Target.Address)
	default:
		say("that the host at %s is the one that it says it is", v.Target.Address)
	}
}

// showed shows what was shown of which host answered.
func (r *Report) showed(line func(string, ...any)) {
	if r.Certificate != "" {
		line("  certificate SHA-256 %s", r.Certificate)
	}
	if r.Nonce != nil {
		where := "with its discovery document: ask the operator whether it is his"
		if r.Nonce.In == results.NonceInDNS {
			where = "in DNS, as certify saw it"
		}
		line("  nonce       %s, published %s", r.Nonce.Value, where)
	}
}
