package workspace

import (
	"net/http"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

var versionsCount = scenarios.Scenario{
	ID:     "openwop/workspace-files/versions-count",
	Title:  "each write of a file, unconditional, replaces what was there and is one version more, from 1 on",
	Proves: scenarios.IDs{openwop.OWPWSP9, openwop.OWPWSP11},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(fileRewritten, func(o FileHistory, j *scenarios.Judge) {
		for i, w := range o.Writes {
			if i == 0 {
				given(w.Put, j, "the first write of a file")
			}
			if i > 0 && !j.Check(openwop.OWPWSP11, w.Put.Status).To(check.Status(2), "write %d of a file, without If-Match", i+1) {
				return
			}
			j.Check(openwop.OWPWSP9, w.Put.Body.Key("version")).To(check.Equal(i+1), "version in the reply to write %d", i+1)
			j.Check(openwop.OWPWSP9, w.Got.Body.Key("version")).To(check.Equal(i+1), "version after write %d", i+1)
			j.Check(openwop.OWPWSP11, w.Got.Body.Key("content")).To(check.Equal(w.Content), "content after write %d", i+1)
		}
	}),
}

// A file shows its version, so every write changes it: also a write of the same
// text.
var etagsChange = scenarios.Scenario{
	ID:     "openwop/workspace-files/etags-change",
	Title:  "the etag of a file is strong, and another one after each write, also of the same content",
	Proves: scenarios.IDs{openwop.OWPWSP10},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(fileRewritten, func(o FileHistory, j *scenarios.Judge) {
		etags := wire.Found{}
		o.counted(j)
		for i, w := range o.Writes {
			givenEtag(w.Got, j)
			etag := w.Got.Body.Key("etag")
			j.Check(openwop.OWPWSP10, etag).To(strongEtag(), "etag after write %d", i+1)
			etags.Values, etags.In = append(etags.Values, etag), etag.Ref()
		}
		j.Check(openwop.OWPWSP10, etags).To(noDuplicates(), "etags of a file after each write")
	}),
}

// counted blocks the judge unless every set-up write changed the version.
func (o FileHistory) counted(j *scenarios.Judge) {
	for i, w := range o.Writes {
		given(w.Put, j, "write "+strconv.Itoa(i+1)+" of a file")
		before := wire.Value{}
		if i > 0 {
			before = o.Writes[i-1].Got.Body.Key("version")
		}
		if version := w.Got.Body.Key("version"); version.Present() && version.JSON() == before.JSON() {
			j.Violates(openwop.OWPWSP9, version, "setup failed: write "+strconv.Itoa(i+1)+" of a file left it at version "+version.JSON())
		}
	}
}

// One scenario for both requirements: a host that refuses everything, or nothing,
// meets only one of them.
var overwrittenIfMatch = scenarios.Scenario{
	ID:     "openwop/workspace-files/if-match",
	Title:  "a write with the etag that the file has is made; with any other it is refused, says which version there is, and changes nothing",
	Proves: scenarios.IDs{openwop.OWPWSP12, openwop.OWPWSP13, openwop.OWPWSP14},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(fileConditions, func(o FileConditions, j *scenarios.Judge) {
		given(o.First.Put, j, "the first write of a file")
		givenEtag(o.First.Put, j)
		o.Current.made(j)
		givenEtag(o.Current.Put, j)
		for _, s := range o.Stale {
			s.refused(j, o.Current)
		}
		o.Last.made(j)
		j.Part(func() { o.lives(j) })
	}),
}

// lives checks the writes of a file that was deleted and made again.
func (o FileConditions) lives(j *scenarios.Judge) {
	var now FileCondition
	for _, c := range o.Life {
		switch {
		case !c.Made:
			c.refused(j, now)
			continue
		case c.Free:
			given(c.Put, j, "a write of a file without If-Match")
		default:
			c.made(j)
		}
		now = c
	}
}

// refused checks that a write with another etag than the file has was refused and left the file as it was made last.
func (c FileCondition) refused(j *scenarios.Judge, last FileCondition) {
	version := last.Got.Body.Key("version")
	if j.Check(openwop.OWPWSP13, c.Put.Status).To(check.Status(4), "a write with %s", c.What) && !c.Weak {
		j.Check(openwop.OWPWSP14, c.Put.Status).To(check.Status(409), "a write with %s", c.What)
		j.Check(openwop.OWPWSP14, c.Put.Body.Key("error")).To(dialect.Coded(dialect.WorkspaceConflict), "code of that refusal")
		j.Check(openwop.OWPWSP14, c.Put.Body.At("/details/currentVersion")).To(check.SameAs(version), "details.currentVersion of that refusal")
		tellRefusal(c.Put, j, "a write with "+c.What)
	}
	j.Part(func() { unchanged(c.Got, j, openwop.OWPWSP13, last.Content, version, "a write with "+c.What) })
}

// made checks that a write with the right etag succeeded.
func (c FileCondition) made(j *scenarios.Judge) {
	j.Require(j.Check(openwop.OWPWSP12, c.Put.Status).To(check.Status(2), "a write with %s", c.What))
	j.Require(j.Check(openwop.OWPWSP12, c.Got.Body.Key("content")).To(check.Equal(c.Content), "content after a write with %s", c.What))
}

// OWP-R26: no text says how to refuse such a write.
var absentIfMatch = scenarios.Scenario{
	ID:     "openwop/workspace-files/if-match-absent",
	Title:  "a write with the etag of a file that is not there, never was or was deleted, is refused and makes none",
	Proves: scenarios.IDs{openwop.OWPWSP15},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesAbsent, func(o FileAbsentConditions, j *scenarios.Judge) {
		given(o.Made.Put, j, "a write of the same path without If-Match")
		o.Never.unmade(j, o.Path)
		switch {
		case !o.Gone.Put.Status.Present():
			j.Find("", "the file has no etag, so only an invented one could be sent")
		default:
			givenDelete(o.Deleted, j)
			o.gone(j)
			o.Gone.unmade(j, o.Path)
		}
	}),
}

