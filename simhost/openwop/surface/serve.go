package surface

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/serving"
)

// Serve answers on ln until ctx ends, then stops cleanly (see package serving). The host itself stays usable; Close ends it.
func (h *Host) Serve(ctx context.Context, ln net.Listener) error {
	return serving.Serve(ctx, ln, h.Handler(), h.log)
}

// waiting is the context of a request that waits or streams.
func (h *Host) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	return serving.Waiting(ctx, h.closing)
}

// Banner tells the person who started the host, at a base URL such as http://127.0.0.1:7411, where it listens, with what
// key, what it claims, and a line to try.
func (h *Host) Banner(baseURL string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s speaks OpenWOP %s at %s\n", h.opts.Name, h.opts.Release, protocolVersion, baseURL)
	fmt.Fprintf(&b, "key: %s\n", h.opts.Key)
	for _, tenant := range slices.Sorted(maps.Keys(h.opts.Tenants)) {
		fmt.Fprintf(&b, "key of %s: %s\n", tenant, h.opts.Tenants[tenant])
	}
	where := "in memory, gone when it stops"
	if h.opts.DataDir != "" {
		where = "in " + h.opts.DataDir
	}
	fmt.Fprintf(&b, "logs: %s\n", where)
	b.WriteString("claims:\n")
	for _, line := range h.Claims() {
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	fmt.Fprintf(&b, "try:\n  curl -s %s/v1/runs -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d "+
		"'{\"workflowId\":\"conformance-noop\"}'\n",
		baseURL, strings.ReplaceAll(h.opts.Key, "'", `'\''`))
	return b.String()
}
