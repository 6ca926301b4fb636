package replay

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// This exposes silent substitution: only the event that reports it may hold the refusal or the substituted answer.
var refusalDiverges = scenarios.Scenario{
	ID:     "openwop/replay/refusal-diverges",
	Title:  "a replay in which a model refuses what it answered, or answers what it refused, says so once and fails",
	Proves: scenarios.IDs{openwop.OWPRPL15},
	Claim:  claims.RefusalDivergence,
	Ask: scenarios.Ask(replaysOfAModel, func(o ModelObservation, j *scenarios.Judge) {
		for _, r := range []struct {
			call          ModelReplay
			was, is, what string
		}{
			{o.Refusing, "valid", "refusal", "a replay with a refusal in place of an answer"},
			{o.Answering, "refusal", "valid", "a replay with an answer in place of a refusal"},
		} {
			r.call.given(j)
			if status, _ := r.call.Replay.Created.Int(); status == http.StatusUnprocessableEntity {
				j.Find("", "%s is refused with HTTP 422 and makes no run: OWP-R19", r.what)
				j.Check(openwop.OWPRPL15, r.call.Code).To(dialect.Coded(dialect.DivergedAtRefusal), "code for %s", r.what)
				continue
			}
			l := r.call.Replay
			l.Made(j, openwop.OWPRPL15, r.what)
			if !j.Check(openwop.OWPRPL15, l.Ended).To(check.Reached(), "%s", r.what) {
				return
			}
			l.Readable(j)
			told := l.OfType(dialect.ReplayDivergedAtRefusal)
			j.Check(openwop.OWPRPL15, told).To(check.Len(1), "events that tell of it, in %s", r.what)
			j.Check(openwop.OWPRPL15, told.Each("/payload/sourceRunId")).To(check.Equal([]any{r.call.Source.RunID}), "source of %s", r.what)
			j.Check(openwop.OWPRPL15, told.Each("/payload/originalEnvelopeKind")).To(check.Equal([]any{r.was}),
				"what the model did in the source of %s", r.what)
			j.Check(openwop.OWPRPL15, told.Each("/payload/replayEnvelopeKind")).To(check.Equal([]any{r.is}), "what the model did in %s", r.what)
			j.Check(openwop.OWPRPL15, told.Each("/payload/atSequence")).To(check.Each(r.call.within()), "place of %s", r.what)
			if len(told.Values) == 1 {
				dialect.FindSlips(j, openwop.OWPEVT8, told.Values[0])
				r.call.checkPlace(j, openwop.OWPRPL15, told.Values[0], r.what)
			}
			j.Check(openwop.OWPRPL15, l.Status()).To(check.Equal("failed"), "status of %s", r.what)
			j.Check(openwop.OWPRPL15,
				l.OfType(dialect.RunFailed).Each("/payload/error/code")).To(dialect.EachCoded(dialect.DivergedAtRefusal), "code of %s", r.what)
			j.Check(openwop.OWPRPL15, l.OfType(dialect.NodeCompleted).Each("/nodeId")).To(check.Len(0), "nodes that were completed in %s", r.what)
		}
	}),
}

// within expects a sequence of the source's log.
func (m ModelReplay) within() check.Matcher {
	first, last := int64(0), int64(0)
	if n := len(m.Source.Events); n > 0 {
		first, last = host.Sequence(m.Source.Events[0]), host.Sequence(m.Source.Last())
	}
	return check.That("a place in the log of the source", func(v any) bool {
		at, ok := v.(int64)
		return ok && at >= first && at <= last
	})
}

