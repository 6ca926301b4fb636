package live

import (
	"context"
)

// principalKey carries in a context who answers an interrupt.
type principalKey struct{}

// As returns a context in which an interrupt is answered by the principal of this name. Without one the answer is of somebody
// of whom nothing is known but that they were sent the interrupt's token.
func As(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

func principalOf(ctx context.Context) string {
	name, _ := ctx.Value(principalKey{}).(string)
	return name
}
