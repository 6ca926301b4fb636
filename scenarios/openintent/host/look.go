package host

import (
	"context"

	"github.com/openassay/assay/scenarios/wire"
)

// Look is an intent and its log at one moment.
type Look struct {
	Intent Reply `json:"intent"`
	Log    Log   `json:"log"`
}

// Look reads the intent and its log.
func (i *Intent) Look(ctx context.Context, when string) (l Look) {
	l.Intent = i.Read(ctx, "the intent "+when)
	l.Log = i.logAt(ctx, "the log "+when, i.log())
	return l
}

// Answered reads the intent and its log when both show that it waits no more, or when patience is over: a read may be late.
func (i *Intent) Answered(ctx context.Context, when string) (l Look) {
	l = i.Look(ctx, when)
	if l.Intent.Ok() && !l.resumed() {
		i.Await(ctx, "the intent and its log show the answer", func(ctx context.Context) (wire.Value, bool) {
			l.Intent = i.shown(ctx, "the intent "+when)
			l.Log = i.logAt(ctx, "the log "+when, i.log())
			return l.Intent.Body.Key("status"), l.resumed()
		})
	}
	return l
}

func (l Look) resumed() bool {
	return l.Intent.Body.Key("status").String() != Suspended && len(l.Log.OfType(EventResumed).Values) > 0
}
