package handoff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// ancestryOf returns a host's reply about a run's ancestry.
func ancestryOf(t *testing.T, id string, status int, body map[string]any) handoff.Ancestry {
	t.Helper()
	return handoff.Ancestry{RunID: id, Answered: hosttest.Told(t, "the ancestry of "+id, status, body)}
}

func TestJudgesOfAncestry(t *testing.T) {
	parent := func(run, host, cause string) map[string]any {
		return map[string]any{"runId": run, "hostId": host, "cause": cause}
	}
	says := func(id string, parent any) handoff.Ancestry {
		return ancestryOf(t, id, 200, map[string]any{"runId": id, "hostId": "h-1", "parent": parent})
	}
	type observation = handoff.AncestryObservation
	honest := func() observation {
		root := hosttest.LoopOf(2).Log(t)
		return observation{Advertised: "h-1", Root: root, OfRoot: says(root.RunID, nil), Forked: hosttest.MadeRun(t, "f"), OfFork: says("f", nil),
			Children: []handoff.KinsRun{{Parent: root.RunID, Log: root, Of: says("c-1", parent(root.RunID, "h-1", "core.dispatch"))},
				{Parent: "c-1", Log: root, Of: says("g-1", parent("c-1", "h-1", "core.dispatch"))}},
			Never: handoff.Ancestry{RunID: "n", Answered: hosttest.No(t, 404, "not_found")}}
	}
	root := honest().Root.RunID
	child := func(body any) func(*observation) {
		return func(o *observation) { o.Children[0].Of = says("c-1", body) }
	}
	all := []string{"root-has-no-parent", "child-names-parent", "fork-has-no-parent", "never-has-none"}
	for _, c := range []struct {
		name  string
		spoil func(*observation)
		want  map[string]string // by scenario; others pass
		told  string
	}{
		{"honest", func(*observation) {}, nil, ""},
		{"always null", child(nil), map[string]string{"child-names-parent": openwop.OWPCAU3}, ""},
		{"another parent", child(parent("r-9", "h-1", "core.dispatch")), map[string]string{"child-names-parent": openwop.OWPCAU3}, ""},
		{"the grandchild names the loop at the top", func(o *observation) {
			o.Children[1].Of = says("g-1", parent(root, "h-1", "core.dispatch"))
		}, map[string]string{"child-names-parent": openwop.OWPCAU3}, ""},
		{"a parent elsewhere", child(parent(root, "h-2", "core.dispatch")), map[string]string{"child-names-parent": openwop.OWPCAU3}, ""},
		{"started by a tool", child(parent(root, "h-1", "mcp-tool-call")), map[string]string{"child-names-parent": openwop.OWPCAU4}, ""},
		{"no cause", child(map[string]any{"runId": root, "hostId": "h-1"}), map[string]string{"child-names-parent": openwop.OWPCAU4}, ""},
		{"every child is a sub-workflow", child(parent(root, "h-1", "core.subWorkflow")), nil, "core.subWorkflow"},
		{"an address on the same host", child(map[string]any{"runId": root, "hostId": "h-1", "cause": "core.dispatch",
			"wellKnownUrl": "http://h/"}), nil, openwop.OWPCAU5},
		{"another member", child(map[string]any{"runId": root, "hostId": "h-1", "cause": "core.dispatch", "workerId": "w"}), nil,
			"workerId"},
		{"the root has a parent", func(o *observation) { o.OfRoot = says(root, parent("r-9", "h-1", "core.dispatch")) },
			map[string]string{"root-has-no-parent": openwop.OWPCAU2}, ""},
		{"says nothing of a parent", func(o *observation) {
			o.OfRoot = ancestryOf(t, root, 200, map[string]any{"runId": root, "hostId": "h-1"})
		}, map[string]string{"root-has-no-parent": openwop.OWPCAU1, "never-has-none": openwop.OWPCAU1}, ""},
		{"another host than advertised", func(o *observation) { o.Advertised = "h-2" },
			map[string]string{"root-has-no-parent": openwop.OWPCAU1, "child-names-parent": openwop.OWPCAU1,
				"fork-has-no-parent": openwop.OWPCAU1, "never-has-none": openwop.OWPCAU1}, ""},
		{"another run than asked for", func(o *observation) { o.Children[0].Of.RunID = "c-2" },
			map[string]string{"child-names-parent": openwop.OWPCAU1}, ""},
		{"not there", func(o *observation) { o.Children[0].Of.Answered = hosttest.No(t, 404, "not_found") },
			map[string]string{"child-names-parent": openwop.OWPCAU1}, ""},
		{"everything has one", func(o *observation) { o.Never = says("n", nil) }, map[string]string{"never-has-none": openwop.OWPCAU7}, ""},
		{"falls over", func(o *observation) { o.Never.Answered = hosttest.No(t, 500, "internal_error") },
			map[string]string{"never-has-none": openwop.OWPCAU7}, ""},
		{"the fork has its source for a parent", func(o *observation) { o.OfFork = says("f", parent(root, "h-1", "core.subWorkflow")) },
			nil, openwop.OWPCAU6},
		{"nothing is forked", func(o *observation) { o.Forked = hosttest.No(t, 501, "capability_not_provided") },
			map[string]string{"fork-has-no-parent": "blocked"}, ""},
		{"no child", func(o *observation) { o.Children = nil }, map[string]string{"child-names-parent": "blocked"}, ""},
		{"the loop does not end", func(o *observation) { o.Root.Ended.Reached = false },
			map[string]string{"root-has-no-parent": "blocked", "child-names-parent": "blocked", "fork-has-no-parent": "blocked",
				"never-has-none": "blocked"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			var found []string
			for _, s := range all {
				want := c.want[s]
				if want == "" {
					want = "passed"
				}
				hosttest.Expect(t, s, o, want)
				found = append(found, hosttest.Findings(t, s, o)...)
				found = append(found, hosttest.Notes(t, s, o)...)
			}
			if c.told != "" && !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.told) }) {
				t.Errorf("findings: %v, want one of %s", found, c.told)
			}
		})
	}
}

