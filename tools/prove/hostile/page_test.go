package hostile

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

const pagePath = "../../../docs/hostile-hosts.md"

const pageHead = `# Hostile hosts

A target is not trusted. Each line is a host on a real socket that means harm, and what became of
` + "`assay certify HOST --protocol openwop --timeout 4s --patience 150ms`" + ` with all suites, in a process of its own (20s and 1s where most
of the host is honest). For each of them a test holds: the command ends within its deadline, its memory stays under
twice what it is with an honest host, nothing crashes, no key goes to another origin, into a file or onto the terminal,
every report can be parsed, and nothing passes that the host has touched. What such a host leaves alone may pass: discovery,
where it is honest, statuses, where only bodies are hostile, and all but the streams or the times, where only those are.

` + "`make hostile`" + ` measures again and writes this page. Seconds and memory are of one run with others beside it on two
cores.

| host | what it sends | what the report says | seconds | peak memory |
|---|---|---|---|---|
`

// line is what was measured of one case.
type line struct {
	c    hostileCase
	e    ended
	said string
}

func (l line) String() string {
	return fmt.Sprintf("| %s | %s | %s | %.1f | %d MiB |\n", l.c.id, l.c.sent, l.said, l.e.seconds, l.e.peak>>20)
}

// summary is what a report says, in a sentence: the exit code, the verdicts, and the reason that most scenarios have.
func summary(e ended, doc *results.Results) string {
	if doc == nil {
		said := strings.TrimSpace(strings.TrimPrefix(e.said[strings.LastIndex(strings.TrimSpace(e.said), "\n")+1:], "assay: "))
		return fmt.Sprintf("exit %d: %s", e.exit, textsafe.Markdown(textsafe.Clip(tidy(said), mostSaid)))
	}
	var counts []string
	for _, total := range []struct {
		n    int64
		word string
	}{
		{doc.Totals.Passed, "passed"}, {doc.Totals.Failed, "failed"}, {doc.Totals.Blocked, "blocked"},
		{doc.Totals.Inconclusive, "inconclusive"}, {doc.Totals.Inapplicable, "inapplicable"},
	} {
		if total.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", total.n, total.word))
		}
	}
	text := fmt.Sprintf("exit %d: %s", e.exit, strings.Join(counts, ", "))
	if reason := mostFrequent(*doc); reason != "" {
		text += "; " + textsafe.Markdown(textsafe.Clip(reason, mostSaid))
	}
	return text
}

// mostSaid is how many characters of a reason stand on the page.
const mostSaid = 160

// mostFrequent is the reason that most failed or inconclusive scenarios have.
func mostFrequent(doc results.Results) string {
	count := map[string]int{}
	for _, s := range doc.Scenarios {
		if s.Verdict == results.VerdictFailed || s.Verdict == results.VerdictInconclusive {
			count[tidy(s.Reason)]++
		}
	}
	if len(count) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return cmp.Compare(count[a], count[b]) })
}

var (
	ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	paths = regexp.MustCompile(`(GET|POST|PUT|PATCH|DELETE) (/[^:\s]*)`)
)

// tidy takes out what differs from run to run.
func tidy(reason string) string {
	return paths.ReplaceAllString(ports.ReplaceAllString(reason, "HOST"), "$1 …")
}

func writePage(lines []line) error {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, l := range lines {
		b.WriteString(l.String())
	}
	return os.WriteFile(pagePath, []byte(b.String()), 0o644)
}

// The page has a line for each case, in order, and no other; what was measured may differ.
func TestThePageHasEveryCase(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatalf("%v: make hostile writes it", err)
	}
	if !strings.HasPrefix(string(page), pageHead) {
		t.Error("the head of the page is stale: make hostile writes it again")
	}
	var listed, want []string
	for row := range strings.SplitSeq(strings.TrimSpace(strings.TrimPrefix(string(page), pageHead)), "\n") {
		cells := strings.SplitN(row, " | ", 3)
		if len(cells) < 3 {
			t.Fatalf("no line of a case: %s", row)
		}
		listed = append(listed, strings.TrimPrefix(cells[0], "| ")+": "+cells[1])
	}
	for _, c := range allCases() {
		want = append(want, c.id+": "+c.sent)
	}
	if !slices.Equal(listed, want) {
		t.Errorf("the page lists\n%s\nand there are\n%s\nmake hostile writes it again", strings.Join(listed, "\n"), strings.Join(want, "\n"))
	}
}
