package host

import (
	"encoding/json"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// leastSecret is the minimum length, in characters, that tells a secret from ordinary text.
const leastSecret = 8

// NeedSecret ends the drive unless a secret of the host is known that can be told from ordinary text. [wire.HostSecret] stands for it.
func NeedSecret(h Host) {
	if h.HostSecretLength() < leastSecret {
		scenarios.End(scenarios.Block("no value is known that the host keeps as a secret, or it is too short to tell from ordinary text",
			"have the host keep a value as a secret that was made for this, of at least 8 characters, and give it with --host-secret"))
	}
}

// WithoutSecret expects no placeholder of a secret anywhere in the value.
func WithoutSecret() check.Matcher {
	return check.That("no secret", func(v any) bool {
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		return e.Encode(v) == nil && !wire.HoldsSecret(text.String())
	})
}
