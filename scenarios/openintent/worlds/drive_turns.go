package worlds

import (
	"context"

	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// question draws what a suspension asks and notes the answer to it. One of several attempts has a policy, whose interval is its part of
// the window.
func (w *world) question(turn model.Step) (r host.Record) {
	answer := w.Name("answer")
	switch w.Rand.IntN(3) {
	case 0:
		var choices []any
		for range 3 {
			answer = w.Name("choice")
			choices = append(choices, map[string]any{"value": answer, "label": answer})
		}
		r = w.Question("choice", choices...)
	case 1:
		r, answer = w.Question("confirm"), []string{"yes", "no"}[w.Rand.IntN(2)]
	default:
		r = w.Question("text")
	}
	w.answers[turn.Intent] = answer
	switch fallback := w.Name("fallback"); {
	case turn.Window > 0 && turn.Attempts > 1:
		return r.Retried(turn.Attempts, turn.Window/turn.Attempts, map[string]any{"final_fallback_policy": turn.Fallback}).
			With(map[string]any{"fallback_policy": turn.Fallback, "fallback_value": fallback})
	case turn.Window > 0:
		return r.Within(turn.Window, turn.Fallback, fallback)
	}
	return r
}

// wrong takes turns of which a server takes most not at all. It reports whether it must take this one.
func (w *world) wrong(ctx context.Context, turn model.Step, t *Taken) (must bool) {
	i, last := w.intents[turn.Intent], w.waiting[turn.Intent]
	switch turn.Do {
	case model.Recorded:
		write := i.Record
		if turn.Merged {
			write = i.RecordMerged
		}
		sus := write(ctx, w.question(turn))
		w.waiting[turn.Intent], t.Suspension, t.Reply = sus, &sus, sus.Record
		return true
	case model.Stale:
		t.Reply = i.Answer(ctx, "an answer to an earlier suspension", last.ID, w.answers[turn.Intent])
	case model.Force:
		t.Reply = i.Set(ctx, turn.To, "set the status "+turn.To+", by force")
	}
	return false
}
