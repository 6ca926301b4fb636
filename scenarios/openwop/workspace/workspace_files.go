// Package workspace asks how a host keeps workspace files, and which versions of
// them a turn sees.
package workspace

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// FilesSuite tests the files themselves: how they are written, found, refused and
// kept apart.
func FilesSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "workspace-files", Title: "workspace files: served as they were put, versioned, written on conditions, bounded, and nobody else's",
		Scenarios: []scenarios.Scenario{
			servedAsPut, contentRequired, listedByPrefix, deletedIsGone, versionsCount, etagsChange, overwrittenIfMatch, absentIfMatch,
			oneWriterWins,
			numberingContinues, olderVersions, noSuchVersion, versionHorizon,
			absenceEnveloped, climbsRefused, badPathsRefused, tooLargeRefused, largestTaken, fullTakesNoMore,
			writeIsLogged, readsAsOfRunStart, ownersApart, unclaimedNotServed,
		},
	}
}

var servedAsPut = scenarios.Scenario{
	ID:     "openwop/workspace-files/served-as-put",
	Title:  "a file is served as it was put, whatever text it holds; without a content type it is Markdown",
	Proves: scenarios.IDs{openwop.OWPWSP1, openwop.OWPWSP2},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesWritten, func(writes []FileWrite, j *scenarios.Judge) {
		known := map[string]bool{}
		for _, w := range writes {
			if known[w.Path] && !host.Succeeded(w.Put.Status) { // that what is there can be written over is asked elsewhere
				continue
			}
			known[w.Path] = true
			if !j.Check(openwop.OWPWSP1, w.Put.Status).To(check.Status(2), "the write of %s", w.Path) ||
				!j.Check(openwop.OWPWSP1, w.Got.Status).To(check.Status(2), "%s, read again", w.Path) {
				continue
			}
			tell(w.Put, j, "", 200, "the write of a new file")
			tellSchema(w.Got, j, "a file")
			file := w.Got.Body
			j.Check(openwop.OWPWSP1, file.Key("path")).To(check.Equal(w.Path), "path")
			j.Check(openwop.OWPWSP1, file.Key("content")).To(check.Equal(w.Content), "content of %s", w.Path)
			if w.ContentType != "" {
				j.Check(openwop.OWPWSP1, file.Key("contentType")).To(check.Equal(w.ContentType), "contentType of %s", w.Path)
			} else {
				j.Check(openwop.OWPWSP2, file.Key("contentType")).To(check.OneOf(nil, "text/markdown"),
					"contentType of %s, which was put without", w.Path)
			}
			for _, name := range []string{"path", "content", "version", "etag"} {
				if told := w.Put.Body.Key(name); told.Present() {
					j.Check(openwop.OWPWSP1, file.Key(name)).To(check.SameAs(told), "%s of %s, read again", name, w.Path)
				} else if file.Key(name).Present() {
					j.Find("", "the reply to a write does not show the file's %s", name)
				}
			}
		}
	}),
}

var contentRequired = scenarios.Scenario{
	ID:     "openwop/workspace-files/content-required",
	Title:  "a write that says nothing that a file could hold is refused and changes nothing",
	Proves: scenarios.IDs{openwop.OWPWSP3},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesUnwritable, func(o FileBodies, j *scenarios.Judge) {
		given(o.First.Put, j, "a proper write of the same path")
		for _, b := range o.Bodies {
			refused(b.Put, j, openwop.OWPWSP3, 400, b.What)
		}
		unchanged(o.After, j, openwop.OWPWSP3, o.First.Content, o.First.Got.Body.Key("version"), "writes without a content")
	}),
}

