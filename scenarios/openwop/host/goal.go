package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// The following is shared by drives of standing goals: creating, editing and ticking a goal.

// GoalReply is a reply to a goal operation.
type GoalReply struct {
	Status wire.Value `json:"status"` // HTTP
	Body   wire.Value `json:"body"`
}

// Forbidden reports whether the host refused the credential.
func (r GoalReply) Forbidden() bool {
	status, _ := r.Status.Int()
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// GoalMade records the creation of a goal.
type GoalMade struct {
	Path      string    `json:"path"` // where the host keeps goals
	ID        string    `json:"id"`
	Objective string    `json:"objective"` // as requested
	Created   GoalReply `json:"created"`
	Fresh     GoalReply `json:"fresh"` // read by its id right after creation
}

// Begin creates a goal and reads it by its id.
func (g GoalHome) Begin(ctx context.Context, bounds *dialect.GoalBounds) (*Goal, GoalMade) {
	made := g.Create(ctx, "create the goal", g.GoalRequest(bounds))
	m := made.Seen(ctx)
	return made, m
}

// Seen reads the goal for the first time and returns it with the record of its creation.
func (g *Goal) Seen(ctx context.Context) GoalMade {
	m := GoalMade{Path: g.Path(), ID: g.ID, Objective: g.Objective, Created: g.Created}
	if g.ID == "" {
		return m
	}
	m.Fresh = g.Read(ctx, "the goal, as it was made")
	return m
}

// CoarseGrace is the tolerance for a host clock that ticks by the second. Such a clock is honest too, and ends a
// goal up to a second early as well. Drives try a clock that ticks by the tenth first.
const (
	CoarseGrace = 1100 * time.Millisecond
)

// GoalHome is the place where the host keeps standing goals.
type GoalHome struct {
	Host
	Prefix string // the path goals live under
}

// Path returns the path that lists the goals.
func (g GoalHome) Path() string { return g.PathOf(dialect.ListGoals.Of(g.Prefix)) }

// GoalPrefixes returns the prefixes goals can live under: the seam prefixes, which hosts use today, and the
// protocol's root, where a later version may move them.
func (h Host) GoalPrefixes() []string {
	var out []string
	for _, prefix := range append(slices.Clone(h.SeamPaths()), h.Dialect().Root) {
		out = append(out, strings.TrimSuffix(prefix, "/"))
	}
	return out
}

// StandingGoals searches every prefix for goals. A list over our size limit counts as found.
func (h Host) StandingGoals(ctx context.Context) GoalHome {
	var paths []string
	refused := ""
	for _, prefix := range h.GoalPrefixes() {
		home := GoalHome{h, prefix}
		paths = append(paths, home.Path())
		reply, err := scenarios.Attempt(func() *wire.Reply {
			return h.Do(ctx, wire.Call{Operation: dialect.ListGoals.Of(prefix), Label: "where the goals live"})
		})
		switch {
		case errors.Is(err, wire.ErrOverLimit):
			return home
		case err != nil:
			scenarios.End(err)
			return GoalHome{}
		case NotThere(reply.Status):
		case reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden:
			refused = home.Path()
		default:
			return home
		}
	}
	if refused != "" {
		scenarios.End(scenarios.Block("the goals at "+refused+" refuse the credential", GiveGoalsKey))
	}
	scenarios.End(scenarios.Block("no standing goals at "+strings.Join(paths, ", "),
		"name the prefix under which the host's goals live with --seam-prefix"))
	return GoalHome{}
}

const GiveGoalsKey = "give a key that may keep goals with --key"

// GoalRequest returns a request for a goal judged and continued as the host advertises, with a unique objective.
func (h Host) GoalRequest(bounds *dialect.GoalBounds) dialect.CreateGoalRequest {
	return dialect.CreateGoalRequest{
		Objective:    h.DrawObjective(),
		Completion:   dialect.GoalCompletionRequest{Check: h.GoalJudge()},
		Continuation: dialect.GoalContinuation{Mode: h.GoalMode()},
		Bounds:       bounds,
	}
}

// DrawObjective returns a text of two names: goals persist and are looked up by it. One name survives if a host truncates
// the text.
func (h Host) DrawObjective() string { return h.Name("") + " " + h.Name("") }

func (h Host) GoalJudge() dialect.GoalCheck {
	judge := claims.GoalsBlock(h.Discovery).Key("judge")
	if check := dialect.GoalCheck(FirstText(judge, judge.At("/0"))); check.Valid() {
		return check
	}
	return dialect.GoalCheckVerifier
}

// GoalMode prefers manual: in any other mode the host may start runs on its own.
func (h Host) GoalMode() dialect.GoalContinuationMode {
	first := dialect.GoalContinuationModeManual
	for i, item := range claims.GoalsBlock(h.Discovery).Key("continuation").Items() {
		mode := dialect.GoalContinuationMode(item.String())
		if mode == dialect.GoalContinuationModeManual {
			return mode
		}
		if i == 0 && mode.Valid() {
			first = mode
		}
	}
	return first
}

// BoundedTo bounds a goal to this many contributing runs.
func BoundedTo(runs int) *dialect.GoalBounds {
	return &dialect.GoalBounds{MaxLoopIterations: new(int64(runs))}
}

// List lists the goals in a state; "" lists all.
func (g GoalHome) List(ctx context.Context, state dialect.GoalState) GoalReply {
	list, label := dialect.ListGoals.Of(g.Prefix), "all goals"
	if state != "" {
		list, label = list.With("state", string(state)), "the goals that are "+string(state)
	}
	return AnswerOf(g.Send(ctx, wire.Call{Operation: list, Label: label}))
}

// AnswerOf returns a reply in the form that judges read.
func AnswerOf(reply *wire.Reply) GoalReply { return GoalReply{reply.StatusValue(), reply.Value("")} }

// Goal is one standing goal on the host. ID is empty if its creation was refused.
type Goal struct {
	GoalHome
	ID        string
	Objective string
	Created   GoalReply
}

// Create creates a goal and registers it to be abandoned.
func (g GoalHome) Create(ctx context.Context, label string, body dialect.CreateGoalRequest) *Goal {
	made := g.CreateAs(ctx, label, body.Objective, body)
	if made.Created.Forbidden() {
		scenarios.End(scenarios.Block("the goals at "+g.Path()+" refuse the credential", GiveGoalsKey))
	}
	return made
}

// CreateAs creates a goal with an arbitrary body. The body may hold more than a valid request, so any refusal is
// accepted.
func (g GoalHome) CreateAs(ctx context.Context, label, objective string, body any) *Goal {
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return g.Do(ctx, wire.Call{Operation: dialect.CreateGoal.Of(g.Prefix), Body: body, Label: label})
	})
	if errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		g.Leave("perhaps a goal", func(context.Context, *wire.Client) error {
			return errors.New("its creation was not answered, so its id is not known")
		})
	}
	scenarios.End(err)
	made := &Goal{GoalHome: g, Objective: objective, Created: GoalReply{reply.StatusValue(), reply.Value("")}}
	if id := reply.Text("/id"); reply.Success() && id != "" {
		made.ID = id
		g.Leave(made.Left(), made.undo)
	}
	return made
}

