package confidence

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// AroundFloorObservation holds four loops: with a decision below, at and above
// the floor, and with one that states no confidence.
type AroundFloorObservation struct {
	Floor  float64      `json:"floor"`
	Kind   string       `json:"kind"` // of interrupt, as advertised; "" if it is not
	Below  WeighedLoop  `json:"below"`
	At     *WeighedLoop `json:"at,omitempty"`    // nil if no script has that confidence, and none can be chosen
	Above  *WeighedLoop `json:"above,omitempty"` // nil if the floor is the maximum, or no script has such a confidence
	Absent *WeighedLoop `json:"absent,omitempty"`
}

var sendsHeldLoop = []string{
	host.SendsLoop, "{create run} (sentinel)", "{answer node}", "{read run}", "{poll log}", "{read run:childRunId}",
}

// loopsAroundTheFloor runs loops with confidences close to the floor.
var loopsAroundTheFloor = &scenarios.Drive[AroundFloorObservation]{
	ID: "openwop/loops-around-the-floor",
	Title: "runs loops with a decision a little below the confidence floor, at it, a little above and without a confidence; " +
		"answers where one is held, with a sentinel and a window before and after",
	Sends: sendsHeldLoop,
	Run: func(ctx context.Context, c *scenarios.Conn, o *AroundFloorObservation) {
		h := host.Host{Conn: c}
		o.Floor = h.Floor()
		o.Kind = claims.Model(c.Discovery).Key("confidenceEscalationInterruptKind").String()
		way, doubted := below(h, o.Floor, false).plan(h)
		holdAll(ctx, h, &doubtedLoop{WeighedLoop: &doubted, way: way, label: "the loop below the floor", answer: accept})
		o.Below = doubted
		o.At = weighed(ctx, h, "the loop at the floor", at(o.Floor))
		if o.Floor < 1 {
			o.Above = weighed(ctx, h, "the loop above the floor", above(h, o.Floor))
		}
		o.Absent = weighed(ctx, h, "the loop without a confidence", unweighed)
	},
}

// HeldEndObservation is a loop that terminates with too little confidence, and
// one that terminates with just enough.
type HeldEndObservation struct {
	Floor float64     `json:"floor"`
	Held  WeighedLoop `json:"held"`
	// At is the one with just enough, or with more where no script has just enough. It is nil if there is none.
	At *WeighedLoop `json:"at,omitempty"`
}

// loopsThatEndInDoubt runs loops whose last decision has a confidence close to the floor.
var loopsThatEndInDoubt = &scenarios.Drive[HeldEndObservation]{
	ID: "openwop/loops-that-end-in-doubt",
	Title: "runs loops that terminate with a confidence a little below the floor, and at it; answers where one is held, " +
		"with a sentinel and a window before and after",
	Sends: sendsHeldLoop,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeldEndObservation) {
		h := host.Host{Conn: c}
		o.Floor = h.Floor()
		way, held := below(h, o.Floor, true).plan(h)
		holdAll(ctx, h, &doubtedLoop{WeighedLoop: &held, way: way, label: "the loop that ends in doubt", answer: accept})
		o.Held = held
		o.At = weighed(ctx, h, "the loop that ends at the floor", lastAt(o.Floor))
	},
}

// RejectedObservation holds two loops with a held decision: one was
// rejected, one accepted.
type RejectedObservation struct {
	Floor    float64     `json:"floor"`
	Rejected WeighedLoop `json:"rejected"`
	Agreed   WeighedLoop `json:"agreed"`
}

// loopsInDispute rejects one held decision and accepts another.
var loopsInDispute = &scenarios.Drive[RejectedObservation]{
	ID: "openwop/loops-in-dispute",
	Title: "runs two loops with a decision a little below the confidence floor, rejects the one and accepts the other, with " +
		"a sentinel and a window before and after",
	Sends: sendsHeldLoop,
	Run: func(ctx context.Context, c *scenarios.Conn, o *RejectedObservation) {
		h := host.Host{Conn: c}
		o.Floor = h.Floor()
		no := doubtedLoop{WeighedLoop: &o.Rejected, label: "the loop that is rejected", answer: reject}
		yes := doubtedLoop{WeighedLoop: &o.Agreed, label: "the loop that is accepted", answer: accept}
		for _, l := range []*doubtedLoop{&no, &yes} {
			l.way, *l.WeighedLoop = below(h, o.Floor, false).plan(h)
		}
		holdAll(ctx, h, &no, &yes)
	},
}

// loopBelowVersion2 sends a confidence to a host that knows no floor.
var loopBelowVersion2 = &scenarios.Drive[WeighedLoop]{
	ID:    "openwop/loop-below-version-2",
	Title: "runs a loop with a decision whose random confidence is below every floor",
	Sends: []string{host.SendsLoop, "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WeighedLoop) {
		h := host.Host{Conn: c}
		way, doubted := below(h, 0.5, false).plan(h)
		*o = doubted
		o.follow(ctx, h, "the loop with a doubtful decision", way)
	},
}
