package retry

import (
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

var notifyClean = scenarios.Scenario{
	ID:     "openintent/retry/reminder-without-secrets",
	Title:  "a reminder that leaves the server carries no secret and no personal data that the server hides from its readers",
	Proves: scenarios.IDs{openintent.OIP0026K1}, Claim: claims.Webhook,
	Ask: scenarios.Ask(notify, func(o NotifyObservation, j *scenarios.Judge) {
		if !o.Arrived.Reached {
			o.Look.Log.Readable(j)
			sent := o.Look.Log.OfType(host.EventRenotified)
			if len(sent.Values) == 0 {
				givenNotified(j, o.Arrived)
			}
			j.NotThere(sent, "a reminder that goes to the URL of notify_to; it has to be on the allowlist")
		}
		secrets, ordinary := o.secrets()
		for _, body := range o.Received {
			if host.Contains(body, ordinary...) {
				j.Find("", "a reminder carries members of the context that are named as secrets, and that the server shows to every reader: "+
					"RFC-0025 11 leaves them to who writes the record (OIP-R116)")
			}
		}
		hides := o.judgeQuestion(j)
		if len(secrets) == 0 && !hides {
			j.NotOffered("the server shows the whole context of a suspension, and so keeps none of it as a secret")
		}
		if len(secrets) == 0 {
			return
		}
		for _, body := range o.Received {
			j.Check(openintent.OIP0026K1, body).To(check.That("nothing of the context that the server hides", func(v any) bool {
				return v != nil && !host.Mentions(v, secrets...)
			}), "what came to the webhook")
		}
	}),
}

// judgeQuestion holds a server that hides an address of somebody in the question of a reminder to do so with each, in every reminder. It
// reports whether there is such an address.
func (o NotifyObservation) judgeQuestion(j *scenarios.Judge) (hides bool) {
	for _, body := range o.Received {
		for _, address := range o.Addresses {
			hides = hides || host.Contains(body, o.Question) && !host.Contains(body, address)
		}
	}
	if !hides {
		return false
	}
	for _, body := range o.Received {
		j.Check(openintent.OIP0026K1, body).To(check.That("no address of the question, of which the server hides some", func(v any) bool {
			return v != nil && !host.Mentions(v, o.Addresses...)
		}), "what came to the webhook")
	}
	return true
}

// secrets divides what the context holds below the names of secrets: what the server keeps as a secret, since it hides it
// from those who read the intent, and what it shows them (OIP-R116).
func (o NotifyObservation) secrets() (secrets, ordinary []string) {
	for _, canary := range o.Canaries {
		if host.Contains(o.Suspension.Shown(), canary) {
			ordinary = append(ordinary, canary)
		} else {
			secrets = append(secrets, canary)
		}
	}
	return secrets, ordinary
}

// givenNotified ends the judge unless a reminder was sent to somebody who may be on no allowlist: a server may send nothing
// then (OIP-R117).
func givenNotified(j *scenarios.Judge, sent wire.Wait) {
	if !sent.Reached && !j.Firm() {
		j.NotThere(sent, remindsThere)
	}
	j.Reach(sent, "put whom the step names on the allowlist, or remind somebody else in their place")
}

// notifyStranger accepts a server that refuses the record, and one that leaves the stranger out (OIP-R117).
var notifyStranger = scenarios.Scenario{
	ID:     "openintent/retry/stranger-not-notified",
	Title:  "nobody whom no allowlist has is escalated to",
	Proves: scenarios.IDs{openintent.OIP0026K2}, Claim: claims.Webhook,
	Ask: scenarios.Ask(stranger, func(o StrangerObservation, j *scenarios.Judge) {
		if !o.Record.Ok() {
			j.Check(openintent.OIP0026K2, o.Record.Status).To(check.Status(4), "the record that names a stranger")
			return
		}
		givenNotified(j, o.Reached)
		notified := slices.Concat(
			o.Look.Log.OfType(host.EventEscalated).Each("/payload/escalated_to").Values,
			o.Look.Log.OfType(host.EventRenotified).Each("/payload/notify_to").Values)
		notStranger := check.That("not "+o.Stranger, func(v any) bool { return !host.Mentions(v, o.Stranger) })
		j.Check(openintent.OIP0026K2, wire.Found{Values: notified, In: o.Look.Log.All().In}).To(notStranger, "who is notified")
	}),
}
