// Package workspace asks what becomes of the files of a run, and of large results.
package workspace

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/state"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "workspace", Title: "the run's files are there, grow, and leave the files of earlier jobs alone",
		Scenarios: []scenarios.Scenario{
			paperTrail, traceGrows, earlierJobsKept, nothingOutside, artifactsThere, unusableWorkspace, largeResult,
			host.EveryTurn("workspace", inWorkspaces),
		},
	}
}

// givenFiles blocks the judge unless the run left files.
func (o WorkspaceObservation) givenFiles(j *scenarios.Judge) {
	host.GivenRequest(j, o.Start)
	host.Given(j, o.Steps...)
	host.GivenReached(j, len(o.Left) > 0)
}

// RFC-103 Workspace Contract (AL-R20).
var paperTrail = scenarios.Scenario{
	ID: "agenticloop/workspace/paper-trail",
	Title: "the workspace of a run holds context.md, memory.md and plan.md once it was started, and trace.jsonl and artifacts/ by " +
		"its end",
	Proves: scenarios.IDs{agenticloop.RFC103W1},
	Claim:  claims.Workspaces,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		o.givenFiles(j)
		for _, name := range []string{"context.md", "memory.md", "plan.md"} {
			j.Check(agenticloop.RFC103W1, o.Left[0].Key(name).Key("kind")).To(check.Equal("file"),
				"%s after the start", name)
		}
		last := o.Left[len(o.Left)-1]
		j.Check(agenticloop.RFC103W1, last.Key("trace.jsonl").Key("kind")).To(check.Equal("file"), "trace.jsonl after the last job")
		j.Check(agenticloop.RFC103W1, last.Key("artifacts").Key("kind")).To(check.Equal("folder"), "artifacts after the last job")
	}),
}

// RFC-103 Workspace Contract. A memory.md written anew is a finding (AL-R19).
var traceGrows = scenarios.Scenario{
	ID:     "agenticloop/workspace/trace-grows",
	Title:  "trace.jsonl holds a JSON value a line, and no turn loses one of them",
	Proves: scenarios.IDs{agenticloop.RFC103W2},
	Claim:  claims.Workspaces,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		o.givenFiles(j)
		var before wire.Value
		for i, files := range o.Left {
			trace := files.Key("trace.jsonl")
			if !trace.Present() && !before.Present() { // it need not be there from the start (AL-R20)
				continue
			}
			if n, _ := trace.Key("bytes").Int(); i > 1 && n > 0 && !trace.Key("text").Present() {
				break // with so many files, the listing has no room for its text
			}
			j.Check(agenticloop.RFC103W2, trace).To(host.JSONLines(), "trace.jsonl of job %d", i+1)
			j.Check(agenticloop.RFC103W2, trace.Key("text")).To(host.KeepsLines(before), "trace.jsonl of job %d", i+1)
			before = trace
		}
		if trace := o.Failed.Key("trace.jsonl"); trace.Key("text").Present() {
			j.Check(agenticloop.RFC103W2, trace).To(host.JSONLines(), "trace.jsonl of the job that took a failure")
		}
		o.checkGrownOld(j)
		if !before.Present() {
			j.Block("setup failed: no job left a trace.jsonl", "write trace.jsonl in the workspace")
		}
		for i := range o.Left[1:] { // a plugin may reorganise its memory
			was, now := o.Left[i].Key("memory.md").Key("text").String(),
				o.Left[i+1].Key("memory.md").Key("text").String()
			if !strings.HasPrefix(now, was) {
				j.Find(agenticloop.RFC103W3,
					"memory.md of job %d was written anew: it does not begin with its former text", i+2)
			}
		}
		if len(o.Left) > 1 {
			j.Check(agenticloop.RFC103W2, o.Left[1].Key("trace.jsonl").Key("bytes")).NotTo(
				check.SameAs(o.Left[0].Key("trace.jsonl").Key("bytes")), "bytes of trace.jsonl after the second job")
		}
	}),
}

