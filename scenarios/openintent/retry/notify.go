package retry

import (
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// notifyClean: a reminder carries no secret and no personal data of the context.
var notifyClean = scenarios.Scenario{
	ID: "openintent/retry/reminder-without-secrets", Title: "a reminder that leaves the server carries no secret and no personal data of the context",
	Proves: scenarios.IDs{openintentv1.OIP0026K1}, Claim: claims.Webhook,
	Ask: scenarios.Ask(notify, func(o NotifyObservation, j *scenarios.Judge) {
		if !o.Arrived.Reached {
			sent := of(o.Look, host.EventRenotified)
			if len(sent.Values) == 0 {
				j.NeedThere(openintentv1.OIP0026N3, o.Arrived, "a server that reminds")
				return
			}
			j.NotThere(sent, "a reminder that goes to the URL of notify_to; it has to be on the allowlist")
		}
		for _, body := range o.Received {
			j.Check(openintentv1.OIP0026K1, body).To(check.That("none of the secrets of the context", func(v any) bool {
				return v != nil && !mentions(v, o.Canaries)
			}), "what came to the webhook")
		}
	}),
}

// mentions says whether one of the texts stands anywhere in a value, in the name of a member too.
func mentions(v any, texts []string) bool {
	switch v := v.(type) {
	case string:
		for _, t := range texts {
			if strings.Contains(v, t) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if mentions(e, texts) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if mentions(k, texts) || mentions(e, texts) {
				return true
			}
		}
	}
	return false
}

// notifyStranger lets a server refuse the record, or carry it out without the stranger (OIP-R117).
var notifyStranger = scenarios.Scenario{
	ID: "openintent/retry/stranger-not-notified", Title: "nobody whom no allowlist has is escalated to", Proves: scenarios.IDs{openintentv1.OIP0026K2}, Claim: claims.Webhook,
	Ask: scenarios.Ask(stranger, func(o StrangerObservation, j *scenarios.Judge) {
		if !o.Record.Ok() {
			j.Check(openintentv1.OIP0026K2, o.Record.Status).To(check.Status(4), "the record that names a stranger")
			return
		}
		j.NeedThere(openintentv1.OIP0026N3, o.Reached, "a server that reminds")
		told := append(of(o.Look, host.EventEscalated).Each("/payload/escalated_to").Values, of(o.Look, host.EventRenotified).Each("/payload/notify_to").Values...)
		j.Check(openintentv1.OIP0026K2, wire.Found{Values: told, In: o.Look.Log.Read.Ref()}).To(check.That("not "+o.Stranger, func(v any) bool {
			return !mentions(v, []string{o.Stranger})
		}), "who is notified")
	}),
}
