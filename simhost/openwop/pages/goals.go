package pages

import (
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/goal"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// goalsShown is how many goals one page shows, the latest first.
const goalsShown = 100

type goalsPage struct {
	Kept  bool
	Goals []goalView
	More  int
}

type goalView struct {
	goal.Account
	ID, Objective string
	State, Kind   string
	Check         string
	Mode, Arm     string
	Runs          []string
	Iterations    int64
	Verdict       *openwopv1.GoalVerdict
}

func (v visitor) goals(r *console.Request) error {
	var page goalsPage
	err := v.host.With(func(h *surface.Host) error {
		all, kept, err := h.Goals(r.Context(), v.who)
		if err != nil {
			return err
		}
		page.Kept = kept
		slices.Reverse(all)
		page.More = max(0, len(all)-goalsShown)
		for _, a := range all[:min(len(all), goalsShown)] {
			page.Goals = append(page.Goals, goalOf(a))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.Show(console.Page{Template: "goals", Title: "Goals", Here: "Goals", Body: page})
}

func goalOf(a goal.Account) goalView {
	g := a.Goal
	v := goalView{
		Account: a, ID: g.ID, Objective: g.Objective, State: string(g.State), Check: string(g.Completion.Check),
		Mode: string(g.Continuation.Mode), Verdict: g.Completion.LastVerdict,
	}
	if g.Continuation.ArmRef != nil {
		v.Arm = *g.Continuation.ArmRef
	}
	if p := g.Progress; p != nil {
		v.Runs = p.ContributingRunIds
		if p.Iterations != nil {
			v.Iterations = *p.Iterations
		}
	}
	switch g.State {
	case openwopv1.GoalStateActive:
		v.Kind = "busy"
	case openwopv1.GoalStateSatisfied:
		v.Kind = "good"
	case openwopv1.GoalStateEscalated:
		v.Kind = "warn"
	case openwopv1.GoalStateBoundExceeded:
		v.Kind = "bad"
	default:
		v.Kind = "calm"
	}
	return v
}

// Timeout is how long the goal may take in all; "" where that is not bounded.
func (v goalView) Timeout() string {
	if ms := v.Goal.Bounds.RunTimeoutMs; ms != nil {
		return took(time.Duration(*ms) * time.Millisecond)
	}
	return ""
}
