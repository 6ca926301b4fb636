package openwop

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// What a host can say of its workspace files, at any version of the execution model or without one.
var (
	workspaceFiles        = on("workspace", "files that runs share", "/workspace/supported", familyField("workspace", "supported"))
	workspaceVersioned    = with(workspaceFiles, on("workspace-versioned", "workspace files that can be read as they were", "/workspace/versioned", familyField("workspace", "versioned")))
	workspaceMaxVersions  = with(workspaceVersioned, present("workspace-max-versions", "a bound on the versions of a workspace file", "/workspace/maxVersions", familyField("workspace", "maxVersions")))
	workspaceMaxFileBytes = with(workspaceFiles, present("workspace-max-file-bytes", "a bound on the size of a workspace file", "/workspace/maxFileBytes", familyField("workspace", "maxFileBytes")))
	workspaceMaxFiles     = with(workspaceFiles, present("workspace-max-files", "a bound on the number of workspace files", "/workspace/maxFiles", familyField("workspace", "maxFiles")))
	workspaceRuns         = with(executionModel, as("workspace-runs", "workspace files that the turns of a loop write", workspaceFiles))
	workspaceRunsBelow5   = with(executionModelBelow5, as("workspace-runs<5", "workspace files as an input of a run below the stateful agent loop", workspaceFiles))
	// Of a host that has nothing at all nothing is asked: it has an execution model, and no files for its runs.
	noWorkspace = with(executionModel, scenarios.Claim{
		ID: "no-workspace", Title: "an execution model without workspace files",
		Pointer: "/workspace/supported != true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, on := workspaceFiles.Look(d)
			return v, !on
		},
	})
)
