package histories

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

type goalHistory = explore.Recorded[model.Goal, model.GoalAsk, model.GoalSaw]

// goalPath is the path of goals, of one of them, and of what is below that.
var goalPath = lazyregexp.New(`/goals(?:/([^/]+)(?:/([^/]+))?)?$`)

// goalReader reads the history of a goal that goes on by hand.
type goalReader struct {
	id, by     string
	asked      dialect.CreateGoalRequest
	objectives map[int]string
	all        []explore.Exchange // about it, and lists
	below      []string           // what each is about below it; list
	spent      int                // in thousandths of a dollar
	settled    bool               // reads show all ticks
	tick       string             // the run that the last one fired
}

const (
	goalList      = "list"
	mostObjective = 1000 // bytes of an objective; no text says how long one may be
)

func readGoals(d scenarios.Discovery, all []explore.Exchange) (out []goalHistory) {
	_, stuck := claims.GoalsEscalation.Look(d)
	for i, x := range all {
		m := goalPath.FindStringSubmatch(x.Path)
		_, keyed := x.Get(dialect.IdempotencyKey)
		if m == nil || m[1] != "" || x.Method != http.MethodPost || !x.Ok() || keyed {
			continue
		}
		r := goalReader{id: x.Body.Key("id").String(), by: x.By(), settled: true}
		begin, ok := r.begins(x)
		if begin.Escalate = stuck; !ok {
			continue
		}
		for _, y := range all[i+1:] {
			switch m := goalPath.FindStringSubmatch(y.Path); {
			case m != nil && m[1] == r.id:
				r.all, r.below = append(r.all, y), append(r.below, m[2])
			case m != nil && m[1] == "" && !y.Writes() && y.By() == r.by && y.Began >= x.Ended: // before, it may not be there yet
				r.all, r.below = append(r.all, y), append(r.below, goalList)
			}
		}
		h := goalHistory{Of: r.id, Begin: begin}
		for k, y := range r.all {
			if r.step(&h, k, begin) {
				h.Cut(y.Began)
				break
			}
		}
		if len(h.Steps) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// begins returns the goal that a request asked for. What ends by itself is none.
func (r *goalReader) begins(x explore.Exchange) (g model.Goal, ok bool) {
	if _, isObject := x.Object(); !isObject || json.Unmarshal([]byte(x.Sent), &r.asked) != nil || r.id == "" || r.asked.Bounds == nil {
		return g, false
	}
	g.State = model.GoalActive
	b := r.asked.Bounds
	if b.MaxLoopIterations != nil {
		g.MaxRuns = int(*b.MaxLoopIterations)
	}
	if b.MaxCostUSD != nil {
		if g.MaxCost, ok = thousandths(*b.MaxCostUSD); !ok {
			return g, false
		}
	}
	r.objectives = map[int]string{0: r.asked.Objective}
	if !slices.Contains([]string{"host", "verifier"}, string(r.asked.Completion.Check)) || !plainObjective(r.asked.Objective) {
		return g, false // such a goal need not be shown as it was asked for
	}
	return g, b.RunTimeoutMs == nil && (g.MaxRuns > 0 || g.MaxCost > 0) && r.asked.Continuation.Mode == dialect.GoalContinuationModeManual
}

// plainObjective reports whether a goal has to be taken with an objective, and shown with it as it was sent.
func plainObjective(text string) bool { return len(text) <= mostObjective && !wire.HoldsSecret(text) }

// thousandths returns dollars in thousandths, if they are whole.
func thousandths(dollars float64) (n int, ok bool) {
	n = int(dollars*1000 + 0.5)
	return n, float64(n)/1000 == dollars
}

// step adds what the k-th exchange did to the goal. end reports whether nothing is known from there on.
func (r *goalReader) step(h *goalHistory, k int, begin model.Goal) (end bool) {
	x := r.all[k]
	if !x.Writes() {
		r.read(h, k)
		return false
	}
	in, known := r.does(k)
	refused := x.Code/100 == 4
	switch {
	case x.By() != r.by, !known, !x.Answered(): // what became of it nobody knows, unless it was refused
		return !refused
	case in.Stuck, host.NotThere(int(x.Code)): // there are other ways to ask for it, and others answer
		return in.Stuck
	}
	out := r.saw(x)
	if in.Do == model.TickGoal {
		r.spent += in.Cost
		if begin.MaxCost > 0 && (r.spent == begin.MaxCost || in.Cost > 0 && r.writing(x)) { // no text says whether as much is too much
			return true
		}
		out.Beside = r.writing(x)
		r.tick, r.settled = x.Body.Key("runId").String(), false
	}
	if !x.Ok() || in.Do == model.TickGoal && r.tick == "" {
		out.Now = r.next(k)
	}
	h.Add(x, in, out)
	return false
}

func (r *goalReader) saw(x explore.Exchange) model.GoalSaw {
	return model.GoalSaw{Status: x.Status, Body: x.Body, ID: r.id, Objectives: r.objectives, Check: string(r.asked.Completion.Check),
		Mode: string(r.asked.Continuation.Mode)}
}

// next returns the goal as it is read before anything else is done to it.
func (r *goalReader) next(k int) (now wire.Value) {
	for i := k + 1; i < len(r.all) && !r.all[i].Writes(); i++ {
		if r.below[i] == "" && r.all[i].Ok() && r.all[i].By() == r.by && !r.writing(r.all[i]) {
			return r.all[i].Body
		}
	}
	return now
}

func (r *goalReader) writing(x explore.Exchange) bool {
	return slices.ContainsFunc(r.all, func(y explore.Exchange) bool { return y.Writes() && x.Beside(y) })
}

// read adds a read of the goal, of its log or of a list, unless it may be late, or something is under way.
func (r *goalReader) read(h *goalHistory, k int) {
	x := r.all[k]
	if x.By() != r.by || !x.Answered() || r.writing(x) {
		return
	}
	out := r.saw(x)
	switch r.below[k] {
	case "":
		listed := x.Body.At("/progress/contributingRunIds").Items()
		r.settled = r.settled || r.tick == "" || slices.ContainsFunc(listed, func(v wire.Value) bool { return v.String() == r.tick })
		if r.settled && len(x.Query) == 0 {
			h.Add(x, model.GoalAsk{Do: model.ReadGoal}, out)
		}
	case goalList:
		state := x.Query.Get("state")
		n := slices.Index(model.GoalStates, model.GoalState(state)) + 1
		if r.settled && whole(x, "goals", "state") && (n > 0 || state == "") {
			out.Now = r.next(k)
			h.Add(x, model.GoalAsk{Do: model.ListGoals, N: n}, out)
		}
	case "events":
		if r.settled && len(x.Query) == 0 {
			trailIn(&out)
			out.Now = r.next(k)
			h.Add(x, model.GoalAsk{Do: model.ReadTrail}, out)
		}
	}
}

// does returns the step that a write is, if the model has one.
func (r *goalReader) does(k int) (in model.GoalAsk, ok bool) {
	x := r.all[k]
	if _, keyed := x.Get(dialect.IdempotencyKey); keyed || len(x.Query) > 0 {
		return in, false
	}
	if do, bare := map[string]model.GoalDo{
		"pause": model.PauseGoal, "resume": model.ResumeGoal, "abandon": model.AbandonGoal, "complete": model.CompleteGoal,
	}[r.below[k]]; bare {
		in.Do = do
		return in, x.Method == http.MethodPost && (x.Sent == "" || x.Sent == "{}")
	}
	body, isObject := x.Object()
	names := func(want ...string) bool {
		for name := range body {
			if !slices.Contains(want, name) {
				return false
			}
		}
		return isObject && len(body) > 0
	}
	switch {
	case r.below[k] == "tick" && x.Method == http.MethodPost:
		return tickOf(x.Sent, names("verdict", "costUsd", "escalate"))
	case r.below[k] != "" || x.Method != http.MethodPatch && x.Method != http.MethodPost:
		return in, false
	case names("objective"):
		text, _ := body["objective"].(string)
		in.Do, in.N = model.EditGoal, len(r.objectives)
		r.objectives[in.N] = text
		return in, text != "" && plainObjective(text)
	case names("state"):
		in.Do = model.ForceGoal
		return in, body["state"] == string(dialect.GoalStateSatisfied)
	case names("completion", "continuation"):
		in.Do = model.RestateGoal
		var edit dialect.EditGoalRequest
		same := json.Unmarshal([]byte(x.Sent), &edit) == nil
		same = same && (edit.Completion == nil || reflect.DeepEqual(*edit.Completion, r.asked.Completion))
		return in, same && (edit.Continuation == nil || reflect.DeepEqual(*edit.Continuation, r.asked.Continuation))
	}
	return in, false
}

// tickOf returns the tick that a body asks for.
func tickOf(sent string, plain bool) (in model.GoalAsk, ok bool) {
	in.Do = model.TickGoal
	var ask dialect.GoalTickRequest
	if !plain || json.Unmarshal([]byte(sent), &ask) != nil {
		return in, false
	}
	if in.Stuck = ask.Escalate != nil && *ask.Escalate; in.Stuck {
		return in, true
	}
	if ask.CostUSD != nil {
		if in.Cost, ok = thousandths(*ask.CostUSD); !ok {
			return in, false
		}
	}
	if ask.Verdict == nil {
		return in, false
	}
	in.Satisfied, in.Sure = ask.Verdict.Satisfied, -1
	if ask.Verdict.Confidence != nil {
		in.Sure = int(*ask.Verdict.Confidence*100 + 0.5)
	}
	return in, true
}

// whole reports whether a list shows all that there is, and was asked for by these names alone.
func whole(x explore.Exchange, list string, by ...string) bool {
	for name, values := range x.Query {
		if !slices.Contains(by, name) || len(values) != 1 {
			return false
		}
	}
	members, _ := x.Body.Actual().(map[string]any)
	for name, v := range members {
		if text, isText := v.(string); name != list && (isText && strings.TrimSpace(text) != "" || v == true) { // there may be a further page
			return false
		}
	}
	return true
}