// checkGrownOld checks that a long trace.jsonl loses nothing, unless it goes on in another file of its kind.
func (o WorkspaceObservation) checkGrownOld(j *scenarios.Judge) {
	was, counted := o.Old.Key("trace.jsonl").Key("bytes").Int()
	if !counted || o.Aged == nil || !o.Aged.Moved() {
		return
	}
	files, _ := o.Older.Actual().(host.Object)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(name, "trace") && !o.Old.Key(name).Present() {
			j.Find("", "a trace.jsonl of %d bytes goes on in %s", was, name)
			return
		}
	}
	j.Check(agenticloop.RFC103W2, o.Older.Key("trace.jsonl").Key("bytes")).To(check.Integer(was, 0),
		"%s: bytes of trace.jsonl, which had %d", o.Aged.Name, was)
}

// With hard links, writing into a file in place changes it in every earlier job (AL-R19).
var earlierJobsKept = scenarios.Scenario{
	ID:     "agenticloop/workspace/earlier-jobs-kept",
	Title:  "a turn leaves the files of earlier jobs as they were, though its own began as links to them",
	Proves: scenarios.IDs{agenticloop.RFC103W3}, Watches: scenarios.IDs{agenticloop.RFC103V6},
	Claim: claims.Workspaces,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		o.givenFiles(j)
		if len(o.Left) < 2 || len(o.Later) != len(o.Left) {
			j.Block("setup failed: the run had only one job", "have a start ask for a tool")
		}
		if files, _ := o.Left[0].Actual().(host.Object); len(files) == 0 {
			j.Block("setup failed: the first job left no file that a later one could change", "write the files of a run")
		}
		for i := range len(o.Left) - 1 {
			was := check.Plain(o.Left[i].Actual())
			j.Check(agenticloop.RFC103W3, o.Later[i]).To(
				check.Seeing("as they were when that job had ended", func(s wire.Seen) (bool, string) {
					now := check.Plain(s.Actual())
					if reflect.DeepEqual(now, was) {
						return true, "as they were"
					}
					return false, "changed: " + differing(was, now)
				}), "files of job %d", i+1)
		}
		host.CheckArtifactsKept(j, agenticloop.RFC103V6, o.Kept, o.Then, "", "after another result for the step that is over")
	}),
}

// differing names the members in which two documents differ.
func differing(a, b any) string {
	was, _ := a.(host.Object)
	now, _ := b.(host.Object)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !reflect.DeepEqual(was[name], now[name]) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, there := now[name]; !there {
			names = append(names, name+" (gone)")
		}
	}
	return strings.Join(names, ", ")
}

// A process starts in an empty folder unless the profile names another (AL-R124).
var nothingOutside = scenarios.Scenario{
	ID:     "agenticloop/workspace/nothing-outside",
	Title:  "a turn writes nothing outside its workspace",
	Proves: scenarios.IDs{agenticloop.RFC103READ13},
	Claim:  claims.Workspaces,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		o.givenFiles(j)
		for _, files := range append(slices.Clone(o.Left), o.Beside) {
			if files.Key("…").Present() {
				j.Block("the workspaces hold more files than are listed", "leave fewer files")
			}
		}
		for _, t := range append([]host.Turn{o.Start}, append(o.Steps, o.Odd...)...) {
			j.Check(agenticloop.RFC103READ13, t.Litter).To(noLitter(),
				"%s: files in the folder in which it was started", t.Name)
		}
		j.Check(agenticloop.RFC103READ13, o.Beside).To(onlyWorkspaces(), "beside the workspaces")
		for i, files := range o.Left {
			j.Check(agenticloop.RFC103READ13, files).To(noLinksElsewhere(), "files of job %d", i+1)
		}
	}),
}

// onlyWorkspaces matches a folder that holds nothing but the workspaces of jobs.
func onlyWorkspaces() check.Matcher {
	return check.Seeing("nothing but workspaces", func(s wire.Seen) (bool, string) {
		all, _ := s.Actual().(host.Object)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !strings.HasPrefix(name, "job-") {
				return false, name
			}
		}
		return true, "nothing"
	})
}

