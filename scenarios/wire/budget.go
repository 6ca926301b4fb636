package wire

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// Spent counts what a target was asked for.
type Spent struct {
	Requests int `json:"requests"` // and streams; of an executable, turns
	Runs     int `json:"runs"`     // that were asked for, whatever came of it
	Turns    int `json:"turns"`    // of loops, as far as their plans tell; of an executable, each turn
}

// Plus returns both together.
func (s Spent) Plus(more Spent) Spent {
	return Spent{s.Requests + more.Requests, s.Runs + more.Runs, s.Turns + more.Turns}
}

// Left returns what is left of an allowance of which s is spent, and whether that is something. 0 is no bound in either.
func (s Spent) Left(most Spent) (left Spent, some bool) {
	some = true
	of := func(most, spent int) int {
		if most > 0 && spent >= most {
			some = false
		}
		return max(0, most-spent)
	}
	return Spent{of(most.Requests, s.Requests), of(most.Runs, s.Runs), of(most.Turns, s.Turns)}, some
}

// Cost returns the runs that a request asks for, and the turns that these will take. path has no query, body is "" where there is none.
type Cost func(method, path, body string) (runs, turns int)

// ErrSpent means that a call was not made, since the operator allows no more.
var ErrSpent = errors.New("the operator allows no more")

// budget counts what is spent, and holds it to what the operator allows.
type budget struct {
	most Spent // 0 is no bound
	cost Cost  // nil where a request asks for no runs

	mu    sync.Mutex
	spent Spent
}

// spend takes a request from the budget. What clean-up sends is free: a target is not left in disorder to save a request.
func (c *Client) spend(call Call, body string) error {
	if c.free {
		return nil
	}
	path, _, _ := strings.Cut(call.Path, "?")
	more := Spent{Requests: 1}
	if cost := c.network.budget.cost; cost != nil {
		more.Runs, more.Turns = cost(call.Method, path, body)
	}
	if err := c.network.budget.take(more); err != nil {
		return &failure{kind: ErrSpent, doing: c.doing(call), cause: err}
	}
	return nil
}

// Free has what the client sends cost nothing.
func (c *Client) Free() { c.free = true }

// take takes all of it, or nothing.
func (b *budget) take(more Spent) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, of := range []struct {
		most, spent, more int
		name              string
	}{
		{b.most.Requests, b.spent.Requests, more.Requests, "requests"},
		{b.most.Runs, b.spent.Runs, more.Runs, "runs"},
		{b.most.Turns, b.spent.Turns, more.Turns, "turns"},
	} {
		if of.most > 0 && of.more > 0 && of.spent+of.more > of.most {
			return fmt.Errorf("%d of %d %s are spent, and this takes %d: --max-%s", of.spent, of.most, of.name, of.more, of.name)
		}
	}
	b.spent = b.spent.Plus(more)
	return nil
}

// Spent returns what the target was asked for until now.
func (n *Network) Spent() Spent {
	n.budget.mu.Lock()
	defer n.budget.mu.Unlock()
	return n.budget.spent
}

// Cost adds up what the entries of a transcript asked for, of a target whose address has no path.
func (t *Transcript) Cost(cost Cost) (all Spent) {
	for i := range t.Entries {
		switch e := &t.Entries[i]; {
		case e.Kind == "process":
			all.Requests++
			all.Turns++
		case (e.Kind == "http" || e.Kind == "stream") && e.Request != nil:
			all.Requests++
			if cost != nil {
				path := ""
				if u, err := url.Parse(e.Request.URL); err == nil {
					path = u.EscapedPath()
				}
				runs, turns := cost(e.Request.Method, path, e.Request.Body)
				all.Runs, all.Turns = all.Runs+runs, all.Turns+turns
			}
		}
	}
	return all
}