// checkPlace expects an event that tells of a difference to name one place of the source: an event of the node that called the model,
// or of the node of the event that it names. The place may be the one that the replay has come to.
func (m ModelReplay) checkPlace(j *scenarios.Judge, id scenarios.RequirementID, told wire.Value, what string) {
	var ids []any
	named, node := told.At("/payload/originalEventId"), host.FirstText(told.At("/payload/nodeId"), told.Key("nodeId"))
	for _, e := range m.Source.Events {
		if ids = append(ids, e.Key("eventId").Actual()); named.Present() && e.Key("eventId").JSON() == named.JSON() {
			node = host.NodeOf(e)
		}
	}
	places := []int64{host.Sequence(told)}
	for _, e := range m.Source.Events {
		if of := host.NodeOf(e); of != "" && (node == "" || of == node) {
			places = append(places, host.Sequence(e))
		}
	}
	if named.Present() && !j.Check(id, named).To(check.OneOf(ids...), "event of the source that %s names", what) {
		return
	}
	j.Check(id, told.At("/payload/atSequence")).To(check.That("the place of the event of the source that it is about", func(v any) bool {
		at, ok := v.(int64)
		return ok && slices.Contains(places, at)
	}), "place of %s", what)
}

// given blocks the judge unless the source ended.
func (m ModelReplay) given(j *scenarios.Judge) {
	m.Source.Over(j)
}

// The control of both is a replay in which the model answers as before.
var otherAnswerTold = scenarios.Scenario{
	ID: "openwop/replay/other-answer-told",
	Title: "a replay in which a model answers something else has what was recorded, and says so if it asked again; one in " +
		"which it answers the same says nothing",
	Proves: scenarios.IDs{openwop.OWPRPL4, openwop.OWPRPL16},
	Claim:  claims.ReplayDeterminism,
	Ask: scenarios.Ask(replaysOfAModel, func(o ModelObservation, j *scenarios.Judge) {
		for _, r := range []struct {
			call ModelReplay
			what string
			same bool
		}{
			{o.Same, "a replay with the same answer", true},
			{o.Other, "a replay with another answer", false},
		} {
			r.call.given(j)
			l := r.call.Replay
			if r.same { // it shows that the host makes such forks
				l.MadeFork(j, openwop.OWPRPL16, r.what)
			}
			l.Made(j, openwop.OWPRPL16, r.what)
			if !j.Check(openwop.OWPRPL16, l.Ended).To(check.Reached(), "%s", r.what) {
				return
			}
			l.Readable(j)
			if !showsText(r.call.Source, r.call.Said) {
				j.Block("the log of the source does not show what the model answered", showAnswers)
			}
			j.Check(openwop.OWPRPL4, outputsOf(l)).To(check.SameAs(outputsOf(r.call.Source)), "outputs of the nodes in %s", r.what)
			j.Check(openwop.OWPRPL16, l.Status()).To(check.Equal("completed"), "status of %s", r.what)
			told := l.OfType(dialect.ReplayDiverged, dialect.ReplayDivergedAtRefusal)
			if r.same {
				j.Check(openwop.OWPRPL16, told).To(check.Len(0), "differences told in %s", r.what)
				continue
			}
			j.Check(openwop.OWPRPL16, l.OfType(dialect.ReplayDivergedAtRefusal)).To(check.Len(0), "refusals told in %s", r.what)
			longer := o.Longer.Replay.OfType(dialect.ReplayDiverged) // a host that tells of it has asked the model again
			if len(longer.Values) > 0 && !j.Check(openwop.OWPRPL16, told).NotTo(check.Len(0), "differences told in %s, as in one with a member more",
				r.what) {
				continue
			}
			if len(told.Values) == 0 {
				j.Find("", "the host did not ask the model again, so it had no difference to report: OWP-R18")
				continue
			}
			dialect.FindSlips(j, openwop.OWPEVT8, told.Values[0])
			if source := told.Values[0].At("/payload/sourceRunId"); source.Present() {
				j.Check(openwop.OWPRPL16, source).To(check.Equal(r.call.Source.RunID), "sourceRunId in %s", r.what)
			}
			if told.Values[0].At("/payload/atSequence").Present() { // else it has the form of the prose
				r.call.checkPlace(j, openwop.OWPRPL16, told.Values[0], r.what)
			}
		}
	}),
}

const showAnswers = "have node.completed of a core.ai.structuredOutput node show what the model answered in its outputs (docs/seams.md)"

func showsText(l host.RunLog, text string) bool {
	for _, v := range outputsOf(l).Values {
		if host.Holds(v.Actual(), text) {
			return true
		}
	}
	return false
}