// gone blocks the judge unless the file, as its set-up, was deleted.
func (o FileAbsentConditions) gone(j *scenarios.Judge) {
	why := "setup failed: the file is still there after its delete: HTTP " + o.Left.Status.JSON()
	switch code, _ := o.Left.Status.Int(); {
	case host.Succeeded(o.Left.Status):
		j.Violates(openwop.OWPWSP6, o.Left.Status, why)
	case len(partsOf(o.Listed, o.Path).Values) > 0:
		j.Violates(openwop.OWPWSP6, partsOf(o.Listed, o.Path), why+", and it is listed")
	case !host.IsGone(int(code)):
		j.Block(why, "answer 404 for a workspace file that was deleted")
	}
}

// unmade checks that a write was refused and made no file.
func (c FileCondition) unmade(j *scenarios.Judge, path string) {
	what := "a write with " + c.What
	if refused(c.Put, j, openwop.OWPWSP15, 409, what) {
		if current, ok := c.Put.Body.At("/details/currentVersion").Int(); !ok || current != 0 {
			j.Find("", "%s is refused with details.currentVersion %s, not 0 (OWP-R26)", what, c.Put.Body.At("/details/currentVersion").JSON())
		}
	}
	checkAbsent(c.Got, j, openwop.OWPWSP15, "the file after "+what)
	j.Part(func() {
		givenList(c.Listed, j)
		j.Check(openwop.OWPWSP15, partsOf(c.Listed, path)).To(check.Len(0), "entries of the file in the list after %s", what)
	})
}

var oneWriterWins = scenarios.Scenario{
	ID:     "openwop/workspace-files/one-writer-wins",
	Title:  "of writers who come at once with the same etag one wins, and the file is what that one wrote",
	Proves: scenarios.IDs{openwop.OWPWSP16},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesRaced, func(rounds []FileRace, j *scenarios.Judge) {
		for i, r := range rounds {
			given(r.Before, j, "a write of a file")
			givenEtag(r.Before, j)
			statuses := wire.Values{}
			winner := ""
			for k, a := range r.Answers {
				statuses = append(statuses, a.Status)
				if host.Succeeded(a.Status) {
					winner = r.Contents[k]
				}
			}
			if !j.Check(openwop.OWPWSP16, statuses).To(host.OneSucceeded(), "%d writers with one etag, in round %d", len(r.Answers), i+1) {
				continue
			}
			for _, a := range r.Answers {
				j.Check(openwop.OWPWSP16, a.Status).To(check.Status(2, 4), "a writer in round %d", i+1)
			}
			j.Check(openwop.OWPWSP16, r.After.Body.Key("content")).To(check.Equal(winner), "content after round %d, as its winner wrote it", i+1)
		}
	}),
}

