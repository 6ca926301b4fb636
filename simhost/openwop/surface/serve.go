package surface

import (
	"context"
	"net"
	"time"

	"github.com/openassay/assay/simhost/serving"
)

// bodyPatience is how long a body may take to arrive.
const bodyPatience = 20 * time.Second

// Serve answers on ln until ctx ends, then stops cleanly (see package serving). The host itself stays usable; Close ends it.
func (h *Host) Serve(ctx context.Context, ln net.Listener) error {
	return serving.Serve(ctx, ln, h.Handler(), h.log)
}

// waiting is the context of a request that waits or streams.
func (h *Host) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	return serving.Waiting(ctx, h.closing)
}
