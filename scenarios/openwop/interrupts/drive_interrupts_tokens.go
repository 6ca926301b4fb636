package interrupts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// showTokens is the mend where a scenario needs a token.
const showTokens = "show the interruptToken of a suspended run in its snapshot (docs/seams.md)"

// TokensObservation is two runs that wait for the same approval, and the effect of their tokens.
type TokensObservation struct {
	First     Gate          `json:"first"`
	Second    Gate          `json:"second"`
	Event     bool          `json:"event,omitempty"` // they wait for an event from outside: only that shows tokens
	Timeout   time.Duration `json:"timeoutNs"`       // of the first; 0 for a fixed fixture
	Draft     string        `json:"draft"`           // of the first; "" for a fixed fixture
	Inspected host.Answered `json:"inspected"`       // with the first's token
	Other     host.Answered `json:"other"`           // with the second's
	Forged    []Response    `json:"forged"`          // answers to the first run with forged tokens
	Barrier   wire.Wait     `json:"barrier"`
	Used      Response      `json:"used"` // the first's token
	FirstEnd  host.RunLog   `json:"firstEnd"`
	Again     Response      `json:"again"`     // the same token
	Untouched host.RunLog   `json:"untouched"` // the second run after the first was answered
	Cancelled host.Answered `json:"cancelled"` // the second
	SecondEnd host.RunLog   `json:"secondEnd"`
	Late      Response      `json:"late"` // the second's token
}

// tokensUsed has two runs wait, answers one by its token, and cancels the other before using its token.
var tokensUsed = &scenarios.Drive[TokensObservation]{
	ID: "openwop/tokens-used",
	Title: "has two runs wait for an approval, looks at what their tokens show, answers the first with tokens that nobody " +
		"made and with its own, twice, and cancels the second and answers it with its own",
	Sends: []string{sendsGate + ", twice", "{read run}", "{poll log}", "{read token}",
		"{use token}, with tokens of the host and with others", "{cancel run}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TokensObservation) {
		h := host.Host{Conn: c}
		way := approvalGate(h)
		timed := way
		switch {
		case way.ours:
			timed.timeout = time.Duration(h.Between(120_000, 600_000)) * time.Millisecond
			timed.inputs = maps.Clone(way.inputs)
			timed.inputs["timeoutMs"] = timed.timeout.Milliseconds()
		case way.fixture == fixture.UpstreamApproval && h.Offers(fixture.ScriptedArtifact):
			timed = scriptedArtifact(h)
		}
		o.Timeout, o.Draft = timed.timeout, timed.draft
		first, refused := waitIfTaken(ctx, h, timed)
		if refused != nil && way.ours { // it takes no timeout that is as short
			if least, timeout := waitLeast(ctx, h, timed, first, refused); timeout > 0 {
				first, o.Timeout = least, timeout
			}
		} else if first == nil {
			scenarios.End(refused)
		}
		if first.isWaiting() && first.token == "" && (h.Offers(fixture.Event) || h.Offers(fixture.UpstreamEvent)) {
			first.Stop(ctx, "to cancel the run that shows no token") // a host may have tokens for events alone
			way = eventWay(h)
			o.Event, o.Timeout, o.Draft = true, 0, ""
			first = wait(ctx, h, way)
		}
		o.First = first.Gate
		if first.needToken(); !first.isWaiting() {
			return
		}
		second := waitWithToken(ctx, h, way, &o.Second)
		if !second.isWaiting() {
			return
		}
		o.Inspected = inspect(ctx, h, first.token)
		o.Other = inspect(ctx, h, second.token)
		first.sendForged(ctx, second.token, o)
		first.spend(ctx, second, o)
		second.answerTooLate(ctx, o)
	},
}

// waitWithToken is like wait, but ends the drive if the run shows no token.
func waitWithToken(ctx context.Context, h host.Host, way gateWay, into *Gate) *Waiting {
	w := wait(ctx, h, way)
	*into = w.Gate
	w.needToken()
	return w
}

// needToken ends the drive if the run waits and shows no token.
func (w *Waiting) needToken() {
	if w.isWaiting() && w.token == "" {
		scenarios.End(scenarios.Block("the snapshot of a run waiting for an approval shows no interruptToken", showTokens))
	}
}

// inspect reads the interrupt that a token stands for, without another credential.
func inspect(ctx context.Context, h host.Host, token string) host.Answered {
	const what = "what is behind the token"
	reply := h.Do(ctx, wire.Call{Operation: dialect.ReadToken.Of(token), Label: what, Anonymous: true, Secrets: []string{"/token",
		"/interruptToken"}})
	return host.AnsweredBy(what, reply)
}

// sendForged answers with tokens that the host did not make.
func (w *Waiting) sendForged(ctx context.Context, other string, o *TokensObservation) {
	for _, f := range []struct{ what, token string }{
		{"a token with another character", w.Altered(w.token)},
		{"a token that is cut short", w.token[:len(w.token)*2/3]},
		{"the one half of a token and the other of another", Spliced(w.token, other)},
		{"a token that nobody made", w.Marker()},
	} {
		if f.token == w.token || f.token == other || Names(w.Log, f.token) {
			continue // too short to alter, or no secret: redacting it would blank ids in the log
		}
		marker := w.Marker()
		o.Forged = append(o.Forged, w.withLog(ctx, w.useToken(ctx, f.token, "to accept with "+f.what, marker,
			w.way.accepting(marker))))
	}
	o.Barrier = runSentinel(ctx, w.Run.Host)
}

// Names reports whether a text occurs in the log or in the run's id.
func Names(l host.RunLog, text string) bool {
	return strings.Contains(l.RunID, text) || slices.ContainsFunc(l.Events, func(e wire.Value) bool { return host.Holds(e.Actual(), text) })
}

// Altered returns the token with one letter of its first half changed: the last bits of base64 may carry nothing.
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

// Spliced joins the payload of a and the signature of b, or their halves if a token has no dot.
func Spliced(a, b string) string {
	cut := strings.LastIndexByte(a, '.')
	from := strings.LastIndexByte(b, '.')
	if cut < 0 || from < 0 {
		cut, from = len(a)/2, len(b)/2
	}
	return a[:cut] + b[from:]
}

// spend answers the first run with its token, twice, and then reads the second run.
func (w *Waiting) spend(ctx context.Context, second *Waiting, o *TokensObservation) {
	marker := w.Marker()
	o.Used = w.useToken(ctx, w.token, "to accept with the token", marker, w.way.accepting(marker))
	o.FirstEnd = w.finishAfter(ctx, o.Used)
	marker = w.Marker()
	o.Again = w.withLog(ctx, w.useToken(ctx, w.token, "to accept with the same token", marker, w.way.accepting(marker)))
	o.Untouched = second.Stands(ctx, "the second run, when the first was answered")
}

// answerTooLate cancels the run and then answers it with its token.
func (w *Waiting) answerTooLate(ctx context.Context, o *TokensObservation) {
	o.Cancelled = w.Stop(ctx, "to cancel the second run")
	if o.SecondEnd = w.Finish(ctx, "log of the cancelled run"); !o.SecondEnd.Ended.Reached {
		return
	}
	marker := w.Marker()
	o.Late = w.withLog(ctx, w.useToken(ctx, w.token, "to accept with the token of a cancelled run", marker,
		w.way.accepting(marker)))
}
