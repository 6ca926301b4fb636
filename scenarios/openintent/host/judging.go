package host

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of several scenarios have in common.

// Pending checks that a refusal left the intent waiting.
func Pending(j *scenarios.Judge, id scenarios.RequirementID, after string, intent Reply) {
	j.Check(id, intent.Body.Key("status")).To(check.Equal(Suspended), "status of the intent after %s", after)
}

// Control stops a judge unless the right answer was taken, where the wrong ones had left anything to answer.
func (r Refused) Control(j *scenarios.Judge) {
	for _, stood := range r.Stood {
		if stood.Body.Key("status").String() != Suspended {
			return // the judge has found that out
		}
	}
	r.Right.Taken(j)
}

// Taken stops a judge for which an answer that is taken is the set-up.
func (r Reply) Taken(j *scenarios.Judge) {
	if r.Ok() {
		return
	}
	j.BlockOn(openintentv1.OIP0025A15, "set-up: "+r.Asked+" was not taken: HTTP "+r.Status.JSON())
}

// Readable stops a judge that finds no log.
func (l Log) Readable(j *scenarios.Judge) {
	if code, _ := l.Read.Int(); code/100 == 2 {
		return
	}
	j.Block("the log of the intent cannot be read: HTTP "+l.Read.JSON(), "have GET /intents/{id}/events answer")
}

// SentMember is a member of the record that we wrote.
func (s Suspension) SentMember(member string) any {
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

// AsSent expects what we wrote. A server may say more: defaults within objects, and null or nothing for nothing.
func AsSent(v any) check.Matcher {
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
		if t, isTime := ReadTime(want); isTime && ok {
			u, same := ReadTime(s)
			return same && t.Equal(u) || s == want
		}
		return ok && s == want || want == "" && got == nil
	case nil:
		return got == nil || got == ""
	}
	return got == want
}

// Tells says whether a reply has a text anywhere in it.
func Tells(body wire.Value, text string) bool {
	return strings.Contains(wholeText(body.Actual()), text)
}

// wholeText is all that is said in a document, keys and values.
func wholeText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all strings.Builder
		for _, e := range v {
			all.WriteString(wholeText(e) + "\n")
		}
		return all.String()
	case map[string]any:
		var all strings.Builder
		for k, e := range v {
			all.WriteString(k + "\n" + wholeText(e) + "\n")
		}
		return all.String()
	}
	return ""
}
