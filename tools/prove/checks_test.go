package prove_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

var (
	compareChecks = flag.Bool("checks", false, "compare what is checked of honest hosts with the committed tables")
	mergeChecks   = flag.Bool("merge-checks", false,
		"add to the tables the hosts and scenarios that they do not have; where there are none, make them")
	widenChecks = flag.Bool("widen-checks", false, "with -merge-checks: widen what the tables have by what this run checks")
)

// What each scenario checks of each honest host is committed: its verdict, and for each requirement how many checks there are
// and what they expect. A change of the suites that is meant to change no verdict changes nothing of it. Races end in more
// than one way, so the tables are made of several runs, and hold the least and the largest number that any of them had.
func TestWhatIsCheckedOfHonestHosts(t *testing.T) {
	if !*compareChecks && !*mergeChecks {
		t.Skip("what is checked is compared with -checks")
	}
	t.Parallel()
	for file, hosts := range map[string][]prove.Host{
		"openwop": prove.Honest(protocols.Named("openwop")), "openintent": prove.Honest(protocols.Named("openintent")),
		"agentic-loop": prove.Honest(protocols.Named("agentic-loop")),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "checks", file+".txt")
			was, err := readChecks(path, hosts)
			if errors.Is(err, fs.ErrNotExist) && *mergeChecks {
				err = nil
			}
			if err != nil {
				t.Fatal(err)
			}
			seen := checkedOf(t, hosts)
			if *mergeChecks {
				if err := writeChecks(path, hosts, merge(was, seen)); err != nil {
					t.Fatal(err)
				}
				return
			}
			racy := racyOf(was)
			for _, h := range hosts {
				for _, odd := range oddities(was[h.Name], seen[h.Name], racy) {
					t.Errorf("%s: %s", h.Name, odd)
				}
			}
		})
	}
}

// span is how often something was seen, in the run with the least of it and in the one with most.
type span struct{ least, most int }

// checked is what was checked of a host, by scenario: its verdict, and the requirement and the words of each check.
type checked map[string]map[string]span

