package histories

import "github.com/openassay/assay/scenarios/history"

// following knows in which states an object may be that one client asks, to tell what is shown late from what is wrong.
type following[S comparable, In, Out any] struct {
	model  *history.Model[S, In, Out]
	states []S
}

// after returns the states after a reply; there is none if the model does not explain it.
func (f *following[S, In, Out]) after(in In, out Out) []S {
	return f.model.After(f.states, history.Step[In, Out]{In: in, Out: out})
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
