package model

import (
	"slices"
	"strings"
	"unicode"
)

// deliver decides what a move delivers to a run that was started. It is false where there is nothing of that kind.
func (w World) deliver(t *Turn) bool {
	there := w.address(t)
	if there && t.Move.Vague > 0 {
		t.Payload["status"] = vague[(t.Move.Vague-1)%len(vague)]
		t.Delivery.Odd, t.Delivery.Status = OddStatus, ""
	}
	return there
}

// Absent is the value of a member that a payload lacks.
var Absent = absent{}

type absent struct{}

// vague are statuses that every language can read, and that are neither ok nor error.
var vague = []any{Absent, "pending", "", "OK", "failed"}

// address decides to which run and step a delivery goes. An odd status is set by deliver.
func (w World) address(t *Turn) bool {
	run, pick := t.Before, t.Move.Pick
	asked := len(run.Tools)
	over := run.Status != "running"
	if over && asked > 0 { // what it waited for last
		run.Step, run.Tool = int64(asked), run.Tools[asked-1]
	}
	t.Delivery = Delivery{Run: run.ID, Step: run.Step, Tool: run.Tool, Status: "ok"}
	earlier := func(step int, status string) bool {
		if step < 1 || step > asked || !over && step >= int(run.Step) {
			return false
		}
		t.Delivery.Step, t.Delivery.Tool, t.Delivery.Status = int64(step), run.Tools[step-1], status
		return true
	}
	last := asked - 1 // the step that was taken last
	if over {
		last = asked
	}
	switch t.Move.Kind {
	case SameAgain:
		return run.Taken > 0 && earlier(last, "ok")
	case Repeat: // of a run that is over it may be the first result for its last step
		return (over || run.Taken > 0) && earlier(last, "ok")
	case LateFailure:
		return run.Taken > 0 && earlier(last, "error")
	case Old:
		return last > 1 && earlier(1+pick%(last-1), "ok")
	case OldFailure:
		return last > 1 && earlier(1+pick%(last-1), "error")
	case OldTool:
		return last > 0 && earlier(1+pick%last, t.status()) && w.nearTool(t)
	case NearTool:
		t.Delivery.Status = t.status()
		return asked > 0 && w.nearTool(t)
	case Above:
		t.Delivery.Status = t.status()
		return asked > 0 && above(t, over)
	case StartAgain:
		t.Delivery.Odd = Restart
		return true
	}
	if over {
		return false
	}
	switch t.Move.Kind {
	case Result:
		if _, isObject := t.Move.Body.(map[string]any); !isObject {
			t.Delivery.Odd = OddResult
		}
	case Erring:
		t.Delivery.Odd = Nonsense
	case Failure:
		t.Delivery.Status = "error"
		if !slices.Contains(w.Allowed(*t), run.Tool) { // it may have been on the list of an earlier turn alone
			t.Delivery.Odd = Barred
		}
	case FailedAgain:
		t.Delivery.Status, t.Delivery.Odd = "error", Doubled
		return run.Failures > 0
	case NearRun:
		t.Delivery.Status = t.status()
		return w.nearRun(t)
	case Crossed:
		other := w.Runs[(t.Move.Run+1+pick)%len(w.Runs)]
		t.Delivery.Step, t.Delivery.Tool = other.Step, other.Tool
		return other.ID != run.ID && other.Step > 0 && (other.Step != run.Step || other.Tool != run.Tool)
	case Strange:
		odd := []any{"OK", "ok ", "okay", "done", "success", "true", "", nil, true, 0, 200, map[string]any{"ok": true}, []any{"ok"}}
		t.Payload["status"] = odd[pick%len(odd)]
		t.Delivery.Odd, t.Delivery.Status = OddStatus, ""
	default:
		return false
	}
	return true
}

// status is what a delivery says that is not the pending one.
func (t *Turn) status() string {
	if t.Move.Failing {
		return "error"
	}
	return "ok"
}

// nearTool names a tool whose name is not that of the delivery, and could be taken for it.
func (w World) nearTool(t *Turn) bool {
	tool := t.Delivery.Tool
	near := slices.DeleteFunc(append(Near(tool), w.Settings.Tools...), func(other string) bool {
		return other == tool || slices.Contains(w.Settings.Aliases, other)
	})
	if t.Delivery.Tool = near[t.Move.Pick%len(near)]; t.Move.As != "" {
		t.Delivery.Tool = t.Move.As
	}
	return t.Delivery.Tool != tool
}

// above names a later step, one that every language reads if the run is over.
func above(t *Turn, over bool) bool {
	step := t.Delivery.Step
	later := []int64{step + 1, step + 2, 10*step + 1, step + 1<<32, step + 1<<31}
	if over {
		later = later[:3]
	}
	t.Delivery.Step = later[t.Move.Pick%len(later)]
	if t.Delivery.Step > 1<<30 {
		t.Delivery.Odd = OddStep
	}
	return true
}

// nearRun names a run whose id is not that of the run, and could be taken for it: an even pick another text, an odd one no text.
func (w World) nearRun(t *Turn) bool {
	id, pick := t.Before.ID, t.Move.Pick
	near := slices.DeleteFunc(Near(id), func(text string) bool {
		return slices.ContainsFunc(w.Runs, func(k Known) bool { return k.ID == text })
	})
	if pick%2 == 0 {
		t.Delivery.Run = near[pick/2%len(near)]
		t.Payload["run_id"] = t.Delivery.Run
		return true
	}
	odd := []any{[]any{id}, map[string]any{"run_id": id}, 1, true, nil, ""}
	t.Delivery.Run, t.Delivery.Odd, t.Payload["run_id"] = "", OddRun, odd[pick/2%len(odd)]
	return true
}

// Near returns texts that a careless comparison takes for this one: its beginning, its end, more than it, in other letters.
func Near(text string) (near []string) {
	letters := []rune(text)
	for _, other := range []string{
		string(letters[:len(letters)-1]), string(letters[:(len(letters)+1)/2]), text + "0", text + "x", text + " ",
		Swapped(text), text + "/" + text,
	} {
		if other != text && strings.TrimSpace(other) != "" && !slices.Contains(near, other) {
			near = append(near, other)
		}
	}
	return near
}

// NearTools returns the names close to that of a tool that a tool may have, without those that are taken.
func NearTools(tool string, taken []string) []string {
	return slices.DeleteFunc(Near(tool), func(near string) bool { return strings.ContainsAny(near, " /") || slices.Contains(taken, near) })
}

// Swapped returns a text with its capitals as small letters, and the other way round.
func Swapped(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}
