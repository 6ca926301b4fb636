package goals

import (
	"context"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalSecretObservation is a goal whose objective was requested with a secret of the host in it. A placeholder replaces the
// secret in every record.
type GoalSecretObservation struct {
	Goal   host.GoalMade  `json:"goal"`
	Edited GoalEdit       `json:"edited"`        // to another objective with the secret
	Long   GoalEdit       `json:"long,omitzero"` // to a long one with the secret at its end. Zero at quick
	Tick   GoalTick       `json:"tick"`          // if the host has the seam
	Trail  GoalTrail      `json:"trail"`
	List   host.GoalReply `json:"list"`
}

// before exceeds the 4 KiB to which a host may limit its search for secrets. With the secret, an objective stays below the API document's
// limit of 8,192 letters.
var before = &scenarios.Dimension{Name: "letters before a secret", Least: 4_100, Most: [3]int{4_100, 7_500, 7_500}}

// goalWithSecret makes and edits goals with a secret of the host in their objectives.
var goalWithSecret = &scenarios.Drive[GoalSecretObservation]{
	ID: "openwop/goal-with-secret",
	Title: "makes a goal whose objective holds a secret of the host between random words, edits it to one where it is no word of its own, " +
		"beyond quick with the secret twice in each and then to a long one that ends with it, ticks it where there is a seam, and reads " +
		"it in every place",
	Sends: []string{"{create goal} {objective: random words with a secret of the host}",
		"{edit goal} {objective: a secret of the host between random letters}", "{tick goal}",
		"{read goal}", "{read trail}", "{list goals}"},
	Dimensions: []*scenarios.Dimension{before},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalSecretObservation) {
		h := host.Host{Conn: c}
		host.NeedSecret(h)
		home := h.StandingGoals(ctx)
		ask := h.GoalRequest(host.BoundedTo(h.Between(2, 9)))
		ask.Objective = objectiveWithSecret(h)
		g := home.Create(ctx, "create a goal with a secret of the host in its objective", ask)
		o.Goal = g.Seen(ctx)
		if madeActive(o.Goal) {
			told(ctx, g, o)
		}
		o.List = home.List(ctx, "")
	},
}

// objectiveWithSecret puts the secret between two words of an objective, and beyond quick once more at its end: a host that
// replaces the first place alone keeps the second.
func objectiveWithSecret(h host.Host) string {
	words := []string{h.Name(""), wire.HostSecret, h.Name("")}
	if h.Depth > scenarios.Quick {
		words = append(words, wire.HostSecret)
	}
	return strings.Join(words, " ")
}

// told makes the goal produce further records of itself.
func told(ctx context.Context, g *host.Goal, o *GoalSecretObservation) {
	o.Tick = tick(ctx, g, "tick", unsatisfied(g.GoalHome.Host))
	objective := g.GoalHome.Name("") + wire.HostSecret + g.GoalHome.Name("") // no word of its own
	if g.Depth > scenarios.Quick {
		objective += wire.HostSecret
	}
	o.Edited = rewrite(ctx, g, "edit the objective to another with the secret in it",
		dialect.EditGoalRequest{Objective: objective}, anyGoal)
	o.Trail = trail(ctx, g, o.Edited.After)
	if g.Depth > scenarios.Quick {
		letters, word := g.GoalHome.Draw(before), g.GoalHome.Name("")+" "
		words := strings.Repeat(word, letters/len(word))
		o.Long = rewrite(ctx, g, "edit the objective to a long one with the secret at its end",
			dialect.EditGoalRequest{Objective: words + wire.HostSecret}, anyGoal)
	}
}

// GoalsUnclaimedObservation holds the replies of the goal endpoints on a host that claims none.
type GoalsUnclaimedObservation struct {
	Paths []string         `json:"paths"`
	Lists []host.GoalReply `json:"lists"` // one per path
	Makes []host.GoalReply `json:"makes"`
}

// goalsUnclaimed calls the goal endpoints of a host that does not claim goals.
var goalsUnclaimed = &scenarios.Drive[GoalsUnclaimedObservation]{
	ID:    "openwop/goals-unclaimed",
	Title: "lists goals, and asks for one, at every place where they would be",
	Sends: []string{"{list goals}", "{create goal}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalsUnclaimedObservation) {
		h := host.Host{Conn: c}
		for _, prefix := range h.GoalPrefixes() {
			home := host.GoalHome{Host: h, Prefix: prefix}
			list := host.AnswerOf(h.Do(ctx, wire.Call{Operation: dialect.ListGoals.Of(prefix), Label: "goals that are not claimed"}))
			ask := h.GoalRequest(host.BoundedTo(2))
			made := home.CreateAs(ctx, "a goal that is not claimed", ask.Objective, ask)
			o.Paths = append(o.Paths, home.Path())
			o.Lists, o.Makes = append(o.Lists, list), append(o.Makes, made.Created)
		}
	},
}
