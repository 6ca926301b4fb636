package model

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// missOf is one thing that a reply shows and may not, under a sentence; "" is that of the rule.
func missOf(id scenarios.RequirementID, at wire.Value, format string, args ...any) history.Miss {
	return history.Miss{Of: id, At: at, Want: fmt.Sprintf(format, args...)}
}

// whether returns a miss unless ok.
func whether(ok bool, id scenarios.RequirementID, at wire.Value, format string, args ...any) []history.Miss {
	if ok {
		return nil
	}
	return []history.Miss{missOf(id, at, format, args...)}
}

// refusal returns whether a status is one of these; none is any client error.
func refusal(status wire.Value, codes ...int64) []history.Miss {
	code, _ := status.Int()
	switch {
	case len(codes) == 0:
		return whether(code/100 == 4, "", status, "a refusal with 4xx")
	case slices.Contains(codes, code):
		return nil
	}
	return []history.Miss{missOf("", status, "HTTP %d", codes[0])}
}

// success returns whether a status is one of success.
func success(status wire.Value, what string) []history.Miss {
	code, _ := status.Int()
	return whether(code/100 == 2, "", status, "success: %s", what)
}
