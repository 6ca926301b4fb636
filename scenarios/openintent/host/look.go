package host

import "context"

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
