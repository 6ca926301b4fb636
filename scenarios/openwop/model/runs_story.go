package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// counting goes through a log from its beginning.
type counting struct {
	Run
	at             wire.Value
	words          string
	misses         []history.Miss
	decided, began int
	done, steps    int
	breaches       int
	nodes          int
	completed, by  map[string]int // how often, by node, and workers by name
	paused         bool
	end            string
}

func (c *counting) miss(id scenarios.RequirementID, format string, args ...any) {
	c.misses = append(c.misses, missOf(id, c.at, format, args...))
}

func (c *counting) take(e event) {
	if isStep(e.kind) {
		if c.steps++; c.end != "" {
			c.miss(openwop.OWPEVT10, "no %s behind the end of the run", e.kind)
		}
	}
	switch e.kind {
	case dialect.Decided:
		c.decides(e)
	case dialect.HandedOver:
		c.hands(e)
	case dialect.RunPaused:
		c.paused = true
	case dialect.RunResumed:
		c.paused = false
	case dialect.NodeDispatched:
		if e.detail != "" && !slices.ContainsFunc(c.may(), func(w Worker) bool { return w.Name == e.detail }) {
			c.miss(openwop.OWPDSP3, "a child of a worker that was decided on, and not of %s", e.detail)
		}
	case dialect.NodeStarted:
		if c.nodes++; c.Loop.Form == Nodes && c.Loop.Bound > 0 && c.nodes > c.Loop.Bound {
			c.miss(openwop.OWPBND1, "no node %d, since the bound is %d", c.nodes, c.Loop.Bound)
		}
	case dialect.NodeCompleted:
		if e.node == "" {
			break
		}
		if c.completed[e.node]++; c.completed[e.node] > 1 && c.twice() != "" {
			c.miss(c.twice(), "the node %s completes once", e.node)
		}
		if told := e.detail != "null" && c.Loop.Form == Steps && len(c.completed) == 3; told && !strings.Contains(e.detail, c.words) {
			c.miss(openwop.OWPCTL24, "of the last node what the run was given, %q", c.words)
		}
	case dialect.Breached:
		c.breaches++
		switch most, breached := c.Loop.turns(); {
		case c.Loop.Form != Looping:
		case !breached:
			c.miss(openwop.OWP0061E6, "no breach: the loop needs no more turns than its bound")
		case c.decided < most:
			c.miss(openwop.OWP0061E3, "all %d turns that the bound allows, before the breach", most)
		default:
			if want := fmt.Sprintf("loop-iterations %d %d", most, most+1); e.detail != want || c.breaches > 1 {
				c.miss(openwop.OWP0061E2, "one breach %s, and not %s", want, e.detail)
			}
		}
	case dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled:
		c.ends(e)
	}
	if c.paused && (e.kind == dialect.NodeStarted || e.kind == dialect.Decided) {
		id := scenarios.RequirementID(openwop.OWPCTL20)
		if c.Pause == Resumed {
			id = openwop.OWPCTL25
		}
		c.miss(id, "no %s behind run.paused, before run.resumed", e.kind)
	}
}

// twice is the sentence by which a node completes once, "" if there is none.
func (c *counting) twice() scenarios.RequirementID {
	switch {
	case c.Loop.Form.Gated():
		return openwop.OWPINT11
	case c.Pause != NeverPaused && c.Loop.Form != Looping:
		return openwop.OWPCTL24
	}
	return ""
}

func (c *counting) decides(e event) {
	n := c.decided
	if c.decided++; !c.planned(n) {
		return
	}
	if hold, waits := c.Loop.hold(c.Leg); waits && n > hold {
		c.miss(openwop.OWPINT1, "no decision before turn %d was answered", hold+1)
		return
	}
	c.turn(n, e)
	if before := len(c.Loop.before(n)); c.done > 0 && c.done < before && !c.doubted() {
		c.miss(openwop.OWP0037A5, "no turn %d before all %d workers of the turns before had settled", n+1, before)
	}
}

// planned reports whether the plan has an nth decision, from 0, and notes a miss if it has none.
func (c *counting) planned(n int) bool {
	switch most, breached := c.Loop.turns(); {
	case n >= most && breached:
		c.miss(openwop.OWP0061E3, "no decision beyond the bound of %d turns", most)
	case c.Loop.Form != Looping:
		c.miss(openwop.OWPINT16, "no decision: there is no loop")
	case n >= most:
		c.miss(openwop.OWPDSP5, "no decision behind the one to end")
	default:
		return true
	}
	return false
}

// turn compares a decision with the nth one of the plan, from 0.
func (c *counting) turn(n int, e event) {
	t := c.Loop.Turns[n]
	part := strings.SplitN(e.detail, " ", 4)
	if want, is := t.kind()+" "+strings.Join(c.Loop.names(t), ","), part[0]+" "+part[1]; is != want {
		c.miss(openwop.OWP0037A2, "in turn %d the decision %s, and not %s", n+1, want, is)
	}
	planned := c.Loop.Program(c.words).Turns[n]
	if want := planned.Prompt + planned.Reason; c.words != "" && part[3] != want {
		c.miss(openwop.OWP0037A2, "in turn %d the words %q, and not %q", n+1, want, part[3])
	}
	iteration := part[2]
	if c.Claims.Counts && iteration != strconv.Itoa(n+1) {
		id := scenarios.RequirementID(openwop.OWP0061B2)
		if c.Leg > 0 {
			id = openwop.OWP0061D1
		}
		c.miss(id, "the iteration %d, and not %s", n+1, iteration)
	}
}