// checkedOf certifies hosts and returns what was checked of each, by name.
func checkedOf(t *testing.T, hosts []prove.Host) map[string]checked {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	seen := map[string]checked{}
	for _, h := range hosts {
		all.Go(func() {
			r, err := certifiedOnce(t.Context(), h, scenarios.Options{Seed: 1})
			if err != nil {
				t.Errorf("%s: %v", h.Name, err)
				return
			}
			c := checksOf(r)
			mu.Lock()
			defer mu.Unlock()
			seen[h.Name] = c
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return seen
}

var (
	// variable is what differs from run to run in the words of a check: what is quoted, and words with a digit in them, which
	// are drawn values, ids and times.
	variable = regexp.MustCompile(`"(?:[^"\\]|\\.)*(?:"|…|$)|[\w.:+-]*\d[\w.:+-]*|\brun-[\w.:+-]+`)
	listed   = regexp.MustCompile(`_(?:, ?(?:_|\w*…))+`)
	repeated = regexp.MustCompile(`as in the source, .*`)
)

// mostWords is how much of the words of a check the tables hold.
const mostWords = 160

func checksOf(r *scenarios.Report) checked {
	c := checked{}
	for _, o := range r.Outcomes {
		counted := map[string]span{string(o.Verdict): {1, 1}}
		for _, k := range o.Checks {
			words := variable.ReplaceAllString(strings.Join(strings.Fields(k.Expected), " "), "_")
			words = k.Requirement + " " + listed.ReplaceAllString(repeated.ReplaceAllString(words, "as in the source"), "_")
			words = words[:min(len(words), mostWords)]
			n := counted[words].most + 1
			counted[words] = span{n, n}
		}
		c[string(o.Scenario.ID)] = counted
	}
	return c
}

// merge adds to what was what is new. With -widen-checks it widens the spans of the rest by what is seen, which a busy machine
// makes wider than they need be.
func merge(was, seen map[string]checked) map[string]checked {
	for host, c := range seen {
		if was[host] == nil {
			was[host] = c
			continue
		}
		for scenario, counted := range c {
			spans := was[host][scenario]
			if spans == nil {
				was[host][scenario] = counted
				continue
			}
			if !*widenChecks {
				continue
			}
			for words, n := range counted {
				s := spans[words] // not seen before: none is the least
				spans[words] = span{min(s.least, n.least), max(s.most, n.most)}
			}
			for words, s := range spans {
				if _, ok := counted[words]; !ok {
					spans[words] = span{0, s.most}
				}
			}
		}
	}
	return was
}

// racyOf are the checks, by scenario and words, of which the runs that made the tables had different numbers on some host.
func racyOf(was map[string]checked) map[string]bool {
	racy := map[string]bool{}
	for _, c := range was {
		for scenario, counted := range c {
			for words, s := range counted {
				if s.least < s.most {
					racy[scenario+" "+words] = true
				}
			}
		}
	}
	return racy
}

// oddities are the ways in which what is seen of a host departs from the table, but for how often there was what is racy.
func oddities(was, seen checked, racy map[string]bool) (odd []string) {
	for scenario, counted := range seen {
		if was[scenario] == nil {
			odd = append(odd, scenario+" is not in the table: make checks adds it")
		}
		for words, n := range counted {
			if s := was[scenario][words]; (n.least < s.least || n.most > s.most) && !racy[scenario+" "+words] {
				odd = append(odd, fmt.Sprintf("%s: %d times, where the table has %d to %d: %s", scenario, n.most, s.least, s.most, words))
			}
		}
		for words, s := range was[scenario] {
			if _, ok := counted[words]; !ok && s.least > 0 && !racy[scenario+" "+words] {
				odd = append(odd, fmt.Sprintf("%s: not seen: %s", scenario, words))
			}
		}
	}
	for scenario := range was {
		if seen[scenario] == nil {
			odd = append(odd, scenario+" was not asked")
		}
	}
	slices.Sort(odd)
	return odd
}

// writeChecks writes the tables of a protocol's hosts: the first whole, every other as the scenarios in which it differs.
func writeChecks(path string, hosts []prove.Host, tables map[string]checked) error {
	var b strings.Builder
	plain := tables[hosts[0].Name]
	for i, h := range hosts {
		fmt.Fprintln(&b, "#", h.Name)
		c := tables[h.Name]
		for _, scenario := range slices.Sorted(maps.Keys(c)) {
			if i > 0 && maps.Equal(c[scenario], plain[scenario]) {
				continue
			}
			for _, words := range slices.Sorted(maps.Keys(c[scenario])) {
				s := c[scenario][words]
				fmt.Fprintf(&b, "%s %d %d %s\n", scenario, s.least, s.most, words)
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // committed
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644) //nolint:gosec // committed
}

// readChecks reads what writeChecks wrote.
func readChecks(path string, hosts []prove.Host) (map[string]checked, error) {
	tables := map[string]checked{}
	f, err := os.Open(path)
	if err != nil {
		return tables, fmt.Errorf("%w: make it with -merge-checks", err)
	}
	defer f.Close()
	var host string
	own := map[string]checked{} // as they stand in the file
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			host, own[name] = name, checked{}
			continue
		}
		var scenario string
		var s span
		if _, err := fmt.Sscan(lines.Text(), &scenario, &s.least, &s.most); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		words := strings.SplitN(lines.Text(), " ", 4)[3]
		if own[host][scenario] == nil {
			own[host][scenario] = map[string]span{}
		}
		own[host][scenario][words] = s
	}
	plain := own[hosts[0].Name]
	for _, h := range hosts {
		if own[h.Name] == nil {
			continue
		}
		c := checked{}
		for scenario, counted := range plain {
			c[scenario] = maps.Clone(counted)
		}
		maps.Copy(c, own[h.Name])
		tables[h.Name] = c
	}
	return tables, lines.Err()
}
