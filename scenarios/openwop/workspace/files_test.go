package workspace_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/workspace"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// aboutFiles selects the scenarios for a host with files and nothing else.
var aboutFiles = scenarios.Selection{Suites: []string{"workspace-files"}}

func askOfShelf(t *testing.T, s *shelf, seed uint64) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: s.start(t), Key: "dev-key"}, scenarios.Options{Seed: seed,
		Patience: time.Second, Select: aboutFiles}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// filesElsewhere lists scenarios for hosts that run loops, or have no files.
var filesElsewhere = []string{"write-is-logged", "reads-as-of-run-start", "unclaimed-not-served"}

// Honest variants: no host is accused over what the texts leave open.
func TestShelvesThatAreHonest(t *testing.T) {
	t.Parallel()
	for lie, blocked := range map[string][]string{
		"": nil, "forbids what is not there": nil, "says created": nil, "leaves the default type off": nil, "calls it bad": nil,
		"has no etags": {"etags-change", "if-match", "one-writer-wins"}, "takes one owner only": {"owners-apart"},
		// A failing seam does not make the host fail.
		"the seam forgets": {"owners-apart"},
	} {
		t.Run(lie, func(t *testing.T) {
			s := &shelf{lie: lie}
			for seed := range uint64(3) {
				r := askOfShelf(t, s, seed)
				for _, o := range r.Outcomes {
					want := scenarios.Passed
					switch name := o.Scenario.Name(); {
					case slices.Contains(filesElsewhere, name):
						want = scenarios.Inapplicable
					case slices.Contains(blocked, name):
						want = scenarios.Blocked
					}
					if o.Verdict != want {
						t.Errorf("%s is %s: %s", o.Scenario.Name(), o.Verdict, o.Reason)
					}
				}
				for path, f := range s.owners["own"] {
					if f.there {
						t.Errorf("%s was left behind", path)
					}
				}
				if len(r.Leftovers) > 0 {
					t.Errorf("leftovers: %v", r.Leftovers)
				}
				sameWhenJudgedAgain(t, r)
			}
		})
	}
}

func TestShelvesThatAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lie, scenario string
		want          scenarios.RequirementID
	}{
		{"adds a line", "served-as-put", requirement.OWPWSP1},
		{"trims", "served-as-put", requirement.OWPWSP1},
		{"composes accents", "served-as-put", requirement.OWPWSP1},
		{"forgets the type", "served-as-put", requirement.OWPWSP1},
		{"has another type by default", "served-as-put", requirement.OWPWSP2},
		{"fails every tenth write", "served-as-put", ""},
		{"takes what is no text", "content-required", requirement.OWPWSP3},
		{"empties what it refuses", "content-required", requirement.OWPWSP3},
		{"lists everything", "listed-by-prefix", requirement.OWPWSP4},
		{"lists folders only", "listed-by-prefix", requirement.OWPWSP4},
		{"lists first versions", "listed-by-prefix", requirement.OWPWSP4},
		{"lists what was deleted", "listed-by-prefix", requirement.OWPWSP4},
		{"lists contents", "listed-by-prefix", requirement.OWPWSP5},
		{"lists what was deleted", "deleted-is-gone", requirement.OWPWSP6},
		{"serves what was deleted", "deleted-is-gone", requirement.OWPWSP6},
		{"deletes what is not there", "deleted-is-gone", requirement.OWPWSP7},
		{"counts from 0", "versions-count", requirement.OWPWSP9},
		{"writes nothing that is there already", "versions-count", requirement.OWPWSP9},
		{"keeps what was there", "versions-count", requirement.OWPWSP9},
		{"wants conditions", "versions-count", requirement.OWPWSP11},
		{"has weak etags", "etags-change", requirement.OWPWSP10},
		{"has etags without quotes", "etags-change", requirement.OWPWSP10},
		{"has etags of the content", "etags-change", requirement.OWPWSP10},
		{"never matches", "if-match", requirement.OWPWSP12},
		{"never compares", "if-match", requirement.OWPWSP13},
		{"compares late", "if-match", requirement.OWPWSP13},
		{"refuses and writes", "if-match", requirement.OWPWSP13},
		{"says precondition failed", "if-match", requirement.OWPWSP14},
		{"does not say which version there is", "if-match", requirement.OWPWSP14},
		{"says another version", "if-match", requirement.OWPWSP14},
		{"never compares", "if-match-absent", requirement.OWPWSP15},
		{"makes what is not there", "if-match-absent", requirement.OWPWSP15},
		{"refuses and writes", "if-match-absent", requirement.OWPWSP15},
		{"never compares", "one-writer-wins", requirement.OWPWSP16},
		{"compares late", "one-writer-wins", requirement.OWPWSP16},
		{"refuses and writes", "one-writer-wins", requirement.OWPWSP16},
		{"never matches", "one-writer-wins", requirement.OWPWSP16},
		{"starts over", "numbering-continues", requirement.OWPWSP17},
		{"always serves the latest", "older-versions", requirement.OWPWSP18},
		{"keeps nothing", "older-versions", requirement.OWPWSP18},
		{"keeps a version too few", "version-horizon", requirement.OWPWSP18},
		{"always serves the latest", "no-such-version", requirement.OWPWSP19},
		{"goes by the pattern alone", "climbs-refused", requirement.OWPWSP21},
		{"resolves paths", "climbs-refused", requirement.OWPWSP21},
		{"mends paths", "climbs-refused", requirement.OWPWSP21},
		{"refuses paths when they are stored", "climbs-refused", requirement.OWPWSP21},
		{"takes every path", "bad-paths-refused", requirement.OWPWSP22},
		{"resolves paths", "bad-paths-refused", requirement.OWPWSP22},
		{"mends paths", "bad-paths-refused", requirement.OWPWSP22},
		{"knows no longest path", "bad-paths-refused", requirement.OWPWSP22},
		{"refuses paths when they are stored", "bad-paths-refused", requirement.OWPWSP22},
		{"knows no largest file", "too-large-refused", requirement.OWPWSP23},
		{"counts characters", "too-large-refused", requirement.OWPWSP23},
		{"cuts off", "too-large-refused", requirement.OWPWSP23},
		{"takes a byte less", "largest-taken", requirement.OWPWSP24},
		{"is never full", "full-takes-no-more", requirement.OWPWSP25},
		{"is full early", "full-takes-no-more", requirement.OWPWSP26},
		{"writes nothing when it is full", "full-takes-no-more", requirement.OWPWSP26},
		{"joins owners with a space", "owners-apart", requirement.OWPWSP31},
		{"joins owners with a slash", "owners-apart", requirement.OWPWSP31},
		{"joins owners without anything", "owners-apart", requirement.OWPWSP31},
		{"knows tenants only", "owners-apart", requirement.OWPWSP31},
		{"knows no owners", "owners-apart", requirement.OWPWSP31},
	} {
		t.Run(c.scenario+", who "+c.lie, func(t *testing.T) {
			r := askOfShelf(t, &shelf{lie: c.lie}, 7)
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Broken || o.Verdict == scenarios.Inconclusive {
					t.Errorf("%s is %s: %s", o.Scenario.Name(), o.Verdict, o.Reason)
				}
				if o.Scenario.Name() != c.scenario || c.want == "" {
					continue
				}
				if o.Failure == nil || o.Failure.Requirement != c.want {
					t.Errorf("%s: %s, want a violation of %s", o.Verdict, o.Reason, c.want)
				}
			}
		})
	}
}

