package histories

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// drawRun draws what to do, mostly what takes the run further. What takes the whole of a run away is drawn seldom.
func drawRun(r *rand.Rand, is model.Run) model.RunAsk {
	of := func(all ...model.RunDo) model.RunDo { return all[r.IntN(len(all))] }
	in := model.RunAsk{From: -1}
	_, lasts, waits := is.Loop.HoldOf(is.Leg)
	switch {
	case is.Log == "": // nobody knows it yet, and each history is to show some of it
		if in.Do = of(model.Settle, model.PollRun); is.Loop.Form == model.Steps {
			in.Do = of(model.PollRun, model.PauseRun, model.PauseRun, model.CancelRun)
		}
	case is.End != "" && r.IntN(12) == 0:
		in.Do, in.Mode = model.ForeignRun, model.Foreigns[r.IntN(len(model.Foreigns))]
	case is.End != "" && is.Loop.Form == model.Gate && r.IntN(2) == 0:
		in.Do = model.AnswerRun
	case is.End != "":
		in.Do = of(model.LookAt, model.PollRun, model.PollRun, model.StreamRun, model.StreamRun, model.AnswerRun, model.PauseRun, model.ForkRun,
			model.ForkRun, model.CancelRun, model.CancelRuns, model.ReadChild, model.ReadChild, model.Ancestry, model.Settle)
	case r.IntN(12) == 0:
		in.Do, in.Mode = model.ForeignRun, model.Foreigns[r.IntN(len(model.Foreigns))]
	case r.IntN(20) == 0:
		in.Do = of(model.CancelRun, model.CancelRuns)
	case is.Pause == model.Standing:
		in.Do = of(model.PauseRun, model.ResumeRun, model.ResumeRun, model.ResumeRun, model.PollRun, model.LookAt, model.AnswerRun)
	case is.Held:
		in.Do = of(model.AnswerRun, model.AnswerRun, model.AnswerRun, model.AnswerRun, model.AnswerRun, model.LookAt, model.PollRun,
			model.PauseRun, model.StreamRun)
	default:
		in.Do = of(model.Settle, model.Settle, model.Settle, model.Settle, model.PollRun, model.StreamRun, model.LookAt, model.AnswerRun,
			model.PauseRun, model.ResumeRun, model.Ancestry, model.ReadChild)
		if waits && lasts && r.IntN(3) == 0 {
			in.Do = model.CancelChild
		}
	}
	drawForm(r, is, &in)
	return in
}

// drawForm draws how it is done.
func drawForm(r *rand.Rand, is model.Run, in *model.RunAsk) {
	switch in.Do {
	case model.PauseRun:
		in.Mode = []string{"", atOnce}[r.IntN(2)]
	case model.ResumeRun, model.CancelRun, model.CancelChild:
		in.Watch = r.IntN(3) == 0
	case model.CancelRuns:
		in.From = r.IntN(2) - 1
	case model.AnswerRun:
		in.By = []model.By{model.ByToken, model.ByOld, model.ByForged, model.ByLonger, model.Nowhere, model.Misfit, model.Shouted,
			model.Reject}[r.IntN(8)]
		if is.Loop.Form != model.Gate && (in.By == model.Shouted || in.By == model.Reject) || r.IntN(4) == 0 {
			in.By = model.ByNode
		}
		if in.By == model.ByForged {
			in.From = r.IntN(90)
		}
		in.Watch = in.By == model.ByNode && r.IntN(4) == 0
	case model.PollRun:
		switch n := r.IntN(8); {
		case n == 0 && (is.Held || is.End != "") || n < 4 && is.Pause == model.Standing && is.Loop.Form == model.Steps:
			in.Mode = model.NoneLeft
		case n < 5 && is.Loop.Form == model.Steps:
			in.Mode = model.Later
		}
		if r.IntN(3) > 0 {
			in.From = r.IntN(101)
		}
	case model.StreamRun:
		if r.IntN(3) > 0 {
			in.From = r.IntN(100)
		}
		in.Mode = []string{"debug", "debug", "debug", "updates", "values", "messages", "updates,debug", document, batches}[r.IntN(9)]
	case model.ForkRun:
		in.From = r.IntN(100)
		in.Mode = string(dialect.ForkModeReplay)
		if is.Claims.Branches && r.IntN(2) == 0 {
			in.Mode = string(dialect.ForkModeBranch)
		}
	}
}

// Do implements [explore.Object].
func (r *run) Do(ctx context.Context, _ int, in model.RunAsk) (out model.RunSaw) {
	r.mu.Lock()
	alone := r.under == 0
	r.under++
	r.begun++
	begun := r.begun
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.under--
		out.Alone = alone && r.begun == begun
		out.RunID, out.Label, out.Words = r.ID, r.Run.Label(), r.words
	}()
	if in.Watch {
		return r.watched(ctx, func(ctx context.Context) model.RunSaw { return r.do(ctx, in) })
	}
	return r.do(ctx, in)
}

func (r *run) do(ctx context.Context, in model.RunAsk) model.RunSaw {
	switch in.Do {
	case model.KillHost:
		if r.Mortal != nil { // without --host-cmd the host stays up
			scenarios.End(r.Mortal.Kill(ctx))
		}
		return model.RunSaw{Cursor: -1}
	case model.Settle:
		return r.settle(ctx)
	case model.PollRun:
		return r.poll(ctx, in)
	case model.StreamRun:
		return r.stream(ctx, in)
	case model.AnswerRun:
		return r.answer(ctx, in)
	case model.PauseRun:
		body := map[string]any{}
		policies := []dialect.DrainPolicy{dialect.PauseRunRequestDrainPolicyDrainCurrentNode, dialect.PauseRunRequestDrainPolicyImmediate}
		if in.Mode == atOnce {
			slices.Reverse(policies)
		}
		if policy, ok := host.Drains(r.Host, policies...); ok {
			body["drainPolicy"] = policy
		}
		out := r.does(ctx, dialect.PauseRun, body)
		out.Early = r.Now().Sub(r.asked) < time.Duration(r.begin.Loop.Wait)*time.Millisecond
		return out
	case model.ResumeRun:
		return r.does(ctx, dialect.ResumeRun, nil)
	case model.CancelRun:
		return r.does(ctx, dialect.CancelRun, dialect.CancelRunRequest{})
	case model.CancelRuns:
		ids := []string{r.ID, r.other}
		if in.NeverFirst() {
			slices.Reverse(ids)
		}
		out := saw(host.CancelMany(ctx, r.Host, string(in.Do), ids))
		out.Other = r.other
		return out
	case model.Ancestry:
		if !r.begin.Claims.Model { // no text says whether a host without an execution model serves ancestries
			return model.RunSaw{Unsent: true, Cursor: -1}
		}
		return r.does(ctx, dialect.ReadLineage, nil)
	case model.ReadChild:
		return r.child(ctx)
	case model.CancelChild:
		return r.cancelChild(ctx)
	case model.ForeignRun:
		return r.asForeign(ctx, in)
	case model.ForkRun:
		return r.fork(ctx, in)
	}
	return r.look(ctx)
}

func saw(reply *wire.Reply) model.RunSaw {
	return model.RunSaw{Status: reply.StatusValue(), Body: reply.Value(""), Cursor: -1}
}

func (r *run) does(ctx context.Context, op dialect.Operation, body any) model.RunSaw {
	return saw(r.Does(ctx, op, body, op.Name()))
}

func (r *run) look(ctx context.Context) model.RunSaw { return saw(r.Snapshot(ctx, "the run")) }
