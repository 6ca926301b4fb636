package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about workspace files. Most need no execution model.
var (
	WorkspaceFiles     = On("workspace", "files that runs share", "/workspace/supported", FamilyField("workspace", "supported"))
	WorkspaceVersioned = with(WorkspaceFiles, On("workspace-versioned", "workspace files that can be read as they were",
		"/workspace/versioned", FamilyField("workspace", "versioned")))
	WorkspaceMaxVersions = with(WorkspaceVersioned, present("workspace-max-versions", "a bound on the versions of a workspace file",
		"/workspace/maxVersions", FamilyField("workspace", "maxVersions")))
	WorkspaceMaxFileBytes = with(WorkspaceFiles, present("workspace-max-file-bytes", "a bound on the size of a workspace file",
		"/workspace/maxFileBytes", FamilyField("workspace", "maxFileBytes")))
	WorkspaceMaxFiles = with(WorkspaceFiles, present("workspace-max-files", "a bound on the number of workspace files",
		"/workspace/maxFiles", FamilyField("workspace", "maxFiles")))
	WorkspaceRuns       = with(ExecutionModel, as("workspace-runs", "workspace files that the turns of a loop write", WorkspaceFiles))
	WorkspaceRunsBelow5 = with(ExecutionModelBelow5, as("workspace-runs<5",
		"workspace files as an input of a run below the stateful agent loop", WorkspaceFiles))
	// A host without an execution model is not tested: it has no loops that could use files.
	NoWorkspace = with(ExecutionModel, scenarios.Claim{
		ID: "no-workspace", Title: "an execution model without workspace files",
		Pointer: "/workspace/supported != true", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, on := WorkspaceFiles.Look(d)
			return v, !on
		},
	})
)
