package openintent

import (
	"net/http"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/answers"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// furtherAnswer takes an answer, with the question as it was last read.
func (r *reader) furtherAnswer(i *intent, named string, x exchange) {
	if r.recorded == nil {
		return
	}
	r.recorded.answers = r.recorded.answers || x.ok() || x.refuses(http.StatusConflict, http.StatusUnprocessableEntity)
	value, valued := x.sent["value"]
	if keyed(x.header) && named != "" && valued {
		r.recorded.told = append(r.recorded.told, nowhere{i, x.status, i.missed})
	}
	if x.ok() && named == i.sid { // it waited until then
		r.confirm(i, x)
	}
	i.gates = nil
	record := i.doc.At("/state/_suspension")
	if i.settled.IsZero() || !x.after(i.settled) || i.sid != named || named == "" || !r.undisturbed(i, x) {
		return
	}
	refused := x.refuses(http.StatusBadRequest, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity)
	if record.Key("resolution").String() == "expired" && !i.ends && (x.ok() || refused) {
		r.alone(openintent.OIPREAD3, !x.ok(), x.status, "a refusal, for the record says expired")
	}
	if text, isText := value.(string); isText && r.waits(i, x) && !wire.HoldsSecret(text) && wire.Hidden(record) == 0 {
		r.judgeValue(i, record, text, x)
	}
}

// judgeValue judges the reply to an answer by the question that was asked.
func (r *reader) judgeValue(i *intent, record wire.Value, value string, x exchange) {
	choices := record.Key("choices").Items()
	switch kind := record.Key("response_type").String(); {
	case kind == "choice" && len(choices) > 0:
		var values []string
		var chosen wire.Value
		for _, c := range choices {
			v := c.Key("value").String()
			if v == "" {
				return // some other form of a choice
			}
			if v == value {
				chosen = c
			}
			values = append(values, v)
		}
		r.judgeChoice(i, values, chosen, x)
	case kind == "confirm" && len(choices) == 0: // one with choices is open (OIP-R29)
		right := value == "yes" || value == "no"
		switch {
		case right && (x.ok() || x.refuses(http.StatusUnprocessableEntity)):
			r.alone(openintent.OIP0025A9, x.ok(), x.status, "2xx, for a confirmation takes yes and no")
		case !right && (x.ok() || x.refuses(http.StatusUnprocessableEntity)):
			r.alone(openintent.OIP0025A9, !x.ok(), x.status, "422, for a confirmation takes yes and no only")
		}
	}
}

func (r *reader) judgeChoice(i *intent, values []string, chosen wire.Value, x exchange) {
	label := chosen.Key("label").String()
	switch {
	case chosen.Present() && x.ok() && label != "":
		r.judged(true, scenarios.IDs{openintent.OIP0025A12}, func(j *scenarios.Judge) {
			answers.CheckChosen(j, x.body, label, chosen.Key("description").String())
		})
	case !chosen.Present() && x.refuses(http.StatusConflict): // unless it did not wait any more
		r.gated(i, openintent.OIP0025A7, x, false, x.status, "422, for the value is none of "+wire.Compact(values))
	case !chosen.Present() && (x.ok() || x.refuses(http.StatusUnprocessableEntity)):
		r.alone(openintent.OIP0025A7, !x.ok(), x.status, "422, for the value is none of "+wire.Compact(values))
		if x.ok() {
			return
		}
		list := host.Locate(host.ValidChoices, host.Named("body", x.body))
		r.judged(true, scenarios.IDs{openintent.OIP0025A8}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0025A8, list.Value).To(answers.ListOf(values), "%s", list.Label("valid_choices"))
		})
	}
}

// furtherWrite takes a write of the status or the state.
func (r *reader) furtherWrite(i *intent, what string, x exchange) {
	if r.recorded == nil {
		return
	}
	if what == "status" {
		r.complete(i, x)
	}
	if !x.ok() {
		return
	}
	i.gates = nil
	for _, a := range i.answers { // from here on a client may have given it its status
		a.resumes = a.resumes && what != "status"
	}
	delete(i.late, openintent.OIP0025A15)
	if host.Mentions(x.sent, "_suspension") {
		delete(i.late, openintent.OIP0025A13)
		delete(i.late, openintent.OIP0025F3)
		i.ends = i.ends || host.Mentions(x.sent, "resolution")
		delete(r.recorded.expired, i.sid)
		r.taken(x)
	}
}

