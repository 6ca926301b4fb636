package workspace

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Files and runs at any version of the execution model, and the owners of files.

var writeIsLogged = scenarios.Scenario{
	ID:     "openwop/workspace-files/write-is-logged",
	Title:  "the log of a run tells each file that it wrote, by path and version, and not what is in it",
	Proves: scenarios.IDs{openwop.OWPWSP27, openwop.OWPWSP28},
	Claim:  claims.WorkspaceRuns,
	Ask: scenarios.Ask(loopThatWrites, func(l NotedLoop, j *scenarios.Judge) {
		l.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		for _, f := range l.Files {
			version := int64(1)
			if f.Before != "" {
				version = givenVersion(f.Old, j, "before the run: "+f.Path) + 1
			}
			versions := []any{version}
			if f.Once != "" {
				versions = append(versions, version+1)
			}
			told := l.Log.OfType(dialect.WorkspaceUpdated).Where(func(e wire.Value) bool { return e.At("/payload/path").String() == f.Path })
			j.Check(openwop.OWPWSP27, told).To(check.Len(len(versions)),
				"workspace.updated of %s, for each time that turn %d wrote it", f.Path, l.Changed)
			j.Check(openwop.OWPWSP27, told.Each("/payload/version")).To(check.Equal(versions), "version in each workspace.updated of %s", f.Path)
			j.Check(openwop.OWPWSP28, told).To(withoutText(f.After), "workspace.updated of %s", f.Path)
			if f.Once != "" {
				j.Check(openwop.OWPWSP28, told).To(withoutText(f.Once), "workspace.updated of %s", f.Path)
			}
			tellMore(j, told)
		}
	}),
}

// withoutText expects that a text occurs nowhere inside.
func withoutText(text string) check.Matcher {
	return check.That("nothing of what was written", func(v any) bool {
		raw, err := json.Marshal(v)
		return err == nil && !strings.Contains(string(raw), text)
	})
}

// tellMore notes members outside the closed payload of workspace.updated.
func tellMore(j *scenarios.Judge, told wire.Found) {
	for _, e := range told.Values {
		members, _ := e.Key("payload").Actual().(map[string]any)
		if len(members) > 2 {
			j.Find("", "workspace.updated has more than path and version: %s", e.Key("payload").JSON())
		}
	}
}

// RFC 0059 D. From version 5 on, the turns of a loop have their own rule.
var readsAsOfRunStart = scenarios.Scenario{
	ID:     "openwop/workspace-files/reads-as-of-run-start",
	Title:  "below version 5 every turn of a run reads the files as they were when it started, whoever has changed them since",
	Proves: scenarios.IDs{openwop.OWPWSP29},
	Claim:  claims.WorkspaceRunsBelow5,
	Ask: scenarios.Ask(loopWrittenTo, func(o HeldLoop, j *scenarios.Judge) {
		o.Loop.Log.Exists(j, openwop.OWPCAP19)
		j.Reach(o.Suspended, askInTurn)
		if !o.resumed() {
			j.Block("the host refused the answer that resumes the loop: HTTP "+o.Answered.JSON(), answerWithText)
		}
		if !o.noted() {
			o.judgeListed(j)
			return
		}
		o.Loop.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		seen, ok := o.Loop.notes(j)
		if !ok {
			return
		}
		for _, at := range o.Loop.looks() {
			for _, f := range o.Loop.Files {
				shows(seen, j, openwop.OWPWSP29, at, f.Path, f.Before)
			}
		}
	}),
}

// judgeListed judges by the versions that the run's own snapshot lists.
func (o HeldLoop) judgeListed(j *scenarios.Judge) {
	held := readListing(o.Suspended.Last)
	for _, f := range o.Loop.Files {
		if f.Before != "" && len(held.byPath[f.Path]) == 0 {
			j.Block("no turn notes what it sees, and the snapshot of the suspended run does not list "+f.Path+" under /workspace", fixture.Load)
		}
	}
	for _, f := range o.Loop.Files {
		held.lists(j, openwop.OWPWSP29, f.Path, f.Old, "when it was suspended")
		readListing(o.Later).lists(j, openwop.OWPWSP29, f.Path, f.Old, "when the files had changed")
		if o.Again.Reached {
			readListing(o.Again.Last).lists(j, openwop.OWPWSP29, f.Path, f.Old, "in its next turn")
		}
	}
	j.Find("", "seen by the versions that the run's snapshot lists; offer %s to have each turn say what it read",
		fixture.LoopWorkspace)
}

// A request's owner follows from its credential, and only a seam lets one caller
// act as several owners. So all of this rests on the host's own word.
var ownersApart = scenarios.Scenario{
	ID:      "openwop/workspace-files/owners-apart",
	Title:   "owners see nothing of each other's files, not even where tenant and workspace of one read like those of another",
	Proves:  scenarios.IDs{openwop.OWPWSP31},
	Claim:   claims.WorkspaceFiles,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(filesOwned, func(o FileOwners, j *scenarios.Judge) {
		o.given(j)
		for _, owner := range o.Owners {
			who := fmt.Sprintf("tenant %q, workspace %q", owner.Tenant, owner.Workspace)
			j.Check(openwop.OWPWSP31, owner.Before.Status).To(check.Status(4), "the file of %s, who has written none", who)
			if host.Succeeded(owner.Listed.Status) {
				j.Check(openwop.OWPWSP31, entries(owner.Listed)).To(check.Len(0), "files of %s, who has written none", who)
			}
			if !host.Succeeded(owner.Put.Status) {
				continue
			}
			j.Check(openwop.OWPWSP31, owner.Got.Body.Key("content")).To(check.Equal(owner.Content),
				"content of the file of %s, when all had written", who)
			j.Check(openwop.OWPWSP31, entries(owner.All).Each("/path")).To(exactPaths(o.Path), "files of %s, when all had written", who)
		}
		checkAbsent(o.Public, j, openwop.OWPWSP31, "the same path over the public endpoint, whose owner is none of these")
	}),
}

// given blocks the judge unless the seam did as asked.
func (o FileOwners) given(j *scenarios.Judge) {
	const mend = "have the seam answer as the public endpoints do (docs/seams.md), or leave it off"
	wrote := 0
	for _, owner := range o.Owners {
		for _, r := range []host.FileReply{owner.Before, owner.Listed, owner.Put, owner.Got, owner.All} {
			if code, _ := r.Status.Int(); code/100 != 2 && code/100 != 4 {
				j.Block(fmt.Sprintf("the seam %s answered HTTP %d", o.Seam, code), mend)
			}
		}
		if !host.Succeeded(owner.Put.Status) { // the host has no such owner
			continue
		}
		wrote++
		if !host.Succeeded(owner.All.Status) {
			j.Block(fmt.Sprintf("the seam %s answered HTTP %s to a list", o.Seam, owner.All.Status.JSON()), mend)
		}
	}
	if !host.Succeeded(o.Owners[0].Put.Status) || wrote < 2 {
		j.Block(fmt.Sprintf("the seam %s accepts the writes of %d owners; it takes two to be kept apart", o.Seam, wrote), mend)
	}
}
