package pages

import (
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// contentsShown is how many bytes of files one page shows; of a file that was asked for, all of it.
const contentsShown = 256 << 10

type filesPage struct {
	Run     runRow
	Turns   []turnLink
	Title   string
	Path    string // of the one file that was asked for
	Files   []fileView
	Missing bool   // the run sees no workspace
	Query   string // of the turn, for links
	Now     bool
}

type turnLink struct {
	Name, Query string
	Here        bool
}

type fileView struct {
	Path     string
	Version  int64
	Changed  string // since the turn before: new, or changed
	Content  string
	Withheld bool // there was no room for its content
	Cut      bool
}

// runFiles shows the files of the workspace as a turn of a run saw them.
func (v visitor) runFiles(r *console.Request) error {
	asked := r.URL.Query().Get("turn")
	page := filesPage{Path: r.URL.Query().Get("path"), Query: asked, Now: asked == "now"}
	err := v.host.With(func(h *surface.Host) error {
		a, err := h.Run(r.Context(), v.who, r.PathValue("run"))
		if err != nil {
			return err
		}
		page.Run = rowOf(a)
		sees, before := page.at(a, asked)
		if page.Now {
			if sees, err = h.Files(r.Context(), v.who); err != nil {
				return err
			}
		}
		page.Missing = a.Files == nil
		left := contentsShown
		for _, ref := range sees {
			if page.Path != "" && ref.Path != page.Path {
				continue
			}
			f := fileView{Path: ref.Path, Version: ref.Version, Changed: since(before, ref)}
			if left <= 0 {
				f.Withheld = true
			} else {
				if f.Content, err = h.File(r.Context(), v.who, ref); err != nil {
					return err
				}
				left -= len(f.Content)
				if page.Path == "" {
					f.Content, f.Cut = console.Cut(f.Content)
				}
			}
			page.Files = append(page.Files, f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.Show(console.Page{Template: "files", Title: "Workspace, " + page.Title, Here: "Runs", Body: page})
}

// at finds what was seen when a turn began, and at the turn before it: "" and "begin" are when the run began.
func (p *filesPage) at(a state.Account, asked string) (sees, before []openwopv1.WorkspaceFileRef) {
	p.Turns = append(p.Turns, turnLink{Name: "Begin", Query: "begin"})
	sees, before, p.Title = a.Files, a.Files, "as the run began"
	previous := a.Files
	for _, t := range a.Turns {
		n := strconv.Itoa(t.Iteration)
		p.Turns = append(p.Turns, turnLink{Name: "Turn " + n, Query: n})
		if asked == n {
			sees, before, p.Title = t.Files, previous, "as turn "+n+" saw it"
		}
		previous = t.Files
	}
	p.Turns = append(p.Turns, turnLink{Name: "Now", Query: "now"})
	if p.Now {
		before, p.Title = previous, "as it is now"
	}
	if !slices.ContainsFunc(p.Turns, func(t turnLink) bool { return t.Query == asked }) {
		p.Query = "begin"
	}
	for i := range p.Turns {
		p.Turns[i].Here = p.Turns[i].Query == p.Query
	}
	return sees, before
}

// since tells whether a file is another one than before.
func since(before []openwopv1.WorkspaceFileRef, ref openwopv1.WorkspaceFileRef) string {
	for _, b := range before {
		switch {
		case b.Path != ref.Path:
		case b.Version == ref.Version:
			return ""
		default:
			return "changed"
		}
	}
	return "new"
}
