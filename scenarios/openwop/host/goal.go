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

// What the drives of standing goals have in common: how a goal is made, changed and ticked.

// GoalReply is one answer about goals.
type GoalReply struct {
	Status wire.Value `json:"status"` // HTTP
	Body   wire.Value `json:"body"`
}

// Forbidden says whether the host refused the credential, or says so.
func (r GoalReply) Forbidden() bool {
	status, _ := r.Status.Int()
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// GoalMade is how a goal came about.
type GoalMade struct {
	Path      string    `json:"path"` // where the host's goals live
	ID        string    `json:"id"`
	Objective string    `json:"objective"` // as it was asked for
	Created   GoalReply `json:"created"`
	Fresh     GoalReply `json:"fresh"` // read under its id, before anything else
}

// Begin creates a goal and reads it under its id.
func (g GoalHome) Begin(ctx context.Context, bounds *dialect.GoalBounds) (*Goal, GoalMade) {
	made := g.Create(ctx, "create the goal", g.GoalRequest(bounds))
	m := made.Seen(ctx)
	return made, m
}

// Seen is how the goal came about, with a first look at it.
func (g *Goal) Seen(ctx context.Context) GoalMade {
	m := GoalMade{Path: g.Path(), ID: g.ID, Objective: g.Objective, Created: g.Created}
	if g.ID == "" {
		return m
	}
	m.Fresh = g.Read(ctx, "the goal, as it was made")
	return m
}

// What a host's clock may be late by. One that ticks by the tenth is the first
// guess; one that ticks by the second is as honest, and has the goal end up to a
// second early as well.
const (
	CoarseGrace = 1100 * time.Millisecond
)

// goalHome is where the host's standing goals live.
type GoalHome struct {
	Host
	Prefix string // below which they are
}

// Path is where they are listed.
func (g GoalHome) Path() string { return g.PathOf(dialect.ListGoals.Of(g.Prefix)) }

// GoalPrefixes are where goals can live: below every prefix of the seams, where hosts keep them so far, and where the protocol may
// put them one day.
func (h Host) GoalPrefixes() []string {
	var out []string
	for _, prefix := range append(slices.Clone(h.SeamPaths()), h.Dialect().Root) {
		out = append(out, strings.TrimSuffix(prefix, "/"))
	}
	return out
}

// StandingGoals looks for the goals below every prefix. A list that is longer than we read is a list all the same.
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

// GoalRequest asks for a goal judged and continued as the host advertises it.
// Nobody else can have its objective.
func (h Host) GoalRequest(bounds *dialect.GoalBounds) dialect.CreateGoalRequest {
	return dialect.CreateGoalRequest{
		Objective:    h.DrawObjective(),
		Completion:   dialect.GoalCompletionRequest{Check: h.GoalJudge()},
		Continuation: dialect.GoalContinuation{Mode: h.GoalMode()},
		Bounds:       bounds,
	}
}

// DrawObjective is a text of two words that no other certification uses, one with
// the same seed included: goals are kept, and are looked for by these. One of
// the two is found again also where a host cuts a text short.
func (h Host) DrawObjective() string { return "Assay " + h.UniqueName() + " " + h.UniqueName() }

func (h Host) GoalJudge() dialect.GoalCheck {
	judge := claims.GoalsBlock(h.Discovery).Key("judge")
	if check := dialect.GoalCheck(FirstText(judge, judge.At("/0"))); check.Valid() {
		return check
	}
	return dialect.GoalCheckVerifier
}

// GoalMode is manual wherever the host offers it: in any other mode it may fire
// runs that nobody here asked for.
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

// BoundedTo is the bound of so many contributing runs.
func BoundedTo(runs int) *dialect.GoalBounds {
	return &dialect.GoalBounds{MaxLoopIterations: new(int64(runs))}
}

// List reads the goals in one state, or all of them where it is "".
func (g GoalHome) List(ctx context.Context, state dialect.GoalState) GoalReply {
	list, label := dialect.ListGoals.Of(g.Prefix), "all goals"
	if state != "" {
		list, label = list.With("state", string(state)), "the goals that are "+string(state)
	}
	return AnswerOf(g.Send(ctx, wire.Call{Operation: list, Label: label}))
}

// AnswerOf is a reply as judges look at it.
func AnswerOf(reply *wire.Reply) GoalReply { return GoalReply{reply.StatusValue(), reply.Value("")} }

// goal is one standing goal on the host. Its creation may have been refused: then ID is "".
type Goal struct {
	GoalHome
	ID        string
	Objective string
	Created   GoalReply
}

// Create asks for a goal and notes that it has to be abandoned.
func (g GoalHome) Create(ctx context.Context, label string, body dialect.CreateGoalRequest) *Goal {
	made := g.CreateAs(ctx, label, body.Objective, body)
	if made.Created.Forbidden() {
		scenarios.End(scenarios.Block("the goals at "+g.Path()+" refuse the credential", GiveGoalsKey))
	}
	return made
}

// CreateAs asks for a goal with a body that may say more than a request can,
// and may be refused for that in any way.
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
		g.Leave("goal "+id, made.undo)
	}
	return made
}

// undo abandons the goal.
func (g *Goal) undo(ctx context.Context, c *wire.Client) error {
	reply, err := c.Do(ctx, wire.Call{Operation: g.To(dialect.AbandonGoal), Label: "clean up"})
	if err != nil {
		return err
	}
	switch reply.Status {
	case http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity: // there is nothing left to abandon
		return nil
	}
	if !reply.Success() {
		return fmt.Errorf("abandon answered HTTP %d", reply.Status)
	}
	return nil
}

// To is an operation on the goal.
func (g *Goal) To(op dialect.Operation) wire.Operation { return op.Of(g.Prefix, g.ID) }

// Read reads the goal once.
func (g *Goal) Read(ctx context.Context, label string) GoalReply {
	return AnswerOf(g.Send(ctx, wire.Call{Operation: g.To(dialect.ReadGoal), Label: label}))
}

// TickOf has a heartbeat see a state. It is an object, since there are hosts that take no other.
func TickOf(heartbeat, state string) dialect.HeartbeatTickRequest {
	return dialect.HeartbeatTickRequest{HeartbeatID: heartbeat, ObservedState: json.RawMessage(`{"seen":` + strconv.Quote(state) + `}`)}
}

// TellRefusal notes where a refusal is not in the envelope that errors have.
func (r GoalReply) TellRefusal(j *scenarios.Judge, id scenarios.RequirementID, what string) {
	if r.Status.Present() && !Succeeded(r.Status) && (r.Body.Key("error").String() == "" || r.Body.Key("message").String() == "") {
		j.Find(id, "%s is refused with HTTP %s, but not with a code in error and a message: %s", what, r.Status.JSON(), r.Body.JSON())
	}
}