// A failed set-up is reported by the scenario that tests it.
func TestShelvesAccusedWhereItIsAsked(t *testing.T) {
	for lie, c := range map[string]struct{ failed, blocked []string }{
		"serves what was deleted": {[]string{"deleted-is-gone"}, []string{"if-match-absent"}},
		"lists what was deleted": {[]string{"deleted-is-gone", "listed-by-prefix"}, []string{"if-match-absent",
			"full-takes-no-more"}},
		"writes nothing that is there already": {[]string{"versions-count"}, []string{"etags-change", "older-versions", "no-such-version"}},
		"wants conditions": {[]string{"versions-count"}, []string{"largest-taken", "too-large-refused",
			"full-takes-no-more", "older-versions"}},
	} {
		t.Run(lie, func(t *testing.T) {
			for _, o := range askOfShelf(t, &shelf{lie: lie}, 4).Outcomes {
				if failed := slices.Contains(c.failed, o.Scenario.Name()); failed != (o.Verdict == scenarios.Failed) {
					t.Errorf("%s is %s: %s", o.Scenario.Name(), o.Verdict, o.Reason)
				}
				if slices.Contains(c.blocked, o.Scenario.Name()) && o.Verdict != scenarios.Blocked {
					t.Errorf("%s is %s: %s, want it blocked", o.Scenario.Name(), o.Verdict, o.Reason)
				}
			}
		})
	}
}

// Keeping more versions than advertised harms nobody and is only noted.
func TestAShelfThatKeepsEverything(t *testing.T) {
	r := askOfShelf(t, &shelf{lie: "keeps everything"}, 1)
	for _, o := range r.Outcomes {
		if o.Scenario.Name() == "version-horizon" && (o.Verdict != scenarios.Passed || len(o.Findings) == 0 ||
			o.Findings[0].Requirement != requirement.OWPWSP20) {
			t.Errorf("%s (%s), findings %v", o.Verdict, o.Reason, o.Findings)
		}
	}
}

// Departures in headers and error bodies are noted.
func TestWhatIsNotedOfFiles(t *testing.T) {
	for lie, text := range map[string]string{"says created": "HTTP 201", "calls it bad": "HTTP 400, where the text has 413",
		"forbids what is not there": "HTTP 403, where the text has 404"} {
		var all []string
		for _, o := range askOfShelf(t, &shelf{lie: lie}, 2).Outcomes {
			for _, f := range o.Findings {
				all = append(all, f.Text)
			}
		}
		if !strings.Contains(strings.Join(all, "\n"), text) {
			t.Errorf("%q is not among what is noted of a host that %s: %q", text, lie, all)
		}
	}
}

// loggedWrites is a run that wrote two files, and its log of these writes.
func loggedWrites(t *testing.T, events ...hosttest.Event) workspace.NotedLoop {
	t.Helper()
	files := writtenFiles()
	files[0].Old = wiretest.Value(t, map[string]any{"version": 3})
	return workspace.NotedLoop{Turns: 5, Changed: changedIn, Files: files, Log: hosttest.LoopOf(5).Then(events...).Log(t)}
}

func updated(payload map[string]any) hosttest.Event {
	return hosttest.Event{Kind: "workspace.updated", Payload: payload}
}

