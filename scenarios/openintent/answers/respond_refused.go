package answers

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// refusal returns a scenario about one kind of answer that has to be refused.
func refusal(
	name, title string, id scenarios.RequirementID, of func(RefusalsObservation) host.Refused, accepted ...int,
) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openintent/respond/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claims.Core,
		Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) { of(o).Refused(j, id, accepted...) }),
	}
}

var (
	respondKeyless = refusal("needs-a-key", "an answer without a valid key is refused with 401, and the intent waits on",
		openintent.OIP0025A1, func(o RefusalsObservation) host.Refused { return o.Keyless }, 401)
	respondNameless = refusal("needs-an-id",
		"an answer that names no suspension is refused with 422, and the intent waits on",
		openintent.OIP0025A2, func(o RefusalsObservation) host.Refused { return o.Nameless }, 422)
	// respondAnother asks for a MUST, and respondNotTold for the SHOULD beside it.
	respondAnother = refusal("another-id",
		"an answer that names another suspension is refused with 409, and the intent waits on",
		openintent.OIP0025A5, func(o RefusalsObservation) host.Refused { return o.Another }, 409)
	respondBroken = refusal("no-object", "a body that is no JSON object is refused with 4xx, not 5xx",
		openintent.OIP0025A17, func(o RefusalsObservation) host.Refused { return o.Broken }, 4)
	// respondEmpty accepts any 4xx (OIP-R107).
	respondEmpty = refusal("empty-text", "an empty text is no answer",
		openintent.OIP0025A10, func(o RefusalsObservation) host.Refused { return o.Empty }, 4)
)

// respondNowhere has a control: an answer that another intent takes shows that the route exists.
var respondNowhere = scenarios.Scenario{
	ID:     "openintent/respond/unknown-intent",
	Title:  "an answer to an intent that is not there is refused with 404",
	Proves: scenarios.IDs{openintent.OIP0025A3},
	Claim:  claims.Core,
	Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) {
		o.Nameless.Control(j)
		for _, r := range o.Nowhere {
			j.Check(openintent.OIP0025A3, r.Status).To(check.Status(404), "%s", r.Asked)
		}
	}),
}

var respondIdle = scenarios.Scenario{
	ID:     "openintent/respond/not-suspended",
	Title:  "an answer to an intent that is not suspended is refused with 409",
	Proves: scenarios.IDs{openintent.OIP0025A4},
	Claim:  claims.Core,
	Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) {
		o.Nameless.Control(j)
		j.Check(openintent.OIP0025A4, o.Idle.Status).To(check.Status(409), "%s", o.Idle.Asked)
		j.Check(openintent.OIP0025A4, o.IdleEnd.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after that")
	}),
}

// respondNotTold is about a SHOULD: anyone who knows the id can answer.
var respondNotTold = scenarios.Scenario{
	ID:     "openintent/respond/id-not-told",
	Title:  "a refusal does not tell the id that would have been right",
	Proves: scenarios.IDs{openintent.OIP0025A6},
	Claim:  claims.Core,
	Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) {
		o.Another.Control(j)
		givenRefusals(j, openintent.OIP0025A5, o.Another.Wrong)
		givenRefusals(j, openintent.OIP0025A2, o.Nameless.Wrong)
		secret := o.Another.Suspension.ID
		withoutID := check.Seeing("a refusal without the id of the suspension", func(s wire.Seen) (bool, string) {
			v, _ := s.(wire.Value)
			return !host.Contains(v, secret), v.JSON()
		})
		for _, r := range o.Another.Wrong {
			j.Check(openintent.OIP0025A6, r.Body).To(withoutID)
		}
	}),
}

// givenRefusals ends the judge unless each answer was refused, as id has it.
func givenRefusals(j *scenarios.Judge, id scenarios.RequirementID, wrong []host.Reply) {
	for _, r := range wrong {
		if r.Ok() {
			j.Violates(id, r.Status, r.Asked+" was not refused")
		}
	}
}