// noLinksElsewhere matches files of which no link leads out of the folder.
func noLinksElsewhere() check.Matcher {
	return check.Seeing("no links that lead elsewhere", func(s wire.Seen) (bool, string) {
		all, _ := s.Actual().(host.Object)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if file, _ := all[name].(host.Object); file["kind"] == "link" && file["inside"] != true {
				return false, name
			}
		}
		return true, fmt.Sprintf("%d files", len(all))
	})
}

// noLitter matches files that are all in the relative workspace.
func noLitter() check.Matcher {
	return check.Seeing("none", func(s wire.Seen) (bool, string) {
		files, _ := s.Actual().([]any)
		for _, f := range files {
			if name, _ := f.(string); name != path.Dir(relativeWorkspace) && name != relativeWorkspace &&
				!strings.HasPrefix(name, relativeWorkspace+"/") {
				return false, wire.Compact(f)
			}
		}
		return true, "none"
	})
}

// RFC-103 Event Contract 4, Success Criteria.
var artifactsThere = scenarios.Scenario{
	ID:     "agenticloop/workspace/artifacts-are-there",
	Title:  "the artifacts of agent.completed are relative paths, of files that are there",
	Proves: scenarios.IDs{agenticloop.RFC103E15, agenticloop.RFC103O6},
	Claim:  claims.Workspaces,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		o.givenFiles(j)
		o.GivenCompletion(j)
		files := o.Left[len(o.Left)-1]
		const reason = "setup failed: the workspace has no artifacts/"
		switch kind := files.Key("artifacts").Key("kind").String(); {
		case kind == "folder":
		case kind == "other", files.Key("…").Present(): // it could not be read, or was not listed
			j.Block(reason+" that can be read", "leave fewer files, and artifacts/ readable")
		default:
			j.Violates(agenticloop.RFC103W1, files.Key("artifacts"), reason)
		}
		for _, e := range o.Last().OfType(host.Completed).Values {
			list := e.At("/payload/artifacts")
			if list.Actual() == nil || len(list.Items()) == 0 && reflect.DeepEqual(list.Actual(), []any{}) {
				j.Block("agent.completed names no artifact, so none was looked for", "name a file of the workspace in artifacts")
			}
			j.Check(agenticloop.RFC103E15, list).To(host.RelativePaths(), "artifacts")
			j.Check(agenticloop.RFC103O6, list).To(host.PathsIn(files, list), "artifacts")
		}
	}),
}

// The RFC is silent on workspaces that cannot be used (AL-R122).
var unusableWorkspace = scenarios.Scenario{
	ID:     "agenticloop/workspace/unusable-workspace",
	Title:  "a workspace_dir that is absent, missing, relative, a file or read-only does not keep a turn from answering",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE11},
	Claim:  claims.Revision202602,
	Ask: scenarios.Ask(inWorkspaces, func(o WorkspaceObservation, j *scenarios.Judge) {
		host.Given(j, o.Start)
		host.GivenReached(j, len(o.Odd) > 0)
		host.GivenInTime(j, o.Odd...)
		for _, t := range o.Odd {
			t.CheckExit(j, agenticloop.RFC103WIRE11)
			j.Check(agenticloop.RFC103WIRE11, t.Answer.Key("status")).To(check.OneOf("ok", "error"),
				"%s: status", t.Name)
		}
	}),
}

// The RFC asks tools, not plugins, to keep large output in files (AL-R113).
var largeResult = scenarios.Scenario{
	ID:     "agenticloop/workspace/large-result",
	Title:  "a result of 20 MiB does not swell the response: the next request has a path or an excerpt",
	Proves: scenarios.IDs{agenticloop.RFC103READ6},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(state.LargeThings, func(o state.LargeObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		t := o.Result
		host.GivenInTime(j, t)
		t.CheckExit(j, agenticloop.RFC103READ6)
		j.Check(agenticloop.RFC103READ6, t.Output).To(host.AnObject(), "%s: standard output", t.Name)
		j.Check(agenticloop.RFC103READ6, t.Bytes).To(check.Integer(1, 10<<20), "%s: bytes on standard output", t.Name)
	}),
}