var numberingContinues = scenarios.Scenario{
	ID:     "openwop/workspace-files/numbering-continues",
	Title:  "a file that is written again after its delete counts on from where it was",
	Proves: scenarios.IDs{openwop.OWPWSP17}, Watches: scenarios.IDs{openwop.OWPWSP19},
	Claim: claims.WorkspaceVersioned,
	Ask: scenarios.Ask(fileDeleted, func(o FileDeleted, j *scenarios.Judge) {
		given(o.First.Put, j, "the write of a file")
		givenDelete(o.Deleted, j)
		given(o.Again.Put, j, "the write of a file that was deleted")
		before := givenVersion(o.First.Got.Body, j, "before it is deleted")
		again := o.Again.Got.Body.Key("version")
		if j.Check(openwop.OWPWSP17, again).To(check.Integer(before+1, 0),
			"version of a file that was deleted at version %d and written again", before) {
			if n, _ := again.Int(); n != before+2 {
				j.Find("", "a file that was deleted at version %d is version %d when it is written again: the delete "+
					"should be one version", before, n)
			}
		}
		for _, v := range o.Between {
			j.Check(openwop.OWPWSP19, v.Got.Status).To(check.Status(4), "version %s of a file, which no write made", v.Version)
		}
	}),
}

var olderVersions = scenarios.Scenario{
	ID:     "openwop/workspace-files/older-versions",
	Title:  "each version of a file that is kept can be read, and holds what was written then",
	Proves: scenarios.IDs{openwop.OWPWSP18},
	Claim:  claims.WorkspaceVersioned,
	Ask: scenarios.Ask(fileRewritten, func(o FileHistory, j *scenarios.Judge) {
		o.counted(j)
		if o.Kept == 1 {
			j.Block("workspace.maxVersions is 1: no older version is promised", "keep more than one version while the host is certified")
		}
		for i, v := range o.Older {
			if o.Kept == 0 || i >= len(o.Older)-o.Kept {
				v.check(j)
			}
		}
	}),
}

// check expects a version with the content that was written.
func (v FileVersion) check(j *scenarios.Judge) {
	if !j.Check(openwop.OWPWSP18, v.Got.Status).To(check.Status(2), "version %s of a file", v.Version) {
		return
	}
	j.Check(openwop.OWPWSP18, v.Got.Body.Key("content")).To(check.Equal(v.Content), "content of version %s", v.Version)
	if kind := v.Got.Body.Key("contentType"); v.ContentType != "" && kind.Present() {
		j.Check(openwop.OWPWSP18, kind).To(check.Equal(v.ContentType), "contentType of version %s", v.Version)
	}
	if n, err := strconv.Atoi(v.Version); err == nil {
		j.Check(openwop.OWPWSP18, v.Got.Body.Key("version")).To(check.Equal(n), "version of version %s", v.Version)
	}
}

var noSuchVersion = scenarios.Scenario{
	ID:     "openwop/workspace-files/no-such-version",
	Title:  "a version that was never written is not found, and what is no version is refused",
	Proves: scenarios.IDs{openwop.OWPWSP19},
	Claim:  claims.WorkspaceVersioned,
	Ask: scenarios.Ask(fileRewritten, func(o FileHistory, j *scenarios.Judge) {
		o.counted(j)
		o.latest(j) // the control
		for _, v := range o.Never {
			refused(v.Got, j, openwop.OWPWSP19, 404, "version "+v.Version+" of a file that was written "+strconv.Itoa(len(o.Writes))+" times")
		}
		for _, v := range o.Absurd {
			refused(v.Got, j, openwop.OWPWSP19, 400, "version "+v.Version+" of a file")
		}
	}),
}

// latest blocks the judge unless the latest version of the file can be read by its number.
func (o FileHistory) latest(j *scenarios.Judge) {
	const why = "setup failed: the latest version of a file cannot be read by its number"
	if len(o.Older) == 0 {
		j.Block(why, "number the versions of a workspace file")
	}
	got := o.Older[len(o.Older)-1].Got
	switch code, _ := got.Status.Int(); {
	case code == http.StatusNotFound, code == http.StatusGone:
		j.Violates(openwop.OWPWSP18, got.Status, why+": HTTP "+got.Status.JSON())
	case code/100 != 2:
		j.Block(why+": HTTP "+got.Status.JSON(), "serve each version that is kept by its number")
	}
}

var versionHorizon = scenarios.Scenario{
	ID:     "openwop/workspace-files/version-horizon",
	Title:  "as many versions of a file as are advertised are kept, and no more are served",
	Proves: scenarios.IDs{openwop.OWPWSP18, openwop.OWPWSP20},
	Claim:  claims.WorkspaceMaxVersions,
	Ask: scenarios.Ask(fileHorizon, func(o FileHorizon, j *scenarios.Judge) {
		if o.Refused.Status.Present() {
			given(o.Refused, j, "one of "+strconv.Itoa(o.Written)+" writes of a file")
		}
		for _, v := range o.Oldest {
			v.check(j)
		}
		for _, v := range o.Beyond {
			j.Check(openwop.OWPWSP20, v.Got.Status).To(check.Status(4), "version %s of %d, of which %d are kept", v.Version, o.Written, o.Kept)
		}
	}),
}
