package workspace

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// remove deletes a file and checks that it is gone.
func remove(ctx context.Context, f *host.Files, path string) {
	reply := f.Call(ctx, dialect.DeleteFile, path, nil)
	if !reply.Success() {
		scenarios.End(host.Unserved(dialect.DeleteFile, reply.Status))
		return
	}
	read := f.Get(ctx, path)
	if read.Success() {
		scenarios.End(scenarios.Violates(openwop.OWPWSP6, read.StatusValue(),
			fmt.Sprintf("setup failed: %s was deleted, and GET answers HTTP %d", path, read.Status)))
	}
	if !host.IsGone(read.Status) {
		scenarios.End(scenarios.Block(fmt.Sprintf("setup failed: %s was deleted, and GET answers HTTP %d", path, read.Status),
			"answer 404 for a workspace file that was deleted"))
	}
}
