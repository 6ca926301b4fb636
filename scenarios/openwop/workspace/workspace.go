package workspace

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// remove deletes a file and sees that it is gone.
func remove(ctx context.Context, f *host.Files, path string) {
	reply := f.Call(ctx, http.MethodDelete, path, nil)
	if !reply.Success() {
		scenarios.End(host.Unserved(http.MethodDelete, reply.Status))
		return
	}
	read := f.Get(ctx, path)
	if !host.IsGone(read.Status) {
		scenarios.End(scenarios.Block(fmt.Sprintf("set-up: %s was deleted, and GET answers HTTP %d", path, read.Status), "answer 404 for a workspace file that was deleted"))
	}
}
