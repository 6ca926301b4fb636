package openwop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// goalHome is where the host's standing goals live.
type goalHome struct {
	host
	path string
}

// standingGoals looks for the goals below every prefix of the seams, where
// hosts keep them so far, and then where the protocol may put them one day. A
// list that is longer than we read is a list all the same.
func (h host) standingGoals(ctx context.Context) (goalHome, error) {
	var paths []string
	for _, prefix := range slices.Concat(h.seamPrefixes(), []string{"/v1"}) {
		paths = append(paths, strings.TrimSuffix(prefix, "/")+"/goals")
	}
	refused := ""
	for _, path := range paths {
		reply, err := h.Do(ctx, wire.Call{Method: http.MethodGet, Path: path, Label: "where the goals live"})
		switch {
		case errors.Is(err, wire.ErrOverLimit):
			return goalHome{h, path}, nil
		case err != nil:
			return goalHome{}, err
		case notThere(reply.Status):
		case reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden:
			refused = path
		default:
			return goalHome{h, path}, nil
		}
	}
	if refused != "" {
		return goalHome{}, scenarios.Block("the goals at "+refused+" refuse the credential", giveGoalsKey)
	}
	return goalHome{}, scenarios.Block("no standing goals at "+strings.Join(paths, ", "), "name the prefix under which the host's goals live with --seam-prefix")
}

const giveGoalsKey = "give a key that may keep goals with --key"

// notThere are the statuses of an endpoint that the host does not have.
func notThere(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// goalRequest asks for a goal judged and continued as the host advertises it.
// Nobody else can have its objective.
func (h host) goalRequest(bounds *openwopv1.GoalBounds) openwopv1.CreateGoalRequest {
	return openwopv1.CreateGoalRequest{
		Objective:    h.objective(),
		Completion:   openwopv1.GoalCompletionRequest{Check: h.goalJudge()},
		Continuation: openwopv1.GoalContinuation{Mode: h.goalMode()},
		Bounds:       bounds,
	}
}

// objective is a text of two words that no other certification uses, one with
// the same seed included: goals are kept, and are looked for by these. One of
// the two is found again also where a host cuts a text short.
func (h host) objective() string { return "Assay " + h.Name("goal") + " " + h.Name("goal") }

func (h host) goalJudge() openwopv1.GoalCheck {
	judge := goalsBlock(h.Discovery).Key("judge")
	if check := openwopv1.GoalCheck(firstText(judge, judge.At("/0"))); check.Valid() {
		return check
	}
	return openwopv1.GoalCheckVerifier
}

// goalMode is manual wherever the host offers it: in any other mode it may fire
// runs that nobody here asked for.
func (h host) goalMode() openwopv1.GoalContinuationMode {
	first := openwopv1.GoalContinuationModeManual
	for i, item := range goalsBlock(h.Discovery).Key("continuation").Items() {
		mode := openwopv1.GoalContinuationMode(item.String())
		if mode == openwopv1.GoalContinuationModeManual {
			return mode
		}
		if i == 0 && mode.Valid() {
			first = mode
		}
	}
	return first
}

// boundedTo is the bound of so many contributing runs.
func boundedTo(runs int) *openwopv1.GoalBounds {
	return &openwopv1.GoalBounds{MaxLoopIterations: new(int64(runs))}
}

// list reads the goals in one state, or all of them where it is "".
func (g goalHome) list(ctx context.Context, state openwopv1.GoalState) (GoalReply, error) {
	path, label := g.path, "all goals"
	if state != "" {
		path, label = path+"?state="+url.QueryEscape(string(state)), "the goals that are "+string(state)
	}
	return answerOf(g.do(ctx, wire.Call{Method: http.MethodGet, Path: path, Label: label}))
}

// of is the path of the goal of that id.
func (g goalHome) of(id string) string { return g.path + "/" + url.PathEscape(id) }

func answerOf(reply *wire.Reply, err error) (GoalReply, error) {
	if err != nil {
		return GoalReply{}, err
	}
	return GoalReply{reply.StatusValue(), reply.Value("")}, nil
}

// goal is one standing goal on the host. Its creation may have been refused: then ID is "".
type goal struct {
	goalHome
	ID        string
	Objective string
	Created   GoalReply
}

// create asks for a goal and notes that it has to be abandoned.
func (g goalHome) create(ctx context.Context, label string, body openwopv1.CreateGoalRequest) (*goal, error) {
	made, err := g.createAs(ctx, label, body.Objective, body)
	if err == nil && made.Created.forbidden() {
		err = scenarios.Block("the goals at "+g.path+" refuse the credential", giveGoalsKey)
	}
	return made, err
}

// createAs asks for a goal with a body that may say more than a request can,
// and may be refused for that in any way.
func (g goalHome) createAs(ctx context.Context, label, objective string, body any) (*goal, error) {
	reply, err := g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.path, Body: body, Label: label})
	if errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		g.Leave("perhaps a goal", func(context.Context, *wire.Client) error {
			return errors.New("its creation was not answered, so its id is not known")
		})
	}
	if err != nil {
		return nil, err
	}
	made := &goal{goalHome: g, Objective: objective, Created: GoalReply{reply.StatusValue(), reply.Value("")}}
	if id := reply.Text("/id"); reply.Success() && id != "" {
		made.ID = id
		g.Leave("goal "+id, made.undo)
	}
	return made, nil
}

// undo abandons the goal.
func (g *goal) undo(ctx context.Context, c *wire.Client) error {
	reply, err := c.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.at("/abandon"), Label: "clean up"})
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

// at is the path of the goal, or of something below it.
func (g *goal) at(suffix string) string { return g.of(g.ID) + suffix }

// read reads the goal once.
func (g *goal) read(ctx context.Context, label string) (GoalReply, error) {
	return answerOf(g.do(ctx, wire.Call{Method: http.MethodGet, Path: g.at(""), Label: label}))
}

// act asks for pause, resume or abandon. Not with g.do, like an edit: 403 is one
// way to refuse what may not be.
func (g *goal) act(ctx context.Context, action string) (GoalReply, error) {
	return answerOf(g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.at("/" + action), Label: action}))
}

// edit sends a PATCH as the text has it and, where the host knows none, a POST
// on the goal as the published suite does (facts C27).
func (g *goal) edit(ctx context.Context, label string, body any) (GoalReply, error) {
	reply, err := answerOf(g.Do(ctx, wire.Call{Method: http.MethodPatch, Path: g.at(""), Body: body, Label: label}))
	if status, _ := reply.Status.Int(); err == nil && notThere(int(status)) {
		return answerOf(g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.at(""), Body: body, Label: label + ", by POST"}))
	}
	return reply, err
}