func TestJudgeOfLoggedWrites(t *testing.T) {
	overwritten := updated(map[string]any{"path": "p/overwritten.md", "version": 4})
	made := updated(map[string]any{"path": "p/made.md", "version": 1})
	for _, c := range []struct {
		name   string
		events []hosttest.Event
		want   string
	}{
		{"honest", []hosttest.Event{overwritten, made}, "passed"},
		{"beside what others wrote", []hosttest.Event{updated(map[string]any{"path": "x.md", "version": 9}), made, overwritten}, "passed"},
		{"more members than two", []hosttest.Event{overwritten, updated(map[string]any{"path": "p/made.md", "version": 1,
			"etag": `"1"`})}, "passed"},
		{"tells one of two", []hosttest.Event{overwritten}, requirement.OWPWSP27},
		{"tells nothing", nil, requirement.OWPWSP27},
		{"tells one twice", []hosttest.Event{overwritten, made, made}, requirement.OWPWSP27},
		{"an old version", []hosttest.Event{updated(map[string]any{"path": "p/overwritten.md", "version": 3}), made}, requirement.OWPWSP27},
		{"a word for a version", []hosttest.Event{overwritten, updated(map[string]any{"path": "p/made.md", "version": "1"})},
			requirement.OWPWSP27},
		{"tells the content", []hosttest.Event{overwritten, updated(map[string]any{"path": "p/made.md", "version": 1,
			"content": "fresh"})}, requirement.OWPWSP28},
		{"tells the content elsewhere", []hosttest.Event{updated(map[string]any{"path": "p/overwritten.md", "version": 4,
			"diff": map[string]any{"+": "… new …"}}), made}, requirement.OWPWSP28},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "write-is-logged", loggedWrites(t, c.events...), c.want) })
	}
	t.Run("no version before the run", func(t *testing.T) {
		l := loggedWrites(t, overwritten, made)
		l.Files[0].Old = wire.Value{}
		hosttest.Expect(t, "write-is-logged", l, "blocked")
	})
	t.Run("no run", func(t *testing.T) {
		hosttest.Expect(t, "write-is-logged", workspace.NotedLoop{Turns: 5, Changed: 2}, "blocked")
	})
}

func TestJudgeOfReadsAsOfRunStart(t *testing.T) {
	files := append(outsideFiles(t), workspace.FileChange{Path: "p/own.md", Before: "mine", After: "mine too", ByTurn: true})
	before := hosttest.Sight(func(_ int, _ string, f workspace.FileChange) string { return f.Before })
	held := func(s hosttest.Sight) workspace.HeldLoop {
		return workspace.HeldLoop{Way: "assay-loop-workspace", Suspended: wire.Wait{Reached: true}, Answered: wiretest.Status(t, 200),
			Loop: workspace.NotedLoop{Turns: 5, Changed: changedIn, Files: files, Log: withNotes(t, hosttest.LoopOf(5),
				hosttest.Noted(5, files, s))}}
	}
	for _, c := range []struct {
		name  string
		sight hosttest.Sight
		want  string
	}{
		{"honest", before, "passed"},
		{"refreshed in each turn", honestly(changedIn), requirement.OWPWSP29},
		{"what it wrote itself", but(before, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return f.After, turn > changedIn && f.ByTurn
		}), requirement.OWPWSP29},
		{"read through in the turn", but(before, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.After, turn == changedIn && at == "end"
		}), requirement.OWPWSP29},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "reads-as-of-run-start", held(c.sight), c.want) })
	}
	listing := func(versions map[string]int) wire.Value {
		var list []any
		for path, v := range versions {
			list = append(list, map[string]any{"path": path, "version": v})
		}
		return wiretest.Value(t, map[string]any{"status": "waiting-input", "workspace": list})
	}
	asIt := map[string]int{"p/overwritten.md": 3, "p/deleted.md": 7}
	listed := func(later, again map[string]int) workspace.HeldLoop {
		return workspace.HeldLoop{Way: "assay-loop-ask-user", Suspended: wire.Wait{Reached: true, Last: listing(asIt)},
			Answered: wiretest.Status(t, 200), Later: listing(later),
			Again: wire.Wait{Reached: true, Last: listing(again)}, Loop: workspace.NotedLoop{Turns: 5, Changed: changedIn,
				Files: outsideFiles(t), Log: hosttest.LoopOf(5).Log(t)}}
	}
	now := map[string]int{"p/overwritten.md": 4, "p/made.md": 1}
	for _, c := range []struct {
		name         string
		later, again map[string]int
		want         string
	}{
		{"listed, honest", asIt, asIt, "passed"},
		{"lists what is there now", now, now, requirement.OWPWSP29},
		{"lists in the next turn what is there then", asIt, now, requirement.OWPWSP29},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "reads-as-of-run-start", listed(c.later, c.again), c.want) })
	}
	t.Run("refused answer", func(t *testing.T) {
		o := held(before)
		o.Answered = wiretest.Status(t, 409)
		hosttest.Expect(t, "reads-as-of-run-start", o, "blocked")
	})
	t.Run("never suspended", func(t *testing.T) {
		o := held(before)
		o.Suspended.Reached = false
		hosttest.Expect(t, "reads-as-of-run-start", o, "blocked")
	})
}

