package pages

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/simhost/serving"
)

var (
	_ console.Switcher = visitor{}
	_ console.Mover    = visitor{}
)

// Catalogue implements [console.Switcher], as do the next.
func (visitor) Catalogue() (all []console.Switch) {
	for _, f := range fault.All() {
		all = append(all, console.Switch{ID: f.ID, Title: f.Title, About: f.Looks, Breaks: f.Breaks, Under: f.Under.String()})
	}
	for _, v := range variation.List() {
		all = append(all, console.Switch{ID: v.ID, Title: v.Title, About: v.About, Breaks: v.Slips, Variation: true})
	}
	return all
}

// On returns what is switched on.
func (v visitor) On() serving.Switches { return v.host.On() }

// Switch switches.
func (v visitor) Switch(ctx context.Context, on serving.Switches) error {
	err := v.host.Switch(ctx, on)
	if _, wrong := errors.AsType[*surface.OptionError](err); wrong {
		return &console.Unswitchable{Err: err}
	}
	return err
}

// What has a clock of its own.
const (
	thingRun  = "run"
	thingGoal = "goal"
)

// Things are the kinds of what has a clock of its own.
func Things() []string { return []string{thingRun, thingGoal} }

// Things implements [console.Mover], as does the next.
func (visitor) Things() []string { return Things() }

// Advance lets time pass for one run, or for one goal.
func (v visitor) Advance(ctx context.Context, thing, id string, by time.Duration) (now time.Time, err error) {
	run, goal := id, ""
	if thing == thingGoal {
		run, goal = "", id
	}
	err = v.host.With(func(h *surface.Host) error {
		now, err = h.Advance(ctx, v.who, run, goal, by)
		return err
	})
	return now, err
}
