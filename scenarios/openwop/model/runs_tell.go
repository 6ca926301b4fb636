package model

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
)

// RunsBeside are the sentences that rules cite of single members.
var RunsBeside = scenarios.IDs{
	openwop.OWPEVT2, openwop.OWPEVT3, openwop.OWPEVT4, openwop.OWPEVT9, openwop.OWPEVT10, openwop.OWPEVT11, openwop.OWPEVT13, openwop.OWPEVT15,
	openwop.OWPEVT16, openwop.OWPEVT17, openwop.OWPEVT23, openwop.OWPINT1, openwop.OWPINT5, openwop.OWPINT16, openwop.OWP0037A5,
	openwop.OWP0037B3, openwop.OWP0061B2, openwop.OWP0061D1, openwop.OWP0061E2, openwop.OWP0061E3, openwop.OWP0061E6, openwop.OWPDSP1,
	openwop.OWPDSP5, openwop.OWPDSP14, openwop.OWPCNF6, openwop.OWPCNF7, openwop.OWPCTL4, openwop.OWPCTL7, openwop.OWPCTL20,
	openwop.OWPCTL25, openwop.OWPCAU3, openwop.OWPINT11, openwop.OWPBND1, openwop.OWP0037B2, openwop.OWP0037B4, openwop.OWP0061M1,
	openwop.OWPEVT26, openwop.OWPCNF9, openwop.OWPISO1,
	openwop.OWPISO2, openwop.OWPISO7,
}

// tellRun tells a step in a line.
func tellRun(s runStep) string {
	line := string(s.In.Do)
	if s.In.By != "" {
		line += " " + string(s.In.By)
	}
	if s.In.Mode != "" {
		line += " (" + s.In.Mode + ")"
	}
	if s.In.Watch {
		line += ", watched"
	}
	if s.Lost {
		return line
	}
	switch {
	case s.In.Do == KillHost:
		return line
	case s.Out.Unsent:
		return line + ": nothing was sent"
	case s.In.Do == Settle:
		line += ": " + s.Out.Settled.Last.Key("status").String()
	default:
		line += ": HTTP " + s.Out.Status.JSON()
	}
	if s.In.Do == LookAt {
		line += ", " + s.Out.Body.Key("status").String()
	}
	if s.Out.Cursor >= 0 && (s.In.Do == PollRun || s.In.Do == StreamRun || s.In.Do == ForkRun) {
		line += fmt.Sprintf(", from %d", s.Out.Cursor)
	}
	if len(s.Out.Events) > 0 {
		line += fmt.Sprintf(", %d events", len(s.Out.Events))
	}
	return line
}
