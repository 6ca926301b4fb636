package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/openassay/assay/internal/lazyregexp"
)

// steered decides without a model: by hints in the start's context and in results, and where there are none, by a plain plan: every
// allowed tool once, one that reads pages first if the goal names one.
//
// Hints of a start: tool, tool_command, tool_payload. Hints of a result: done, reframe, next_tool with tool_payload.
type steered struct{ first string }

var (
	address = lazyregexp.New(`https?://[^\s"'<>)\]]+`)
	readers = []string{"jina-reader", "fetch"}
)

func (p steered) Decide(_ context.Context, now Situation) (Decision, error) {
	if now.Last == nil {
		return p.begin(now), nil
	}
	hints := now.Last.Members
	if next := textOf(hints["next_tool"]); next != "" {
		return Decision{Action: CallTool, Tool: next, Arguments: membersOf(hints["tool_payload"])}, nil
	}
	switch {
	case isTrue(hints["done"]):
		outcome := textOf(hints["outcome"])
		if outcome == "" {
			outcome = now.Last.Text
		}
		return Decision{Action: Done, Outcome: outcome}, nil
	case isTrue(hints["reframe"]) && !now.Reframed:
		return Decision{Action: Reframe, Reason: "the result asks for another plan"}, nil
	case isTrue(hints["reframe"]):
		return p.call(p.pick(now), now), nil
	}
	for _, tool := range now.Tools {
		if !slices.Contains(now.Used, tool) {
			return p.call(tool, now), nil
		}
	}
	return Decision{Action: Done, Outcome: fmt.Sprintf("%s has the last word after %d steps", now.Last.Tool, now.Step)}, nil
}

func (p steered) begin(now Situation) Decision {
	for _, hint := range []string{"tool", "initial_tool"} {
		if tool := textOf(now.Context[hint]); tool != "" {
			return Decision{Action: CallTool, Tool: tool, Command: textOf(now.Context["tool_command"]),
				Arguments: membersOf(now.Context["tool_payload"])}
		}
	}
	tool := p.first
	if tool == "" {
		tool = p.pick(now)
	}
	if tool == "" {
		return Decision{Action: Refuse, Reason: "no tool is allowed"}
	}
	return p.call(tool, now)
}

// pick is the tool to begin with.
func (steered) pick(now Situation) string {
	if address.MatchString(now.Goal) {
		for _, tool := range now.Tools {
			if slices.Contains(readers, tool) {
				return tool
			}
		}
	}
	if len(now.Tools) == 0 {
		return ""
	}
	return now.Tools[0]
}

// call calls a tool with what the goal gives.
func (steered) call(tool string, now Situation) Decision {
	arguments := object{"prompt": encoded(now.Goal)}
	if found := address.FindString(now.Goal); found != "" {
		arguments["url"] = encoded(found)
	}
	return Decision{Action: CallTool, Tool: tool, Arguments: arguments}
}
