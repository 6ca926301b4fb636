package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Permitted sends a call to which 403 is a valid answer. It blocks the drive on 401: the host does not accept the
// credential.
func (h Host) Permitted(ctx context.Context, call wire.Call) *wire.Reply {
	reply := h.Do(ctx, call)
	if reply.Status == http.StatusUnauthorized {
		scenarios.End(scenarios.Block(fmt.Sprintf("%s answered HTTP 401: the host does not accept the credential", call.Names()),
			"give a key that may create and read runs with --key, ASSAY_KEY or --key-file"))
	}
	return reply
}

// KeyedRun is the reply to creating a run under an idempotency key.
type KeyedRun struct {
	Answered
	Replay wire.Value `json:"replay"` // openwop-Idempotent-Replay
}

func (k KeyedRun) RunID() wire.Value { return k.Body.Key("runId") }

func (h Host) KeyedRun(ctx context.Context, what, key string, body []byte) KeyedRun {
	return Keyed(ctx, h, what, key, wire.Call{Operation: dialect.CreateRun.Of(), Body: body, Secrets: InterruptTokens})
}

// Keyed sends a call that makes a run, under an idempotency key.
func Keyed(ctx context.Context, h Host, what, key string, call wire.Call) KeyedRun {
	call.Label, call.Header = what, map[string]string{dialect.IdempotencyKey: key}
	reply, err := scenarios.Attempt(func() *wire.Reply { return h.Send(ctx, call) })
	if err != nil {
		h.Lost("a keyed request", err)
	}
	h.Adopt(reply)
	return KeyedRun{AnsweredBy(what, reply), dialect.HeaderOf(reply, dialect.IdempotentReplay)}
}

func IsBlocked(err error) bool {
	var stop *scenarios.Stop
	return errors.As(err, &stop) && stop.Verdict == scenarios.Blocked
}

// Answered is a request, named in our words, and its reply.
type Answered struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func AnsweredBy(asked string, reply *wire.Reply) Answered {
	return Answered{asked, reply.StatusValue(), reply.Value("")}
}

// Code returns the code of a refusal.
func (a Answered) Code() wire.Value { return a.Body.Key("error") }

func (a Answered) HTTPStatus() int {
	code, _ := a.Status.Int()
	return int(code)
}

// Unknown reports whether the host answers for the workflow as for one that does not exist.
func (a Answered) Unknown() bool {
	return a.HTTPStatus() == http.StatusNotFound && !a.Body.At("/details/requiredCapability").Present() &&
		!a.Body.At("/details/offendingTypeId").Present()
}

// Refused checks that the request was refused with one of the statuses, in an error envelope.
func (a Answered) Refused(j *scenarios.Judge, id scenarios.RequirementID, statuses ...int) bool {
	if !j.Check(id, a.Status).To(check.Status(statuses...), "%s", a.Asked) {
		return false
	}
	a.Envelope(j)
	return true
}

// Envelope checks the members of a refusal.
func (a Answered) Envelope(j *scenarios.Judge) {
	j.Check(openwop.OWPERR4, a.Code()).To(check.Text(), "error, of %s", a.Asked)
	j.Check(openwop.OWPERR4, a.Body.Key("message")).To(check.Text(), "message, of %s", a.Asked)
	Optional(j, openwop.OWPERR4, a.Body.Key("details"), JsonObject(), "details, of "+a.Asked)
	object, _ := a.Body.Actual().(map[string]any)
	for name := range object {
		if !slices.Contains([]string{"error", "message", "details"}, name) {
			j.Find("", "the refusal of %s has members that belong in details: OWP-R25", a.Asked)
			return
		}
	}
}
