package workspace

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// remove deletes a file and sees that it is gone.
func remove(ctx context.Context, f *host.Files, path string) error {
	reply, err := f.Call(ctx, http.MethodDelete, path, nil)
	if err != nil {
		return err
	}
	if !reply.Success() {
		return host.Unserved(http.MethodDelete, reply.Status)
	}
	read, err := f.Get(ctx, path)
	if err != nil {
		return err
	}
	if !host.IsGone(read.Status) {
		return scenarios.Block(fmt.Sprintf("set-up: %s was deleted, and GET answers HTTP %d", path, read.Status), "answer 404 for a workspace file that was deleted")
	}
	return nil
}
