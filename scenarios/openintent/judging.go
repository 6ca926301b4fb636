package openintent

import (
	"bytes"
	"encoding/json"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of several scenarios have in common.

// pending checks that a refusal left the intent waiting.
func pending(j *scenarios.Judge, id scenarios.RequirementID, after string, intent Reply) {
	j.Check(id, intent.Body.Key("status")).To(check.Equal(suspended), "status of the intent after %s", after)
}

// refused judges answers that had to be refused, and whether the intent went on waiting. It returns whether the target takes
// a right answer: where it does not, that it refuses the others shows nothing.
func (r Refused) refused(j *scenarios.Judge, id scenarios.RequirementID, accepted ...int) {
	for k, w := range r.Wrong {
		j.Check(id, w.Status).To(check.Status(accepted...), "%s", w.Asked)
		pending(j, id, w.Asked, r.Stood[k])
	}
	r.control(j)
}

// control stops a judge unless the right answer was taken, where the wrong ones had left anything to answer.
func (r Refused) control(j *scenarios.Judge) {
	for _, stood := range r.Stood {
		if stood.Body.Key("status").String() != suspended {
			return // the judge has found that out
		}
	}
	r.Right.taken(j)
}

// taken stops a judge for which an answer that is taken is the set-up.
func (r Reply) taken(j *scenarios.Judge) {
	if r.ok() {
		return
	}
	j.BlockOn(openintentv1.OIP0025A15, "set-up: "+r.Asked+" was not taken: HTTP "+r.Status.JSON())
}

// readable stops a judge that finds no log.
func (l Log) readable(j *scenarios.Judge) {
	if code, _ := l.Read.Int(); code/100 == 2 {
		return
	}
	j.Block("the log of the intent cannot be read: HTTP "+l.Read.JSON(), "have GET /intents/{id}/events answer")
}

// sent is a member of the record that we wrote.
func (s Suspension) sent(member string) any {
	var all map[string]json.RawMessage
	if json.Unmarshal(s.Sent, &all) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(all[member]))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// asSent expects what we wrote. A server may say more: defaults within objects, and null or nothing for nothing.
func asSent(v any) check.Matcher {
	want := check.Plain(v)
	return check.That("as it was written, "+wire.Compact(v), func(got any) bool { return holds(got, want) })
}

// holds says whether got has all that want has.
func holds(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return len(want) == 0 && got == nil
		}
		for k, v := range want {
			if !holds(have[k], v) {
				return false
			}
		}
		return true
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			return false
		}
		for i := range want {
			if !holds(have[i], want[i]) {
				return false
			}
		}
		return true
	case string:
		s, ok := got.(string)
		if t, isTime := readTime(want); isTime && ok {
			u, same := readTime(s)
			return same && t.Equal(u) || s == want
		}
		return ok && s == want || want == "" && got == nil
	case nil:
		return got == nil || got == ""
	}
	return got == want
}