// taken judges a record that was written, by the reply to that. It is certain that the reply shows nobody else's write where the version
// is the next one.
func (r *reader) taken(x exchange) {
	sent := recordIn(x.sent)
	id, _ := sent["id"].(string)
	shown := x.body.At("/state/_suspension")
	hidden := wire.Hidden(shown) > 0 || strings.Contains(wire.Compact(sent), "secret:")
	if _, has := x.body.Key("state").Actual().(map[string]any); id == "" || !has || hidden {
		return
	}
	named, isNumber, _ := x.names()
	now, _ := x.body.Key("version").Int()
	alone := !isNumber || now != named+1
	policy, said := sent["retry_policy"].(map[string]any)
	switch {
	case said && shown.Key("id").String() == id:
		r.judged(alone, scenarios.IDs{openintent.OIP0026X3}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0026X3, shown.Key("retry_policy")).To(host.AsSent(policy), "retry_policy of the record that was written")
		})
	case !said && sent["retry_policy"] == nil:
		r.judged(alone, scenarios.IDs{openintent.OIP0026L1}, func(j *scenarios.Judge) {
			j.Check(openintent.OIP0026L1, shown.Key("id")).To(check.Equal(id), "id of the record without retry_policy")
			if fallback, given := sent["fallback_policy"].(string); given {
				j.Check(openintent.OIP0026L1, shown.Key("fallback_policy")).
					To(host.AsSent(fallback), "fallback_policy of the record without retry_policy")
			}
		})
	}
}

// recordIn returns the record that a write of the state writes whole, nil if it writes none or in more than one step.
func recordIn(sent map[string]any) map[string]any {
	state, _ := sent["state"].(map[string]any)
	found, _ := state["_suspension"].(map[string]any)
	patches, _ := sent["patches"].([]any)
	for _, p := range patches {
		patch, _ := p.(map[string]any)
		path, _ := patch["path"].(string)
		path = strings.TrimPrefix(path, "/")
		if !strings.HasPrefix(path, "_suspension") {
			continue
		}
		if found != nil || path != "_suspension" || patch["op"] != "set" {
			return nil
		}
		if found, _ = patch["value"].(map[string]any); found == nil {
			return nil
		}
	}
	return found
}

// furtherRead takes an intent as it was read, or as a reply to a write shows it; earlier is what was known of it.
func (r *reader) furtherRead(i *intent, earlier intent, x exchange) {
	if r.recorded == nil {
		return
	}
	i.there = true
	if parent := parentOf(i.doc); parent != "" && parentOf(earlier.doc) == "" {
		r.recorded.children[parent] = append(r.recorded.children[parent], i)
	}
	r.judgeGates(i, earlier, x)
	r.ladder(i.doc.At("/state/_suspension"))
	if reason := i.doc.Key("abandonment_reason"); strings.HasPrefix(reason.String(), "portfolio_deadline") {
		r.see(openintent.OIP0026R5C, reason.String() == "portfolio_deadline_exceeded", reason, "portfolio_deadline_exceeded")
	}
	if x.method != http.MethodGet {
		i.shown, i.read = nil, time.Time{}
		return
	}
	r.judgeShown(i, earlier, x)
	record := i.doc.At("/state/_suspension")
	if a := i.answers[i.sid]; a != nil && a.resumes && x.after(a.ended) && !i.depends() {
		switch status := i.doc.Key("status"); status.String() {
		case host.Active, host.Suspended, host.Blocked:
			r.shows(i, x, openintent.OIP0025A15, status.String() == host.Active, true, status,
				"active, for the answer at "+a.at.Ref().String()+" was taken")
		}
	}
	if e, is := r.recorded.expired[i.sid]; is && x.after(e.ended) && i.answers[i.sid] == nil {
		resolution := record.Key("resolution")
		r.shows(i, x, openintent.OIP0025F3, resolution.String() == "expired", true, resolution,
			"expired, for "+string(host.EventExpired)+" says so at "+e.at.Ref().String())
	}
}

// depends reports whether an intent may wait for others: what becomes of it hangs on them, too.
func (i *intent) depends() bool {
	return len(i.doc.Key("depends_on").Items()) > 0 || i.doc.At("/state/_io_inputs").Present()
}

// shown is an intent in a list.
type shown struct {
	status, version wire.Value
	exchange
}

// mostShown bounds how often an intent is listed between two reads of it.
const mostShown = 32

// judgeShown compares lists with two reads that they lie between. The two and the list have one version, so they have one status.
func (r *reader) judgeShown(i *intent, earlier intent, x exchange) {
	version, known := i.doc.Key("version").Int()
	before, _ := earlier.doc.Key("version").Int()
	for _, s := range i.shown {
		v, _ := s.version.Int()
		between := !earlier.read.IsZero() && s.after(earlier.read) && x.after(s.ended)
		if known && between && v == version && before == version && earlier.status == i.status {
			r.see(openintent.OIPREAD16, s.status.String() == i.status, s.status, i.status+", as in version "+i.doc.Key("version").JSON())
		}
	}
	i.shown, i.read = nil, x.ended
}
