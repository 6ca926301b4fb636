package surface

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// tokenLife is how long the token of an interrupt can be used, from when the interrupt was requested, by the clock that
// runs go by. It ends with the interrupt where that has a timeoutMs that is over sooner.
const tokenLife = 30 * time.Minute

// snapshot is a run as clients see it: where it waits for an answer, with a token that an answer can be given with, unless
// who asks may not answer.
func (h *Host) snapshot(ctx context.Context, runID string) (openwopv1.RunSnapshot, error) {
	snapshot, err := h.engine.Snapshot(ctx, runID)
	if err != nil || snapshot.Interrupt == nil || !h.claimed[claimInterruptTokens] || callerOf(ctx).lacksRespond {
		return snapshot, err
	}
	pending := *snapshot.Interrupt
	asked, err := h.engine.Interrupt(ctx, runID, *pending.InterruptID)
	if err != nil {
		return snapshot, err
	}
	pending.ExpiresAt = h.rules.Tokens.Ends(asked.RequestedAt, asked.Due, tokenLife)
	token, err := h.signer.sign(interruptToken{
		RunID: runID, InterruptID: *pending.InterruptID, ExpiresAt: pending.ExpiresAt, Voter: h.voterOf(callerOf(ctx)),
	})
	if err != nil {
		return snapshot, err
	}
	pending.InterruptToken, pending.CallbackURL = &token, new(tokenPrefix+token)
	snapshot.Interrupt = &pending
	return snapshot, nil
}

// InspectInterruptByToken shows what the interrupt behind a token asks. One that nobody can answer any more, because it was
// answered or its run has ended, is shown as resolved.
func (h *Host) InspectInterruptByToken(ctx context.Context,
	req openwopv1.InspectInterruptByTokenRequestObject) (openwopv1.InspectInterruptByTokenResponseObject, error) {
	token, asked, err := h.behind(ctx, req.Token)
	if err != nil {
		return nil, err
	}
	return openwopv1.InspectInterruptByToken200JSONResponse{
		Kind:      openwopv1.InterruptKind(asked.Kind),
		Key:       asked.Key,
		Data:      asked.Data,
		ExpiresAt: token.ExpiresAt,
		Resolved:  asked.Resolved || asked.Gone || asked.Expired,
		TimeoutMs: asked.TimeoutMs,
	}, nil
}

// ResolveInterruptByToken answers the interrupt behind a token, as ResolveInterruptByRun answers that of a node. The token of
// a run that was stopped is spent, as the protocol has it, where its node is gone.
func (h *Host) ResolveInterruptByToken(ctx context.Context,
	req openwopv1.ResolveInterruptByTokenRequestObject) (openwopv1.ResolveInterruptByTokenResponseObject, error) {
	token, asked, err := h.behind(ctx, req.Token)
	if err != nil {
		return nil, err
	}
	snapshot, err := h.engine.ResolveInterrupt(h.respondent(ctx, token), token.RunID, token.InterruptID, resumeValue(req.Body))
	if e := (*refusal.Error)(nil); errors.As(err, &e) && e.Code == codeInterruptGone {
		return nil, refusal.New(codeInterruptResolved, "this token is spent: the run was stopped", "runId", token.RunID, "interruptId",
			token.InterruptID)
	}
	if err != nil {
		return nil, err
	}
	return openwopv1.ResolveInterruptByToken200JSONResponse{Body: openwopv1.ResolveInterruptResponse{
		RunID:  snapshot.RunID,
		NodeID: asked.NodeID,
		Status: snapshot.Status,
	}}, nil
}

// voterOf is the voter whom a token that this caller is shown names; "" for none. The key of a tenant is nobody's in particular.
func (h *Host) voterOf(who caller) string {
	if !h.opts.TrustVoters || who.principal == who.tenant {
		return ""
	}
	return who.principal
}

// respondent notes who answers by a token: the voter whom it names, where those are trusted, or whose key came with it. Some
// interrupts want to know; where they do not, it makes no difference.
func (h *Host) respondent(ctx context.Context, token interruptToken) context.Context {
	who, known := h.besideToken(ctx, token.RunID)
	switch {
	case h.opts.TrustVoters && token.Voter != "":
		return live.AsBound(ctx, token.Voter, !known)
	case known:
		return live.As(ctx, who.principal)
	}
	return ctx
}

// besideToken is whose key came beside a token, where that may answer this run.
func (h *Host) besideToken(ctx context.Context, runID string) (who caller, known bool) {
	who, known = ctx.Value(besideToken{}).(caller)
	if !known || !h.rules.Answers.Admits(rules.Respondent{LacksScope: who.lacksRespond, Beside: true}) {
		return who, false
	}
	_, err := h.lineage(ctx, opByToken, who.tenant, runID)
	return who, err == nil
}

// behind finds the interrupt that a token is for. A token that was not signed here, in whatever way it is wrong, is not
// told from one whose run is gone.
func (h *Host) behind(ctx context.Context, text string) (interruptToken, state.Interrupt, error) {
	unknown := refusal.New(codeInterruptNotFound, "there is no interrupt behind this token: read interruptToken from the snapshot of the run")
	token, signed, err := h.signer.read(text)
	switch {
	case !h.claimed[claimInterruptTokens] || err != nil || !h.rules.Tokens.Genuine(signed):
		return token, state.Interrupt{}, unknown
	case !h.opts.Clock.Now().Before(token.ExpiresAt):
		return token, state.Interrupt{}, refusal.New(codeInterruptExpired, "this token has ended: answer the interrupt by its run and node",
			"expiresAt", token.ExpiresAt)
	}
	asked, err := h.engine.Interrupt(ctx, token.RunID, token.InterruptID)
	if e := (*refusal.Error)(nil); errors.As(err, &e) { // a key from a seed also signed for stores that are no more
		return token, asked, unknown
	}
	return token, asked, err
}
