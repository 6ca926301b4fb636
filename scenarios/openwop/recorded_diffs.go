package openwop

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// compared is a diff of two runs, with their logs if they were read whole.
type compared struct {
	control.Diffed
	whole          bool
	ended, another bool // both had ended before, and otherwise than one another
}

// diffs is the rule about comparisons of runs. A run that goes on may differ from itself while it is compared.
var diffs = rule[compared]{"diff", scenarios.IDs{openwop.OWPCTL30, openwop.OWPCTL31, openwop.OWPCTL32, openwop.OWPCTL33, openwop.OWPCTL34,
	openwop.OWPCTL35, openwop.OWPCTL36}, func(c compared, j *scenarios.Judge) {
	c.CheckNamed(j)
	if c.ended && c.A.RunID == c.B.RunID {
		control.CheckSelf(j, c.Reply)
	}
	if c.ended && c.another {
		control.CheckStates(j, c.Reply)
	}
	if c.ended && c.whole && c.A.RunID != c.B.RunID {
		c.CheckTold(j)
	}
}}

func (t *traffic) judgeDiffs() {
	for _, x := range t.of(dialect.CompareRuns) {
		against := x.Query["against"]
		if !x.Ok() || len(x.Query) != 1 || len(against) != 1 || !host.IsList(x.Body.Key("eventDiffs")) {
			continue
		}
		a, wholeA := t.whole(x.id())
		b, wholeB := t.whole(against[0])
		endA, overA := t.over(x.id(), x)
		endB, overB := t.over(against[0], x)
		a.RunID, b.RunID = x.id(), against[0]
		whole := wholeA && wholeB && // what is known to be a secret only later is still to be read here
			hidden(a)+hidden(b)+wire.Hidden(x.Body) == 0
		within := int64(0)
		if whole && !(t.since(x, a) && t.since(x, b)) { // notes may have come behind the end of either
			within = max(1, min(host.Sequence(a.Terminals().Last()), host.Sequence(b.Terminals().Last())))
		}
		c := compared{control.Diffed{A: a, B: b, Reply: host.Answered{Asked: "a diff", Status: x.Status, Body: x.Body}, Within: within},
			whole, overA && overB, overA && overB && endA.status.String() != endB.status.String()}
		diffs.hold(t.sights, x.id(), c)
	}
}
