package serving

import (
	"context"
	"net/http"
	"sync"

	"github.com/openassay/assay/simhost/clock"
)

// Busy keeps a clock from jumping while a request is under way. A request that waits or streams is not: see [Waiting]. One that
// changes something has the clock count its cap anew.
func Busy(c *clock.Skipping, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := c.Work
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			begin = c.Read
		} else {
			c.Stir()
		}
		done := sync.OnceFunc(begin())
		defer done()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), busyKey{}, done)))
	})
}

// busyKey carries what ends the work of a request.
type busyKey struct{}

// Waits notes that the request of a context waits or streams from now on.
func Waits(ctx context.Context) {
	if done, ok := ctx.Value(busyKey{}).(func()); ok {
		done()
	}
}
