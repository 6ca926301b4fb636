package surface

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

// hasWorkspace refuses what concerns files where there are none.
func (h *Host) hasWorkspace() error {
	if !h.claimed[claimWorkspace] {
		return refusal.New(codeCapability, "this host has no files: discovery has no workspace", "requiredCapability", "workspace")
	}
	return nil
}

// filesWith is whose files a path is among, as far as an operation on it finds it: those of who asks.
func (h *Host) filesWith(ctx context.Context, operation, path string) (workspace.Owner, error) {
	tenant, err := h.keeper(ctx, operation, func(tenant string) bool {
		_, err := h.files.Get(ctx, workspace.Owner{Tenant: tenant}, path, 0)
		return err == nil
	})
	return workspace.Owner{Tenant: tenant}, err
}

// ListWorkspaceFiles serves what files there are.
func (h *Host) ListWorkspaceFiles(ctx context.Context,
	req openwopv1.ListWorkspaceFilesRequestObject) (openwopv1.ListWorkspaceFilesResponseObject, error) {
	if err := h.hasWorkspace(); err != nil {
		return nil, err
	}
	files, err := h.files.List(ctx, ownFiles(ctx), given(req.Params.Prefix))
	if err != nil {
		return nil, err
	}
	for _, tenant := range h.among(ctx, opListFiles) {
		more, err := h.files.List(ctx, workspace.Owner{Tenant: tenant}, given(req.Params.Prefix))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return openwopv1.ListWorkspaceFiles200JSONResponse{Files: files}, nil
}

// GetWorkspaceFile serves a file as it is, or as it was.
func (h *Host) GetWorkspaceFile(ctx context.Context,
	req openwopv1.GetWorkspaceFileRequestObject) (openwopv1.GetWorkspaceFileResponseObject, error) {
	if err := h.hasWorkspace(); err != nil {
		return nil, err
	}
	owner, err := h.filesWith(ctx, opGetFile, req.Path)
	if err != nil {
		return nil, err
	}
	file, err := h.files.Get(ctx, owner, req.Path, given(req.Params.Version))
	if err != nil {
		return nil, err
	}
	return openwopv1.GetWorkspaceFile200JSONResponse(file), nil
}

// PutWorkspaceFile writes a file. One that is new is 200 too: the contract has no 201.
func (h *Host) PutWorkspaceFile(ctx context.Context,
	req openwopv1.PutWorkspaceFileRequestObject) (openwopv1.PutWorkspaceFileResponseObject, error) {
	if err := h.hasWorkspace(); err != nil {
		return nil, err
	}
	owner, err := h.filesWith(ctx, opPutFile, req.Path)
	if err != nil {
		return nil, err
	}
	file, err := h.files.Put(ctx, owner, workspace.Put{
		Path:        req.Path,
		Content:     req.Body.Content,
		ContentType: given(req.Body.ContentType),
		IfMatch:     req.Params.IfMatch,
		Origin:      cause(ctx),
	})
	if err != nil {
		return nil, err
	}
	return openwopv1.PutWorkspaceFile200JSONResponse{Body: file}, nil
}

// DeleteWorkspaceFile removes a file.
func (h *Host) DeleteWorkspaceFile(ctx context.Context,
	req openwopv1.DeleteWorkspaceFileRequestObject) (openwopv1.DeleteWorkspaceFileResponseObject, error) {
	if err := h.hasWorkspace(); err != nil {
		return nil, err
	}
	owner, err := h.filesWith(ctx, opDeleteFile, req.Path)
	if err != nil {
		return nil, err
	}
	if err := h.files.Delete(ctx, owner, req.Path, cause(ctx)); err != nil {
		return nil, err
	}
	return openwopv1.DeleteWorkspaceFile204Response{}, nil
}

// WorkspaceOp is the seam of RFC 0059: the endpoints above for an owner of the caller's choice, with the same replies.
func (h *Host) WorkspaceOp(ctx context.Context, req openwopv1.WorkspaceOpRequestObject) (openwopv1.WorkspaceOpResponseObject, error) {
	if !h.claimed[claimWorkspaceSeam] {
		return nil, refusal.New(codeNotFound, "this host does not offer the workspace seam")
	}
	ask := req.Body
	// Names that nobody here has are free to choose; a tenant who has a key is not to be played by another one.
	if ask.Tenant != tenantOf(ctx) && slices.Contains(h.opts.tenants(), ask.Tenant) {
		return nil, refusal.New(codeForbidden, "the key belongs to another tenant: name its own, or one that has no key here", "field", "tenant")
	}
	owner := workspace.Owner{Tenant: ask.Tenant, Workspace: given(ask.Workspace)}
	if ask.Op == openwopv1.WorkspaceOpRequestOpList {
		files, err := h.files.List(ctx, owner, given(ask.Prefix))
		if err != nil {
			return nil, err
		}
		return seamFiles{Files: files}, nil
	}
	if ask.Path == nil {
		return nil, invalid("path", "say which file: path is missing")
	}
	switch ask.Op {
	case openwopv1.WorkspaceOpRequestOpPut:
		return h.seamPut(ctx, owner, ask)
	case openwopv1.WorkspaceOpRequestOpDelete:
		if err := h.files.Delete(ctx, owner, *ask.Path, ""); err != nil {
			return nil, err
		}
		return openwopv1.WorkspaceOp204Response{}, nil
	default: // the contract lets nothing else through than get
		file, err := h.files.Get(ctx, owner, *ask.Path, given(ask.Version))
		if err != nil {
			return nil, err
		}
		return seamFile(file), nil
	}
}

func (h *Host) seamPut(ctx context.Context, owner workspace.Owner,
	ask *openwopv1.WorkspaceOpRequest) (openwopv1.WorkspaceOpResponseObject, error) {
	if ask.Content == nil {
		return nil, invalid("content", "say what the file is to hold: content is missing")
	}
	file, err := h.files.Put(ctx, owner, workspace.Put{
		Path:        *ask.Path,
		Content:     *ask.Content,
		ContentType: given(ask.ContentType),
		IfMatch:     ask.IfMatch,
	})
	if err != nil {
		return nil, err
	}
	return seamFile(file), nil
}

// seamFiles and seamFile are replies of the public endpoints that the seam gives.
type (
	seamFiles openwopv1.WorkspaceFileList
	seamFile  openwopv1.WorkspaceFile
)

// VisitWorkspaceOpResponse makes a list a reply of the seam.
func (f seamFiles) VisitWorkspaceOpResponse(w http.ResponseWriter) error {
	return openwopv1.ListWorkspaceFiles200JSONResponse(f).VisitListWorkspaceFilesResponse(w)
}

// VisitWorkspaceOpResponse makes a file a reply of the seam.
func (f seamFile) VisitWorkspaceOpResponse(w http.ResponseWriter) error {
	return openwopv1.GetWorkspaceFile200JSONResponse(f).VisitGetWorkspaceFileResponse(w)
}

// given is the value of an optional member, its zero value where it was left off.
func given[T any](optional *T) (value T) {
	if optional != nil {
		value = *optional
	}
	return value
}
