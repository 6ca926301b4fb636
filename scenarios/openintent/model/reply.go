package model

import (
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Reply is what a server replied. A code of 0 is of what it, or its operator, does not have.
type Reply struct {
	Code   int64      `json:"code"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func (r Reply) ok() bool { return r.Code/100 == 2 }

func (r Reply) reply() Reply { return r }

type replier interface{ reply() Reply }

// mayTake returns the ways of a step that a server may take or refuse.
func mayTake[S comparable, In any, Out replier](change func(*S)) []history.Way[S, In, Out] {
	return []history.Way[S, In, Out]{
		{Name: "taken", Shows: taken[S, In, Out], To: doing[S, In, Out](change)},
		{Name: "refused", Shows: refusedIfAsked[S, In, Out], To: func(s S, _ history.Step[In, Out]) S { return s }},
	}
}

func doing[S comparable, In, Out any](change func(*S)) func(S, history.Step[In, Out]) S {
	return func(s S, _ history.Step[In, Out]) S {
		change(&s)
		return s
	}
}

func taken[S comparable, In any, Out replier](_ S, s history.Step[In, Out]) []history.Miss {
	if r := s.Out.reply(); !r.ok() {
		return []history.Miss{miss(r.Status, "HTTP 200")}
	}
	return nil
}

// refusedIfAsked: it was refused, or there was nobody to ask.
func refusedIfAsked[S comparable, In any, Out replier](_ S, s history.Step[In, Out]) []history.Miss {
	r := s.Out.reply()
	if r.Code == 0 {
		return nil
	}
	return refusal(r.Status, r.Code)
}
