package histories

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

func replyOf(r host.Reply) model.Reply {
	return model.Reply{Code: r.Code(), Status: r.Status, Body: r.Body}
}

// following knows in which states an object may be that one client asks, to tell what is shown late from what is wrong.
type following[S comparable, In, Out any] struct {
	model  *history.Model[S, In, Out]
	states []S
}

// after returns the states after a reply; there is none if the model does not explain it.
func (f *following[S, In, Out]) after(in In, out Out) []S {
	return f.model.After(f.states, history.Step[In, Out]{In: in, Out: out})
}

// settled reads until the model explains what is shown, or until the wait for that is over: a server may be late.
func (f *following[S, In, Out]) settled(ctx context.Context, c *scenarios.Conn, in In, read func(context.Context) Out) (
	out Out, explained bool,
) {
	c.CatchUp(ctx)
	c.UntilShown(ctx, func(ctx context.Context) bool {
		out = read(ctx)
		next := f.after(in, out)
		if explained = len(next) > 0; explained {
			f.states = next
		}
		return explained
	})
	return out, explained
}

// does takes a step. While its reply is not there, the object may have taken it or not.
func (f *following[S, In, Out]) does(in In, do func() Out) Out {
	before := f.states
	f.states = f.model.After(before, history.Step[In, Out]{In: in, Lost: true})
	out := do()
	f.states = before
	if next := f.after(in, out); len(next) > 0 {
		f.states = next
	}
	return out
}
