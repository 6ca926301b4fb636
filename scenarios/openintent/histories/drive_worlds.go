package histories

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var worlds = &explore.Kind[model.Group, model.Deed, model.Found]{
	Model: model.GroupModel,
	Begin: beginGroup,
	Make: func(ctx context.Context, c *scenarios.Conn, begin model.Group) explore.Object[model.Deed, model.Found] {
		return makeGroup(ctx, c, begin)
	},
	Draw:   drawDeed,
	Beside: model.Within,
	Shown:  func(out model.Found) wire.Value { return out.Status },
	Rests:  model.Group.Untimed,
}

var drawnWorlds = &scenarios.Drive[explore.Observation[model.Group, model.Deed, model.Found]]{
	ID: "openintent/worlds-in-turn",
	Title: "has a client suspend, answer, complete and abandon the intents of small worlds in a drawn order, change how they hang " +
		"together, let time pass, and read them by every route",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST and DELETE /intents/{id}/dependencies", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "POST and PATCH /intents/{id}/leases", "POST /portfolios",
		"POST and DELETE /portfolios/{id}/intents", "POST /tasks and /plans, PATCH /tasks/{id}", "the clock that the server advertises",
		"GET /intents/{id}, its graph, ready, blocked, portfolios, tasks and events", "GET /portfolios/{id}, its intents and events",
		"GET /tasks/{id} and /plans/{id}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        worlds.Run,
}