func outputsOf(l host.RunLog) wire.Found {
	return l.OfType(dialect.NodeCompleted).Each("/payload/outputs")
}

// RFC 0041 C: the events up to the end of a nondeterministic node are the source's.
var toolKept = scenarios.Scenario{
	ID:     "openwop/replay/tool-kept",
	Title:  "up to the end of a node that says of itself that nobody can foresee it, a replay has the events of its source",
	Proves: scenarios.IDs{openwop.OWPRPL4},
	Claim:  claims.ReplayDeterminism,
	Ask: scenarios.Ask(replaysOfATool, func(o ToolObservation, j *scenarios.Judge) {
		o.Source.Over(j)
		CheckMade(o.Fork, j, openwop.OWPRPL4, o.Source)
		want, got := untilNode(o.Source, toolNode), untilNode(o.Fork.Log, toolNode)
		if len(want.Values) == 0 {
			j.Block("the log of the source does not show the end of "+toolNode, "name the node in node.completed")
		}
		for _, field := range []string{"/type", "/nodeId"} {
			j.Check(openwop.OWPRPL4, got.Each(field)).To(check.SameAs(want.Each(field)), "%s of the events up to the end of the node", field[1:])
		}
		own := map[string]bool{o.Source.RunID: true, o.Fork.Log.RunID: true}
		j.Check(openwop.OWPRPL4, got.Each("/payload")).To(samePayloads(want.Each("/payload"), own, nil), "payloads up to the end of the node")
	}),
}

// untilNode returns the events of a log up to the end of a node, or none if it does not end.
func untilNode(l host.RunLog, node string) wire.Found {
	all := l.All()
	for i, e := range all.Values {
		if dialect.EventOf(e) == dialect.NodeCompleted && (e.Key("nodeId").String() == node || e.At("/payload/nodeId").String() == node) {
			all.Values = all.Values[:i+1]
			return all
		}
	}
	all.Values = nil
	return all
}

// cacheKeyForm matches a SHA-256 in lower-case hex.
var cacheKeyForm = lazyregexp.New(`^[0-9a-f]{64}$`)

// The judge computes no digest. It only compares keys that must be equal or must differ (OWP-R37).
var cacheKeys = scenarios.Scenario{
	ID:      "openwop/replay/cache-keys",
	Title:   "a request to a model has the key of the same request in another order, and no other request has it",
	Proves:  scenarios.IDs{openwop.OWPRPL14},
	Claim:   claims.LlmCacheKey,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(keysOfRequests, func(o KeyObservation, j *scenarios.Judge) {
		host.SeamAnswered(j, o.Base.Status, o.Path)
		form := check.That("64 lower-case hex digits", func(v any) bool {
			key, _ := v.(string)
			return cacheKeyForm.MatchString(key)
		})
		if !j.Check(openwop.OWPRPL14, o.Base.Key).To(form, "key of a request") {
			return
		}
		for _, same := range o.Same {
			j.Check(openwop.OWPRPL14, same.Key).To(check.SameAs(o.Base.Key), "key of the request with %s", same.What)
		}
		seen := map[string]string{o.Base.Key.String(): "the request itself"}
		parts := slices.DeleteFunc(slices.Clone(o.Parts), func(k KeyAnswer) bool { return !host.Succeeded(k.Status) })
		for _, other := range slices.Concat(o.Other, o.Bare[:min(1, len(o.Bare))], parts) {
			if !j.Check(openwop.OWPRPL14, other.Key).To(form, "key of the request with %s", other.What) {
				continue
			}
			j.Check(openwop.OWPRPL14, other.Key).To(check.That("a key that none of the others has", func(v any) bool {
				key, _ := v.(string)
				return seen[key] == ""
			}), "key of the request with %s", other.What)
			seen[other.Key.String()] = other.What
		}
		for _, bare := range o.Bare {
			j.Check(openwop.OWPRPL14, bare.Key).To(check.SameAs(o.Bare[0].Key), "key of the request with %s", bare.What)
		}
	}),
}
