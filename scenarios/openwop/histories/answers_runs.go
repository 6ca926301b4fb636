package histories

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// answer answers the run. What it waits for is read anew.
func (r *run) answer(ctx context.Context, in model.RunAsk) model.RunSaw {
	snapshot := r.Snapshot(ctx, "the run, to answer it").Value("")
	waits := host.Pending(snapshot, r.ReadLog(ctx, "log, to answer the run"))
	answered := r.taken()
	if waits.Node == "" {
		waits.Node = "supervisor"
	}
	forms := waits.Answers(r.marker)
	out := r.answerIn(ctx, in, snapshot, waits, answered, forms[0])
	if code, _ := out.Status.Int(); len(forms) > 1 && (in.By == model.ByNode || in.By == model.ByToken) &&
		(code == http.StatusBadRequest || code == http.StatusUnprocessableEntity) { // some take answers as a list (OWP-R34)
		out = r.answerIn(ctx, in, snapshot, waits, answered, forms[1])
	}
	return out
}

func (r *run) answerIn(
	ctx context.Context, in model.RunAsk, snapshot wire.Value, waits host.Interrupt, answered int, body any,
) (out model.RunSaw) {
	switch in.By {
	case model.ByToken, model.ByOld, model.ByForged, model.ByLonger:
		token, round, ok := r.token(in, answered)
		if !ok {
			return model.RunSaw{Unsent: true, Cursor: -1}
		}
		r.Redactor().Hide(token)
		out = saw(r.Host.Do(ctx, wire.Call{Operation: dialect.UseToken.Of(token), Label: "answer " + string(in.By), Anonymous: true,
			Body: map[string]any{"resumeValue": body}, Secrets: host.InterruptTokens}))
		out.Round = round
	default:
		switch in.By {
		case model.Nowhere:
			waits.Node = "nowhere-" + r.marker
		case model.Shouted:
			body = map[string]any{"action": "ACCEPT"}
		case model.Reject:
			body = map[string]any{"action": dialect.ApprovalActionReject}
		case model.Misfit:
			if r.begin.Loop.Form == model.Gate {
				body = map[string]any{"action": "no-such-" + r.marker}
				break
			}
			out.Typed = snapshot.At("/interrupt/data/questions/0/schema/type").String() == "string"
			id := host.FirstText(snapshot.At("/interrupt/data/questions/0/id"))
			if id == "" {
				return model.RunSaw{Unsent: true, Cursor: -1}
			}
			body = map[string]any{"answers": map[string]any{id: 7}}
		}
		typed := out.Typed
		if out = saw(r.Host.Do(ctx, wire.Call{Operation: dialect.AnswerNode.Of(r.ID, waits.Node), Label: "answer " + string(in.By),
			Body: map[string]any{"resumeValue": body}, Secrets: host.InterruptTokens})); typed {
			out.Typed = true
		}
		out.Node = waits.Node
	}
	if host.Succeeded(out.Status) {
		r.mu.Lock()
		r.answered++
		r.mu.Unlock()
	}
	return out
}

// token returns a token, and how many answers were taken before its interrupt was.
func (r *run) token(in model.RunAsk, answered int) (token string, round int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	round = answered
	if in.By == model.ByOld && answered > 0 {
		round = r.begun % answered
	}
	token, ok = r.tokens[round]
	switch {
	case !ok:
	case in.By == model.ByLonger:
		token += "Z"
	case in.By == model.ByForged && len(token) <= 8:
		return "", round, false
	case in.By == model.ByForged:
		at, with := in.From*len(token)/100, byte('Z') // no digit of a UUID, however it is compared
		if token[at] == 'Z' || token[at] == 'z' {
			with = 'Y'
		}
		token = token[:at] + string(with) + token[at+1:]
	}
	return token, round, ok
}