// Again returns a goal that an earlier part of the drive made, and registers it to be abandoned.
func (g GoalHome) Again(m GoalMade) *Goal {
	made := &Goal{GoalHome: g, ID: m.ID, Objective: m.Objective, Created: m.Created}
	g.Leave(made.Left(), made.undo)
	return made
}

// Left is how the clean-up calls the goal.
func (g *Goal) Left() string { return "goal " + g.ID }

// undo abandons the goal.
func (g *Goal) undo(ctx context.Context, c *wire.Client) error {
	reply, err := c.Do(ctx, wire.Call{Operation: g.To(dialect.AbandonGoal), Label: "clean up"})
	if err != nil {
		return err
	}
	return rests(ctx, c, reply, g.To(dialect.ReadGoal), "/state", func(state string) bool { return state != string(dialect.GoalStateActive) })
}

// To returns an operation on the goal.
func (g *Goal) To(op dialect.Operation) wire.Operation { return op.Of(g.Prefix, g.ID) }

// Read reads the goal once.
func (g *Goal) Read(ctx context.Context, label string) GoalReply {
	g.CatchUp(ctx)
	return g.Look(ctx, label)
}

// Look reads the goal as it is shown at this moment.
func (g *Goal) Look(ctx context.Context, label string) GoalReply {
	return AnswerOf(g.Send(ctx, wire.Call{Operation: g.To(dialect.ReadGoal), Label: label}))
}

// Every returns the armRef of a schedule of this interval, in whole milliseconds.
func Every(interval time.Duration) string { return fmt.Sprintf("every:%dms", interval.Milliseconds()) }

// TickOf returns a tick in which a heartbeat observes a state. The state is an object because some hosts accept
// nothing else.
func TickOf(heartbeat, state string) dialect.HeartbeatTickRequest {
	return dialect.HeartbeatTickRequest{HeartbeatID: heartbeat, ObservedState: json.RawMessage(`{"seen":` + strconv.Quote(state) + `}`)}
}

// TellRefusal reports a refusal that does not use the error envelope. How a refusal is worded is no part of what the judges
// ask about that call it, so the finding names none of their requirements.
func (r GoalReply) TellRefusal(j *scenarios.Judge, _ scenarios.RequirementID, what string) {
	if r.Status.Present() && !Succeeded(r.Status) && (r.Body.Key("error").String() == "" || r.Body.Key("message").String() == "") {
		j.Find("", "%s is refused with HTTP %s, but without a code in error and a message: %s", what, r.Status.JSON(), r.Body.JSON())
	}
}