// respondChoice accepts the list in any of its places (OIP-R6).
var respondChoice = scenarios.Scenario{
	ID:     "openintent/respond/no-choice",
	Title:  "a value that is none of the choices is refused with 422, which lists the valid ones, and the intent waits on",
	Proves: scenarios.IDs{openintent.OIP0025A7, openintent.OIP0025A8},
	Claim:  claims.Core,
	Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) {
		o.Choice.Refused(j, openintent.OIP0025A7, 422)
		for _, r := range o.Choice.Wrong {
			if r.Ok() {
				continue // found by the check before
			}
			list := host.Locate(host.ValidChoices, host.Named("body", r.Body))
			j.Check(openintent.OIP0025A8, list.Value).To(ListOf(o.Choices), "%s", list.Label("valid_choices"))
		}
		if len(o.Options) == 0 {
			return
		}
		o.Next.Refused(j, openintent.OIP0025A7, 422)
		for _, r := range o.Next.Wrong {
			if !r.Ok() {
				list := host.Locate(host.ValidChoices, host.Named("body", r.Body))
				j.Check(openintent.OIP0025A8, list.Value).To(ListOf(o.Options), "%s of a later suspension", list.Label("valid_choices"))
			}
		}
	}),
}

// ListOf expects a list of exactly these values, each as itself or as the value of an object.
func ListOf(values []string) check.Matcher {
	return check.That("a list of the choices "+wire.Compact(values), func(v any) bool {
		list, _ := v.([]any)
		have := map[string]bool{}
		for _, e := range list {
			if o, isObject := e.(map[string]any); isObject {
				e = o["value"]
			}
			if s, isText := e.(string); isText {
				have[s] = true
			}
		}
		for _, want := range values {
			if !have[want] {
				return false
			}
		}
		return len(have) == len(values)
	})
}

// respondConfirm asks for confirmations that list no choices (OIP-R29).
var respondConfirm = scenarios.Scenario{
	ID:     "openintent/respond/confirm",
	Title:  "a confirmation takes yes and no, and refuses anything else with 422",
	Proves: scenarios.IDs{openintent.OIP0025A9},
	Claim:  claims.Core,
	Ask: scenarios.Ask(refusals, func(o RefusalsObservation, j *scenarios.Judge) {
		for k, w := range o.Confirm.Wrong {
			j.Check(openintent.OIP0025A9, w.Status).To(check.Status(422), "%s", w.Asked)
			host.Pending(j, openintent.OIP0025A9, w.Asked, o.Confirm.Stood[k])
		}
		if len(o.Confirm.Stood) > 0 && o.Confirm.Stood[0].Body.Key("status").String() == host.Suspended {
			j.Check(openintent.OIP0025A9, o.Confirm.Right.Status).To(check.Status(2), "yes")
		}
		j.Check(openintent.OIP0025A9, o.Declined.Right.Status).To(check.Status(2), "no")
		j.Check(openintent.OIP0025A9, o.Declined.End.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after no")
	}),
}

var respondStale = scenarios.Scenario{
	ID:     "openintent/respond/old-id",
	Title:  "the id of a suspension that was answered opens no later one, not even before its record is written",
	Proves: scenarios.IDs{openintent.OIP0025A5},
	Claim:  claims.Core,
	Ask: scenarios.Ask(stale, func(o StaleObservation, j *scenarios.Judge) {
		o.Behind.Refused(j, openintent.OIP0025A5, 409)
		o.Window.Refused(j, openintent.OIP0025A5, 409)
	}),
}

var respondAllowed = scenarios.Scenario{
	ID:     "openintent/respond/allowed-agents",
	Title:  "an answer by an agent that the governance of the intent does not allow is refused with 403",
	Proves: scenarios.IDs{openintent.OIP0025A16},
	Claim:  claims.Core,
	Ask: scenarios.Ask(allowed, func(o AllowedObservation, j *scenarios.Judge) {
		o.Refused.Refused(j, openintent.OIP0025A16, 403)
	}),
}
