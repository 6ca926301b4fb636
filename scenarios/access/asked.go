package access

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Answer is a request, named in our words, and its reply.
type Answer struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func (a Answer) code() int {
	code, _ := a.Status.Int()
	return int(code)
}

// Success reports whether the status is 2xx.
func (a Answer) Success() bool { return a.code()/100 == 2 }

// Lacking reports whether the target answers as if it had no such operation.
func (a Answer) Lacking() bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, a.code())
}

// Asked is a way that a caller asked: of what is there, and of what never was.
type Asked struct {
	Way       string `json:"way"`
	Operation string `json:"operation"`
	Caller    Caller `json:"caller"`
	Existing  Answer `json:"existing"`
	Missing   Answer `json:"missing"` // zero where nothing in the way can be missing
}

// inFull is how many ways every caller asks at a depth that does not ask for all of them.
const inFull = 3

// Drawn returns what a drive asks of a table: all, and at a quick depth some ways by every caller, those of full among them, and each
// other one by the first caller and by one that is drawn, none of them in letters of the other case. It leaves out the cells with a
// reason.
func Drawn(c *scenarios.Conn, table []Cell, full func(Way) bool) []Cell {
	ways := map[string][]Cell{}
	var names []string
	for _, cell := range table {
		if cell.Reason != "" || cell.Caller == Cased && c.Depth == scenarios.Quick {
			continue
		}
		name := cell.Way.Name()
		if ways[name] == nil {
			names = append(names, name)
		}
		ways[name] = append(ways[name], cell)
	}
	var out []Cell
	left := inFull
	for _, k := range c.Rand.Perm(len(names)) {
		cells := ways[names[k]]
		switch {
		case c.Depth != scenarios.Quick || full(cells[0].Way):
		case left > 0:
			left--
		default:
			if len(cells) > 1 {
				cells = []Cell{cells[0], cells[1+c.Rand.IntN(len(cells)-1)]}
			}
		}
		out = append(out, cells...)
	}
	return out
}

// By returns the cells of a caller.
func By(who Caller, cells []Cell) []Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return c.Caller != who })
}

// SideBySide is how many requests are sent at once: none of them is to change anything.
const SideBySide = 8

// Ask sends the request of each cell, some side by side. call returns the request of a cell about what is there, or about what never was;
// ok is false where there is none, and a cell without is left out. made is called with each reply of success, one after the other.
func Ask(ctx context.Context, c *scenarios.Conn, cells []Cell, call func(cell Cell, missing bool) (q wire.Call, ok bool),
	made func(*wire.Reply),
) []Asked {
	out := make([]Asked, len(cells))
	replies := make([]*wire.Reply, 2*len(cells))
	var calls []func(context.Context)
	for i, cell := range cells {
		out[i] = Asked{Way: cell.Way.Name(), Operation: cell.Way.Operation, Caller: cell.Caller}
		for k, into := range []*Answer{&out[i].Existing, &out[i].Missing} {
			q, ok := call(cell, k == 1)
			if !ok {
				continue
			}
			if q.Label = cell.Way.Name() + " " + string(cell.Caller); k == 1 {
				q.Label += ", of what never was"
			}
			calls = append(calls, func(ctx context.Context) { *into, replies[2*i+k] = Send(ctx, c, cell.Way, q) })
		}
	}
	for some := range slices.Chunk(calls, SideBySide) {
		c.AtOnce(ctx, some...)
	}
	for _, reply := range replies {
		if reply != nil && reply.Success() {
			made(reply)
		}
	}
	return slices.DeleteFunc(out, func(a Asked) bool { return a.Existing.Asked == "" })
}

// LetIn returns the first answer to what counts that is no refusal, nil for none.
func LetIn(asked []Asked, counts func(Asked) bool) *Answer {
	for _, a := range asked {
		for _, answer := range []Answer{a.Existing, a.Missing} {
			if answer.Success() && counts(a) {
				return &answer
			}
		}
	}
	return nil
}

// OwnHeaders blocks the drive if the operator's own headers, which go out with every request, may hold a credential.
func OwnHeaders(c *scenarios.Conn, sent Asked) {
	for name, value := range c.Transcript().Entry(sent.Existing.Status.Ref().Exchange).Request.Header {
		if value == wire.Secret {
			scenarios.End(scenarios.Block("the header "+name+" goes out with every request, so no request lacks a credential",
				"give the credential with --key in place of --header"))
		}
	}
}

// Send sends a request of a way. A stream is closed as soon as it has begun; it has no reply.
func Send(ctx context.Context, c *scenarios.Conn, w Way, q wire.Call) (Answer, *wire.Reply) {
	if !w.Streams {
		reply := c.Do(ctx, q)
		return Answer{q.Label, reply.StatusValue(), reply.Value("")}, reply
	}
	stream, reply := c.Open(ctx, q)
	if stream == nil {
		return Answer{q.Label, reply.StatusValue(), reply.Value("")}, reply
	}
	stream.Close()
	return Answer{Asked: q.Label, Status: stream.StatusValue()}, nil
}