// An unreadable reply blocks one part of a judge; findings of the other parts
// still count.
func TestJudgesOfFilesWithAPartUnseen(t *testing.T) {
	answered := func(status int, body any) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, status), Body: wiretest.Value(t, body)}
	}
	file := func(content string, version int) host.FileReply {
		return answered(200, map[string]any{"path": "p", "content": content, "version": version, "etag": `"1"`})
	}
	list := func(paths ...string) host.FileReply {
		files := []any{}
		for _, p := range paths {
			files = append(files, map[string]any{"path": p, "version": 1})
		}
		return answered(200, map[string]any{"files": files})
	}
	refusal := func(status int) host.FileReply {
		return answered(status, map[string]any{"error": "workspace_conflict", "message": "no", "details": map[string]any{"currentVersion": 2}})
	}
	made, gone, unread, wrote := answered(204, nil), refusal(404), answered(500, nil), file("other", 3)
	first := workspace.FileWrite{Path: "p", Content: "first", Put: file("first", 1), Got: file("first", 1)}
	sizes := func(one, two workspace.FileSize) workspace.FileSizes {
		return workspace.FileSizes{Limit: 10, First: first, Sizes: []workspace.FileSize{one, two}}
	}
	conditions := func(last host.FileReply, stale ...workspace.FileCondition) workspace.FileConditions {
		return workspace.FileConditions{First: first, Current: workspace.FileCondition{Content: "second", Put: file("second", 2),
			Got: file("second", 2)},
			Stale: stale, Last: workspace.FileCondition{Content: "last", Put: last, Got: file("last", 3)}}
	}
	missing := func(gone workspace.FileCondition) workspace.FileAbsentConditions {
		return workspace.FileAbsentConditions{Path: "p", Made: first, Deleted: made, Left: refusal(404), Listed: list(),
			Never: workspace.FileCondition{Put: refusal(409), Got: refusal(404), Listed: unread}, Gone: gone}
	}
	worded := func(body map[string]any) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, 404), Body: wiretest.Value(t, body)}
	}
	deleted := func(twice host.FileReply) workspace.FileDeleted {
		return workspace.FileDeleted{First: first, Listed: list("p"), Deleted: made, Gone: gone, Unlisted: unread, Twice: twice,
			Never: []host.FileReply{gone, gone}}
	}
	stale := workspace.FileCondition{Put: refusal(409), Got: file("second", 2)}
	hidden := workspace.FileCondition{Put: refusal(409), Got: unread}
	for _, c := range []struct {
		name, scenario string
		observation    any
		want           string
	}{
		{"the list fails after the delete", "deleted-is-gone", deleted(gone), "blocked"},
		{"and what is gone can be deleted", "deleted-is-gone", deleted(made), requirement.OWPWSP7},
		{"absence is told in the envelope", "absence-enveloped", deleted(worded(map[string]any{"error": "not_found", "message": "no"})),
			"passed"},
		{"absence is told without words", "absence-enveloped", deleted(worded(map[string]any{"error": "not_found"})), requirement.OWPERR4},
		{"absence is told without a code", "absence-enveloped", deleted(worded(map[string]any{"message": "no"})), requirement.OWPERR4},
		{"absence is told with a list", "absence-enveloped", deleted(worded(map[string]any{"error": "not_found", "message": "no",
			"details": []any{}})), requirement.OWPERR4},
		{"the file cannot be read", "too-large-refused", sizes(workspace.FileSize{Put: refusal(413), Got: unread},
			workspace.FileSize{Put: refusal(413), Got: first.Got}), "blocked"},
		{"and what is too large is taken", "too-large-refused", sizes(workspace.FileSize{Put: refusal(413), Got: unread},
			workspace.FileSize{Put: wrote, Got: wrote}), requirement.OWPWSP23},
		{"the file cannot be read", "if-match", conditions(file("last", 3), hidden, stale), "blocked"},
		{"and another etag is taken", "if-match", conditions(file("last", 3), hidden, workspace.FileCondition{Put: wrote, Got: wrote}),
			requirement.OWPWSP13},
		{"and the right etag is refused", "if-match", conditions(refusal(409), hidden, stale), requirement.OWPWSP12},
		{"the list fails", "if-match-absent", missing(workspace.FileCondition{Put: refusal(409), Got: refusal(404), Listed: list()}), "blocked"},
		{"and the etag of a deleted file is taken", "if-match-absent", missing(workspace.FileCondition{Put: wrote, Got: wrote,
			Listed: list("p")}), requirement.OWPWSP15},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, c.scenario, c.observation, c.want) })
	}
}

