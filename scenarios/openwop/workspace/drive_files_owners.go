package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FileOwner is one of several owners with files at the same path.
type FileOwner struct {
	Tenant    string         `json:"tenant"`
	Workspace string         `json:"workspace"`
	Content   string         `json:"content"` // of its file
	Before    host.FileReply `json:"before"`  // its file, after earlier owners wrote theirs
	Listed    host.FileReply `json:"listed"`  // its files then
	Put       host.FileReply `json:"put"`
	Got       host.FileReply `json:"got"` // after all had written
	All       host.FileReply `json:"all"` // its files then
}

// FileOwners are owners with similar names, in the order in which they wrote.
type FileOwners struct {
	Seam   string         `json:"seam"`
	Path   string         `json:"path"`
	Owners []FileOwner    `json:"owners"`
	Public host.FileReply `json:"public"` // the public endpoint's reply to the credential's own owner
}

// SeenAs implements [scenarios.Seer]: a seam's reply is the host's own word.
func (FileOwners) SeenAs() scenarios.Evidence { return scenarios.Attested }

// filesOwned lets owners chosen by the drive write files.
var filesOwned = &scenarios.Drive[FileOwners]{
	ID: "openwop/files-owned",
	Title: "has owners whose names run into each other write a file of the same path over the seam workspace/op, each after " +
		"a look, and has each read and list it when all have written",
	Sends: []string{"{use seam:workspace/op} {tenant, workspace, op: list, get, put, delete}", "{read file}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FileOwners) {
		h := host.Host{Conn: c}
		owners := alike(h)
		s, _ := h.FindSeam(ctx, "workspace/op", dialect.WorkspaceOpRequest{Tenant: owners[0].Tenant, Workspace: &owners[0].Workspace,
			Op: dialect.WorkspaceOpRequestOpList})
		*o = FileOwners{Seam: s.Path(), Path: h.Name("notes") + "/plan.md", Owners: owners}
		for i := range o.Owners {
			o.Owners[i].begin(ctx, s, o.Path)
		}
		ends := make([]func(context.Context), len(o.Owners))
		for i := range o.Owners {
			ends[i] = func(ctx context.Context) { o.Owners[i].end(ctx, s, o.Path) }
		}
		h.AtOnce(ctx, ends...)
		o.Public = h.Files().LookAt(ctx, o.Path, "")
	},
}

// alike returns owners that collide if a host joins tenant and workspace into one
// key, or looks away from the case of letters. No other drive uses their names.
func alike(h host.Host) []FileOwner {
	t, w := h.Name("t"), h.Marker()
	owners := []FileOwner{{Tenant: t, Workspace: w}, {Tenant: t}, {Tenant: t, Workspace: h.Marker()}, {Tenant: w, Workspace: t},
		{Tenant: t + w}}
	for _, joint := range []string{" ", "/", ":"} {
		x := h.Marker()
		owners = append(owners, FileOwner{Tenant: t + joint + w}, FileOwner{Tenant: t, Workspace: w + joint + x},
			FileOwner{Tenant: t + joint + w, Workspace: x})
	}
	for _, o := range []FileOwner{{Tenant: strings.ToUpper(t), Workspace: w}, {Tenant: t, Workspace: strings.ToUpper(w)}} {
		if !slices.Contains(owners, o) { // in letters of the other case
			owners = append(owners, o)
		}
	}
	for i := range owners {
		owners[i].Content = h.Marker()
	}
	return owners
}

func (o *FileOwner) ask(op dialect.WorkspaceOpRequestOp, path string) dialect.WorkspaceOpRequest {
	ask := dialect.WorkspaceOpRequest{Tenant: o.Tenant, Workspace: &o.Workspace, Op: op}
	if op != dialect.WorkspaceOpRequestOpList {
		ask.Path = &path
	}
	return ask
}

// begin reads the missing file of a new owner, and writes it.
func (o *FileOwner) begin(ctx context.Context, s host.Seam, path string) {
	o.look(ctx, s, path, &o.Before, &o.Listed)
	put := o.ask(dialect.WorkspaceOpRequestOpPut, path)
	put.Content = &o.Content
	reply, err := scenarios.Attempt(func() *wire.Reply { return s.Ask(ctx, put) })
	if err == nil && !reply.Success() {
		o.Put = host.FileReplyOf(reply)
		return
	}
	s.Leave(fmt.Sprintf("workspace file %s of tenant %q, workspace %q", path, o.Tenant, o.Workspace), func(ctx context.Context,
		c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Operation: s.Operation(), Body: o.ask(dialect.WorkspaceOpRequestOpDelete, path), Label: "clean up"})
		if err != nil || host.IsGone(reply.Status) {
			return err
		}
		return scenarios.Undone(reply)
	})
	scenarios.End(err)
	o.Put = host.FileReplyOf(reply)
}

// end reads the owner's file and lists its files.
func (o *FileOwner) end(ctx context.Context, s host.Seam, path string) {
	o.look(ctx, s, path, &o.Got, &o.All)
}

func (o *FileOwner) look(ctx context.Context, s host.Seam, path string, file, list *host.FileReply) {
	ask := func(into *host.FileReply, op dialect.WorkspaceOpRequestOp) func(context.Context) {
		return func(ctx context.Context) {
			reply := s.Ask(ctx, o.ask(op, path))
			*into = host.FileReplyOf(reply)
		}
	}
	s.AtOnce(ctx, ask(file, dialect.WorkspaceOpRequestOpGet), ask(list, dialect.WorkspaceOpRequestOpList))
}
