package hostile

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
)

var page = flag.Bool("page", false, "write docs/hostile-hosts.md of what is measured")

func TestMain(m *testing.M) {
	if file := os.Getenv(measuring); file != "" {
		if err := measure(file, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// few are the cases that are always tried: one of each kind, and the quickest of those. All are tried by make hostile.
var few = map[string]bool{
	"reset-in-body": true, "headers-without-end": true, "redirect-to-another-origin": true, "gzip-bomb": true, "huge-lists": true,
	"long-strings":        true,
	"json-duplicate-keys": true, "stream-of-large-events": true, "html": true, "key-in-error-bodies": true, "clock-that-jumps": true,
}

// atOnce is how many hosts are certified at the same time: most of them make the command wait.
const atOnce = 8

func TestHostileHosts(t *testing.T) {
	binary, err := build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	discovery := honestDiscovery(t)
	honest := certify(t, binary, startWrapped(t, func(h http.Handler) http.Handler { return h }), unhurried)
	if honest.exit != scenarios.ExitProved && honest.exit != scenarios.ExitUnproved {
		t.Fatalf("an honest host: exit code %d\n%s", honest.exit, shortened(honest.said))
	}
	cases := allCases()
	tried := 0
	lines := make([]line, len(cases))
	turns := make(chan struct{}, atOnce)
	var mu sync.Mutex
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			if !*page && !testenv.Long() && !few[c.id] {
				continue
			}
			tried++
			t.Run(c.id, func(t *testing.T) {
				t.Parallel()
				turns <- struct{}{}
				defer func() { <-turns }()
				l := try(t, binary, discovery, honest, c)
				mu.Lock()
				defer mu.Unlock()
				lines[i] = l
			})
		}
	})
	if tried < len(few) {
		t.Errorf("%d of the %d hosts that are always tried exist", tried, len(few))
	}
	t.Logf("an honest host takes %d MiB", honest.peak>>20)
	if *page && !t.Failed() {
		if err := writePage(lines); err != nil {
			t.Fatal(err)
		}
	}
}

// try certifies one host, and looks at all that came of it.
func try(t *testing.T, binary string, discovery []byte, honest ended, c hostileCase) line {
	s := &scene{discovery: discovery}
	s.elsewhere, s.private = canary(t)
	var e ended
	if c.wrap != nil {
		e = certify(t, binary, startWrapped(t, c.wrap), unhurried)
	} else {
		e = certify(t, binary, startRaw(t, s, c), hurried)
	}
	checkSaid(t, c, honest, e)
	doc, transcripts := readReports(t, e)
	if doc != nil {
		checkVerdicts(t, c, *doc, transcripts)
	}
	if !tells(c, e, doc != nil, t) {
		t.Errorf("nothing says %q:\n%s", c.telling, shortened(e.said))
	}
	l := line{c, e, summary(e, doc)}
	t.Log(strings.TrimSpace(l.String()))
	return l
}