func TestJudgeOfUnclaimedFiles(t *testing.T) {
	for _, c := range []struct {
		status, findings int
	}{{501, 0}, {404, 1}, {405, 1}, {200, 1}, {500, 1}} {
		out := scenarios.Conclude(hosttest.Scenario(t, "unclaimed-not-served"), openwop.Protocol.Ledger,
			workspace.FilesUnclaimed{List: host.FileReply{Status: wiretest.Status(t, c.status)}})
		if out.Verdict != scenarios.Passed || len(out.Findings) != c.findings {
			t.Errorf("HTTP %d: %s (%s), findings %v", c.status, out.Verdict, out.Reason, out.Findings)
		}
	}
}

// A nonsensical bound counts as none, and an unreachable one is not tested.
func TestShelvesWithOddBounds(t *testing.T) {
	for _, bound := range []any{0, -3, 1e300, 1 << 40, "7", nil, 1.5, []any{}} {
		s := &shelf{says: map[string]any{"supported": true, "versioned": true, "maxFileBytes": bound, "maxFiles": bound, "maxVersions": bound}}
		for _, o := range askOfShelf(t, s, 3).Outcomes {
			want := scenarios.Passed
			switch name := o.Scenario.Name(); {
			case slices.Contains(filesElsewhere, name):
				want = scenarios.Inapplicable
			case slices.Contains([]string{"too-large-refused", "largest-taken", "full-takes-no-more", "version-horizon"}, name):
				want = scenarios.Blocked
			}
			if o.Verdict != want {
				t.Errorf("a bound of %v: %s is %s (%s)", bound, o.Scenario.Name(), o.Verdict, o.Reason)
			}
		}
	}
}

// A host that gives the same answer to everything proves nothing and crashes
// nothing.
func TestJudgesOfFilesStandNonsense(t *testing.T) {
	t.Parallel()
	for _, body := range []any{nil, 7, "files", []any{}, map[string]any{"files": 3, "content": []any{}, "version": "x", "etag": 1},
		map[string]any{"files": []any{nil, 1, map[string]any{"path": 5}}, "etag": `"1"`, "content": "", "version": -1}} {
		for _, status := range []int{200, 204, 302, 400, 404, 500} {
			all := hosttest.Routes{"/v1/": func(*http.Request, map[string]any) (int, any) { return status, body },
				"GET /.well-known/openwop": hosttest.Always(hosttest.DiscoveryOf(hosttest.EveryFixture...))}
			c, err := scenarios.Certify(t.Context(), wire.Target{URL: hosttest.Serve(t, all), Key: "dev-key"}, scenarios.Options{Seed: 5,
				Patience: 20 * time.Millisecond, Select: aboutFiles}, openwop.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			r := c.Finish(context.Background())
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Passed || o.Verdict == scenarios.Broken {
					t.Errorf("HTTP %d with %v: %s is %s (%s)", status, body, o.Scenario.Name(), o.Verdict, o.Reason)
				}
			}
		}
	}
}
