package host

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Pending checks that the intent is still suspended after a refusal.
func Pending(j *scenarios.Judge, id scenarios.RequirementID, after string, intent Reply) {
	j.Check(id, intent.Body.Key("status")).To(check.Equal(Suspended), "status of the intent after %s", after)
}

// NotTakenOver expects a status of a container that does not say suspended: a suspension is that of its intent (OIP-R7).
func NotTakenOver() check.Matcher {
	return check.That("nothing that says suspended", func(v any) bool {
		s, _ := v.(string)
		return !strings.Contains(s, "suspended")
	})
}

// Turned checks that something became what was waited for, by the status that it showed then. It reports whether both hold.
func Turned(j *scenarios.Judge, id scenarios.RequirementID, wait wire.Wait, status string, what ...any) bool {
	return j.Check(id, wait).To(check.Reached(), what...) && j.Check(id, wait.Last).To(check.Equal(status), what...)
}

// Control blocks the judge unless the right answer was taken. It asks nothing where a wrong answer had resumed the
// intent.
func (r Refused) Control(j *scenarios.Judge) {
	for _, stood := range r.Stood {
		if stood.Body.Key("status").String() != Suspended {
			return // Pending has found that
		}
	}
	r.Right.Taken(j)
}

// Taken blocks the judge unless the answer was taken. A refusal violates nothing by itself: a server may refuse for want
// of a right, or after too many wrong answers. The sentences say what follows an answer that is taken.
func (r Reply) Taken(j *scenarios.Judge) {
	if !r.Ok() {
		j.Block("setup failed: "+r.Asked+" was answered with HTTP "+r.Status.JSON(),
			"make POST /intents/{id}/suspend/respond take a valid answer")
	}
}

// Readable blocks the judge unless the reply is 2xx: of a resource that cannot be read nothing is seen.
func (r Reply) Readable(j *scenarios.Judge) {
	if !r.Ok() {
		j.Block("setup failed: "+r.Asked+" cannot be read: HTTP "+r.Status.JSON(), "make the request answer with 2xx")
	}
}

// HasStatus blocks the judge unless the reply shows a status.
func (r Reply) HasStatus(j *scenarios.Judge) {
	r.Readable(j)
	if r.Body.Key("status").String() == "" {
		j.Block("setup failed: "+r.Asked+" shows no status", "answer with the status of the intent")
	}
}

// Excused reports whether a refusal may be for want of a right, or for load, whatever was asked.
func (r Reply) Excused() bool {
	switch r.Code() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
		http.StatusTooManyRequests:
		return true
	}
	return r.Code()/100 == 5
}

// Readable blocks the judge unless the log could be read.
func (l Log) Readable(j *scenarios.Judge) {
	if code, _ := l.Read.Int(); code/100 == 2 {
		return
	}
	j.Block("the log of the intent cannot be read: HTTP "+l.Read.JSON(), "make GET /intents/{id}/events answer with 2xx")
}

// SentMember returns a member of the record as the drive wrote it, nil if there is none.
func (s Suspension) SentMember(member string) any { return s.Sent.members[member] }

// Members returns the names of the members of the record as it was written, sorted.
func (s Suspension) Members() []string { return slices.Sorted(maps.Keys(s.Sent.members)) }

// AsSent expects a value as the drive wrote it. A server may add defaults to objects, and show an empty value as null
// or not at all.
func AsSent(v any) check.Matcher {
	want := check.Plain(v)
	return check.That("as it was written, "+wire.Compact(v), func(got any) bool { return covers(got, want) })
}

// covers reports whether got has everything that want has.
func covers(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return len(want) == 0 && got == nil
		}
		for k, v := range want {
			if !covers(have[k], v) {
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
			if !covers(have[i], want[i]) {
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

// Contains reports whether one of these texts stands anywhere in a value.
func Contains(value wire.Value, texts ...string) bool { return Mentions(value.Actual(), texts...) }

// Mentioning expects a document with one of these texts anywhere.
func Mentioning(texts ...string) check.Matcher {
	return check.Seeing("something with "+strings.Join(texts, " or "), func(s wire.Seen) (bool, string) {
		v, _ := s.(wire.Value)
		return Contains(v, texts...), v.JSON()
	})
}

// SuspendedCodes are the codes of the refusal of a claim whose upstream waits, as servers spell it (OIP-R27).
var SuspendedCodes = []string{"upstream_intent_suspended", "UpstreamIntentSuspendedError"}

// Mentions reports whether one of these texts stands anywhere in a decoded document, names of members included.
func Mentions(document any, texts ...string) bool {
	switch v := document.(type) {
	case string:
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(v, text) })
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return Mentions(e, texts...) })
	case map[string]any:
		for name, e := range v {
			if Mentions(name, texts...) || Mentions(e, texts...) {
				return true
			}
		}
	}
	return false
}

// Entries returns a list, or that below a member of this name.
func Entries(v wire.Value, member string) wire.Values {
	if _, is := v.Actual().([]any); is {
		return v.Items()
	}
	return v.Key(member).Items()
}