// Lists may come in any order.
var listedByPrefix = scenarios.Scenario{
	ID:     "openwop/workspace-files/listed-by-prefix",
	Title:  "a list shows exactly the files below its prefix, at their latest version, and not what they hold",
	Proves: scenarios.IDs{openwop.OWPWSP4, openwop.OWPWSP5},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesListed, func(o FilesListed, j *scenarios.Judge) {
		for _, w := range o.Writes {
			given(w.Put, j, "the write of "+w.Path)
		}
		for _, l := range o.Lists {
			if !j.Check(openwop.OWPWSP4, l.List.Status).To(check.Status(2), "the list of %s", l.What) ||
				!j.Check(openwop.OWPWSP4, l.List.Body.Key("files")).To(aList(), "files in the list of %s", l.What) {
				continue
			}
			j.Check(openwop.OWPWSP4, entries(l.List).Each("/path")).To(exactPaths(pathsOf(l.Shown)...), "paths in the list of %s", l.What)
			for _, w := range l.Shown {
				j.Check(openwop.OWPWSP4, partsOf(l.List, w.Path).Each("/version")).To(check.SameAs(wire.Values{w.Put.Body.Key("version")}),
					"version of %s in the list of %s", w.Path, l.What)
			}
			j.Check(openwop.OWPWSP5, entries(l.List).Each("/content")).To(check.Absent(), "contents in the list of %s", l.What)
		}
	}),
}

func aList() check.Matcher {
	return check.That("a list", func(v any) bool { _, ok := v.([]any); return ok })
}

var deletedIsGone = scenarios.Scenario{
	ID:     "openwop/workspace-files/deleted-is-gone",
	Title:  "a file that was deleted is neither found nor listed, and cannot be deleted twice; no more can one that never was",
	Proves: scenarios.IDs{openwop.OWPWSP6, openwop.OWPWSP7},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(fileDeleted, func(o FileDeleted, j *scenarios.Judge) {
		given(o.First.Put, j, "the write of a file")
		givenList(o.Listed, j)
		if len(partsOf(o.Listed, o.First.Path).Values) == 0 { // the control
			j.Violates(openwop.OWPWSP4, entries(o.Listed), "setup failed: the file is not listed before it is deleted")
		}
		if !j.Check(openwop.OWPWSP6, o.Deleted.Status).To(check.Status(2), "the delete") {
			return
		}
		tell(o.Deleted, j, "", 204, "a delete")
		checkAbsent(o.Gone, j, openwop.OWPWSP6, "a file that was deleted")
		j.Part(func() {
			givenList(o.Unlisted, j)
			j.Check(openwop.OWPWSP6, partsOf(o.Unlisted, o.First.Path)).To(check.Len(0), "entries of the deleted file in the list")
		})
		if checkAbsent(o.Twice, j, openwop.OWPWSP7, "a second delete") {
			tellRefusal(o.Twice, j, "a second delete")
		}
		for i, what := range []string{"reading a file that was never written", "deleting a file that was never written"} {
			if i < len(o.Never) && checkAbsent(o.Never[i], j, openwop.OWPWSP7, what) {
				tellRefusal(o.Never[i], j, what)
			}
		}
	}),
}

// Files are part of the REST surface, whose every refusal has the envelope. Goals live behind a seam, which has no such rule.
var absenceEnveloped = scenarios.Scenario{
	ID:     "openwop/workspace-files/absence-enveloped",
	Title:  "what refuses a file that is not there has a code and words",
	Proves: scenarios.IDs{openwop.OWPERR4},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(fileDeleted, func(o FileDeleted, j *scenarios.Judge) {
		refused := 0
		for i, r := range append([]host.FileReply{o.Gone, o.Twice}, o.Never...) {
			if code, _ := r.Status.Int(); host.IsGone(int(code)) {
				refused++
				a := host.Answered{Asked: fmt.Sprintf("request %d for a file that is not there", i+1), Status: r.Status, Body: r.Body}
				a.Envelope(j)
			}
		}
		if refused == 0 {
			j.Block("setup failed: no request for a file that is not there is refused", "refuse to read a file that was deleted")
		}
	}),
}

// The only scenario for hosts without the claim: they must say no where a client
// would look.
var unclaimedNotServed = scenarios.Scenario{
	ID:     "openwop/workspace-files/unclaimed-not-served",
	Title:  "a host that advertises no workspace says so when it is asked for files",
	Proves: scenarios.IDs{openwop.OWPWSP8},
	Claim:  claims.NoWorkspace,
	Ask: scenarios.Ask(filesUnclaimed, func(o FilesUnclaimed, j *scenarios.Judge) {
		if j.Check(openwop.OWPWSP8, o.List.Status).To(check.Status(404, 405, 501), "the list of files") {
			tell(o.List, j, openwop.OWPWSP8, 501, "the list of files")
		}
	}),
}
