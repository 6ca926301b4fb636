package openwop

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// document is one reply of a host, for rules about documents.
type document struct {
	status wire.Value
	body   wire.Value
}

// documents are the rules about single replies, by what they are a reply to.
var documents = struct{ snapshot, goal, refusal rule[document] }{
	rule[document]{"snapshot-shown", scenarios.IDs{openwop.OWPCTL5}, func(d document, j *scenarios.Judge) {
		switch d.body.Key("status").String() {
		case "completed", "cancelled":
			j.Check(openwop.OWPCTL5, d.body.Key("error")).To(check.OneOf(nil), "error of a run that has not failed")
		}
	}},
	rule[document]{"goal-shown", scenarios.IDs{openwop.OWP0097B1, openwop.OWP0097B2, openwop.OWP0097B3, openwop.OWP0097B4, openwop.OWP0097B5},
		func(d document, j *scenarios.Judge) {
			for _, name := range []string{"id", "objective", "state"} {
				j.Check(openwop.OWP0097B1, d.body.Key(name)).To(check.Text(), "%s of a goal", name)
			}
			j.Check(openwop.OWP0097B1, d.body.Key("createdAt")).To(host.Timestamp(), "createdAt")
			j.Check(openwop.OWP0097B2, d.body.At("/completion/check")).To(check.OneOf("verifier", "host"), "completion.check")
			// It may be omitted (OWP-R27).
			j.Check(openwop.OWP0097B3, d.body.At("/continuation/mode")).To(check.OneOf(nil, "schedule", "commitment", "heartbeat", "manual"),
				"continuation.mode")
			j.Check(openwop.OWP0097B4, d.body.At("/owner/tenant")).To(check.Text(), "owner.tenant")
			if d.body.Key("bounds").Actual() != nil {
				j.Check(openwop.OWP0097B5, d.body.Key("bounds")).To(goals.BoundsThatCanBe(), "bounds")
			}
		}},
	rule[document]{"refused", scenarios.IDs{openwop.OWPERR4}, func(d document, j *scenarios.Judge) {
		j.Check(openwop.OWPERR4, d.body.Key("error")).To(check.Text(), "code of a refusal with HTTP %s", d.status.JSON())
		j.Check(openwop.OWPERR4, d.body.Key("message")).To(check.Text(), "message of a refusal with HTTP %s", d.status.JSON())
	}},
}

// refusal reports whether a status says that the host itself refuses a request. Proxies have others.
func refusal(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
		http.StatusUnprocessableEntity, http.StatusNotImplemented}, status)
}

// ofGateway reports whether a reply may be that of a gateway that knows no such path: those have a message alone.
func ofGateway(status int, body wire.Value) bool {
	members, _ := body.Actual().(map[string]any)
	return status == http.StatusNotFound && len(members) == 1 && body.Key("message").Present()
}

// document holds a reply to the rules about single replies.
func (r *reader) document(t *wire.Transcript, n int) {
	e := t.Entry(n)
	at, err := url.Parse(e.Request.URL)
	if e.Kind != "http" || e.Error != "" || err != nil {
		return
	}
	path := r.dialect.Below(at.EscapedPath())
	d := document{t.Status(n), t.Reply(n)}
	switch _, isObject := d.body.Actual().(map[string]any); {
	case !isObject:
	case refusal(e.Response.Status):
		if r.paths.own.MatchString(path) && !ofGateway(e.Response.Status, d.body) {
			documents.refusal.hold(r.sights, path, d)
		}
	case e.Request.Method != http.MethodGet || e.Response.Status != http.StatusOK:
	case r.paths.goal.MatchString(path):
		if d.body.Key("objective").Present() && d.body.Key("completion").Present() { // other documents may be served below such a path
			documents.goal.hold(r.sights, path, d)
		}
	case r.paths.snapshot.MatchString(path) && !r.paths.diff.MatchString(path):
		documents.snapshot.hold(r.sights, path, d)
	}
}
