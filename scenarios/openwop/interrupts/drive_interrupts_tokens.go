package interrupts

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// showTokens unblocks what only a token can be asked about.
const showTokens = "show the interruptToken of a suspended run in its snapshot (docs/seams.md)"

// TokensObservation is two runs that wait for the same, and what their tokens do.
type TokensObservation struct {
	First     Gate          `json:"first"`
	Second    Gate          `json:"second"`
	Timeout   time.Duration `json:"timeoutNs"` // of the first; 0 where it was not chosen
	Draft     string        `json:"draft"`     // of the first; "" where it was not chosen
	Inspected host.Answered `json:"inspected"` // with the first's token
	Other     host.Answered `json:"other"`     // with the second's
	Forged    []Response    `json:"forged"`    // of the first, with the first run as it stood then
	Barrier   wire.Wait     `json:"barrier"`
	Used      Response      `json:"used"` // the first's token
	FirstEnd  host.RunLog   `json:"firstEnd"`
	Again     Response      `json:"again"`     // the same token
	Untouched host.RunLog   `json:"untouched"` // the second, when the first was answered
	Cancelled host.Answered `json:"cancelled"` // the second
	SecondEnd host.RunLog   `json:"secondEnd"`
	Late      Response      `json:"late"` // the second's token
}

// tokensUsed has two runs wait, and uses the token of the one.
var tokensUsed = &scenarios.Drive[TokensObservation]{
	ID: "openwop/tokens-used",
	Title: "has two runs wait for an approval, looks at what their tokens show, answers the first with tokens that nobody " +
		"made and with its own, twice, and cancels the second and answers it with its own",
	Sends: []string{sendsGate + ", twice", "{read run}", "{poll log}", "{read token}",
		"{use token}, with tokens of the host and with others", "{cancel run}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TokensObservation) {
		h := host.Host{Conn: c}
		way := approvalGate(h)
		if way.ours {
			o.Timeout, o.Draft = time.Duration(h.Between(120_000, 600_000))*time.Millisecond, draftOf(way)
			way.inputs["timeoutMs"] = o.Timeout.Milliseconds()
		}
		first := tokened(ctx, h, way, &o.First)
		if !first.waits() {
			return
		}
		delete(way.inputs, "timeoutMs")
		second := tokened(ctx, h, way, &o.Second)
		if !second.waits() {
			return
		}
		o.Inspected = inspect(ctx, h, first.token)
		o.Other = inspect(ctx, h, second.token)
		first.forged(ctx, second.token, o)
		first.spends(ctx, second, o)
		second.tooLate(ctx, o)
	},
}

// tokened waits for a run that shows its token.
func tokened(ctx context.Context, h host.Host, way gateWay, into *Gate) *Waiting {
	w := wait(ctx, h, way)
	if *into = w.Gate; w.waits() && w.token == "" {
		scenarios.End(scenarios.Block("the snapshot of a run that waits for an approval shows no interruptToken", showTokens))
	}
	return w
}

// inspect looks at what is behind a token, without another credential.
func inspect(ctx context.Context, h host.Host, token string) host.Answered {
	const what = "what is behind the token"
	reply := h.Do(ctx, wire.Call{Operation: dialect.ReadToken.Of(token), Label: what, Anonymous: true, Secrets: []string{"/token",
		"/interruptToken"}})
	return host.AnsweredBy(what, reply)
}

// forged answers with tokens that the host did not make.
func (w *Waiting) forged(ctx context.Context, other string, o *TokensObservation) {
	for _, f := range []struct{ what, token string }{
		{"a token with another character", w.Altered(w.token)},
		{"a token that is cut short", w.token[:len(w.token)*2/3]},
		{"the one half of a token and the other of another", Spliced(w.token, other)},
		{"a token that nobody made", w.Marker()},
	} {
		if f.token == w.token || f.token == other || Names(w.Log, f.token) {
			continue // too short to be taken apart, or no secret: to hide it would hide what it stands for
		}
		marker := w.Marker()
		o.Forged = append(o.Forged, w.looked(ctx, w.answersBy(ctx, f.token, "to accept with "+f.what, marker,
			decision(dialect.ApprovalActionAccept, marker))))
	}
	o.Barrier = another(ctx, w.Run.Host)
}

// Names says whether a text stands on the log, or is part of an id there.
func Names(l host.RunLog, text string) bool {
	return strings.Contains(l.RunID, text) || slices.ContainsFunc(l.Events, func(e wire.Value) bool { return host.Holds(e.Actual(), text) })
}

// Altered is the token with another letter within its first half: the last bits of base64 may mean nothing.
func (w *Waiting) Altered(token string) string {
	if len(token) < 4 {
		return token
	}
	at := w.Between(1, len(token)/2)
	with := byte('A')
	if token[at] == with {
		with = 'B'
	}
	return token[:at] + string(with) + token[at+1:]
}

// Spliced has the payload of one token and the signature of another, or its halves where it has no parts.
func Spliced(a, b string) string {
	cut := strings.LastIndexByte(a, '.')
	from := strings.LastIndexByte(b, '.')
	if cut < 0 || from < 0 {
		cut, from = len(a)/2, len(b)/2
	}
	return a[:cut] + b[from:]
}

// spends answers the first run with its token, twice, and looks at the second meanwhile.
func (w *Waiting) spends(ctx context.Context, second *Waiting, o *TokensObservation) {
	marker := w.Marker()
	o.Used = w.answersBy(ctx, w.token, "to accept with the token", marker, decision(dialect.ApprovalActionAccept, marker))
	o.FirstEnd = w.ends(ctx, o.Used)
	marker = w.Marker()
	o.Again = w.looked(ctx, w.answersBy(ctx, w.token, "to accept with the same token", marker, decision(dialect.ApprovalActionAccept, marker)))
	o.Untouched = second.Stands(ctx, "the second run, when the first was answered")
}

// tooLate cancels the run and answers it with its token.
func (w *Waiting) tooLate(ctx context.Context, o *TokensObservation) {
	o.Cancelled = w.Stop(ctx, "to cancel the second run")
	if o.SecondEnd = w.Finish(ctx, "log of the cancelled run"); !o.SecondEnd.Ended.Reached {
		return
	}
	marker := w.Marker()
	o.Late = w.looked(ctx, w.answersBy(ctx, w.token, "to accept with the token of a cancelled run", marker,
		decision(dialect.ApprovalActionAccept, marker)))
}