func TestJudgeOfAncestryThatIsNotOffered(t *testing.T) {
	for name, c := range map[string]struct {
		root, never host.Answered
		want        string
	}{
		"honest": {hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found"), "passed"},
		"501":    {hosttest.No(t, 501, "capability_not_provided"), hosttest.No(t, 501, "capability_not_provided"), "passed"},
		"served all the same": {hosttest.Told(t, "it", 200, map[string]any{"runId": "r", "hostId": "h", "parent": nil}),
			hosttest.No(t, 404, "not_found"), openwop.OWPCAU8},
		"served of no run": {hosttest.No(t, 404, "not_found"), hosttest.Told(t, "it", 200, map[string]any{}), openwop.OWPCAU8},
		"falls over":       {hosttest.No(t, 500, "internal_error"), hosttest.No(t, 404, "not_found"), openwop.OWPCAU8},
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Expect(t, "not-offered-not-found", handoff.AncestryObservation{Root: hosttest.LoopOf(2).Log(t),
				OfRoot: handoff.Ancestry{RunID: "r", Answered: c.root}, Never: handoff.Ancestry{RunID: "n", Answered: c.never}}, c.want)
		})
	}
}

func TestJudgeOfCausesOnThisHost(t *testing.T) {
	for name, c := range map[string]struct {
		host, want string
	}{"none": {"", "passed"}, "its own": {"h-1", "passed"}, "another": {"h-2", openwop.OWPCAU9}} {
		t.Run(name, func(t *testing.T) {
			cast := lostCast("child.failed", "failed")
			if c.host != "" {
				cast.Parent.Payload("dispatch.began", 0)["causationHostId"] = c.host
			}
			o := handoff.AncestryObservation{Advertised: "h-1"}
			o.Root, _ = cast.Minted(t)
			hosttest.Expect(t, "own-causes-name-no-host", o, c.want)
			if told := hosttest.Notes(t, "own-causes-name-no-host", o); len(told) > 0 != (c.host != "") {
				t.Errorf("findings: %v", told)
			}
		})
	}
	t.Run("no event names a cause", func(t *testing.T) {
		hosttest.Expect(t, "own-causes-name-no-host", handoff.AncestryObservation{Advertised: "h-1", Root: hosttest.LoopOf(2).Log(t)},
			hosttest.BlockedOn(""))
	})
}