func (c *counting) hands(e event) {
	_, worker, _ := strings.Cut(e.detail, " ")
	is := e.phase()
	if is != dialect.ChainPhaseDispatchBegan {
		c.goesOn(is, worker)
		return
	}
	n := c.began
	c.began++
	if c.doubted() { // a held decision need not be carried out (OWP-R102)
		most := 0
		for _, w := range c.may() {
			if w.Name == worker {
				most++
			}
		}
		if c.by[worker]++; c.by[worker] > most {
			c.miss(openwop.OWPCNF9, "the worker %s %d times, as often as it is named", worker, most)
		}
		return
	}
	switch may := c.may(); {
	case n >= len(may) && c.waits():
		turn, _ := c.Loop.hold(c.Leg)
		c.miss(c.standsBy(), "no worker %d before turn %d has gone on", n+1, turn+1)
	case n >= len(may) || may[n].Name != worker:
		c.miss(openwop.OWPDSP3, "the workers %v, in this order, each as often as it is named", may)
	case n >= len(c.Loop.before(min(c.decided, c.Loop.N))):
		c.miss(openwop.OWPDSP1, "no worker %d before the decision for it", n+1)
	case c.done > 0 && c.done < n:
		c.miss(openwop.OWPDSP14, "no worker %d before the one before it has settled", n+1)
	}
}

// settledBy are the phases of a handoff that say that the worker has settled.
var settledBy = []dialect.ChainPhase{
	dialect.ChainPhaseChildCompleted, dialect.ChainPhaseChildFailed, dialect.ChainPhaseChildCancelled, dialect.ChainPhaseDispatchFailed,
}

// goesOn takes a later step of a handoff.
func (c *counting) goesOn(is dialect.ChainPhase, worker string) {
	var ends WorkerEnd
	for _, w := range c.Loop.Workers {
		if w.Name == worker {
			ends = w.Ends
		}
	}
	cancelled := c.Cancelled || c.End == "cancelled"
	if slices.Contains(settledBy, is) {
		if c.done++; c.done > c.began {
			c.miss(openwop.OWP0037B3, "no worker that ends without having begun")
		}
	}
	switch {
	case ends == Missing && is != dialect.ChainPhaseDispatchFailed:
		c.miss(openwop.OWP0037B4, "for %s, which there is not, dispatch.failed and not %s", worker, is)
	case is == dialect.ChainPhaseOutputHarvested && (ends == Fails || ends == Lasts):
		c.miss(openwop.OWP0037B2, "no harvest of %s, which does not complete", worker)
	case is == dialect.ChainPhaseChildCompleted && (ends == Fails || ends == Lasts),
		is == dialect.ChainPhaseChildFailed && (ends == Completes || ends == Lasts) && !cancelled,
		is == dialect.ChainPhaseChildCancelled && (ends == Completes || ends == Fails) && !cancelled:
		c.miss(openwop.OWP0037B3, "of %s that it has %s, and not %s", worker, ends, is)
	}
}

func (c *counting) ends(e event) {
	status := ends[e.kind]
	if c.end != "" {
		c.miss(openwop.OWPEVT9, "one event that ends the run")
		return
	}
	c.end = status
	most, _ := c.Loop.turns()
	switch {
	case c.End == "" && !c.mayEnd(status):
		c.miss(c.endBy(), "no end %s", status)
	case status == "completed" && !c.doubted() && c.Loop.Form == Looping && c.decided < most:
		c.miss(openwop.OWP0037A2, "%d decisions before the end, not %d", most, c.decided)
	case status == "completed" && !c.doubted() && c.began > 0 && c.began < len(c.Loop.before(most)):
		c.miss(openwop.OWPDSP3, "%d workers before the end, not %d", len(c.Loop.before(most)), c.began)
	case status == "failed" && c.Loop.breached() && !c.lost() && !c.Rejected && c.breaches == 0:
		c.miss(c.endBy(), "the breach of the bound before the run fails")
	}
}

// endBy is the sentence that an end which the run may not have violates.
func (r Run) endBy() scenarios.RequirementID {
	turn, waits := r.Loop.hold(r.Leg)
	switch {
	case r.Pause == Standing:
		return openwop.OWPCTL20
	case r.Pause == Pausing && r.Early && !r.Cancelled:
		return openwop.OWPCTL19
	case waits && r.Refused:
		return openwop.OWPINT13
	case waits && r.Loop.Turns[turn].Doubt && r.Loop.Turns[turn].kind() == string(dialect.TerminateDecisionKindTerminate):
		return openwop.OWPCNF7
	case waits && r.Loop.Turns[turn].Doubt:
		return openwop.OWPINT5
	case waits && r.asks():
		return openwop.OWPINT1
	case r.Loop.breached() && r.Loop.Form == Nodes:
		return openwop.OWPBND1
	case r.Loop.breached():
		return openwop.OWP0061E3
	case r.Loop.Form.Gated() && r.Leg > 0:
		return openwop.OWPINT16
	}
	return openwop.OWPCTL3
}
