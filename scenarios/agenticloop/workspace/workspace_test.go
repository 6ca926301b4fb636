package workspace_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/workspace"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfWorkspaces(t *testing.T) {
	file := func(text string) host.Object {
		return host.Object{"kind": "file", "text": text, "bytes": len(text), "whole": true}
	}
	listing := func(trace string, change func(host.Object)) wire.Value {
		files := host.Object{"context.md": file("c"), "memory.md": file("m"), "plan.md": file("p"),
			"trace.jsonl": file(trace), "artifacts": host.Object{"kind": "folder"}, "artifacts/a.txt": file("a")}
		if change != nil {
			change(files)
		}
		return wiretest.Value(t, files)
	}
	named := func(artifacts any) func(*workspace.WorkspaceObservation) {
		return func(o *workspace.WorkspaceObservation) {
			e := hosttest.Completion("R", 2)
			e["payload"].(host.Object)["artifacts"] = artifacts
			o.Steps[1] = hosttest.Turn(t, "the result of step 2", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Over("done", 2)}, e))
		}
	}
	aged := func(trace string, change func(host.Object)) func(*workspace.WorkspaceObservation) {
		return func(o *workspace.WorkspaceObservation) {
			turn := hosttest.StartR.Turn(t)
			o.Old, o.Older, o.Aged = listing("1\n2\n", nil), listing(trace, change), &turn
		}
	}
	honest := func() workspace.WorkspaceObservation {
		o := workspace.WorkspaceObservation{EndObservation: hosttest.Ended(t)}
		named([]any{"artifacts/a.txt"})(&o)
		for _, trace := range []string{"1\n", "1\n2\n", "1\n2\n3\n"} {
			o.Left, o.Later = append(o.Left, listing(trace, nil)), append(o.Later, listing(trace, nil))
		}
		o.Odd = []host.Turn{hosttest.StartR.Turn(t), hosttest.Turn(t, "a file", nil, hosttest.Refusal(false))}
		return o
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*workspace.WorkspaceObservation)
		want           string
	}{
		{"paper-trail", "no plan", func(o *workspace.WorkspaceObservation) {
			o.Left[0] = listing("1\n", func(f host.Object) { delete(f, "plan.md") })
		}, agenticloop.RFC103W1},
		{"paper-trail", "artifacts is a file", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("1\n2\n3\n", func(f host.Object) { f["artifacts"] = file("") })
		}, agenticloop.RFC103W1},
		{"paper-trail", "artifacts comes with the first of them", func(o *workspace.WorkspaceObservation) {
			o.Left[0] = listing("", func(f host.Object) { delete(f, "artifacts"); delete(f, "trace.jsonl") })
		}, "passed"},
		{"paper-trail", "nothing was looked at", func(o *workspace.WorkspaceObservation) { o.Left = nil }, "blocked"},
		{"earlier-jobs-kept", "a late result takes the place of an artifact", func(o *workspace.WorkspaceObservation) {
			o.Kept = listing("1\n", func(f host.Object) { f["artifacts/a.txt"] = file("first") })
			o.Then = listing("1\n2\n", func(f host.Object) { f["artifacts/a.txt"] = file("late") })
		}, agenticloop.RFC103V6},
		{"earlier-jobs-kept", "a late result is told in the trace", func(o *workspace.WorkspaceObservation) {
			o.Kept = listing("1\n", func(f host.Object) { f["artifacts/a.txt"] = file("first") })
			o.Then = listing("1\n2\n", func(f host.Object) { f["artifacts/a.txt"] = file("first") })
		}, "passed"},
		{"trace-grows", "it begins anew", func(o *workspace.WorkspaceObservation) {
			o.Left[1] = listing("2\n", nil)
		}, agenticloop.RFC103W2},
		{"trace-grows", "it stands still", func(o *workspace.WorkspaceObservation) {
			o.Left[1] = listing("1\n", nil)
		}, agenticloop.RFC103W2},
		{"trace-grows", "a line is no JSON", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("1\n2\nthree\n", nil)
		}, agenticloop.RFC103W2},
		{"trace-grows", "the line of a failure is no JSON", func(o *workspace.WorkspaceObservation) {
			o.Failed = listing("1\n{\"error\": \"\\x1b\"}\n", nil)
		}, agenticloop.RFC103W2},
		{"trace-grows", "the line of a failure is JSON", func(o *workspace.WorkspaceObservation) {
			o.Failed = listing("1\n{\"error\": \"\\u001b\"}\n", nil)
		}, "passed"},
		{"trace-grows", "a long one is cut", aged("3\n", nil), agenticloop.RFC103W2},
		{"trace-grows", "a long one stays as it is", aged("1\n2\n", nil), "passed"},
		{"trace-grows", "a long one goes on in another file", aged("3\n", func(f host.Object) { f["trace.1.jsonl"] = file("1\n2\n") }), "passed"},
		{"trace-grows", "there is no room for a later one", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("", func(f host.Object) { f["trace.jsonl"] = host.Object{"kind": "file", "bytes": 6} })
		}, "passed"},
		{"trace-grows", "the second one is no text", func(o *workspace.WorkspaceObservation) {
			o.Left[1] = listing("", func(f host.Object) { f["trace.jsonl"] = host.Object{"kind": "file", "bytes": 6} })
		}, agenticloop.RFC103W2},
		{"trace-grows", "it is not there", func(o *workspace.WorkspaceObservation) {
			for i := range o.Left {
				o.Left[i] = listing("", func(f host.Object) { delete(f, "trace.jsonl") })
			}
		}, "blocked"},
		{"trace-grows", "it comes later", func(o *workspace.WorkspaceObservation) {
			o.Left[0] = listing("", func(f host.Object) { delete(f, "trace.jsonl") })
		}, "passed"},
		{"trace-grows", "it is empty at first", func(o *workspace.WorkspaceObservation) { o.Left[0] = listing("", nil) }, "passed"},
		{"trace-grows", "it stays empty", func(o *workspace.WorkspaceObservation) {
			for i := range o.Left {
				o.Left[i] = listing("", nil)
			}
		}, agenticloop.RFC103W2},
		{"trace-grows", "it is taken away", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("", func(f host.Object) { delete(f, "trace.jsonl") })
		}, agenticloop.RFC103W2},
		{"trace-grows", "the newest line comes first", func(o *workspace.WorkspaceObservation) {
			o.Left[1], o.Left[2] = listing("2\n1\n", nil), listing("3\n2\n1\n", nil)
		}, "passed"},
		{"earlier-jobs-kept", "the first job left no file", func(o *workspace.WorkspaceObservation) {
			o.Left[0] = wiretest.Value(t, host.Object{})
		}, "blocked"},
		{"nothing-outside", "a file where it was started", func(o *workspace.WorkspaceObservation) {
			o.Odd = append(o.Odd, hosttest.Told{Name: "relative", Answer: hosttest.StartR.Answer,
				Litter: []string{"workspace", "workspace/plan.md"}}.Turn(t))
		}, agenticloop.RFC103READ13},
		{"nothing-outside", "a workspace that is named from there", func(o *workspace.WorkspaceObservation) {
			o.Odd = append(o.Odd, hosttest.Told{Name: "relative", Answer: hosttest.StartR.Answer,
				Litter: []string{"workspace", "workspace/job-1", "workspace/job-1/plan.md"}}.Turn(t))
		}, "passed"},
		{"nothing-outside", "a file beside the workspaces", func(o *workspace.WorkspaceObservation) {
			o.Beside = wiretest.Value(t,
				host.Object{"job-1": host.Object{"kind": "folder"}, "notes.md": host.Object{"kind": "file"}})
		}, agenticloop.RFC103READ13},
		{"nothing-outside", "a link", func(o *workspace.WorkspaceObservation) {
			o.Left[1] = listing("1\n", func(f host.Object) { f["etc"] = host.Object{"kind": "link"} })
		}, agenticloop.RFC103READ13},
		{"nothing-outside", "not every file was listed", func(o *workspace.WorkspaceObservation) {
			o.Beside = wiretest.Value(t, host.Object{"job-1": host.Object{"kind": "folder"}, "…": host.Object{"kind": "other"}})
		}, "blocked"},
		{"artifacts-are-there", "none is named", named([]any{}), "blocked"},
		{"artifacts-are-there", "no list of them", named(nil), "blocked"},
		{"artifacts-are-there", "the folder is gone", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("1\n2\n3\n", func(f host.Object) { delete(f, "artifacts") })
		}, hosttest.Violates(agenticloop.RFC103W1)},
		{"artifacts-are-there", "the folder was not listed", func(o *workspace.WorkspaceObservation) {
			o.Left[2] = listing("1\n2\n3\n", func(f host.Object) {
				delete(f, "artifacts")
				f["…"] = host.Object{"kind": "other"}
			})
		}, "blocked"},
		{"artifacts-are-there", "an absolute path", named([]any{"/tmp/a.txt"}), agenticloop.RFC103E15},
		{"artifacts-are-there", "a path that leads out", named([]any{"../a.txt"}), agenticloop.RFC103E15},
		{"artifacts-are-there", "a file that is not there", named([]any{"artifacts/b.txt"}), agenticloop.RFC103O6},
		{"artifacts-are-there", "no list", named("artifacts/a.txt"), agenticloop.RFC103E15},
		{"unusable-workspace", "it crashes", func(o *workspace.WorkspaceObservation) {
			o.Odd[1] = hosttest.Told{Name: "a file", Answer: "", Exit: 1}.Turn(t)
		}, agenticloop.RFC103WIRE11},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "workspace/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "workspace/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := hosttest.Expect(t, "workspace/earlier-jobs-kept", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Later[0] = listing("1\n2\n", nil)
	if out := hosttest.Expect(t, "workspace/earlier-jobs-kept", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
}
