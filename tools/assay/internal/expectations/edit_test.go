package expectations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/expectations"
)

// updated is a file after an update with a report.
func updated(t *testing.T, content string, outcomes ...scenarios.Outcome) (string, expectations.Change, error) {
	t.Helper()
	l, err := expectations.Read("assay.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	got, _, change, err := l.Update([]byte(content), l.Judge(reported(outcomes...), every, today))
	return string(got), change, err
}

const file = `# of acme
key: {env: KEY}   # kept elsewhere

# What we know of.
expectations:
  # At the head of the list.
  - scenario: toy/counting/a   # slow
    actual: "4"
    reason: >-
      it takes
      its time

    issue: https://acme.test/7

  # Of b.
  - {scenario: toy/counting/b, actual: "5",
     reason: r, issue: https://acme.test/8}
  -
    scenario: toy/counting/c
    actual: "6"
    reason: r
    issue: https://acme.test/9
    # the end of c

# How hard.
rate: 200
`

func TestUpdateLeavesAllElseAsItIs(t *testing.T) {
	fresh := func(name, violated string) string {
		id, actual, _ := strings.Cut(violated, "=")
		return "  - scenario: toy/counting/" + name + "\n    requirement: " + id + "\n    signature: \"" + signature(name, violated) + "\"\n" +
			"    reason: \"TODO: expected 3, got " + actual + "\"\n    issue: \"TODO\"\n"
	}
	cut := func(from, to string) string {
		head, rest, _ := strings.Cut(file, from)
		_, tail, _ := strings.Cut(rest, to)
		return head + to + tail
	}
	a, b, c := fails("a", "TOY-1=4"), fails("b", "TOY-1=5"), fails("c", "TOY-1=6")
	pass := func(name string) scenarios.Outcome { return ends(name, scenarios.Passed) }
	for name, tc := range map[string]struct {
		outcomes []scenarios.Outcome
		want     string
		change   expectations.Change
	}{
		"nothing changed":   {[]scenarios.Outcome{a, b, c}, file, expectations.Change{Kept: 3}},
		"nothing was asked": {nil, file, expectations.Change{Kept: 3}},
		"it was interrupted": {[]scenarios.Outcome{ends("a", scenarios.Inconclusive), ends("b", scenarios.Broken),
			ends("c", scenarios.Blocked)}, file, expectations.Change{Kept: 3}},
		"the first passes": {[]scenarios.Outcome{pass("a"), b, c}, cut("  - scenario: toy/counting/a", "\n  # Of b."),
			expectations.Change{Removed: 1, Kept: 2}},
		"the second passes": {[]scenarios.Outcome{a, pass("b"), c}, cut("  # Of b.\n", "  -\n"), expectations.Change{Removed: 1, Kept: 2}},
		"the last passes": {[]scenarios.Outcome{a, b, pass("c")}, cut("  -\n    scenario: toy/counting/c", "\n# How hard."),
			expectations.Change{Removed: 1, Kept: 2}},
		"one more": {
			[]scenarios.Outcome{a, b, fails("c", "TOY-1=6", "TOY-2=7")},
			strings.Replace(file, "    # the end of c\n", "    # the end of c\n"+fresh("c", "TOY-2=7"), 1), expectations.Change{Added: 1, Kept: 3},
		},
		"another failure in its place": {
			[]scenarios.Outcome{a, b, fails("c", "TOY-1=7")},
			strings.Replace(cut("  -\n    scenario: toy/counting/c", "\n# How hard."), "https://acme.test/8}\n", "https://acme.test/8}\n"+
				fresh("c", "TOY-1=7"), 1),
			expectations.Change{Added: 1, Removed: 1, Kept: 2},
		},
		"all pass": {[]scenarios.Outcome{pass("a"), pass("b"), pass("c")}, "", expectations.Change{Removed: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			got, change, err := updated(t, file, tc.outcomes...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.change, change); diff != "" {
				t.Error(diff)
			}
			if tc.want == "" { // what is left are the lines that belong to none of them
				tc.want = "# of acme\nkey: {env: KEY}   # kept elsewhere\n\n# What we know of.\nexpectations:\n  # At the head of " +
					"the list.\n\n\n# How hard.\nrate: 200\n"
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever the file is like, the list is put where it belongs.
func TestUpdateOfOtherFiles(t *testing.T) {
	entry := func(left, end string) string {
		return strings.Join([]string{left + "- scenario: toy/counting/a", left + "  requirement: TOY-1", left + "  signature: \"" +
			signature("a", "TOY-1=4") + "\"",
			left + "  reason: \"TODO: expected 3, got 4\"", left + "  issue: \"TODO\"", ""}, end)
	}
	b := "scenario: toy/counting/b\n  actual: x\n  reason: r\n  issue: https://acme.test/7\n"
	for content, want := range map[string]string{
		"":                            "expectations:\n" + entry("  ", "\n"),
		"# only words":                "# only words\n\nexpectations:\n" + entry("  ", "\n"),
		"seed: 7\n":                   "seed: 7\n\nexpectations:\n" + entry("  ", "\n"),
		"seed: 7\r\nrate: 2\r\n":      "seed: 7\r\nrate: 2\r\n\r\nexpectations:\r\n" + entry("  ", "\r\n"),
		"expectations: []\nseed: 7\n": "expectations:\n" + entry("  ", "\n") + "seed: 7\n",
		"expectations: # none\n":      "expectations: # none\n" + entry("  ", "\n"),
		"expectations:\n- " + b:       "expectations:\n- " + b + entry("", "\n"),
		"expectations:\n- " + b[:len(b)-1] + "\nseed: 7": "expectations:\n- " + b + entry("", "\n") + "seed: 7\n",
	} {
		got, change, err := updated(t, content, fails("a", "TOY-1=4"))
		if err != nil || change.Added != 1 {
			t.Errorf("%q: %v, %v", content, change, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", content, diff)
		}
	}
	for _, content := range []string{
		"expectations: [{scenario: toy/counting/b, actual: x, reason: r, issue: 'https://acme.test/7'}]\n",
		"{seed: 7, expectations: []}\n",
		"expectations:\n  &all\n  []\n",
		"? expectations\n: []\n",
		"- seed\n",
	} {
		if got, _, err := updated(t, content, fails("a", "TOY-1=4")); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%q: %v, and is now %q", content, err, got)
		}
	}
}

// What a target sent stands in the file as text, and is read again as it was.
func TestUpdateWithHostileText(t *testing.T) {
	evil := "\x1b[31m\"\\ # - x: {{[&*!|>%@`\n\u2028\u202e\xff\u0085 "
	got, _, err := updated(t, "seed: 7\n", fails("a", "TOY-1="+evil))
	if err != nil {
		t.Fatal(err)
	}
	l, err := expectations.Read("assay.yaml", []byte(got))
	if err != nil || len(l.Entries) != 1 || strings.Count(got, "\n") != 8 {
		t.Errorf("%v, %v:\n%s", l, err, got)
	}
	if j := l.Judge(reported(fails("a", "TOY-1="+evil)), every, today); len(j.Known) != 1 {
		t.Errorf("the failure is not known by what was written:\n%s", got)
	}
}

// After an update nothing is new and nothing is out of date, and the entries that were to stay are those that stay.
func FuzzUpdate(f *testing.F) {
	f.Add(file, byte(0))
	f.Add(file, byte(0xff))
	f.Add("expectations: []", byte(3))
	f.Add("a: 1\r\nexpectations:\r\n- {scenario: toy/counting/a, actual: '4', reason: r, issue: http://a}\r\n# x", byte(5))
	f.Add("expectations:\n  - scenario: toy/counting/a\n    actual: |\n      4\n\n      # 5\n    reason: r\n    issue: http://a\n", byte(1))
	f.Fuzz(func(t *testing.T, content string, which byte) {
		l, err := expectations.Read("assay.yaml", []byte(content))
		if err != nil {
			return
		}
		var outcomes []scenarios.Outcome
		for i, name := range []string{"a", "b", "c"} {
			switch which >> (2 * i) & 3 {
			case 0:
				outcomes = append(outcomes, ends(name, scenarios.Passed))
			case 1:
				outcomes = append(outcomes, fails(name, "TOY-1=4"))
			case 2:
				outcomes = append(outcomes, fails(name, "TOY-1=5", "TOY-2=6"))
			}
		}
		judged := l.Judge(reported(outcomes...), every, today)
		got, after, change, err := l.Update([]byte(content), judged)
		if err != nil {
			return
		}
		if change.Added == 0 && change.Removed == 0 && string(got) != content {
			t.Errorf("nothing changed, and the file is another: %q", got)
		}
		for line := range strings.SplitSeq(content, "\n") {
			if c := strings.TrimSpace(line); strings.HasPrefix(c, "rate:") && !strings.Contains(string(got), c) {
				t.Errorf("%q is gone from %q", c, got)
			}
		}
		again := after.Judge(reported(outcomes...), every, today)
		if _, _, second, err := after.Update(got, again); err != nil || second.Added != 0 || second.Removed != 0 {
			t.Errorf("a second update: %v, %v, of %q", second, err, got)
		}
		for _, e := range after.Entries {
			e.Line = 0
			if change.Added == 0 && !slices.ContainsFunc(l.Entries, func(o expectations.Expectation) bool { o.Line = 0; return o == e }) {
				t.Errorf("%+v was not there before", e)
			}
		}
	})
}
