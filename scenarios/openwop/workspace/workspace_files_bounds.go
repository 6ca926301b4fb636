package workspace

import (
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// OWP-R26: the path pattern accepts two dots inside a segment, but hosts refuse
// them anyway.
var climbsRefused = scenarios.Scenario{
	ID:     "openwop/workspace-files/climbs-refused",
	Title:  "a path that leads up is refused, and nothing is there afterwards, nor where it leads",
	Proves: scenarios.IDs{openwop.OWPWSP21},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesAstray, func(o FilePaths, j *scenarios.Judge) {
		o.judge(j, openwop.OWPWSP21, o.Climbs)
	}),
}

var badPathsRefused = scenarios.Scenario{
	ID:     "openwop/workspace-files/bad-paths-refused",
	Title:  "a path that no file can have is refused, and nothing is there afterwards, nor where it leads",
	Proves: scenarios.IDs{openwop.OWPWSP22},
	Claim:  claims.WorkspaceFiles,
	Ask: scenarios.Ask(filesAstray, func(o FilePaths, j *scenarios.Judge) {
		o.judge(j, openwop.OWPWSP22, o.Others)
	}),
}

func (o FilePaths) judge(j *scenarios.Judge, id scenarios.RequirementID, strays []FilePath) {
	for _, w := range o.Good { // the control
		given(w.Put, j, "the write of "+w.Path)
		givenRead(w.Got, j, w.Path)
	}
	var paths []string
	for _, s := range strays {
		what := fmt.Sprintf("the path %q (%s)", s.Path, s.What)
		refused(s.Put, j, id, 400, "a write below "+what)
		j.Check(id, s.Got.Status).To(check.Status(4), "reading %s", what)
		paths = append(paths, s.Path)
		if s.Leads != "" {
			j.Check(id, s.There.Status).To(check.Status(4), "reading %s, to which %s leads", s.Leads, what)
			paths = append(paths, s.Leads)
		}
	}
	givenList(o.List, j)
	j.Check(id, partsOf(o.List, paths...)).To(check.Len(0), "files in the list that should have been refused")
}

// OWP-R26: 413 by the text, or 400.
var tooLargeRefused = scenarios.Scenario{
	ID:     "openwop/workspace-files/too-large-refused",
	Title:  "content beyond the advertised size is refused, by its bytes and not by its characters, and changes nothing",
	Proves: scenarios.IDs{openwop.OWPWSP23},
	Claim:  claims.WorkspaceMaxFileBytes,
	Ask: scenarios.Ask(filesTooLarge, func(o FileSizes, j *scenarios.Judge) {
		given(o.First.Put, j, "the write of a small file")
		for _, s := range o.Sizes {
			what := fmt.Sprintf("content of %d bytes, %s", s.Bytes, s.What)
			if j.Check(openwop.OWPWSP23, s.Put.Status).To(check.Status(400, 413), "%s", what) {
				tell(s.Put, j, "", 413, what)
				tellRefusal(s.Put, j, what)
			}
			j.Part(func() {
				unchanged(s.Got, j, openwop.OWPWSP23, o.First.Content, o.First.Got.Body.Key("version"), what)
			})
		}
	}),
}

var largestTaken = scenarios.Scenario{
	ID:     "openwop/workspace-files/largest-taken",
	Title:  "content of exactly the advertised size is taken and served",
	Proves: scenarios.IDs{openwop.OWPWSP24},
	Claim:  claims.WorkspaceMaxFileBytes,
	Ask: scenarios.Ask(filesAtLimit, func(o FileSizes, j *scenarios.Judge) {
		given(o.First.Put, j, "the write of a small file")
		for _, s := range o.Sizes {
			if j.Check(openwop.OWPWSP24, s.Put.Status).To(check.Status(2), "content of %d bytes, %s", s.Bytes, s.What) {
				j.Check(openwop.OWPWSP24, s.Got.Body.Key("content")).To(sameText(s.content()), "content of %d bytes, read again", s.Bytes)
			}
		}
	}),
}

// sameText expects a text too long to be shown.
func sameText(want string) check.Matcher {
	return check.That(fmt.Sprintf("the %d bytes that were put", len(want)), func(v any) bool { return v == want })
}

var fullTakesNoMore = scenarios.Scenario{
	ID:     "openwop/workspace-files/full-takes-no-more",
	Title:  "a workspace takes as many files as are advertised and no more; what is there can be written, and a delete makes room",
	Proves: scenarios.IDs{openwop.OWPWSP25, openwop.OWPWSP26},
	Claim:  claims.WorkspaceMaxFiles,
	Ask: scenarios.Ask(filesFull, func(o FilesFull, j *scenarios.Judge) {
		givenList(o.Before, j)
		givenList(o.Full, j)
		givenList(o.After, j)
		o.alone(j)
		if o.Again.Status.Present() {
			given(o.Again, j, "another write of a file while there was room")
		}
		there := len(listed(o.Before))
		for i, r := range o.Filled {
			if !j.Check(openwop.OWPWSP26, r.Status).To(check.Status(2), "file %d of %d", there+i+1, o.Limit) {
				return
			}
		}
		refused(o.Over, j, openwop.OWPWSP25, 413, fmt.Sprintf("file %d of %d", o.Limit+1, o.Limit))
		checkAbsent(o.Got, j, openwop.OWPWSP25, "the file that was too many")
		j.Check(openwop.OWPWSP25, entries(o.After)).To(host.NoMoreThan(o.Limit), "files in the list, when one too many was written")
		j.Check(openwop.OWPWSP26, o.Rewrite.Status).To(check.Status(2), "another write of a file in a full workspace")
		givenDelete(o.Deleted, j)
		j.Check(openwop.OWPWSP26, o.Room.Status).To(check.Status(2), "a new file, when another was deleted")
		if o.Back.Status.Present() {
			refused(o.Back, j, openwop.OWPWSP25, 413, "the deleted file made again, when its room is taken")
		}
	}),
}

// alone blocks a judge that counts files if others write as well.
func (o FilesFull) alone(j *scenarios.Judge) {
	if still := partsOf(o.Before, o.Gone); len(still.Values) > 0 {
		j.Violates(openwop.OWPWSP6, still, "setup failed: deleted files are still listed, so the list does not show how many there are")
	}
	want := len(listed(o.Before))
	for _, r := range o.Filled {
		if host.Succeeded(r.Status) {
			want++
		}
	}
	for i, r := range o.Filled {
		if host.Succeeded(r.Status) && len(partsOf(o.Full, o.Paths[i]).Values) == 0 {
			j.Violates(openwop.OWPWSP4, entries(o.Full), "setup failed: the list of the full workspace lacks "+o.Paths[i]+", which was written")
		}
	}
	if got := len(listed(o.Full)); got != want {
		j.Block(fmt.Sprintf("the workspace lists %d files, not the expected %d: somebody else writes there, or it "+
			"does not list all", got, want),
			"let nobody else write to the workspace while the host is certified")
	}
}
